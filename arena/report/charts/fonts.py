"""Fonts: the width of a text, and letters that no installed font has."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable

from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.textpath import text_to_path

MAIN = "DejaVu Sans"
"""Comes with matplotlib."""
FALLBACKS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans CJK KR", "Noto Sans JP", "Noto Sans SC", "Noto Sans KR",
    "Source Han Sans", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Hiragino Sans",
    "PingFang SC", "Apple SD Gothic Neo", "Yu Gothic", "Microsoft YaHei", "Malgun Gothic", "Arial Unicode MS",
    "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai", "Noto Sans Bengali",
)  # fmt: skip
"""Fonts for letters that MAIN does not have, as far as they are installed."""


@functools.cache
def families() -> list[str]:
    """MAIN, and those of FALLBACKS that are installed."""
    installed = set(fontManager.get_font_names())
    return [MAIN, *(name for name in FALLBACKS if name in installed)]


@functools.cache
def width(text: str, size: float = 9, weight: str = "normal") -> float:
    """Inches of a text of `size` points in MAIN; a letter that it does not have is as wide as high."""
    plain = "".join(letter for letter in text if ord(letter) in _letters((MAIN,)))
    properties = FontProperties(family=MAIN, size=size, weight=weight)
    points, _, _ = text_to_path.get_text_width_height_descent(plain, properties, ismath=False)
    others = sum(not unicodedata.combining(letter) for letter in text) - len(plain)
    return (float(points) + size * max(others, 0)) / 72


def without_glyphs(texts: Iterable[str]) -> list[str]:
    """Those of the texts with a letter that no font of `families` has: pictures show a box in its place."""
    known = _letters(tuple(families()))
    return [text for text in texts if any(ord(letter) not in known for letter in text)]


@functools.cache
def _letters(names: tuple[str, ...]) -> frozenset[int]:
    paths = [fontManager.findfont(FontProperties(family=name)) for name in names]
    return frozenset().union(*(get_font(path).get_charmap() for path in paths))
