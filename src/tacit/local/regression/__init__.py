"""Regression with randomised answers: the model is about the truth, the likelihood about the reports."""
