"""The designs, one a file: how a respondent's answer becomes a report."""
