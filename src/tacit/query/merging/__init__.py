"""SQL that a program wrote, as a person would have written it: the same question with fewer sub-selects."""
