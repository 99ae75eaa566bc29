"""How people read the values of tables: ratings, shares, times, with their intervals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

from arena.base.number import fixed, known, quantity, signed

seconds = partial(quantity, unit="s")
"""A time: "12 ms"."""
to_0 = partial(fixed, decimals=0)
"""A number without decimals."""
to_1, to_2, to_4 = (partial(fixed, decimals=places) for places in (1, 2, 4))
"""A number with so many decimals."""


def elo(value: Any) -> str:
    """A rating: "+12", "" if it is not known."""
    return signed(value) if known(value) else ""


def estimate(form: Callable[[Any], str]) -> Callable[[Any, Any, Any], str]:
    """Return a function that shows a value with its interval, as far as known: "3.10 (2.84 to 3.41)"."""

    def text(value: Any, low: Any, high: Any) -> str:
        interval = f" ({form(low)} to {form(high)})" if known(low) and known(high) else ""
        return form(value) + interval if known(value) else ""

    return text


def share(value: Any, low: Any, high: Any, decimals: int = 1) -> str:
    """A share with its interval in per cent: "1.2 % (0.9 to 1.6 %)", "" if it is not known."""
    ends = f" ({100 * low:.{decimals}f} to {100 * high:.{decimals}f} %)" if known(low) and known(high) else ""
    return f"{100 * value:.{decimals}f} %{ends}" if known(value) else ""


def plain(value: Any) -> str:
    """A text as it is, a number to two decimals at most."""
    if isinstance(value, str):
        return value
    return "" if pd.isna(value) else f"{round(value, 2):g}"


def nonzero(value: Any) -> str:
    """A whole number, "" for 0."""
    return str(value) if value else ""


def figure(value: float) -> str:
    """A number of a player's own: three digits, with a prefix from a thousand on; "" if it is not known."""
    if not known(value) or abs(value) >= 1000:
        return quantity(value)
    return f"{float(f'{value:.3g}'):.10f}".rstrip("0").rstrip(".")
