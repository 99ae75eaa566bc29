"""Standings of the players that have the same limit, for each limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from arena.ratings.joint import Ratings
from arena.report.tables.contrasts import contrasts
from arena.report.tables.settings import LIMITS, key, limits, settings, terms_at
from players.player import Limit, PlayerSpec

MOST = 6
"""Limits of a run that have standings of their own; a run of more has only those of all players."""
EQUAL_TERMS = (
    "terms", "at", "rank", "player", "reference", "elo", "elo_low", "elo_high", "los", "nodes_per_move",
    "seconds_per_move", "time_used",
)  # fmt: skip


def equal_terms(
    standings: pd.DataFrame,
    ratings: Ratings,
    specs: Sequence[PlayerSpec],
    anchor: str | None = None,
    time_used: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """For each limit that several players have: rank, player and Elo against the reference, in rank order.

    The reference of a limit is `anchor` or the first of `specs` if it has that limit, else the player that differs
    from it in limits only, else the first player with the limit; its Elo is 0 and has no interval. Elo is from the
    joint rating of all games; los is over the next player of the same limit. nodes_per_move and seconds_per_move
    are those of `standings`, of `tables.standings`; time_used is the greater that the mapping `time_used` has
    of the player and the reference.

    Empty unless limits are of two kinds or more, as depth and nodes, and of MOST values at most.
    """
    place = {name: i for i, name in enumerate(standings.loc[standings["elo"].notna(), "player"])}
    groups: dict[Limit, list[PlayerSpec]] = {}
    for spec in specs:
        if limits(spec) and spec.name in place:
            groups.setdefault(spec.limit, []).append(spec)
    several = [group for group in groups.values() if len(group) > 1]
    kinds = {tuple(limits(group[0])) for group in several}
    if len(kinds) < 2 or len(several) > MOST:
        return pd.DataFrame(columns=list(EQUAL_TERMS))
    preferred = next((spec for spec in specs if spec.name == anchor), specs[0])
    parts = [_of_limit(group, _reference(group, preferred), ratings, place) for group in several]
    effort = standings[["player", "nodes_per_move", "seconds_per_move"]]
    table = pd.concat(parts, ignore_index=True).merge(effort, on="player", how="left")
    used = [table[name].map(time_used or {}).astype(float) for name in ("player", "reference")]
    return table.assign(time_used=used[0].combine(used[1], np.fmax))


def _of_limit(
    group: list[PlayerSpec], reference: PlayerSpec, ratings: Ratings, place: dict[str, int]
) -> pd.DataFrame:
    """The rows of the players with one limit, without what they spent."""
    names = sorted((spec.name for spec in group), key=place.__getitem__)
    against = contrasts(ratings, [{name: 1.0, reference.name: -1.0} for name in names])
    over_next = contrasts(ratings, [{a: 1.0, b: -1.0} for a, b in pairwise(names)])
    rows = []
    for rank, (name, found, ahead) in enumerate(zip(names, against, [*over_next, None], strict=True), 1):
        if name == reference.name:
            elo = (0.0, np.nan, np.nan)
        else:
            elo = (np.nan,) * 3 if found is None else (found.value, found.low, found.high)
        los = np.nan if ahead is None else ahead.los
        rows.append((*terms_at(group), rank, name, reference.name, *elo, los))
    return pd.DataFrame(rows, columns=list(EQUAL_TERMS[:-3]))


def _reference(group: list[PlayerSpec], preferred: PlayerSpec) -> PlayerSpec:
    """The player of a limit that the others are compared with."""
    same = [spec for spec in group if spec == preferred or _unlimited(spec) == _unlimited(preferred)]
    return same[0] if same else group[0]


def _unlimited(player: PlayerSpec) -> str:
    """A text that players share who differ in name and limits only."""
    return key({name: value for name, value in settings(player).items() if name not in LIMITS})
