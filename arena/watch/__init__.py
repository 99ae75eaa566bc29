"""A run while it is played: its status, and what a terminal shows of it."""
