"""Means of numbers and of vectors from reports that each respondent randomised alone."""
