"""Ratings: a match of two players, the joint fit of many, and how often players err."""

from typing import Literal, TypeAlias

RatingModel: TypeAlias = Literal["bradley-terry", "davidson"]
"""How a draw is counted; here, as a configuration names it without importing numpy."""
