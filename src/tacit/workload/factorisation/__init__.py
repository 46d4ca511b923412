"""The best Gaussian noise for any set of linear questions, with a certified bound of its distance from the optimum."""
