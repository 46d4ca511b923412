"""Membership inference: the game that (ε, δ) is a bound on, attacks that play it, and what their success proves."""
