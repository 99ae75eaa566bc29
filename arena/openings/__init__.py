"""Openings: where they come from, and whether they are even."""
