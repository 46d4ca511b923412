"""The command line: every command of `tacit`. No other room imports click or rich."""
