"""A game at the board in a terminal: what is shown of it, and what a person types."""
