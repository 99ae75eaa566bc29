"""Numbers as text for people: "+12", "1.23 k", "> 99.9 %"; what is not known is ""."""

from __future__ import annotations

import math
import re
from typing import Any

_PREFIXES = ("p", "n", "µ", "m", "", "k", "M", "G", "T")
"""SI prefixes by power of 1000, from -4."""
_UNBROKEN = re.compile(r"(?<=\d) (?=±|%|†|Elo\b|nodes\b|plies\b|[pnµmkMGT]?s\b|[kMGT]\b)|(?<=[±<>]) (?=\d)")


def unbroken(text: str) -> str:
    """The text with no-break spaces between a number, its error and its unit: "+12 ± 5 Elo", "500 µs"."""
    return _UNBROKEN.sub("\N{NO-BREAK SPACE}", text)


def known(value: Any) -> bool:
    """Whether there is a finite number."""
    try:
        return math.isfinite(value)
    except TypeError:
        return False


def quantity(value: Any, unit: str = "") -> str:
    """Three digits and an SI prefix: 1234 -> "1.23 k", 0.0005 s -> "500 µs"."""
    if not known(value):
        return ""
    value = float(value)
    if value == 0:
        return f"0 {unit}".strip()
    power = min(max(math.floor(math.log10(abs(value)) / 3), -4), 4)
    if abs(float(f"{value / 1000.0**power:.3g}")) >= 1000 and power < 4:
        power += 1
    return f"{float(f'{value / 1000.0**power:.3g}'):g} {_PREFIXES[power + 4]}{unit}".strip()


def signed(value: float, decimals: int = 0) -> str:
    """A number with its sign, as people write it: "+12", "−7", "0"."""
    shown = value if round(value, decimals) else 0.0
    return with_minus(f"{shown:+.{decimals}f}") if shown else f"{shown:.{decimals}f}"


def with_minus(number: str) -> str:
    """A number's text with the sign that people write."""
    return number.replace("-", "−")


def with_error(value: float, error: float) -> str:
    """A value with its sign and the half width of its 95 % interval, if there is one: "+12 ± 5"."""
    return signed(value) + (f" ± {error:.0f}" if known(error) and error > 0 else "")


def fixed(value: Any, decimals: int) -> str:
    """So many decimals."""
    return f"{float(value):.{decimals}f}" if known(value) else ""


def percent(share: Any) -> str:
    """A share from 0 to 1 in per cent, with one decimal."""
    return f"{100 * float(share):.1f} %" if known(share) else ""


def probability(value: Any) -> str:
    """Per cent; what rounds to certainty is written as a bound."""
    if not known(value):
        return ""
    value = 100 * float(value)
    return "> 99.9 %" if value > 99.9 else "< 0.1 %" if value < 0.1 else f"{value:.1f} %"


def duration(seconds: float) -> str:
    """Two units at most: `14 s`, `3 min 05 s`, `2 h 10 min`, `1 d 3 h`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def times(ratio: float) -> str:
    """A ratio: 3.104 -> "3.10", 0.0123 -> "0.012", 1234 -> "1,234"."""
    if not known(ratio):
        return ""
    if ratio >= 100:
        return f"{ratio:,.0f}"
    return f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"
