"""Graded decisions: the points that each lost, what players threw away in endings, and by a judge's scores."""

from __future__ import annotations

import numpy as np
import pandas as pd

from arena.ledger.record import TABLES_JUDGE
from arena.ratings import errors
from arena.ratings.joint import cluster_of_each
from arena.report.tables import shared, units, views
from arena.report.tables.effort import by_player
from arena.report.tables.forms import mean_of, share, share_of, to_3
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.settings import families
from arena.report.tables.table import Column, Table, with_interval
from arena.rules.position import COLOURS
from arena.rules.result import WHITE_POINTS

COSTLIEST = 10
"""Errors that a report links."""
MARKS = {errors.INACCURACY: "?!", errors.MISTAKE: "?", errors.BLUNDER: "??"}
"""The mark of a move by the points that it loses at least, where a judge graded it."""
TABLES_MARKS = {errors.HALF_POINT: "?", errors.WHOLE: "??"}
"""The same where the tables did."""

GRADES = Table.of(
    "grades", shared.GAME, shared.PLY, shared.PLAYER, shared.COLOUR,
    Column("phase", "phase of the game, as in `moves`"),
    Column("judge", "tables, or the player that graded the move"),
    shared.PIECES, shared.LEGAL_MOVES,
    Column("best_move", "a best move; the played one where none is better"),
    Column("best", "points of the mover to expect after the best move", units.SHARE),
    Column("played", "the same after the played move", units.SHARE),
    Column("lost", "best less played, 0 where the played move is better", units.POINTS),
    Column("mark", "?!, ? or ?? by the points lost; empty of other moves"),
    Column("chance_errors", "share of the legal moves that lose value; empty for another judge", units.SHARE),
    Column("chance_loss", "points that random choice loses on average; empty for another judge", units.POINTS),
    Column("best_plies", "plies to the certain end after the best move; empty where none is certain",
        units.PLIES),
    Column("played_plies", "the same after the played move", units.PLIES),
    Column("best_men", "the judge's score after the best move; empty of certain values and tables", units.MEN),
    Column("played_men", "the same after the played move", units.MEN),
)  # fmt: skip
JUDGES = Table.of(
    "judges", shared.JUDGE,
    *with_interval("k", "scale of s = 1 / (1 + exp(-k men)), fitted on the results of this run", units.PER_MAN),
    Column("decisions", "graded decisions that it is fitted on", units.DECISIONS),
    Column("games", "games that they are from", units.GAMES),
)  # fmt: skip
ENDGAME_ERRORS = Table.read(
    "endgame_errors", shared.PLAYER, shared.FAMILY, shared.DEPTH_LIMIT,
    Column("nodes_limit", "nodes that limit the player; empty without such a limit", units.NODES),
    Column("endgame_pieces", "most pieces of an ending that the tables have", units.PIECES),
    shared.DECISIONS,
    Column("errors", "decisions that threw away half a point or more", units.DECISIONS),
    *with_interval("error_rate", "errors over decisions", units.SHARE, "Errors", text=share),
    *with_interval("skill", "1 less errors over those of random choice in the same positions", units.SKILL,
        "Skill"),
    Column("games", "graded games of the player", units.GAMES),
    *with_interval("lost_per_game", "points thrown away in a game", units.POINTS, "Lost/game", text=to_3,
        reads=("lost_per_game",)),
    Column("win_to_draw", "wins turned into draws", units.DECISIONS, "W→D"),
    Column("draw_to_loss", "draws turned into losses", units.DECISIONS, "D→L"),
    Column("win_to_loss", "wins turned into losses", units.DECISIONS, "W→L"),
    Column("won_endings", "games won for the player in the first position of the tables", units.GAMES),
    *with_interval("converted", "those that it won", units.SHARE, "Converted", text=share_of,
        reads=("converted", "won_endings")),
    Column("drawn_endings", "games drawn in the first position of the tables", units.GAMES),
    *with_interval("held", "those that it did not lose", units.SHARE, "Held", text=share_of,
        reads=("held", "drawn_endings")),
    Column("kept_wins", "decisions in won positions that kept the win", units.DECISIONS),
    *with_interval("extra_plies", "plies beyond the quickest win that such a decision cost", units.PLIES,
        "Extra plies", text=mean_of, reads=("extra_plies", "kept_wins")),
)  # fmt: skip
JUDGED_LOSSES = Table.of(
    "judged_losses", shared.PLAYER, shared.JUDGE,
    Column("phase", "phase of the game, as in `moves`, or all"),
    shared.DECISIONS,
    *with_interval("lost_per_move", "points lost by a move, on average", units.POINTS),
    *with_interval("agreement", "moves than which the judge knows none better", units.SHARE),
    Column("inaccuracies", "moves that lost 0.05 points or more (?!)", units.MOVES),
    Column("mistakes", "moves that lost 0.1 or more (?)", units.MOVES),
    Column("blunders", "moves that lost 0.15 or more (??)", units.MOVES),
    *with_interval("blunder_rate", "blunders over decisions", units.SHARE),
    view=views.losses_by_phase,
)  # fmt: skip


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
    return table[GRADES.names]


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
    return pd.DataFrame(rows, columns=JUDGES.names)


def endgame_errors(run: RatedRun, grades: pd.DataFrame) -> pd.DataFrame:
    """What each player threw away in positions of the endgame tables in which some move loses value."""
    graded = run.data.graded[run.data.graded["judge"] == TABLES_JUDGE]
    seats = _seats(run).merge(graded[["game", "contact_points"]], on="game")
    white = seats["contact_points"]
    seats["contact"] = white.where(seats["colour"] == "white", 1 - white)
    decisions = grades[grades["judge"] == TABLES_JUDGE]
    decisions = decisions.merge(seats[["game", "player", "cluster"]], on=["game", "player"])
    table = errors.errors_by_player(decisions, seats)
    if not len(table):
        return pd.DataFrame(columns=ENDGAME_ERRORS.names)
    table["endgame_pieces"] = int(graded["endgame_pieces"].max())
    table["family"] = table["player"].map(families(run.compared, "nodes") | families(run.compared))
    limits = {spec.name: spec.limit for spec in run.experiment.players}
    for name in ("depth", "nodes"):
        values = [getattr(limits[player], name) for player in table["player"]]
        table[f"{name}_limit"] = pd.array(values, dtype="Int64")
    return by_player(table, run.players)[ENDGAME_ERRORS.names]


def judged_losses(run: RatedRun, grades: pd.DataFrame) -> pd.DataFrame:
    """The points that each player lost by a judge's scores, by phase; a move counts once, as its worst."""
    seats = _seats(run)
    decisions = grades[(grades["judge"] != TABLES_JUDGE) & grades["lost"].notna()]
    decisions = decisions.assign(agrees=decisions["best"] <= decisions["played"])
    decisions = decisions.merge(seats[["game", "player", "cluster"]], on=["game", "player"])
    parts = [errors.losses_by_player(part).assign(judge=judge) for judge, part in decisions.groupby("judge")]
    if not parts:
        return pd.DataFrame(columns=JUDGED_LOSSES.names)
    return by_player(pd.concat(parts), run.players)[JUDGED_LOSSES.names]


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
