"""The central privacy loss of n shuffled reports: brackets with a proof at the upper end and an attack at the lower."""
