"""Evaluation of models as private queries: what is counted, and how measures with intervals are read from it."""
