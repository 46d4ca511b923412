"""Typed values of one row: kinds, enforced bounds, public domains, how engines store them, and how columns are read."""
