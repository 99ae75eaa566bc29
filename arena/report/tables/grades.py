"""Graded decisions: the points that each lost, what players threw away in endings, and by a judge's scores."""

from __future__ import annotations

import numpy as np
import pandas as pd

from arena.ledger.record import TABLES_JUDGE
from arena.ratings import errors
from arena.ratings.joint import cluster_of_each
from arena.report.tables.catalogue import TABLES
from arena.report.tables.effort import by_player
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.settings import families
from arena.rules.position import COLOURS
from arena.rules.result import WHITE_POINTS

COSTLIEST = 10
"""Errors that a report links."""
MARKS = {errors.INACCURACY: "?!", errors.MISTAKE: "?", errors.BLUNDER: "??"}
"""The mark of a move by the points that it loses at least, where a judge graded it."""
TABLES_MARKS = {errors.HALF: "?", errors.WHOLE: "??"}
"""The same where the tables did."""


def grades(run: RatedRun, judges: pd.DataFrame) -> pd.DataFrame:
    """A row for each graded decision: points to expect after the best and the played move, and the difference."""
    table = run.data.grades.copy()
    scale = table["judge"].map(judges.set_index("judge")["k"]).to_numpy(float)
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
    return table[TABLES["grades"].names]


def judges(run: RatedRun) -> pd.DataFrame:
    """How each judge's scores become points; none of a judge whose scores do not go with the results."""
    decisions = run.data.grades
    decisions = decisions[decisions["judge"] != TABLES_JUDGE]
    decisions = decisions.assign(player=decisions["player"].astype(str)).merge(_seats(run), on=["game", "player"])
    rows = []
    for judge, part in decisions.groupby("judge"):
        judged = part[part["best_men"].notna()]
        scale = errors.fitted_scale(judged["best_men"], judged["points"], judged["cluster"])
        rows += [] if scale is None else [(judge, *scale, len(judged), part["game"].nunique())]
    return pd.DataFrame(rows, columns=TABLES["judges"].names)


def endgame_errors(run: RatedRun, grades: pd.DataFrame) -> pd.DataFrame:
    """What each player threw away in positions of the endgame tables in which some move loses value."""
    graded = run.data.graded[run.data.graded["judge"] == TABLES_JUDGE]
    seats = _seats(run).merge(graded[["game", "contact_points"]], on="game")
    white = seats["contact_points"]
    seats["contact"] = white.where(seats["colour"] == "white", 1 - white)
    decisions = grades[grades["judge"] == TABLES_JUDGE]
    decisions = decisions.merge(seats[["game", "player", "cluster"]], on=["game", "player"])
    table = errors.endgame_errors(decisions, seats)
    if not len(table):
        return pd.DataFrame(columns=TABLES["endgame_errors"].names)
    table["endgame_pieces"] = int(graded["endgame_pieces"].max())
    table["family"] = table["player"].map(families(run.compared, "nodes") | families(run.compared))
    limits = {spec.name: spec.limit for spec in run.experiment.players}
    for name in ("depth", "nodes"):
        values = [getattr(limits[player], name) for player in table["player"]]
        table[f"{name}_limit"] = pd.array(values, dtype="Int64")
    return by_player(table, run.players)[TABLES["endgame_errors"].names]


def judged_losses(run: RatedRun, grades: pd.DataFrame) -> pd.DataFrame:
    """The points that each player lost by a judge's scores, by phase; a move counts once, as its worst."""
    seats = _seats(run)
    decisions = grades[(grades["judge"] != TABLES_JUDGE) & grades["lost"].notna()]
    decisions = decisions.assign(agrees=decisions["best"] <= decisions["played"])
    decisions = decisions.merge(seats[["game", "player", "cluster"]], on=["game", "player"])
    parts = [errors.judged_losses(part).assign(judge=judge) for judge, part in decisions.groupby("judge")]
    if not parts:
        return pd.DataFrame(columns=TABLES["judged_losses"].names)
    return by_player(pd.concat(parts), run.players)[TABLES["judged_losses"].names]


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


def _seats(run: RatedRun) -> pd.DataFrame:
    """A row per game and player: game, player, colour, cluster, points."""
    games = run.rated_games
    names = [player.name for player in run.experiment.players]
    cluster = cluster_of_each(games, names)
    white = games["result"].map(WHITE_POINTS).to_numpy(float)
    sides = [
        pd.DataFrame({
            "game": games["game"].to_numpy(), "player": games[colour].astype(str).astype(object).to_numpy(),
            "colour": colour, "cluster": cluster, "points": white if colour == "white" else 1 - white,
        })
        for colour in COLOURS
    ]  # fmt: skip
    return pd.concat(sides, ignore_index=True)
