"""Plans as SQL: bounded, total, integers only."""
