"""Which of several candidates is best."""
