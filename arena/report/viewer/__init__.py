"""Games on a page, of a run or a PDN, or a position: what the page receives, and its part that shows them."""

from __future__ import annotations

import base64
import json
import shlex
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from arena.base.files import replace, write_text
from arena.base.number import known
from arena.base.wording import counted
from arena.ledger.game import played_games
from arena.report.markup import environment, script
from arena.report.page import html_of
from arena.report.page.player import ERRORS
from arena.report.run import Run
from arena.report.tables.effort import DECIDED
from arena.report.tables.grades import errors_of_games, with_points
from arena.rules.board import LAST, SYMBOLS, UNIT, Board
from arena.rules.game import Termination
from arena.rules.move_text import crowns, square_numbers
from arena.rules.notation import pieces_text
from arena.rules.pdn.write import Spelling
from arena.rules.played import PlayedGame
from arena.rules.position import COLOURS, WHITE
from arena.rules.variants import Variant

_CHARACTERS = 1_300_000
"""Characters that games take in a page, at most, unless a number of games is asked for."""
VIEWER_SCRIPT = "report/viewer/viewer.js"
"""The module that shows them; its path is below the package `arena`."""
AT_ONCE = 40
"""Games of a block: what a browser unpacks to show one of them."""
_READ = 20 * AT_ONCE
"""Games whose moves are read at once: each time the ledger is checked."""
_SWING = (
    "A swing is the difference between two scores that one player gave one after the other, in men; scores beyond "
    f"±{DECIDED:g} men, and certain wins and losses, count as {DECIDED:g}."
)


class RunGames:
    """The games of a run as parts of its pages; each is replayed once."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.variant = run.experiment.rule_set
        self.errors = errors_of_games(with_points(run.grades))
        self._documents: dict[int, dict[str, Any]] = {}
        """Those of games by number, unless the run is large."""

    def part(self, most: int | None = None, characters: int = _CHARACTERS) -> Markup:
        """The part of the report: first the costliest errors, then the greatest swings.

        As many as fit into `characters`, or `most` if that is a number; empty if there are none.
        """
        run = self.run
        table = by_surprise(run.games, run.survey.swings)
        is_linked = table["game"].isin(linked_games(run))
        table = pd.concat([table[is_linked], table[~is_linked]]).head(len(table) if most is None else most)
        blocks: list[str] = []
        for block in self._blocks(table):
            characters -= len(block)
            if most is None and characters < 0:
                break
            blocks.append(block)
        table = table.head(AT_ONCE * len(blocks))
        if table.empty:
            return Markup("")
        if len(table) == len(run.games):
            every = "All" if len(table) > 1 else "The"
            words = f"{every} {counted(len(table), 'game')} of the run, greatest swing first."
        else:
            first = "the costliest errors and " if is_linked.any() else ""
            chosen = f"The {counted(len(table), 'game')} of {first}the greatest swings, out of {len(run.games):,}"
            words = f"{chosen}; arena report --games all puts all inside."
        has_swings = not run.survey.swings.empty
        return _part(f"{words} {_SWING if has_swings else ''}", _listed(table), blocks, [self.variant], has_swings)

    def part_of(self, player: str, name_of: Callable[[str], str]) -> Markup:
        """The part of a player's sheet: its games, greatest swing first; `name_of` gives the names of others."""
        run = self.run
        table = run.games[(run.games["white"] == player) | (run.games["black"] == player)]
        if table.empty:
            return Markup("")
        own = {failure.game for failure in run.data.failures if failure.player == player}
        table = by_surprise(table, run.survey.swings).assign(
            white=table["white"].map(name_of),
            black=table["black"].map(name_of),
            error=table["error"].where(table["game"].isin(own), ""),
        )
        words = f"{counted(len(table), 'game')}, greatest swing first."
        blocks = [*self._blocks(table)]
        return _part(words, _listed(table), blocks, [self.variant], not run.survey.swings.empty)

    def _blocks(self, table: pd.DataFrame) -> Iterator[str]:
        """The games of a table, AT_ONCE together, with mark and better move of each error."""
        spelt, numbers = Spelling.of(self.variant), table["game"].tolist()
        for first in range(0, len(numbers), AT_ONCE):
            if first % _READ == 0:
                made = dict(self._documents)
                missing = [number for number in numbers[first : first + _READ] if number not in made]
                games = played_games(self.run.data, missing)
            block = numbers[first : first + AT_ONCE]
            for number in block:
                if number not in made:
                    made[number] = _document(next(games))
                    if number in self.errors:
                        made[number]["errors"] = {
                            ply: (mark, spelt.move(better), square_numbers(better))
                            for ply, (mark, better) in self.errors[number].items()
                        }
            if not self.run.large:
                self._documents = made
            yield _packed([made[number] for number in block])


def viewer_of(games: Sequence[PlayedGame], ply: int = 0, others: Sequence[Mapping[int, str]] = ()) -> Markup:
    """Games that are read, of a PDN or a run, as a part of a page, which opens at a ply of the first one.

    `others` are moves that were played elsewhere at plies of each game: arrows show them.
    """
    variants = [*dict.fromkeys(game.variant for game in games)]
    listed = [
        {
            "id": str(game.number),
            "white": game.tags.get("White", ""),
            "black": game.tags.get("Black", ""),
            "about": ", ".join(filter(None, (game.tags.get(tag) for tag in ("Event", "Date")))),
            "result": game.result,
            "end": game.tags.get("Termination", ""),
            "plies": len(game.moves),
            "board": variants.index(game.variant),
        }
        for game in games
    ]
    empty = {"opening": 0, "points": None, "swing": None, "error": ""}
    columns = {name: [(empty | row)[name] for row in listed] for name in (*listed[0], *empty)}
    documents = [_document(game) | {"tags": game.tags, "comments": game.comments} for game in games]
    for document, of_game, game in zip(documents, others, games, strict=False):
        document["errors"] = {
            at: ("≠", Spelling.of(game.variant).move(move), square_numbers(move)) for at, move in of_game.items()
        }
    blocks = [_packed(documents[at : at + AT_ONCE]) for at in range(0, len(documents), AT_ONCE)]
    return _part("", columns, blocks, variants, False, ply)


def write_viewer(
    games: Sequence[PlayedGame], title: str, path: Path, ply: int = 0, others: Sequence[Mapping[int, str]] = ()
) -> None:
    """Write a page of its own that shows games, at a ply of the first one, as `viewer_of` does."""
    text = html_of("games.jinja", title, viewer=viewer_of(games, ply, others))
    replace(path, partial(write_text, text))


def _part(
    words: str,
    listed: Mapping[str, Sequence[Any]],
    blocks: Sequence[str],
    variants: Sequence[Variant],
    has_swings: bool,
    ply: int = 0,
) -> Markup:
    """The part of a page: `words` about its games, their list in columns, their packed blocks, the boards."""
    data = {
        "listed": _packed(listed),
        "blocks": blocks,
        "atOnce": AT_ONCE,
        "look": {"unit": UNIT, "symbols": SYMBOLS, "last": LAST},
        "boards": [_board(variant) for variant in variants],
        "ply": ply,
    }
    page = environment().get_template("report/viewer/viewer.html")
    return Markup(
        page.render(
            words=words,
            is_run=bool(words),
            has_swings=has_swings,
            script=Markup(script(VIEWER_SCRIPT)),
            data=Markup(json.dumps(data).replace("<", r"\u003c")),
        )
    )


def _board(variant: Variant) -> dict[str, Any]:
    """The board of some rules: its picture, how moves are written, and the rules as `arena play` has them."""
    spelt = Spelling.of(variant)
    numbers = range(1, variant.squares + 1)
    return {
        "svg": Board(variant, caption="", labels="algebraic" if spelt.names else "numbers").svg(None),
        "names": [spelt.squares(str(number)) for number in numbers],
        "capture": spelt.move("x"),
        "rules": shlex.quote(variant.name),
    }


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
        "about": [f"opening {number}" for number in games["opening"]],
        "opening": games["opening"].tolist(),
        "result": games["result"].tolist(),
        "end": [Termination(str(end)).words for end in games["termination"]],
        "points": points,
        "plies": games["plies"].tolist(),
        "swing": _plain(games["swing"].to_numpy(dtype=float), 2),
        "error": games["error"].astype(str).tolist() if "error" in games else [""] * len(games),
        "board": [0] * len(games),
    }


def _document(game: PlayedGame) -> dict[str, Any]:
    """A game as a page shows it, which knows no rules: its start, its moves, what movers saw, why it has no more.

    `paths` has the squares of each move as its text has them, none for a pass; `captured` those that it captured,
    `crowned` the plies by which a man became a king, and `setups` positions by the plies before them. `score` is
    in men, `own` that of a player of whom no man's worth is known, `wins` are in plies, `time` in seconds; scores
    are from White's view, null where there is none.
    """
    captured, crowned = [], []
    for ply, (move, (before, after)) in enumerate(zip(game.moves, pairwise(game.positions), strict=True), 1):
        other = before.black if before.turn == WHITE else before.white
        captured.append(game.variant.numbers_of(move & other))
        if ply not in game.setups and crowns(before, after, move):
            crowned.append(ply)
    found = {
        name: np.asarray((game.answers or {}).get(name, [np.nan] * len(game.moves)), float)[: len(game.moves)]
        for name in ("score", "plies_to_win", "seconds", "depth", "nodes")
    }
    turns = [position.turn for position in game.positions[:-1]]
    sign = np.where(np.array(turns) == WHITE, 1.0, -1.0)
    certain = sign * np.where(found["plies_to_win"] == 0, np.nan, found["plies_to_win"])
    score = np.where(np.isnan(certain), sign * found["score"], np.nan)
    in_men = score / np.array([game.men[turn] or np.nan for turn in turns], float)
    setups = {
        ply: (pieces_text(game.variant, position), COLOURS[position.turn]) for ply, position in game.setups.items()
    }
    return {
        "board": pieces_text(game.variant, game.start),
        "turn": COLOURS[game.start.turn],
        "paths": [*map(square_numbers, game.texts)],
        "captured": captured,
        "crowned": crowned,
        **({"setups": setups} if setups else {}),
        "fault": next((problem.message for problem in game.problems), ""),
        "score": _plain(in_men + 0.0, 2),
        "own": _plain(_three_digits(np.where(np.isnan(in_men), score, np.nan) + 0.0)),
        "wins": _plain(certain),
        "time": _plain(_three_digits(found["seconds"])),
        **{name: np.nan_to_num(found[name]).astype(int).tolist() for name in ("depth", "nodes")},
    }


def _packed(data: Any) -> str:
    """Plain data as JSON, deflated, as text."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode())).decode()


def _three_digits(values: np.ndarray) -> np.ndarray:
    """Values with three significant digits, those above 1000 as whole numbers."""
    power = np.floor(np.log10(np.maximum(np.abs(values), 1e-12)))
    size = 10.0 ** np.maximum(2 - power, 0)
    rounded: np.ndarray = np.rint(values * size) / size
    return rounded


def _plain(values: np.ndarray, digits: int = 12) -> list[float | None]:
    """Values as JSON has them: rounded, null in place of nan."""
    return [round(value, digits) if value == value else None for value in values.tolist()]  # noqa: PLR0124
