"""Benchmarks: one script a subject, Tacit and its peers side by side in one run."""
