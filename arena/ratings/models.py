"""The models of ratings, by name; `arena.ratings.strengths` says what they are."""

from typing import Literal, TypeAlias

RatingModel: TypeAlias = Literal["bradley-terry", "davidson"]
