"""Players that several runs share, from run to run: is one getting better?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import mean
from typing import NamedTuple

import pandas as pd

from arena.watch.elo import estimates
from arena.watch.entry import Entry

MAX_PLAYERS = 6
"""Players of a chart, at most: those of most runs."""
MAX_CHARTS = 4
"""Charts, at most: those of most runs."""


class Overlay(NamedTuple):
    """Runs of one rule set laid over one another."""

    variant: str
    reference: str
    """The player that the others are measured against: it is in all of these runs."""
    unchanged: bool
    """Whether it played the same from fixed positions in all of them."""
    table: pd.DataFrame
    """A row per run and player, in order of date: run, date, player, elo, elo_low, elo_high, relative to the
    reference, and games, those of the player."""
    left_out: int
    """Players that share runs with the reference, too, but are too many to be shown."""


def overlays(runs: Sequence[Entry]) -> list[Overlay]:
    """Runs of one rule set that share players, two or more; the most runs first.

    Runs without the reference of the first of a rule set may have one of their own. Elo is that of each run's
    results, fitted without their pairs and openings.
    """
    by_variant: dict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(runs, key=lambda entry: (entry.began, entry.name)):
        if entry.results:
            by_variant[entry.variant].append(entry)
    found: list[Overlay] = []
    for of_one in by_variant.values():
        rest = of_one
        while (overlay := _overlay(rest)) is not None:
            found.append(overlay)
            rest = [entry for entry in rest if overlay.reference not in entry.elo]
    return sorted(found, key=lambda overlay: -overlay.table["run"].nunique())[:MAX_CHARTS]


def _overlay(runs: Sequence[Entry]) -> Overlay | None:
    reference = _reference(runs)
    if reference is None:
        return None
    runs = [entry for entry in runs if reference in entry.elo]
    rows = []
    for entry in runs:
        games = Counter[str]()
        for (white, black, _), count in entry.results.items():
            games.update({white: count, black: count})
        elo = estimates(entry.results, entry.scale._replace(anchor=reference))
        rows += [
            (entry.name, entry.date, player, *found, games[player])
            for player, found in elo.items()
            if player != reference
        ]
    table = pd.DataFrame(rows, columns=["run", "date", "player", "elo", "elo_low", "elo_high", "games"])
    shared = table["player"].value_counts(sort=False)
    shared = shared[shared > 1].sort_values(ascending=False, kind="stable")
    if shared.empty:
        return None
    kept = table[table["player"].isin(shared.index[:MAX_PLAYERS])].reset_index(drop=True)
    left_out = max(len(shared) - MAX_PLAYERS, 0)
    return Overlay(runs[0].variant, reference, _unchanged(runs, reference), kept, left_out)


def _reference(runs: Sequence[Entry]) -> str | None:
    """The player that shares most runs with others that are in several; one that stays the same counts twice.

    Of equals it is the anchor of most runs, then the strongest.
    """
    shared = Counter(player for entry in runs for player in entry.elo)
    meetings = Counter[str]()
    for entry in runs:
        common = [player for player in entry.elo if shared[player] > 1]
        meetings.update(common if len(common) > 1 else [])
    anchors = Counter(entry.scale.anchor for entry in runs)

    def worth(player: str) -> tuple[float, ...]:
        strength = mean(entry.elo[player].elo for entry in runs if player in entry.elo)
        return meetings[player] * (1 + _unchanged(runs, player)), anchors[player], strength

    return max(meetings, key=worth, default=None)


def _unchanged(runs: Sequence[Entry], player: str) -> bool:
    found = [entry.signatures.get(player) for entry in runs if player in entry.elo]
    return None not in found and all(signature == found[0] for signature in found)
