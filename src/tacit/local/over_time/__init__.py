"""The same respondent asked again and again: what stays deniable, and what it costs."""
