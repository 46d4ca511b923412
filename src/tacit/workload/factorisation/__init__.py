"""The best Gaussian noise for any set of linear questions, with a proof of how near the best it is."""
