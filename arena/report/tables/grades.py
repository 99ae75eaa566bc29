"""Graded decisions: the points that each lost, what players threw away in endings, and by a judge's scores."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from arena.base.number import fixed, known, percent
from arena.ledger.moves import PHASES
from arena.ledger.record import TABLES_JUDGE
from arena.ratings import errors
from arena.ratings.joint import cluster_of_each
from arena.report.tables.columns import columns, interval
from arena.report.tables.effort import by_player
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.settings import families
from arena.report.tables.table import Column, RunTable
from arena.rules.position import COLOURS
from arena.rules.result import WHITE_POINTS

DEAREST = 10
"""Errors that a report links."""
MARKS = {errors.INACCURACY: "?!", errors.MISTAKE: "?", errors.BLUNDER: "??"}
"""The mark of a move by the points that it loses at least, where a judge graded it."""
TABLES_MARKS = {errors.HALF: "?", errors.WHOLE: "??"}
"""The same where the tables did."""
ALL = "all"
"""In place of a phase: the whole game."""


def grades(run: RatedRun) -> pd.DataFrame:
    """See GRADES."""
    table = run.data.grades.copy()
    scale = table["judge"].map(run.judges.set_index("judge")["k"]).to_numpy(float)
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
    return table[_names(GRADES)]


def judges(run: RatedRun) -> pd.DataFrame:
    """See JUDGES."""
    found = run.data.grades
    found = found[found["judge"] != TABLES_JUDGE]
    found = found.assign(player=found["player"].astype(str)).merge(_seats(run), on=["game", "player"])
    rows = []
    for judge, part in found.groupby("judge"):
        judged = part[part["best_men"].notna()]
        scale = errors.fitted_scale(judged["best_men"], judged["points"], judged["cluster"])
        rows += [] if scale is None else [(judge, *scale, len(judged), part["game"].nunique())]
    return pd.DataFrame(rows, columns=_names(JUDGES))


def endgame_errors(run: RatedRun) -> pd.DataFrame:
    """See ENDGAME_ERRORS."""
    graded = run.data.graded[run.data.graded["judge"] == TABLES_JUDGE]
    seats = _seats(run).merge(graded[["game", "contact_points"]], on="game")
    white = seats["contact_points"]
    seats["contact"] = white.where(seats["colour"] == "white", 1 - white)
    decisions = run.grades[run.grades["judge"] == TABLES_JUDGE]
    decisions = decisions.merge(seats[["game", "player", "cluster"]], on=["game", "player"])
    table = errors.endgame_errors(decisions, seats)
    if not len(table):
        return pd.DataFrame(columns=_names(ENDGAME_ERRORS))
    table["endgame_pieces"] = int(graded["endgame_pieces"].max())
    table["family"] = table["player"].map(families(run.compared, "nodes") | families(run.compared))
    limits = {spec.name: spec.limit for spec in run.experiment.players}
    for name in ("depth", "nodes"):
        values = [getattr(limits[player], name) for player in table["player"]]
        table[f"{name}_limit"] = pd.array(values, dtype="Int64")
    return by_player(table, run.players)[_names(ENDGAME_ERRORS)]


def judged_losses(run: RatedRun) -> pd.DataFrame:
    """See JUDGED_LOSSES."""
    table, seats = run.grades, _seats(run)
    found = table[(table["judge"] != TABLES_JUDGE) & table["lost"].notna()]
    found = found.assign(agrees=found["best"] <= found["played"])
    found = found.merge(seats[["game", "player", "cluster"]], on=["game", "player"])
    parts = [errors.judged_losses(part).assign(judge=judge) for judge, part in found.groupby("judge")]
    if not parts:
        return pd.DataFrame(columns=_names(JUDGED_LOSSES))
    return by_player(pd.concat(parts), run.players)[_names(JUDGED_LOSSES)]


def dearest_errors(run: RatedRun) -> pd.DataFrame:
    """See DEAREST_ERRORS."""
    table = run.grades[run.grades["mark"] != ""]
    rank = table["player"].map({player: place for place, player in enumerate(run.players)})
    table = table.assign(rank=rank).sort_values(
        ["lost", "rank", "game", "ply"], ascending=[False, True, True, True]
    )
    table = table.drop_duplicates("game").head(DEAREST)
    if not len(table):
        return pd.DataFrame(columns=_names(DEAREST_ERRORS))
    moves = pd.concat(list(run.data.moves(pd.Index(table["game"]))))[["game", "ply", "move"]]
    return table.merge(moves, on=["game", "ply"])[_names(DEAREST_ERRORS)]


def errors_of_games(table: pd.DataFrame) -> dict[int, dict[int, tuple[str, str]]]:
    """The marked decisions of `grades` by game and ply: mark and better move; of two judges the dearer has it."""
    table = table[table["mark"] != ""].sort_values("lost", kind="stable")
    found: dict[int, dict[int, tuple[str, str]]] = {}
    for game, ply, mark, better in zip(*(table[name].tolist() for name in ("game", "ply", "mark", "best_move")),
                                       strict=True):  # fmt: skip
        found.setdefault(game, {})[ply] = (mark, better)
    return found


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


def _names(table: RunTable) -> list[str]:
    return [column.name for column in table.columns]


def share(value: Any, low: Any, high: Any) -> str:
    """A share with its interval in per cent: "1.2 (0.9 to 1.6) %", "" if it is not known."""
    ends = f" ({100 * low:.1f} to {100 * high:.1f})" if known(low) and known(high) else ""
    return f"{100 * value:.1f}{ends} %" if known(value) else ""


def _share_of(value: Any, count: Any) -> str:
    return f"{value:.0%} of {count}".replace("%", " %") if known(value) else ""


def _mean_of(value: Any, count: Any) -> str:
    return f"{value:.1f} ({count})" if known(value) else ""


def _share_columns(name: str, meaning: str, heading: str = "", count: str = "") -> tuple[Column, ...]:
    """A share and the ends of its interval, which people read, or instead the number that `count` holds."""
    value, low, high = interval(Column(name, meaning, "0 to 1", heading, percent, 4))
    text, read = (_share_of, (name, count)) if count else (share, (name, low.name, high.name))
    return value._replace(text=text, reads=read), low, high


_DECISIONS = Column("decisions", "decisions that the row rests on", "decisions", "Decisions")
GRADES = RunTable(
    "grades",
    "one row per graded decision, its judge and the points that it lost",
    grades,
    columns(
        "game",
        Column("ply", "ply within the game, from 1", "plies"),
        "player colour",
        Column("phase", "phase of the game, as in `moves`"),
        Column("judge", "tables, or the player that graded the move"),
        Column("pieces", "pieces on the board before the move", "pieces"),
        "legal_moves",
        Column("best_move", "a best move; the played one where none is better"),
        Column("best", "points of the mover to expect after the best move", "0 to 1", decimals=4),
        Column("played", "the same after the played move", "0 to 1", decimals=4),
        Column("lost", "best less played, 0 where the played move is better", "points", decimals=4),
        Column("mark", "?!, ? or ?? by the points lost; empty of other moves"),
        Column("chance_errors", "share of the legal moves that lose value; empty for another judge", "0 to 1"),
        Column("chance_loss", "points that random choice loses on average; empty for another judge", "points"),
        Column("best_plies", "plies to the certain end after the best move; empty where none is certain", "plies"),
        Column("played_plies", "the same after the played move", "plies"),
        Column("best_men", "the judge's score after the best move; empty of certain values and tables", "men"),
        Column("played_men", "the same after the played move", "men"),
    ),
    note="Of the tables' positions those in which some move loses value.",
)
JUDGES = RunTable(
    "judges",
    "how each judge's scores become points",
    judges,
    (
        Column("judge", "the player that graded"),
        *interval(Column("k", "scale of s = 1 / (1 + exp(-k men)), fitted on the results of this run", "per man")),
        Column("decisions", "graded decisions that it is fitted on", "decisions"),
        Column("games", "games that they are from", "games"),
    ),
    note="A judge whose scores do not go with the results has no row, and its grades no points.",
)
ENDGAME_ERRORS = RunTable(
    "endgame_errors",
    "what each player threw away in positions of the endgame tables",
    endgame_errors,
    columns(
        "player family",
        Column("depth_limit", "depth that limits the player; empty without such a limit", "plies"),
        Column("nodes_limit", "nodes that limit the player; empty without such a limit", "nodes"),
        Column("endgame_pieces", "most pieces of an ending that the tables have", "pieces"),
        _DECISIONS,
        Column("errors", "decisions that threw away half a point or more", "decisions"),
        *_share_columns("error_rate", "errors over decisions", "Errors"),
        *interval(Column("skill", "1 less errors over those of random choice in the same positions", "up to 1",
                         "Skill", lambda value: percent(value).replace("-", "−"), 4)),
        Column("games", "graded games of the player", "games"),
        *interval(Column("lost_per_game", "points thrown away in a game", "points", "Lost/game",
                         partial(fixed, decimals=3), 4)),
        Column("win_to_draw", "wins turned into draws", "decisions", "W→D"),
        Column("draw_to_loss", "draws turned into losses", "decisions", "D→L"),
        Column("win_to_loss", "wins turned into losses", "decisions", "W→L"),
        Column("won_endings", "games won for the player in the first position of the tables", "games"),
        *_share_columns("converted", "those that it won", "Converted", "won_endings"),
        Column("drawn_endings", "games drawn in the first position of the tables", "games"),
        *_share_columns("held", "those that it did not lose", "Held", "drawn_endings"),
        Column("kept_wins", "decisions in won positions that kept the win", "decisions"),
        *interval(Column("extra_plies", "plies beyond the quickest win that such a decision cost", "plies",
                         "Extra plies", _mean_of, 2, ("extra_plies", "kept_wins"))),
    ),
    note="Decisions are those in which some move loses value.",
    shown="player decisions error_rate skill lost_per_game win_to_draw draw_to_loss win_to_loss | converted held "
    "extra_plies",
    latex=True,
)  # fmt: skip


def judged_text(table: pd.DataFrame) -> pd.DataFrame:
    """The losses for people: a row per player and judge, the points lost in each phase side by side."""
    rows = []
    for (player, judge), part in table.groupby(["player", "judge"], sort=False):
        by_phase = {row["phase"]: row for row in part.to_dict("records")}
        whole = by_phase[ALL]
        row = {"Player": player} | ({"Judge": judge} if table["judge"].nunique() > 1 else {})
        row |= {"Decisions": str(whole["decisions"]), "Lost/move": _loss(whole)}
        row |= {phase.capitalize(): _loss(by_phase.get(phase)) for phase in PHASES}
        for mark, name in (("?!", "inaccuracies"), ("?", "mistakes"), ("??", "blunders")):
            row[mark] = percent(whole[name] / whole["decisions"])
        rows.append(row | {"Agrees": percent(whole["agreement"])})
    return pd.DataFrame(rows, dtype=object)


def _loss(row: Any) -> str:
    if row is None:
        return ""
    low, high = row["lost_per_move_low"], row["lost_per_move_high"]
    ends = f" ({low:.4f} to {high:.4f})" if row["phase"] == ALL and known(low) else ""
    return f"{row['lost_per_move']:.4f}{ends}"


JUDGED_LOSSES = RunTable(
    "judged_losses",
    "the points that each player lost by a judge's scores, by phase",
    judged_losses,
    columns(
        "player",
        Column("judge", "the player that graded"),
        Column("phase", "phase of the game, as in `moves`, or all"),
        _DECISIONS,
        *interval(Column("lost_per_move", "points lost by a move, on average", "points", decimals=5)),
        *_share_columns("agreement", "moves than which the judge knows none better"),
        Column("inaccuracies", f"moves that lost {errors.INACCURACY:g} points or more (?!)", "moves"),
        Column("mistakes", f"moves that lost {errors.MISTAKE:g} or more (?)", "moves"),
        Column("blunders", f"moves that lost {errors.BLUNDER:g} or more (??)", "moves"),
        *_share_columns("blunder_rate", "blunders over decisions"),
    ),
    note="Positions of the tables are not among them; a move counts once, as the worst that it is.",
    as_text=judged_text,
)
DEAREST_ERRORS = RunTable(
    "dearest_errors",
    "the dearest errors, one of a game, of equal ones those of the stronger players",
    dearest_errors,
    columns(
        "game",
        Column("ply", "ply within the game, from 1", "plies"),
        "player colour",
        Column("judge", "tables, or the player that graded the move"),
        Column("move", "the move played"),
        Column("mark", "? or ??, ?! at the least"),
        Column("best_move", "a better move"),
        Column("best", "points of the mover to expect after it", "0 to 1", decimals=4),
        Column("played", "the same after the move played", "0 to 1", decimals=4),
        Column("lost", "points lost", "points", decimals=4),
    ),
    written=False,
)
TABLES = (GRADES, JUDGES, ENDGAME_ERRORS, JUDGED_LOSSES, DEAREST_ERRORS)
