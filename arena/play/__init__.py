"""Playing: one game, many at once, and a whole tournament."""
