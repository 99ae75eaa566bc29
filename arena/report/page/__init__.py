"""The page of a report: its template, its style, and what fills them."""
