"""Graded decisions: the points that each lost, what players threw away in endings, and by a judge's scores."""

from __future__ import annotations

import numpy as np
import pandas as pd

from arena.ledger.record import TABLES_JUDGE
from arena.ratings import errors
from arena.ratings.clusters import cluster_of_each
from arena.report.tables import shared, units
from arena.report.tables.effort import by_player
from arena.report.tables.forms import estimate, share, to_4
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.settings import families
from arena.report.tables.table import Column, Style, Table, with_interval
from arena.rules.result import WHITE_POINTS

COSTLIEST = 10
"""Errors that a report links."""
MARKS = {errors.INACCURACY: "?!", errors.MISTAKE: "?", errors.BLUNDER: "??"}
"""The mark of a move by the points that it loses at least, where a judge graded it."""
TABLES_MARKS = {errors.HALF_POINT: "?", errors.WHOLE: "??"}
"""The same where the tables did."""

GRADES = Table.of(
    "grades", shared.GAME, shared.PLY, shared.PLAYER, shared.COLOUR,
    Column("judge", "tables, or the player that graded the move"),
    Column("best_move", "a best move; the played one where none is better"),
    Column("best", "points of the mover to expect after the best move", units.SHARE),
    Column("played", "the same after the played move", units.SHARE),
    Column("lost", "best less played, 0 where the played move is better", units.POINTS),
    Column("mark", "?!, ? or ?? by the points lost; empty of other moves"),
    Column("best_men", "the judge's score after the best move; empty of certain values and tables", units.MEN),
    Column("played_men", "the same after the played move", units.MEN),
)  # fmt: skip
ENDGAME_ERRORS = Table.read(
    "endgame_errors", shared.PLAYER, shared.FAMILY, shared.DEPTH_LIMIT,
    Column("nodes_limit", "nodes that limit the player; empty without such a limit", units.NODES),
    Column("endgame_pieces", "most pieces of an ending that the tables have", units.PIECES),
    shared.DECISIONS,
    Column("errors", "decisions that threw away half a point or more", units.DECISIONS),
    *with_interval("error_rate", "errors over decisions", units.SHARE, "Errors", text=share),
    Column("win_to_draw", "wins turned into draws", units.DECISIONS, "W→D"),
    Column("draw_to_loss", "draws turned into losses", units.DECISIONS, "D→L"),
    Column("win_to_loss", "wins turned into losses", units.DECISIONS, "W→L"),
)  # fmt: skip
JUDGED_LOSSES = Table.read(
    "judged_losses", shared.PLAYER,
    Column("judge", "the player that graded", heading="Judge", style=Style.WORD),
    shared.DECISIONS,
    *with_interval("lost_per_move", "points lost by a move, on average", units.POINTS, "Lost/move",
        text=estimate(to_4)),
    Column("inaccuracies", "moves that lost 0.05 points or more (?!)", units.MOVES, "?!"),
    Column("mistakes", "moves that lost 0.1 or more (?)", units.MOVES, "?"),
    Column("blunders", "moves that lost 0.15 or more (??)", units.MOVES, "??"),
    *with_interval("blunder_rate", "blunders over decisions", units.SHARE, "Blunders", text=share),
)  # fmt: skip


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
    return table[GRADES.names]


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
        return pd.DataFrame(columns=ENDGAME_ERRORS.names)
    table = errors.errors_by_player(decisions)
    graded = run.data.graded
    table["endgame_pieces"] = int(graded.loc[graded["judge"] == TABLES_JUDGE, "endgame_pieces"].max())
    table["family"] = table["player"].map(families(run.compared, "nodes") | families(run.compared))
    limits = {spec.name: spec.limit for spec in run.experiment.players}
    for name in ("depth", "nodes"):
        values = [getattr(limits[player], name) for player in table["player"]]
        table[f"{name}_limit"] = pd.array(values, dtype="Int64")
    return by_player(table, run.players)[ENDGAME_ERRORS.names]


def judged_losses(run: RatedRun, grades: pd.DataFrame) -> pd.DataFrame:
    """The points that each player lost by a judge's scores; a move counts once, as its worst."""
    decisions = _clustered(run, grades[(grades["judge"] != TABLES_JUDGE) & grades["lost"].notna()])
    parts = [errors.losses_by_player(part).assign(judge=judge) for judge, part in decisions.groupby("judge")]
    if not parts:
        return pd.DataFrame(columns=JUDGED_LOSSES.names)
    return by_player(pd.concat(parts), run.players)[JUDGED_LOSSES.names]


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
