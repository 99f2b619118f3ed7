"""Tables: the values of all positions in a folder of Parquet files with a manifest."""
