"""Graded decisions: the points that each lost, what players threw away in endings, and by a judge's scores."""

from __future__ import annotations

import numpy as np
import pandas as pd

from arena.ledger.record import TABLES_JUDGE
from arena.ratings import errors
from arena.ratings.clusters import cluster_of_each
from arena.ratings.interval import Interval
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


def errors_of_games(table: pd.DataFrame) -> dict[int, dict[int, tuple[str, str]]]:
    """The marked decisions of `grades` by game and ply: mark and better move, of two judges the costlier."""
    table = table[table["mark"] != ""].sort_values("lost", kind="stable")
    marked: dict[int, dict[int, tuple[str, str]]] = {}
    for game, ply, mark, better in zip(*(table[name].tolist() for name in ("game", "ply", "mark", "best_move")),
                                       strict=True):  # fmt: skip
        marked.setdefault(game, {})[ply] = (mark, better)
    return marked
