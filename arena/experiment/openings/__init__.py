"""Openings: where they come from, and whether they are even."""

MAX_OPENINGS = 100_000
"""Openings that can be asked for."""
