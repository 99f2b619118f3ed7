"""Tables as files for other programs: Parquet, Arrow, CSV and DuckDB, in the units people see."""
