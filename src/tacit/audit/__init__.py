"""Attacks on releases, and an auditor that tests the claims of mechanisms."""
