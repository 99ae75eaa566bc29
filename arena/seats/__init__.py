"""Seats: players with a user's code, each in a process of its own."""
