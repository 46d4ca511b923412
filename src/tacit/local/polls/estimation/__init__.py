"""Estimation from the reports of a poll: channels, prevalence, and intervals of one rate and of two."""
