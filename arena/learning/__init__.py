"""Weights and networks, found by games and by positions."""
