"""Search by proof numbers: questions that are answered yes or no, where little has to be tried."""
