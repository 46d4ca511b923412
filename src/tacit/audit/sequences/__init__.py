"""Whole data sets under audit: many questions in a row, chosen from earlier answers, against the books."""
