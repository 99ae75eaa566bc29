"""The players with code of the user's own, as a grade sheet: place, rating, points, failures in words, time."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from arena.base.wording import counted, listed
from arena.ledger.public import without_paths
from arena.report.tables.catalogue import TABLES
from arena.report.tables.rated_run import RatedRun
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
FAULTS = [kind for kind in FORFEITS if kind != Termination.DISQUALIFIED]


def submissions(run: RatedRun, standings: pd.DataFrame, final: pd.DataFrame) -> pd.DataFrame:
    """A row for each player with code of the user's own, those left out among them, by place.

    None for fewer than A_CLASS files, unless some were left out.
    """
    files = files_of_users(run)
    names = list(files)
    if len(set(files.values())) < A_CLASS and not run.info.left_out:
        names = []
    rated, order = standings.set_index("player"), final.set_index("player")
    place = (order["place"] if len(order) else rated["rank"]).drop(list(run.data.disqualified), errors="ignore")
    points = rated["wins"] + rated["draws"] / 2
    if len(order) and "buchholz" in order:  # with those of byes
        points = order["points"].combine_first(points)
    figures = ["elo", "elo_low", "elo_high", "games", "seconds_per_move"]
    table = (
        rated[figures]
        .reindex(names)
        .assign(
            file=[files[name] for name in names],
            player=names,
            place=place.astype("Int64").reindex(names),
            points=points.reindex(names).astype(float),
            failures=failed_games(run)["player"].value_counts().reindex(names).fillna(0).astype(int),
            reasons=["; ".join(reasons(run, name)) for name in names],
            seconds_longest=run.survey.totals.groupby("player")["longest"].max().reindex(names),
        )
    )
    table["games"] = table["games"].fillna(0).astype(int)
    table = table.reset_index(drop=True).sort_values(["place", "player"], ignore_index=True)
    return table[TABLES["submissions"].names]


def files_of_users(run: RatedRun) -> dict[str, str]:
    """The file, module or program of each player with code of the user's own, those left out among them."""
    files = {spec.name: source_of(spec) for spec in run.data.experiment.players} | dict(run.info.left_out)
    return {name: file for name, file in files.items() if file}


def failed_games(run: RatedRun) -> pd.DataFrame:
    """The games that players failed in, void ones too: game, player, termination, error."""
    games = run.games[run.games["termination"].isin(FAULTS)]
    parts = [games.assign(player=_loser(games))]
    for name in run.data.disqualified:
        void = _void_games(run, name)
        by_other = (void["error"] != "") & ~void["error"].str.startswith(f"{name} ")
        parts.append(void[void["termination"].isin(FAULTS) & ~by_other].assign(player=name))
    table = pd.concat(parts).sort_values("game", ignore_index=True)
    return table.reindex(columns=["game", "player", "termination", "error"])


def reasons(run: RatedRun, player: str) -> list[str]:
    """The notices of a player, and which games it lost by failures."""
    parts = notices(run, player)
    lost = run.games[run.games["termination"].isin(FORFEITS)]
    lost = lost[_loser(lost) == player]
    if len(lost):
        first = f"game {lost['game'].iloc[0]}: {failure_words(lost['error'].iloc[0], player)}"
        parts.append(f"lost {by_failures(lost['termination'].value_counts())} ({first})")
    return parts


def notices(run: RatedRun, player: str, called: Callable[[str], str] = str) -> list[str]:
    """Why a player was left out or disqualified, and what was found in it.

    `called` replaces names of other players, alone and in texts.
    """
    if player in run.info.left_out:
        errors = run.info.errors_of(player)
        return [f"left out as faulty: {called(errors[0]) if errors else ''}".strip()]
    messages = [finding.message for finding in run.info.found if finding.player == player]
    parts = [f"found before the first game: {called(message)}" for message in messages]
    if player in run.data.disqualified:
        parts.append(disqualification(run, player))
    return parts


def disqualification(run: RatedRun, player: str) -> str:
    """Why a player was disqualified whose games are void, and how many these are."""
    games = _void_games(run, player)
    failed = failed_games(run)
    first = failed[failed["player"] == player].iloc[0]
    unplayed = int((games["termination"] == Termination.DISQUALIFIED).sum())
    of_these = f", {unplayed} of them unplayed," if unplayed else ""
    limit = counted(run.data.experiment.failures.disqualify_after, "game")
    return (
        f"disqualified, as it failed in {limit} and played no sound one that counts (game "
        f"{first['game']}: {failure_words(first['error'], player)}): its {counted(len(games), 'game')}"
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
    return run.data.void_games[(run.data.void_games["white"] == player) | (run.data.void_games["black"] == player)]


def _loser(games: pd.DataFrame) -> pd.Series:
    return games["black"].where(games["result"] == "white", games["white"]).astype(str).rename("player")


def failure_words(error: str, player: str) -> str:
    """What failed, without the player's name and folders of the machine."""
    return without_paths(error.removeprefix(f"{player} ")) or "lost on time"
