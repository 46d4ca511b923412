"""k-anonymity, ℓ-diversity and t-closeness: measures, a way to reach them, and attacks that they do not stop."""
