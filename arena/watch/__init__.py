"""A run at a moment: counts, standings, the Elo so far, progress on a terminal."""
