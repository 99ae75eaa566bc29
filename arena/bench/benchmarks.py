"""The benchmarks by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from arena.bench.overhead import overhead
from arena.bench.rates import full_search, random_games, rules, search, tree_search
from arena.bench.time import kept_time
from arena.bench.timing import Row
from arena.rules.variants import VARIANTS

Benchmark = Callable[[Sequence[str]], Iterator[Row]]
"""From names of variants to rows."""


def rows(what: str, variants: Sequence[str] = ()) -> Iterator[Row]:
    """The rows of a benchmark of BENCHMARKS, for all variants if none is named. Raises KeyError."""
    return BENCHMARKS[what](variants)


def _rules(variants: Sequence[str]) -> Iterator[Row]:
    yield from rules(variants or list(VARIANTS))


def _search(variants: Sequence[str]) -> Iterator[Row]:
    yield from search(variants or list(VARIANTS))
    yield from full_search(variants or list(VARIANTS))
    yield from map(tree_search, variants or VARIANTS)


def _games(variants: Sequence[str]) -> Iterator[Row]:
    yield from map(random_games, variants or VARIANTS)


def _overhead(variants: Sequence[str]) -> Iterator[Row]:
    for variant in variants or ["english"]:
        yield from overhead(variant)


def _time(variants: Sequence[str]) -> Iterator[Row]:
    yield from map(kept_time, variants or ["english"])


def _all(variants: Sequence[str]) -> Iterator[Row]:
    for benchmark in (_rules, _search, _games, _overhead):
        yield from benchmark(variants)


BENCHMARKS: dict[str, Benchmark] = {
    "all": _all,
    "rules": _rules,
    "search": _search,
    "games": _games,
    "overhead": _overhead,
    "time": _time,
}
"""All benchmarks; `all` leaves out `time`, which keeps every core busy."""
