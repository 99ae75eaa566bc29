"""The players with code of the user's own, as a grade sheet: place, rating, points, failures in words, time."""

from __future__ import annotations

from typing import Any

import pandas as pd

from arena.base.number import known
from arena.base.wording import counted, listed
from arena.report.tables.columns import ELO_INTERVAL, columns, seconds
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.table import Column, RunTable
from arena.rules.game import FORFEITS, Termination
from players.loading import source_of

A_CLASS = 3
"""Files from which on they are rows of a grade sheet."""
_WORDS = {
    Termination.TIME: "{} on time",
    Termination.ILLEGAL_MOVE: "{} by illegal moves",
    Termination.ERROR: "{} by errors",
    Termination.DISQUALIFIED: "{} unplayed, as it was disqualified",
}
"""Games lost by failures, by the kind of failure."""
_FAULTS = [kind for kind in FORFEITS if kind != Termination.DISQUALIFIED]


def submissions(run: RatedRun) -> pd.DataFrame:
    """A row for each player with code of the user's own, those left out among them, by place.

    None for fewer than A_CLASS files, unless some were left out.
    """
    left_out = dict(run.info.left_out)
    files = {spec.name: source_of(spec) for spec in run.data.experiment.players} | left_out
    own = [name for name, file in files.items() if file]
    if len({files[name] for name in own}) < A_CLASS and not left_out:
        own = []
    rated, order = run.standings.set_index("player"), run.order.set_index("player")
    place = (order["place"] if len(order) else rated["rank"]).drop(list(run.data.disqualified), errors="ignore")
    points = rated["wins"] + rated["draws"] / 2
    if len(order) and "buchholz" in order:  # with those of byes
        points = order["points"].combine_first(points)
    figures = ["elo", "elo_low", "elo_high", "games", "seconds_per_move"]
    table = (
        rated[figures]
        .reindex(own)
        .assign(
            file=[files[name] for name in own],
            player=own,
            place=place.astype("Int64").reindex(own),
            points=points.reindex(own).astype(float),
            failures=[failures(run, name) for name in own],
            reasons=["; ".join(reasons(run, name)) for name in own],
            seconds_longest=run.survey.totals.groupby("player")["longest"].max().reindex(own),
        )
    )
    table["games"] = table["games"].fillna(0).astype(int)
    names = [column.name for column in SUBMISSIONS.columns]
    return table.reset_index(drop=True).sort_values(["place", "player"], ignore_index=True)[names]


def failures(run: RatedRun, player: str) -> int:
    """In how many games a player failed, those that do not count among them."""
    if player in run.data.disqualified:
        games = _void_games(run, player)
        by_other = (games["error"] != "") & ~games["error"].str.startswith(f"{player} ")
        return int((games["termination"].isin(_FAULTS) & ~by_other).sum())
    lost = run.games[run.games["termination"].isin(_FAULTS)]
    return int((_loser(lost) == player).sum())


def reasons(run: RatedRun, player: str) -> list[str]:
    """Why a player was left out or disqualified, what was found in it, and which games it lost by failures."""
    found = run.info.errors_of(player)
    if player in run.info.left_out:
        return [f"left out as faulty: {found[0] if found else ''}".strip()]
    parts = [f"found before the first game: {message}" for message in found]
    if player in run.data.disqualified:
        return [*parts, disqualification(run, player)]
    lost = run.games[run.games["termination"].isin(FORFEITS)]
    lost = lost[_loser(lost) == player]
    if len(lost):
        first = f"game {lost['game'].iloc[0]}: {_words(lost['error'].iloc[0], player)}"
        parts.append(f"lost {by_failures(lost['termination'].value_counts())} ({first})")
    return parts


def disqualification(run: RatedRun, player: str) -> str:
    """Why a player was disqualified whose games are void, and how many these are."""
    games = _void_games(run, player)
    unplayed = int((games["termination"] == Termination.DISQUALIFIED).sum())
    of_these = f", {unplayed} of them unplayed," if unplayed else ""
    limit = counted(run.data.experiment.failures.disqualify_after, "game")
    return (
        f"disqualified, as it failed in {limit} and played no sound one that counts (game "
        f"{games['game'].iloc[0]}: {_words(games['error'].iloc[0], player)}): its {counted(len(games), 'game')}"
        f"{of_these} do not count"
    )


def by_failures(counts: pd.Series) -> str:
    """How a player lost games by failures, from their number by `Termination`: "2 by errors and 1 on time"."""
    return listed([_WORDS[kind].format(counts[kind]) for kind in FORFEITS if counts.get(kind)])


def lost_by_failures(games: pd.DataFrame) -> pd.DataFrame:
    """Games that players lost by failures: a row for each that lost any, a column for each `Termination`."""
    lost = games[games["termination"].isin(FORFEITS)]
    return lost.groupby([_loser(lost), lost["termination"].astype(str)]).size().unstack(fill_value=0)


def _void_games(run: RatedRun, player: str) -> pd.DataFrame:
    return run.void_games[(run.void_games["white"] == player) | (run.void_games["black"] == player)]


def _loser(games: pd.DataFrame) -> pd.Series:
    return games["black"].where(games["result"] == "white", games["white"]).astype(str).rename("player")


def _words(error: str, player: str) -> str:
    return error.removeprefix(f"{player} ") or "lost on time"


def _text(value: Any) -> str:
    return f"{value:g}" if known(value) else ""


SUBMISSIONS = RunTable(
    "submissions",
    "a grade sheet: the players with code of one's own, with place, points, failures and time",
    submissions,
    columns(
        Column("file", "file, module or program that plays", heading="File"),
        "player",
        Column("place", "place in the standings; empty for a player left out or disqualified", "", "#", _text),
        "elo",
        ELO_INTERVAL,
        "elo_high",
        Column(
            "points", "points of all games; those of a Swiss are of its rounds, a bye as won", "points", decimals=2
        ),
        "games",
        Column("failures", "games in which it failed, those that do not count among them", "games", "Failures"),
        Column("reasons", "in words, why it was left out or disqualified, and how it failed", heading="Reasons"),
        "seconds_per_move",
        Column("seconds_longest", "longest time of a move", "s", "Longest move", seconds),
    ),
    note="Best first; players that were left out or disqualified stand at the end. Empty for fewer than 3 files, "
    "unless some were left out.",
    shown="place player file failures seconds_longest | reasons",
)
TABLES = (SUBMISSIONS,)
