"""Learning under a budget: models whose training is one release of bounded sums."""
