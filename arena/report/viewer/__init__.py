"""The games that a page holds: which they are, what it receives of them, and its part that shows them."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from markupsafe import Markup

from arena.base.number import known
from arena.base.wording import counted
from arena.report.page.player import ERRORS
from arena.report.run import Run
from arena.report.tables.grades import errors_of_games
from arena.report.tables.survey import DECIDED
from arena.report.template import environment, script
from arena.rules.board import LAST, SYMBOLS, UNIT, Board
from arena.rules.game import Termination
from arena.rules.move_text import crowns, square_numbers
from arena.rules.notation import pieces_text
from arena.rules.played import PlayedGame, replayed
from arena.rules.position import WHITE
from arena.rules.variants import Variant

_CHARACTERS = 1_300_000
"""Characters that games take in a page, at most, unless a number of games is asked for."""
VIEWER_SCRIPT = "report/viewer/viewer.js"
"""The module that shows them; its path is below the package `arena`."""
AT_ONCE = 40
"""Games of a block: what a browser unpacks to show one of them."""
_READ = 20 * AT_ONCE
"""Games of a large run whose moves are read at once."""


class _Games(NamedTuple):
    """The games inside a page."""

    inside: int
    of: int
    """Games of the run."""
    listed: str
    """The columns of the list of games (`listed`), packed."""
    blocks: list[str]
    """The moves of AT_ONCE games each (`_block`), packed."""
    linked: bool = False
    """Whether the games of the costliest errors, which the page links, stand first."""


def games_of(run: Run, most: int | None = None, characters: int = _CHARACTERS) -> _Games:
    """The games of a run that a page holds: first the costliest errors, then the greatest swings.

    As many as fit into `characters`, or `most` if that is a number.
    """
    errors = errors_of_games(run.grades)
    table = by_surprise(run.games, run.survey.swings)
    linked = table["game"].isin(linked_games(run))
    table = pd.concat([table[linked], table[~linked]]).head(len(table) if most is None else most)
    variant = run.experiment.rule_set
    blocks: list[str] = []
    for games, moves in _parts(run, table):
        block = _packed(_block(games, moves, variant, errors))
        characters -= len(block)
        if most is None and characters < 0:
            break
        blocks.append(block)
    table = table.head(AT_ONCE * len(blocks))
    return _Games(len(table), len(run.games), _packed(_listed(table)), blocks, bool(linked.any()))


def linked_games(run: Run) -> set[int]:
    """The games of the costliest errors of each player and of all players together."""
    graded = run.grades[run.grades["mark"] != ""].sort_values("lost", ascending=False, kind="stable")
    return {*run.costliest_errors["game"], *graded.groupby("player", sort=False).head(ERRORS)["game"]}


def by_surprise(games: pd.DataFrame, swings: pd.Series) -> pd.DataFrame:
    """Games with the column `swing`, in men, the greatest first; those without one last, in their order."""
    table = games.assign(swing=games["game"].map(swings))
    return table.sort_values("swing", ascending=False, kind="stable", na_position="last")


def _listed(games: pd.DataFrame) -> dict[str, list[Any]]:
    """The list's columns for games with their `swing`, in men."""
    points = [
        {"white": int(white), "black": int(black)} if known(white) else None
        for white, black in zip(games["white_points"], games["black_points"], strict=True)
    ]
    return {
        "id": games["id"].tolist(),
        "white": games["white"].astype(str).tolist(),
        "black": games["black"].astype(str).tolist(),
        "opening": games["opening"].tolist(),
        "result": games["result"].tolist(),
        "end": [Termination(str(end)).words for end in games["termination"]],
        "points": points,
        "plies": games["plies"].tolist(),
        "swing": _plain(games["swing"].to_numpy(dtype=float), 2),
        "error": games["error"].astype(str).tolist() if "error" in games else [""] * len(games),
    }


def replay_data(game: PlayedGame, texts: Sequence[str]) -> dict[str, list[Any]]:
    """What lets a page show a game without knowing the rules, from the texts of its moves.

    `paths` has the squares of each legal move as its text has them, none for a pass; `captured` those that it
    captured, and `crowned` the plies by which a man became a king.
    """
    paths, captured, crowned = [], [], []
    for ply, (text, move, (before, after)) in enumerate(
        zip(texts, game.moves, pairwise(game.positions), strict=False), 1
    ):
        other = before.black if before.turn == WHITE else before.white
        paths.append(square_numbers(text))
        captured.append(game.variant.numbers_of(move & other))
        if crowns(before, after, move):
            crowned.append(ply)
    return {"paths": paths, "captured": captured, "crowned": crowned}


def _packed(data: Any) -> str:
    """Plain data as JSON, deflated, as text."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode())).decode()


def _parts(run: Run, games: pd.DataFrame) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """The games AT_ONCE together, with a frame that has their moves; a large run's are read when needed."""
    moves = run.survey.sample
    for first in range(0, len(games), AT_ONCE):
        if run.large and first % _READ == 0:
            numbers = pd.Index(games["game"].iloc[first : first + _READ])
            moves = pd.concat(run.data.moves(numbers), ignore_index=True)
        yield games.iloc[first : first + AT_ONCE], moves


def _block(
    games: pd.DataFrame, moves: pd.DataFrame, variant: Variant, errors: Mapping[int, Mapping[int, Any]]
) -> list[dict[str, Any]]:
    """The board's data for each game: the position after its opening, and of each ply what it changed.

    `score` is in men, `own` that of a player of whom no man's worth is known, in its own unit, `wins` in plies,
    all from White's view; `time` is in seconds; null where there is none. `errors`, of a game that has some, are
    mark, better move and its squares by ply.
    """
    numbers = moves["game"].to_numpy()
    bounds = [np.searchsorted(numbers, [game, game + 1]) for game in games["game"]]
    rows = moves.iloc[np.concatenate([np.arange(first, last) for first, last in bounds])]
    sign = np.where(rows["colour"] == "white", 1.0, -1.0)
    certain, score, in_men = (
        sign * rows[name].to_numpy(dtype=float, na_value=np.nan) + 0.0
        for name in ("plies_to_win", "score", "score_men")
    )
    columns = {
        "score": _plain(in_men, 2),
        "own": _plain(_three_digits(np.where(np.isnan(in_men) & np.isnan(certain), score, np.nan))),
        "wins": _plain(certain),
        "time": _plain(_three_digits(rows["seconds"].to_numpy(dtype=float, na_value=np.nan))),
        "depth": rows["depth"].tolist(),
        "nodes": rows["nodes"].tolist(),
    }
    texts = rows["move"].tolist()
    block = []
    start = 0
    for number, fen, (first, last) in zip(games["game"], games["opening_fen"], bounds, strict=True):
        end = start + last - first
        played = replayed(variant, fen, texts[start:end])
        game = {
            "board": pieces_text(variant, played.start),
            "turn": fen[0],
            **replay_data(played, texts[start:end]),
            "fault": next((problem.message for problem in played.problems), ""),
        }
        game |= {name: column[start:end] for name, column in columns.items()}
        if number in errors:
            game["errors"] = {
                ply: (mark, better, square_numbers(better)) for ply, (mark, better) in errors[number].items()
            }
        block.append(game)
        start = end
    return block


def _three_digits(values: np.ndarray) -> np.ndarray:
    """Values with three significant digits, those above 1000 as whole numbers."""
    power = np.floor(np.log10(np.maximum(np.abs(values), 1e-12)))
    size = 10.0 ** np.maximum(2 - power, 0)
    rounded: np.ndarray = np.rint(values * size) / size
    return rounded


def _plain(values: np.ndarray, digits: int = 12) -> list[float | None]:
    """Values as JSON has them: rounded, null in place of nan."""
    return [round(value, digits) if value == value else None for value in values.tolist()]  # noqa: PLR0124


def viewer(run: Run, most: int | None = None) -> Markup:
    """The games of a run (`games_of`) as a part of its page; empty if it holds none."""
    games = games_of(run, most)
    if not games.inside:
        return Markup("")
    data = {
        "listed": games.listed,
        "blocks": games.blocks,
        "atOnce": AT_ONCE,
        "look": {"unit": UNIT, "symbols": SYMBOLS, "last": LAST},
    }
    page = environment().get_template("report/viewer/viewer.html")
    return Markup(
        page.render(
            inside=inside(run, games),
            board=Markup(Board(run.experiment.rule_set, caption="").svg(None)),
            script=Markup(script(VIEWER_SCRIPT)),
            data=Markup(json.dumps(data).replace("<", r"\u003c")),
        )
    )


def inside(run: Run, games: _Games) -> str:
    """Which games the page holds, in words."""
    swing = (
        ""
        if run.survey.swings.empty
        else (
            "A swing is the difference between two scores that one player gave one after the other, in men; "
            f"scores beyond ±{DECIDED:g} men, and certain wins and losses, count as {DECIDED:g}."
        )
    )
    if games.inside == games.of:
        every = "All" if games.of > 1 else "The"
        return f"{every} {counted(games.of, 'game')} of the run, greatest swing first. {swing}"
    first = "the costliest errors and " if games.linked else ""
    chosen = f"The {counted(games.inside, 'game')} of {first}the greatest swings, out of {games.of:,}"
    return f"{chosen}; arena report --games all puts all inside. {swing}"
