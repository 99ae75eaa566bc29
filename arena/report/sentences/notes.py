"""Notes: what a reader must know about the data of a run, and how to read its tables."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from arena.base.wording import counted, first_few, listed
from arena.ledger.record import TABLES_JUDGE
from arena.ratings.errors import BLUNDER, INACCURACY, MISTAKE
from arena.report.run import Run
from arena.report.sentences.ablation import unmeasured
from arena.report.sentences.cautions import (
    MOST,
    below_random,
    pondered,
    too_long,
    unbalanced,
    waited,
)
from arena.report.sentences.facts import decisions
from arena.report.tables.decided import verdict
from arena.report.tables.submissions import by_failures, disqualification, lost_by_failures, reasons
from arena.report.tables.views import ALL

_LEFT_OUT = 3
"""Players left out that have a sentence each; of more their number and where the reasons are."""
_SENTENCES = 10
"""Sentences on mistakes, and on players that were disqualified."""
_LOSERS = 5
"""Players that the sentence on games lost by failures names; of more it gives their number."""

LOS = "LOS: likelihood of superiority over the next player in the table."
ENDINGS = (
    "Decisions: those in which some move loses value. Errors: those that threw away half a point (?) or a whole "
    "one (??). Skill: 1 less the errors over those of random choice in the same positions. Lost: points; "
    "W→D: wins turned into draws, and so on. "
    "Converted and held: of the games won or drawn for the player in the first position of the tables. Extra "
    "plies: beyond the quickest win (moves that kept one). The tables know no limit of moves: a win counts as "
    "one however long it takes."
)
_SUITES = (
    "Share of the positions that each player solves under its own limit, with the whole of a clock, ± the longer "
    "side of Wilson's 95 % interval. Below the players: a move at random, and one that looks one ply ahead."
)
EFFORT = (
    "Means over all moves; depth and Nodes/s over the moves that searched, Nodes at depth over those searched to "
    "the limit in full. Times are of the processor where that is known, else of the whole move with the asking of "
    "the player. Branching factor: the geometric mean, per ply, of the ratios of nodes at successive depths, for "
    "players that differ in depth only. First-move cutoffs: share of the beta cutoffs that the first move tried "
    "gave. Table hits: share of the lookups that found the position. Time used: mean time, of the limit. Overrun: "
    "time beyond the limit, 99th percentile and worst move."
)

EXTRAS = "What players counted themselves, over the moves that have the number and the games with such a move."


WORTH = {1.0: "a win", 0.5: "a draw", 0.0: "a loss"}
"""Points of a position of the tables in words."""


def notes(run: Run) -> list[str]:
    """Sentences on what a reader of the results must know, such as mistakes of players and late moves."""
    found = [*faulty(run), *disqualifications(run), *_changes(run)]
    if len(run.games):
        found = [*forfeits(run), *found, *too_long(run), *waited(run), *pondered(run)]
        found += unbalanced(run)
        found += [note for note in run.ratings.notes if note not in decisions(run)]
        found += below_random(run)
    if verdict(run.sprt) != "continue":
        found.append(
            "The match ended when the test was decided, which on average lets the difference in Elo look larger "
            "than it is."
        )
    return _level_ties(run) + found + unmeasured(run) + ([_sample(run)] if run.large else [])


def endings_title(errors: pd.DataFrame) -> str:
    """What the table of errors in endings is of."""
    return f"In endings of up to {errors['endgame_pieces'].max()} pieces"


def judged(judges: pd.DataFrame) -> str:
    """How a judge's scores became points."""
    fitted = [
        f"k = {row['k']:.2f} ± {(row['k_high'] - row['k_low']) / 2:.2f} per man for {row['judge']}, fitted on the "
        f"results of {counted(row['games'], 'game')}, {row['decisions']:,} decisions"
        for row in judges.to_dict("records")
    ]
    return (
        "Lost: points, 0 to 1, s(best) less s(played) with s = 1 / (1 + exp(−k men)) of the judge's scores (Regan "
        f"and Haworth 2011); {'; '.join(fitted)}. Shares of moves that lost {INACCURACY:g} (?!), {MISTAKE:g} (?) "
        f"and {BLUNDER:g} points or more (??). Agrees: moves than which the judge knows none better. Positions of "
        "the endgame tables are not among them."
    )


def solved(suites: pd.DataFrame) -> str:
    """How to read the table of suites, how many positions they have, and which players failed in some of them."""
    failed = suites[(suites["stratum"] == ALL) & (suites["failures"] > 0)]
    rows = [
        f"{row['player']} in {row['failures']} of {row['positions']} positions of {row['suite']}"
        for row in failed.to_dict("records")
    ]
    sizes = suites.groupby("suite", sort=False)["positions"].max()
    size = f"Positions: {listed([f'{number:,} of {suite}' for suite, number in sizes.items()])}."
    failures = f" Failed, which solves nothing: {first_few(rows, MOST, '; ')}." if rows else ""
    return f"{_SUITES} {size}{failures}"


def costliest(errors: pd.DataFrame) -> list[dict[str, Any]]:
    """Of each error its game, the ply of the position before it, the moves, and what was lost in words."""
    return [
        {
            "game": row["game"],
            "ply": row["ply"] - 1,
            "player": row["player"],
            "move": f"{row['move']} {row['mark']}",
            "lost": _lost(row),
            "better": row["best_move"],
        }
        for row in errors.to_dict("records")
    ]


def _lost(row: Mapping[Hashable, Any]) -> str:
    if row["judge"] == TABLES_JUDGE:
        return f"{WORTH[row['best']]} turned into {WORTH[row['played']]}"
    return f"{row['lost']:.2f} points by the scores of {row['judge']}"


def _level_ties(run: Run) -> list[str]:
    if "decided" not in run.order:
        return []
    lost = run.order[(run.order["decided"] != "points") & (run.order["place"] > 1)]
    parts = [
        f"{row['opponent']} against {row['player']} in round {row['round']} "
        f"({row['conceded']:g} to {row['points']:g}, by its higher seed)"
        for row in lost.to_dict("records")
    ]
    return [f"Ties that stayed level: {first_few(parts, MOST, '; ')}."] if parts else []


def _changes(run: Run) -> list[str]:
    forced = run.info.forced
    return [f"The run was resumed by --force with other versions than it began with: {forced}."] if forced else []


def _sample(run: Run) -> str:
    moves, games = len(run.survey.sample), run.survey.sample["game"].nunique()
    return (
        f"Quantiles of time rest on {moves:,} of {run.games['plies'].sum():,} moves: those of "
        f"{counted(games, 'game')}, whole pairs drawn at random. moves.csv and games.pdn are written when "
        "asked for, by arena report --moves."
    )


def faulty(run: Run) -> list[str]:
    """The mistakes found in players before the first game, a sentence for each; and who was left out for one.

    Nothing of players that failed in games, which `forfeits` and `disqualifications` name.
    """
    failed = {*lost_by_failures(run.games).index, *run.data.disqualified}
    taking_part = [
        _ended(f"Found before the first game: {one.player}: {one.message}")
        for one in run.info.faulty
        if one.player not in failed
    ]
    left_out = [_ended(f"{player} was {reasons(run, player)[0]}") for player in run.info.left_out]
    if len(left_out) > _LEFT_OUT:
        left_out = [f"{counted(len(left_out), 'player')} were left out as faulty; submissions.csv says why."]
    return [*left_out, *_some(taking_part, "mistake was found", "mistakes were found")]


def disqualifications(run: Run) -> list[str]:
    """A sentence for each player that was disqualified and whose games are void, with its first failure."""
    found = [f"{player} was {disqualification(run, player)}." for player in run.data.disqualified]
    return _some(found, "player was disqualified", "players were disqualified")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith("?") else f"{sentence}."


def _some(sentences: list[str], one: str, several: str) -> list[str]:
    more = len(sentences) - _SENTENCES
    if more <= 0:
        return sentences
    return [*sentences[:_SENTENCES], f"{more} more {one if more == 1 else several}."]


def forfeits(run: Run) -> list[str]:
    """How many games were lost by failures, by whom, of how many, and why; nothing if none was."""
    counts, games = lost_by_failures(run.games), len(run.games)
    if not len(counts):
        return []
    lost = int(counts.to_numpy().sum())
    order = counts.sum(axis=1).sort_values(ascending=False, kind="stable").index
    played = run.ratings.table.set_index("player")["games"]
    parts = [f"{player} lost {by_failures(counts.loc[player])}, of {played[player]}" for player in order[:_LOSERS]]
    more = len(order) - _LOSERS
    if more > 0:
        parts.append(f"{counted(more, 'player')} more lost some, too")
    were = "was" if lost == 1 else "were"
    return [f"{counted(lost, 'game')} of {games} {were} lost by players' failures: {'; '.join(parts)}."]
