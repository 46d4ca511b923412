"""SQL → plan → bounded, total SQL → integers."""
