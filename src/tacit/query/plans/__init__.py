"""Plans: the parts that a query counts below the noise, their limits and their price. No data."""
