"""Benchmarks: one script per subject, Tacit and its peers side by side in one run."""
