"""Private multiplicative weights: a public guess of a whole histogram, corrected where it was found to be wrong."""
