"""A poll in the respondent's own browser: the module that randomises, the page that asks, the endpoint that collects."""
