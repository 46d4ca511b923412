"""Mechanisms whose noise depends on the stability of the data."""
