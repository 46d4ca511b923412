"""Poll designs: how a question is asked, what each design protects, and how an answer becomes a report."""
