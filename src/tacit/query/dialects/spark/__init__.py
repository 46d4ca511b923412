"""Lowered SQL in Spark's words."""
