"""A poll in the respondent's own browser: the page that asks and randomises, and the collector of reports."""
