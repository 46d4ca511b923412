"""Reading SQL: expressions of one row, private rows with their people, simplification of generated SQL."""
