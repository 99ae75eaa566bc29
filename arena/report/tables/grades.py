"""Graded decisions and suites: points lost, errors in endings, the share of positions solved."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from arena.ledger.record import TABLES_JUDGE
from arena.ratings import errors
from arena.ratings.clusters import cluster_of_each
from arena.ratings.errors import wilson
from arena.ratings.interval import Interval
from arena.ratings.match import mcnemar
from arena.report.tables.effort import by_player
from arena.report.tables.rated_run import RatedRun
from arena.rules.result import WHITE_POINTS

COSTLIEST = 10
"""Errors that a report links."""
MARKS = {errors.INACCURACY: "?!", errors.MISTAKE: "?", errors.BLUNDER: "??"}
"""The mark of a move by the points that it loses at least, where a judge graded it."""
TABLES_MARKS = {errors.HALF_POINT: "?", errors.WHOLE: "??"}
"""The same where the tables did."""

_GRADES = [
    "game", "ply", "player", "colour", "judge", "best_move", "best", "played", "lost", "mark", "best_men",
    "played_men",
]  # fmt: skip
_ENDGAME_ERRORS = [
    "player", "endgame_pieces", "decisions", "errors",
    *Interval.columns_of("error_rate"), "win_to_draw", "draw_to_loss", "win_to_loss",
]  # fmt: skip
_JUDGED_LOSSES = [
    "player", "judge", "decisions", *Interval.columns_of("lost_per_move"), "inaccuracies", "mistakes", "blunders",
    *Interval.columns_of("blunder_rate"),
]  # fmt: skip
RANDOM_CHOICE = "random choice"
"""Who solves as many positions as the share of the legal moves that are best: nobody needs to be asked."""

CHANCE = 0.05
"""Probability below which two players differ on a suite."""
_SUITES = [
    "suite", "player", *Interval.columns_of("elo"), "positions", "solved", *Interval.columns_of("share"),
    "failures",
]  # fmt: skip


def grades(run: RatedRun) -> pd.DataFrame:
    """A row for each graded decision: points to expect after the best and the played move, and the difference."""
    table = run.data.grades.copy()
    scale = table["judge"].map(_scales(run)).to_numpy(float)
    for name in ("best", "played"):
        certain, men = (table[column].to_numpy(float, na_value=np.nan) for column in (name, f"{name}_men"))
        table[name] = np.where(np.isnan(certain), errors.points_of_men(men, scale), certain)
    lost = np.maximum(table["best"].to_numpy(float) - table["played"].to_numpy(float), 0.0)
    by_tables = (table["judge"] == TABLES_JUDGE).to_numpy(bool)
    mark = np.full(len(table), "", object)
    for marks, rows in ((TABLES_MARKS, by_tables), (MARKS, ~by_tables)):
        for least, sign in marks.items():
            mark[rows & (lost >= least)] = sign
    table = table.assign(player=table["player"].astype(str).astype(object), lost=lost, mark=mark)
    return table[_GRADES]


def _scales(run: RatedRun) -> dict[str, float]:
    """By judge, how its scores become points; none of a judge whose scores do not go with the results."""
    grades = run.data.grades
    judged = grades[(grades["judge"] != TABLES_JUDGE) & grades["best_men"].notna()]
    white = judged["game"].map(run.games.set_index("game")["result"].map(WHITE_POINTS)).astype(float)
    points = white.where(judged["colour"] == "white", 1 - white)
    parts = judged.assign(points=points).groupby("judge")
    scales = {str(judge): errors.fitted_scale(part["best_men"], part["points"]) for judge, part in parts}
    return {judge: scale for judge, scale in scales.items() if scale is not None}


def endgame_errors(run: RatedRun, grades: pd.DataFrame) -> pd.DataFrame:
    """What each player threw away in positions of the endgame tables in which some move loses value."""
    decisions = _clustered(run, grades[grades["judge"] == TABLES_JUDGE])
    if not len(decisions):
        return pd.DataFrame(columns=_ENDGAME_ERRORS)
    table = errors.errors_by_player(decisions)
    graded = run.data.graded
    table["endgame_pieces"] = int(graded.loc[graded["judge"] == TABLES_JUDGE, "endgame_pieces"].max())
    return by_player(table, run.players)[_ENDGAME_ERRORS]


def judged_losses(run: RatedRun, grades: pd.DataFrame) -> pd.DataFrame:
    """The points that each player lost by a judge's scores; a move counts once, as its worst."""
    decisions = _clustered(run, grades[(grades["judge"] != TABLES_JUDGE) & grades["lost"].notna()])
    parts = [errors.losses_by_player(part).assign(judge=judge) for judge, part in decisions.groupby("judge")]
    if not parts:
        return pd.DataFrame(columns=_JUDGED_LOSSES)
    return by_player(pd.concat(parts), run.players)[_JUDGED_LOSSES]


def _clustered(run: RatedRun, decisions: pd.DataFrame) -> pd.DataFrame:
    """The decisions with the cluster that their game is part of."""
    names = [player.name for player in run.experiment.players]
    cluster = pd.Series(cluster_of_each(run.games, names), run.games["game"])
    return decisions.assign(cluster=decisions["game"].map(cluster))


def costliest_errors(run: RatedRun, grades: pd.DataFrame) -> pd.DataFrame:
    """The costliest errors, one of a game, of equal ones those of the stronger players."""
    table = grades[grades["mark"] != ""]
    rank = table["player"].map({player: place for place, player in enumerate(run.players)})
    table = table.assign(rank=rank).sort_values(
        ["lost", "rank", "game", "ply"], ascending=[False, True, True, True]
    )
    table = table.drop_duplicates("game").head(COSTLIEST)
    moves = pd.concat(list(run.data.moves(pd.Index(table["game"]))))[["game", "ply", "move"]]
    return table.merge(moves, on=["game", "ply"])


def with_points(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of `grades` as a page marks them: those of the tables by points, as a judge's ? is fewer of them."""
    points = table["mark"].replace({"?": "−½", "??": "−1"})
    return table.assign(mark=points.where(table["judge"] == TABLES_JUDGE, table["mark"]))


def errors_of_games(table: pd.DataFrame) -> dict[int, dict[int, tuple[str, str]]]:
    """The marked decisions of `grades` by game and ply: mark and better move, of two judges the costlier."""
    table = table[table["mark"] != ""].sort_values("lost", kind="stable")
    marked: dict[int, dict[int, tuple[str, str]]] = {}
    for game, ply, mark, better in zip(*(table[name].tolist() for name in ("game", "ply", "mark", "best_move")),
                                       strict=True):  # fmt: skip
        marked.setdefault(game, {})[ply] = (mark, better)
    return marked


def shares(answers: pd.DataFrame) -> pd.DataFrame:
    """The share of each suite's positions that each player solves, with Wilson's intervals of 95 %.

    `answers` has the columns of `arena.ledger.record.SuiteAnswer`. RANDOM_CHOICE has the mean share of the legal
    moves that are best. Players stand in the order of their first rows.
    """
    rows = answers.assign(failed=answers["error"] != "").groupby(["suite", "player"], sort=False)
    table = rows.agg(positions=("solved", "size"), solved=("solved", "sum"), failures=("failed", "sum"))
    table = table.reset_index().astype({"solved": float})
    table["share"] = table["solved"] / table["positions"]
    table["share_low"], table["share_high"] = wilson(table["share"].to_numpy(), table["positions"].to_numpy())
    positions = answers.drop_duplicates(["suite", "position"])
    by_chance = (positions["best_moves"] / positions["legal_moves"]).groupby(positions["suite"], sort=False)
    chance = by_chance.agg(positions="size", solved="sum", share="mean").reset_index()
    chance = chance.assign(player=RANDOM_CHOICE, failures=0, share_low=math.nan, share_high=math.nan)
    return pd.concat([chance[table.columns], table], ignore_index=True)


def suites(run: RatedRun) -> pd.DataFrame:
    """The share of each suite's positions that each player solves, in rank order.

    Below the players stand two baselines without Elo: one looks one ply ahead, and RANDOM_CHOICE.
    """
    answers = run.data.answers[run.data.answers["best_moves"] > 0]
    if not len(answers):
        return pd.DataFrame(columns=_SUITES)
    table = shares(answers)
    rank = {name: place for place, name in enumerate([*run.players, RANDOM_CHOICE])}
    suite = {name: place for place, name in enumerate(answers["suite"].drop_duplicates())}
    table = table.sort_values(
        ["suite", "player"],
        key=lambda names: names.map(suite | dict.fromkeys(table["player"], len(rank)) | rank),
    )
    table = table.merge(run.ratings.table[["player", *Interval.columns_of("elo")]], "left", on="player")
    elo, has_games = [*Interval.columns_of("elo")], run.ratings.table.set_index("player")["games"] > 0
    table.loc[~table["player"].map(has_games).eq(True), elo] = math.nan
    return table[_SUITES]


def paired(answers: pd.DataFrame, suite: str, player: str, other: str) -> tuple[int, int, float]:
    """How many positions of a suite each of two players solved alone, and McNemar's probability of that."""
    solved = answers[answers["suite"] == suite].pivot(index="position", columns="player", values="solved")
    one, two = (solved[name].astype(bool) for name in (player, other))
    alone, other_alone = int((one & ~two).sum()), int((two & ~one).sum())
    return alone, other_alone, mcnemar(alone, other_alone)
