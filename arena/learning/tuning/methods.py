"""The table of methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias, Union

from pydantic import Discriminator

from arena.learning.tuning.method import Method
from arena.learning.tuning.patterns import Patterns
from arena.learning.tuning.spsa import Spsa
from arena.learning.tuning.texel import Texel

TABLE: tuple[type[Method], ...] = (Texel, Spsa, Patterns)
"""One row a method; its `method` is its name in configurations."""

if TYPE_CHECKING:
    MethodField: TypeAlias = Method
else:
    MethodField = Annotated[Union[TABLE], Discriminator("method")]  # noqa: UP007
"""Any of the methods, as a field of a configuration."""
