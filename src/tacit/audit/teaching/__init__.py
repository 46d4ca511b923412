"""Small examples that teach what (ε, δ) promises and what it does not; a test holds each claim."""
