"""Audits of whole data sets: sequences of adaptive questions, checked against the books."""
