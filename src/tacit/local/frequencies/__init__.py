"""Frequency oracles: the frequency of each of many options, estimated from randomised reports."""
