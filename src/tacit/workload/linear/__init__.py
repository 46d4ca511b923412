"""Linear counting questions in SQL, released together: ranges, running totals, histograms of several widths."""
