"""Synthetic runs for the tests of reports: the frames that a ledger gives, made from known strengths."""

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from arena.experiment.model import Experiment
from arena.experiment.schedule import number_of
from arena.ledger.info import Entrant, RunInfo
from arena.ledger.read import ANSWER_COLUMNS, GAME_COLUMNS, GRADE_COLUMNS, GRADED_COLUMNS, RunData
from arena.ledger.record import MEASURED, Failure, failures_of
from arena.ratings.interval import Z95, Interval
from arena.ratings.joint import Ratings
from arena.report.charts.catalogue import charts
from arena.report.run import Run
from arena.report.write import write
from players.loading import Finding
from players.player import EFFORT, PlayerSpec

MISSING_WORD = re.compile(r"(?<![A-Za-z])(nan|inf|none|null|<na>)(?![A-Za-z])", re.IGNORECASE)
"""What a value that does not exist must not be shown as."""
START = "B:W21-32:B1-12"
OPENING = "W:W21-32:B2-12,14"
MOVES = np.array(["11-15", "23-19", "22x15", "8-11", "25-22", "10x19x26"])


def repeatable(table: pd.DataFrame) -> pd.DataFrame:
    """The columns of a table of a run that are the same whenever the same is played."""
    return table.drop(columns=[name for name in MEASURED if name in table])


def plain(text: str) -> str:
    """Text of a page or summary with spaces that break, and nothing inside names."""
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("<wbr>", "")


def unpacked(text: str) -> Any:
    """Data that a page holds packed."""
    return json.loads(zlib.decompress(base64.b64decode(text)))


def data_of(page: str) -> dict[str, Any]:
    """What the viewer of a page receives, its list unpacked; nothing in it can end its script."""
    data = re.search(r"<script type=.application/json. data-games>(.*?)</script>", page, re.DOTALL)
    assert data and "<" not in data[1]
    found: dict[str, Any] = json.loads(data[1])
    return found | {"listed": unpacked(found["listed"])}


def player(name: str, depth: int | None = None, type: str = "alphabeta", **settings: Any) -> dict[str, Any]:
    """One entry of `players:`."""
    return {"name": name, "type": type, **({} if depth is None else {"depth": depth}), **settings}


TERMS: list[dict[str, Any]] = [{"depth": 6}, {"nodes": 2000}, {"seconds": 0.02}]
EQUAL = [player(f"{e} {term}", evaluation=e, **term) for e in ("simple", "cis300") for term in TERMS]
"""Two evaluations at each kind of limit."""
GRID = [player(f"{e} d{d}", d, evaluation=e) for e in ("simple", "cis300") for d in (1, 2, 4)]
"""Two evaluations at three depths."""


def specs(players: list[dict[str, Any]]) -> tuple[PlayerSpec, ...]:
    """Entries of `players:` as an experiment has them."""
    return experiment(players).players


def experiment(players: list[dict[str, Any]], **changes: Any) -> Experiment:
    """An experiment with these entries of `players:`, as it is read back from a ledger."""
    document = {
        "name": "synthetic", "variant": "english", "seed": 1, "openings": {"random_plies": 4, "count": 10},
        "max_plies": 200, "players": players,
    }  # fmt: skip
    return Experiment.model_validate(document | changes)


def synthetic(
    folder: Path, players: list[dict[str, Any]], pairs: int, *, anchor: str | None = None, **options: Any
) -> Run:
    """A run of `frames`."""
    games, moves = frames(players, pairs, **options)
    return run_of(folder, experiment(players, anchor=anchor), games, moves)


def run_of(
    folder: Path,
    of: Experiment,
    games: pd.DataFrame,
    moves: pd.DataFrame | None = None,
    answers: pd.DataFrame | None = None,
) -> Run:
    """A run of these frames, empty ones where there are none; all its games are planned."""
    moves = moves if moves is not None else _moves(games.head(0), {}, 0, np.random.default_rng(0))
    answers = answers if answers is not None else pd.DataFrame(columns=list(ANSWER_COLUMNS))
    games = with_lines(games, moves)
    data = RunData(
        experiment=of,
        info=RunInfo({spec.name: Entrant(str(spec)) for spec in of.players}, games=len(games)),
        order=None,
        games=games,
        moves=_reader(moves),
        withdrawn={},
        void_games=games.head(0),
        grades=pd.DataFrame(columns=list(GRADE_COLUMNS)),
        graded=pd.DataFrame(columns=list(GRADED_COLUMNS)),
        answers=answers,
        failures=_failures(games),
    )
    return Run(folder, data)


def with_lines(games: pd.DataFrame, moves: pd.DataFrame) -> pd.DataFrame:
    """The games with their ids, and a number that games of the same opening and moves share."""
    texts = moves.groupby("game")["move"].agg(list).to_dict() if len(moves) else {}
    lines = [
        number_of(str(row.get("opening_fen", "")), *texts.get(row["game"], [str(row["game"])]))
        for row in games.to_dict("records")
    ]
    blank = dict.fromkeys(("error", "traceback", "output", "machine"), "")
    absent = {name: blank.get(name, np.nan) for name in GAME_COLUMNS if name not in games}
    return games.assign(**absent).assign(line=np.array(lines, np.int64), id=games["game"].map("{:06x}".format))


def searched(**nodes: list[int]) -> pd.DataFrame:
    """Answers to random positions, searched to depth 6, of players that entered these nodes, a microsecond each.

    Below 10 nodes the depth is 1, and 0 is a failure.
    """
    rows = [
        (name, position, 6 if count >= 10 else min(count, 1), count, count * 1e-6, "" if count else "no idea")
        for name, counts in nodes.items()
        for position, count in enumerate(counts, start=1)
    ]
    answers = pd.DataFrame(rows, columns=["player", "position", "depth", "nodes", "seconds", "error"])
    return answers.assign(suite="random d6", cpu_seconds=answers["seconds"], best_moves=0)


def _failures(games: pd.DataFrame) -> tuple[Failure, ...]:
    blank = {"error": "", "plies": 0, "traceback": "", "output": "", "id": ""}
    return tuple(failures_of(blank | row for row in games.to_dict("records")))


def changed(run: Run, folder: Path | None = None, **parts: Any) -> Run:
    """The run in another folder, with other parts of `RunData`; moves are one frame."""
    if "moves" in parts:
        parts["games"] = with_lines(parts.get("games", run.games), parts["moves"])
        parts["moves"] = _reader(parts["moves"])
    if (games := parts.get("games")) is not None:
        parts.setdefault("failures", _failures(games))
    return Run(folder or run.folder, run.data._replace(**parts))


def found_before(info: RunInfo, found: Iterable[Finding], left_out: Mapping[str, str]) -> RunInfo:
    """The info with findings before the first game, and files of players that are left out."""
    players = {name: each for name, each in info.players.items() if not each.left_out}
    for name in (*left_out, *players):
        of_player = tuple(finding for finding in found if finding.where == name)
        players[name] = players.get(name, Entrant())._replace(findings=of_player, left_out=left_out.get(name, ""))
    return info._replace(players=players)


def _reader(moves: pd.DataFrame) -> Callable[..., Iterator[pd.DataFrame]]:
    """What `RunData.moves` is, of one frame."""
    return lambda games=None: iter([moves if games is None else moves[moves["game"].isin(games)]])


def frames(
    players: list[dict[str, Any]], pairs: int, *, seed: int = 0, draws: float = 0.3, plies: int = 30
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(games, moves) of a round robin of `pairs` colour-swapped pairs between any two players.

    A player wins more often the deeper it searches; nodes grow threefold with each ply of depth.
    """
    rng = np.random.default_rng(seed)
    depth = {p["name"]: p.get("depth", 0) for p in players}
    meetings = [
        (pair, *(names if side else names[::-1]))
        for names in combinations(depth, 2)
        for pair in range(pairs)
        for side in (1, 0)
    ]
    games = pd.DataFrame(meetings, columns=["opening", "white", "black"])
    gap = (games["white"].map(depth) - games["black"].map(depth)).to_numpy(dtype=float)
    draw = rng.random(len(games)) < draws
    white = rng.random(len(games)) < 1 / (1 + np.exp(-0.5 * gap))
    games["result"] = np.where(draw, "draw", np.where(white, "white", "black"))
    ended = np.where(draw, rng.choice(["repetition", "no_progress", "max_plies"], len(games)), "no_moves")
    games["termination"] = np.where(~draw & (rng.random(len(games)) < 0.3), "no_pieces", ended)
    games["game"] = np.arange(len(games))
    games["pair"] = games["game"] // 2
    games["round"] = 1 + games["opening"] // 2
    games["white_points"] = games["black_points"] = pd.array([pd.NA] * len(games), dtype="Int64")
    games["plies"] = plies
    games["seconds"] = 0.1 + rng.random(len(games)).round(3)
    games["began"] = pd.Timestamp("2026-11-22T12:00:00Z")
    games["opening_fen"] = np.where(games["opening"] == 0, START, OPENING)
    return games, _moves(games, depth, plies, rng)


def _moves(games: pd.DataFrame, depth: dict[str, int], plies: int, rng: np.random.Generator) -> pd.DataFrame:
    n = len(games) * plies
    ply = np.tile(np.arange(1, plies + 1), len(games))
    black_moves = ply % 2 == 1
    white, black = (games[c].to_numpy(dtype=object).repeat(plies) for c in ("white", "black"))
    names = np.where(black_moves, black, white)
    depths = pd.Series(names, dtype=object).map(depth).fillna(0).to_numpy(dtype=np.int64)
    nodes = np.where(depths > 0, 10 * 3.0**depths * rng.uniform(0.5, 1.5, n), 0).astype(np.int64)
    searched = depths > 0
    seconds = np.where(searched, nodes * 1.0e-7 * rng.uniform(0.7, 1.4, n), 2e-6)
    missing = pd.array(np.full(n, np.nan), dtype="Float64")
    return pd.DataFrame({
        "game": games["game"].to_numpy().repeat(plies),
        "ply": ply,
        "player": pd.Categorical(names, categories=list(depth)),
        "colour": pd.Categorical(np.where(black_moves, "black", "white"), categories=["white", "black"]),
        "move": rng.choice(MOVES, n),
        "legal_moves": rng.integers(1, 12, n),
        "pieces": 24 - np.minimum(ply // 2, 20),
        "depth": depths,
        "nodes": nodes,
        "leaves": nodes // 2,
        "seconds": seconds,
        "cpu_seconds": pd.array(0.9 * seconds, dtype="Float64"),
        "score": pd.array(np.where(searched, rng.normal(0, 50, n), np.nan), dtype="Float64"),
        "plies_to_win": pd.array([None] * n, dtype="Int64"),
        "cutoffs_max": nodes // 5,
        "cutoffs_min": nodes // 6,
        "deepest": np.where(searched, depths + 2, 0),
        "cutoffs_first": nodes // 4,
        "tt_probes": nodes // 3,
        "tt_hits": nodes // 9,
        **dict.fromkeys(("score_men", "clock", "overrun", "pondered_seconds"), missing),
    })  # fmt: skip


def drawn(run: Run) -> dict[str, Axes]:
    """Every chart that the run has, by name."""
    return {name: chart.draw() for name, chart in charts(run).items()}


def texts(ax: Axes) -> list[str]:
    """All text that a chart shows."""
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    return [t.get_text() for t in figure.findobj(Text) if t.get_visible() and t.get_text()]


def moves_with(rows: list[tuple[str, int, int, float]]) -> pd.DataFrame:
    """Moves of (player, depth, nodes, seconds)."""
    moves = pd.DataFrame(rows, columns=["player", "depth", "nodes", "seconds"])
    moves["player"] = pd.Categorical(moves["player"], categories=[*dict.fromkeys(moves["player"]), "absent"])
    counted = dict.fromkeys([name for name in EFFORT if name not in ("depth", "nodes", "leaves")], 0)
    overrun = pd.array(np.full(len(moves), np.nan), dtype="Float64")
    return moves.assign(
        leaves=moves["nodes"] // 2,
        legal_moves=7,
        **counted,
        overrun=overrun,
        cpu_seconds=overrun,
        pondered_seconds=overrun,
    )


def write_quickly(run: Run, **options: Any) -> list[Path]:
    """`write` with empty pictures, which take most of its time; returns the files that are there then."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.report.charts.style.svg", lambda axes: '<svg width="9pt"></svg>')
        write(run, **options)
    return [*run.folder.iterdir()]


def rated(elo: dict[str, float], covariance: np.ndarray | None = None, **changes: Any) -> Ratings:
    """Ratings of connected players with games, as given."""
    names = list(elo)
    matrix = np.eye(len(names)) * 100.0 if covariance is None else covariance
    error = Z95 * np.sqrt(np.diag(matrix))
    values = np.array(list(elo.values()))
    table = pd.DataFrame(
        {"player": names, "elo": values, "elo_low": values - error, "elo_high": values + error, "games": 9}
    ).assign(by_prior=False)
    fields: dict[str, Any] = {
        "table": table, "covariance": pd.DataFrame(matrix, names, names), "advantage": Interval(0.0, -1.0, 1.0),
        "groups": (tuple(names),), "notes": {},
    }  # fmt: skip
    return Ratings(**(fields | changes))


def described(table: str) -> set[str]:
    """The columns that `reports/columns.md` has of a table, with the ends of intervals."""
    document = (Path(__file__).parents[2] / "reports" / "columns.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", document, re.MULTILINE | re.DOTALL))
    row = re.compile(r"^\| `([^`]+)` \| (.*?) \|", re.MULTILINE)
    meanings, named = dict(row.findall(parts["Columns of several tables"])), parts[table].split(", and:")[0]
    own = dict(row.findall(parts[table]))
    own |= {name: meaning for name, meaning in meanings.items() if f"`{name}`" in named}
    with_ends = [name for name, meaning in own.items() if meaning.endswith("±")]
    return {*own, *(end for name in with_ends for end in Interval.columns_of(name))}
