"""Poll designs: the questions asked, the protection, and how an answer becomes a report."""
