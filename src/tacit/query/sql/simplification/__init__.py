"""Simplification of SQL that a program wrote: the same question with fewer sub-selects."""
