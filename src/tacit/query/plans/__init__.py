"""Plans: what a query counts below the noise, what that costs, and how far off it will be. No data."""
