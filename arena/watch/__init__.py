"""A run at a moment: counts, standings, the Elo so far, games under way, progress on a terminal."""
