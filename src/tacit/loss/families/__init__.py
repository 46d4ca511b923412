"""Losses known by a number or two: (ε, δ), ρ, μ, Rényi divergences."""
