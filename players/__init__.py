"""Players and evaluations: one visible table of each."""
