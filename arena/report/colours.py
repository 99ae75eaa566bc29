"""The colours of charts, which the page shows, too."""

INK, MUTED, GRID, PAPER = "#22262e", "#666c77", "#d8dbe0", "#fefefe"
"""Colours of text, secondary text, grid and background; the page replaces exactly these for a dark screen."""
