"""Reading SQL: expressions of one row, private rows with their owners, simplification of generated SQL."""
