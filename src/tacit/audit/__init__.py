"""Attacks on releases, and an auditor that tests what a mechanism claims."""
