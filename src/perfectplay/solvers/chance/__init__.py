"""Games of chance with one number per position: values between proved bounds."""
