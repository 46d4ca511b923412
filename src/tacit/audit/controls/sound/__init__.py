"""Tacit's own mechanisms as the auditor sees them."""
