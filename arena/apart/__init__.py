"""Processes apart: what can neither end nor hold up the one that asked for it."""
