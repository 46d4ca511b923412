"""Private multiplicative weights: a public estimate of a whole histogram, corrected by noisy answers."""
