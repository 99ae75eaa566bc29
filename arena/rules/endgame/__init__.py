"""Endgame tables: every ending of few pieces solved, kept on disk, and looked up inside kernels."""

from typing import Literal, TypeAlias, get_args

Pieces: TypeAlias = Literal[2, 3, 4, 5, 6]
"""Most pieces of an ending in tables; here, as a configuration names it without importing numpy."""
MOST_PIECES: int = max(get_args(Pieces))  # of the largest tables that can be made
USUAL_PIECES: Pieces = 4  # of the tables where no number is given; they are made in seconds to minutes
