"""Counts, sums, means, variances, histograms and quantiles of one record per person."""
