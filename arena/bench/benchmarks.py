"""The benchmarks by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from arena.bench.engines import VARIANT, against_dame_rs
from arena.bench.environments import environments
from arena.bench.overhead import overhead
from arena.bench.rates import full_search, random_games, rules, search, tree_search
from arena.bench.rivals import rivals
from arena.bench.time import kept_time
from arena.bench.timing import Row
from arena.bench.volume import volume
from arena.bench.workers import engines
from arena.rules.variants import VARIANTS

Benchmark = Callable[[Sequence[str]], Iterator[Row]]
"""From names of variants to rows; those that play by one variant alone do not heed the names."""


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


def _rivals(variants: Sequence[str]) -> Iterator[Row]:
    yield from rivals()


def _time(variants: Sequence[str]) -> Iterator[Row]:
    yield from map(kept_time, variants or ["english"])


def _engines(variants: Sequence[str]) -> Iterator[Row]:
    yield against_dame_rs()


def _volume(variants: Sequence[str]) -> Iterator[Row]:
    yield from volume()


def _workers(variants: Sequence[str]) -> Iterator[Row]:
    yield from engines()


def _environments(variants: Sequence[str]) -> Iterator[Row]:
    for variant in variants or ["english"]:
        yield from environments(variant)


def _all(variants: Sequence[str]) -> Iterator[Row]:
    for benchmark in (_rules, _search, _games, _overhead):
        yield from benchmark(variants)
    if VARIANT in (variants or VARIANTS):
        yield from rivals()


BENCHMARKS: dict[str, Benchmark] = {
    "all": _all,
    "rules": _rules,
    "search": _search,
    "games": _games,
    "overhead": _overhead,
    "rivals": _rivals,
    "time": _time,
    "engines": _engines,
    "volume": _volume,
    "workers": _workers,
    "environments": _environments,
}
"""All benchmarks; `all` leaves out those that take a busy machine, another engine or minutes."""
