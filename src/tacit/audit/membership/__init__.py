"""Membership inference: the game that (ε, δ) bounds, attacks that play it, and the bounds that their success proves."""
