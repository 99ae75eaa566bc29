"""The types that ratings are made of: arrays, and the models by name."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]


RatingModel: TypeAlias = Literal["bradley-terry", "davidson"]
