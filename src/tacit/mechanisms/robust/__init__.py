"""Answers whose noise follows how stable the data are."""
