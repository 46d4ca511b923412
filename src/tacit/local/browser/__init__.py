"""A poll in the respondent's own browser: the module that randomises, the page that asks, what collects the reports."""
