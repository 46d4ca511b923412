"""Audits of whole data sets: many adaptive questions in a row, against the books."""
