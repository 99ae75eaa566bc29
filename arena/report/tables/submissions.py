"""The players with code of the user's own, as a grade sheet: place, rating, points, failures in words, time."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from arena.base.wording import joined
from arena.experiment.submissions import A_CLASS
from arena.ledger.record import Failure
from arena.ratings.joint import TIE_DECIMALS
from arena.report.tables.rated_run import RatedRun
from arena.rules.game import FORFEITS, Termination
from players.loading import Finding, source_of

PLAYED, WITHDRAWN, LEFT_OUT = "played", "withdrawn", "left out"
"""What became of a submission."""
LOST_BY = {
    Termination.TIME: "on time",
    Termination.ILLEGAL_MOVE: "by illegal moves",
    Termination.ERROR: "by errors",
}
"""How games are lost by failures, by the kind of failure."""

_FOLDERS = re.compile(r"(?<![\w./])~?/(?:[^\s/:*?\"'<>|,;()\[\]{}]+/)+")
"""The folders of an absolute path."""


def submissions(run: RatedRun, standings: pd.DataFrame) -> pd.DataFrame:
    """A row for each player with code of the user's own, those left out among them, by place.

    None for fewer than A_CLASS files, unless some were left out.
    """
    files = files_of_users(run)
    names = list(files)
    if len(set(files.values())) < A_CLASS and not run.info.left_out:
        names = []
    placed = standings[standings["rank"].notna() & standings["player"].isin(names)].set_index("player")
    points = placed["points"] if "byes" in placed else placed["wins"] + placed["draws"] / 2
    failed = Counter(failure.player for failure in failed_games(run))
    table = pd.DataFrame({
        "file": [files[name] for name in names],
        "player": names,
        "status": [status(run, name) for name in names],
        "place": _places(placed).reindex(names).array,
        "points": points.reindex(names).to_numpy(float),
        "failures": pd.array([pd.NA if name in run.info.left_out else failed[name] for name in names], "Int64"),
        "reasons": ["; ".join(reasons(run, name)) for name in names],
        "seconds_longest": run.survey.totals.groupby("player")["longest"].max().reindex(names).to_numpy(float),
    })  # fmt: skip
    return table.sort_values(["place", "player"], ignore_index=True)


def _places(placed: pd.DataFrame) -> pd.Series:
    """The places of players in their order: equal ones, by what decides in the format, share the better place.

    Those who lost in the same round of a knockout are equal.
    """
    if "round" in placed:
        figures = placed[["round"]].assign(is_last_left=placed["rank"] == 1)
    elif "buchholz" in placed:
        figures = placed[["points", "buchholz", "sonneborn_berger"]]
    else:
        figures = placed[["elo"]].astype(float).round(TIE_DECIMALS)
    known = figures.astype(float).fillna(-math.inf)
    is_next = (known != known.shift()).any(axis=1)
    return pd.Series(range(1, len(placed) + 1), placed.index).where(is_next).ffill().astype("Int64")


def status(run: RatedRun, player: str) -> str:
    """Whether a player's games count: one of PLAYED, WITHDRAWN and LEFT_OUT."""
    if player in run.info.left_out:
        return LEFT_OUT
    return WITHDRAWN if player in run.data.withdrawn else PLAYED


def files_of_users(run: RatedRun) -> dict[str, str]:
    """The file, module or program of each player with code of the user's own, those left out among them."""
    files = {spec.name: source_of(spec) for spec in run.data.experiment.players} | dict(run.info.left_out)
    return {name: file for name, file in files.items() if file}


def failed_games(run: RatedRun) -> list[Failure]:
    """The failures of players in games, those of players that are withdrawn among them."""
    void, out = set(run.data.void_games["game"]), run.data.withdrawn
    return [failure for failure in run.data.failures if failure.game not in void or failure.player in out]


def _lost(run: RatedRun) -> list[Failure]:
    """The failures by which games were lost that count."""
    void = set(run.data.void_games["game"])
    return [failure for failure in run.data.failures if failure.game not in void]


def reasons(run: RatedRun, player: str) -> list[str]:
    """Why a player was left out, with the first mistake found in it; else what was found, and how it failed."""
    found = findings(run, player)
    if player in run.info.left_out:
        mistakes = [without_paths(finding.words) for finding in found if finding.level == "error"]
        return [": ".join(["left out as faulty", *mistakes[:1]])]
    parts = [f"found before the first game: {without_paths(finding.words)}" for finding in found]
    parts += notices(run, player)
    if lost := [failure for failure in _lost(run) if failure.player == player]:
        counts = Counter(failure.kind for failure in lost)
        parts.append(f"lost {by_failures(counts)} (game {lost[0].id}: {without_paths(lost[0].words)})")
    return parts


def notices(run: RatedRun, player: str) -> list[str]:
    """Whether a player was left out, or withdrawn and why."""
    if player in run.info.left_out:
        return ["left out as faulty"]
    return [withdrawal(run, player)] if player in run.data.withdrawn else []


def findings(run: RatedRun, player: str, name_of: Callable[[str], str] = str) -> list[Finding]:
    """What was found in a player before the first game; `name_of` gives names of others."""
    return [
        finding._replace(others=tuple(map(name_of, finding.others)))
        for finding in run.info.found
        if finding.where == player
    ]


def withdrawal(run: RatedRun, player: str) -> str:
    """Why a player was withdrawn, with its first failure."""
    first = next(failure for failure in failed_games(run) if failure.player == player)
    return f"withdrawn, as {run.data.withdrawn[player]} (game {first.id}: {without_paths(first.words)})"


def by_failures(counts: Mapping[Any, int]) -> str:
    """How a player lost games by failures, from their number by `Termination`: "2 by errors and 1 on time"."""
    return joined([f"{counts[kind]} {LOST_BY[kind]}" for kind in FORFEITS if counts.get(kind)])


def lost_by_failures(run: RatedRun) -> pd.DataFrame:
    """Games that count and players lost by failures: a row for each that lost any, a column for each kind."""
    lost = pd.DataFrame(_lost(run), columns=list(Failure._fields))
    return lost.groupby(["player", lost["kind"].astype(str)]).size().unstack(fill_value=0)


def without_paths(text: str) -> str:
    """The text without the folders of absolute paths."""
    return _FOLDERS.sub("", text)
