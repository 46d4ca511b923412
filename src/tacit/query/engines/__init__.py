"""Engines: the protocol, the dialect contract, and one package for each database with its driver and its dialect."""
