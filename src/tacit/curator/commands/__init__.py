"""The curator on the command line, one command a file."""
