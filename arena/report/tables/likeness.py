"""How often players who made the same moves in their trials made other ones in the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.ledger.read import RunData
from arena.ratings.repeats import move_hashes
from players.finding import ALIKE, Finding

_MOST = 0.05
"""Share of the decisions in which players may differ who are still said to be alike in their trials."""


class Likeness(NamedTuple):
    """What two players did after the same opening and moves."""

    decisions: int
    """Places in games, with several legal moves, that both came to."""
    different: int
    """Those in which they did not choose the same move, always."""


def found_in_run(data: RunData) -> tuple[Finding, ...]:
    """The findings on players, of those who were alike with what they did in the run.

    Who differs in more than MOST of the decisions there is not alike.
    """
    alike = [finding for finding in data.info.found if finding.kind == ALIKE]
    if not alike:
        return data.info.found
    chosen = _chosen(data, {name for finding in alike for name in (finding.where, *finding.others)})
    return tuple(part for finding in data.info.found for part in _in_run(finding, chosen))


def _in_run(finding: Finding, chosen: pd.DataFrame) -> Iterator[Finding]:
    """The finding; of one that players are alike, a part for all who never differed, and for each other one."""
    if finding.kind != ALIKE:
        yield finding
        return
    likenesses = {other: likeness(chosen, finding.where, other) for other in finding.others}
    same = {other: found.decisions for other, found in likenesses.items() if not found.different}
    for others in ([n for n in same if same[n]], [n for n in same if not same[n]]):
        if others:
            yield finding._replace(others=tuple(others), met=min(same[other] for other in others))
    for other, found in likenesses.items():
        if 0 < found.different <= _MOST * found.decisions:
            yield finding._replace(others=(other,), met=found.decisions, differed=found.different)


def likeness(chosen: pd.DataFrame, one: str, other: str) -> Likeness:
    """Compare two players by a row for each move that a player chose somewhere: player, where, move."""
    rows = [chosen.loc[chosen["player"] == name, ["where", "move"]] for name in (one, other)]
    both = rows[0].merge(rows[1], on="where")
    different = both.loc[both["move_x"] != both["move_y"], "where"].nunique()
    return Likeness(both["where"].nunique(), different)


def _chosen(data: RunData, players: set[str]) -> pd.DataFrame:
    """The moves that these players chose of several, each once, and where: a hash of opening and moves before."""
    games = data.games[data.games["white"].isin(players) | data.games["black"].isin(players)]
    openings = pd.util.hash_array(games["opening_fen"].to_numpy(dtype=object), categorize=False)
    opening = pd.Series(openings, index=games["game"].to_numpy())
    parts = [pd.DataFrame({"player": [], "where": [], "move": []})]
    for moves in data.moves(pd.Index(games["game"])):
        hashes = pd.Series(move_hashes(moves), index=moves.index)
        before = hashes.groupby(moves["game"].to_numpy()).cumsum() - hashes
        where = opening.loc[moves["game"]].to_numpy(np.uint64) + before.to_numpy(np.uint64)
        told = pd.DataFrame({"player": moves["player"].astype(str), "where": where, "move": moves["move"]})
        is_choice = (moves["legal_moves"].to_numpy() > 1) & told["player"].isin(players).to_numpy()
        parts.append(told[is_choice].drop_duplicates())
    return pd.concat(parts[1:] or parts).drop_duplicates()
