"""Means of numbers and of vectors from locally randomised reports."""
