"""Contribution bounding: how much of one person counts, by construction, declared, or chosen from noisy histograms."""
