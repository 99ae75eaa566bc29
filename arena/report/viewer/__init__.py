"""The games on the page of a report: which are inside, what the page receives of them, and what shows them."""
