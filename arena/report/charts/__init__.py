"""Charts of a run: each draws a table of `arena.report.tables` and returns its Axes."""
