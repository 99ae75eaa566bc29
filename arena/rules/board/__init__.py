"""A position to look at: as SVG, as text on a terminal."""
