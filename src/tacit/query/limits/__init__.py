"""How much of one person counts: chosen from noisy histograms that are already public."""
