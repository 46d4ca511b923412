"""Frequency oracles: how often each of many options is true, from reports that do not say which one is true."""
