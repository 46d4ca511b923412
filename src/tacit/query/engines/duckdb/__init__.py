"""DuckDB, embedded: the default engine. Lowered SQL is its dialect."""
