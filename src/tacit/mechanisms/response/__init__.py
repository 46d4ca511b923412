"""One person's own answer, randomised before it leaves them."""
