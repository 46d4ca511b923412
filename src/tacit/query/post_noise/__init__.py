"""Post-processing: SELECT items, HAVING, ORDER BY and LIMIT over noisy aggregates and public keys, free of charge."""
