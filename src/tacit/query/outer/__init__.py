"""The outer query: what a statement computes from released groups, in a sealed DuckDB."""
