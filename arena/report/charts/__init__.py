"""Charts of a run: each takes a table of `arena.report.tables` and optional Axes, and returns the Axes."""
