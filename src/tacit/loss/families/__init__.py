"""The base of every loss, and losses known by a number or two: (ε, δ), ρ, μ, Rényi divergences."""
