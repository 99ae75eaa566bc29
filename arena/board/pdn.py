"""Games at the board as PDN: written, appended to a file, taken from one to be played on."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from math import nan
from pathlib import Path

from arena.base import ArenaError
from arena.board.game import BoardGame, Thought
from arena.rules.pdn.read import PdnFile, read_pdn
from arena.rules.pdn.write import search_comment, write_pdn
from arena.rules.played import PlayedGame, Problem
from arena.rules.position import COLOURS
from arena.rules.result import in_men, points_text
from arena.rules.variants import Variant
from players.player import HUMAN


def pdn_text(game: BoardGame) -> str:
    """The game so far; comments say what players saw, and who played a move before the sides were changed."""
    variant, outcome = game.variant, game.outcome
    named = {"Event": "At the board", "Date": time.strftime("%Y.%m.%d")}
    for colour, side in zip(COLOURS, game.sides, strict=True):
        named[colour.capitalize()] = side.name
        named[f"{colour.capitalize()}Type"] = HUMAN if side.is_person else "program"
    comments: dict[int, list[str]] = defaultdict(list)
    for ply, (turn, before) in enumerate(zip(game.turns, game.game.positions, strict=False), start=1):
        if turn.thought is not None:
            comments[ply].append(_seen(turn.thought))
        if turn.side != game.sides[before.turn]:
            comments[ply].append(f"played by {turn.side.name}")
    if outcome is not None and outcome != game.game.outcome:
        comments[len(game.turns)].append(outcome.termination.value)
    if outcome is not None and outcome.points is not None:
        comments[len(game.turns)].append(points_text(outcome.points))
    texts = {ply: "; ".join(words) for ply, words in comments.items() if words}
    result = outcome.result if outcome else "*"
    start, runs = game.game.start, game.game.start_runs
    return write_pdn(PlayedGame(variant, start, game.game.moves, result, named, texts, king_runs=runs))


def game_in(
    path: Path, variant: Variant | None = None, number: int | None = None
) -> tuple[PlayedGame, Sequence[Problem]]:
    """A game of a PDN file, the last one without a number, and what is wrong with the file or the game.

    `variant` is for games that name no rules. Raises ArenaError, in one line, if there is none; OSError if the
    file cannot be read.
    """
    games, problems = _read(path, variant, number)
    last = max([0, *(game.number for game in games), *(problem.game for problem in problems)])
    found = next((game for game in reversed(games) if number in (None, game.number)), None)
    if found is None:
        faults = [str(problem) for problem in problems if problem.game and number in (None, problem.game)]
        lacks = f"{path} has no game {number}: its last one is game {last}" if last else f"{path} has no games"
        raise ArenaError(faults[-1] if faults else lacks)
    return found, problems


def saved_game(path: Path, variant: Variant | None = None, number: int | None = None) -> PlayedGame:
    """The game of `game_in`, to be played on. Raises ArenaError for one with a fault or of other rules, too."""
    game, _ = game_in(path, variant, number)
    if game.problems:
        raise ArenaError(str(game.problems[0]))
    if variant is not None and game.variant != variant:
        raise ArenaError(f"{path}: game {game.number} is of {game.variant.name}, not of {variant.name}")
    return game


def append_game(path: Path, game: BoardGame) -> int:
    """Write a game at the end of a PDN file, which is made if it is not there; returns its number in the file.

    Raises ArenaError, in one line, for a file that is no PDN, which stays as it is; OSError if it cannot be
    written.
    """
    before = 0
    if path.exists() and path.stat().st_size:
        try:
            path.read_text(encoding="utf-8")  # a game behind ones in another encoding could not be read
            games, problems = _read(path, game.variant)
        except UnicodeDecodeError:
            games, problems = [], []
        if not games:
            raise ArenaError(f"{path} is no PDN file in UTF-8, and stays as it is: save under another name")
        before = max([game.number for game in games] + [problem.game for problem in problems])
    with path.open("a", encoding="utf-8") as stream:
        stream.write(("\n" if before else "") + pdn_text(game))
    return before + 1


def _seen(thought: Thought) -> str:
    """A player's findings: `+0.25/6 0.012s, 1234 nodes`."""
    choice = thought.choice
    men = in_men(choice.score, choice.plies_to_win, thought.man_value)
    comment = search_comment(nan if men is None else men, choice.plies_to_win, choice.depth, thought.seconds)
    return f"{comment}, {choice.nodes} nodes" if choice.nodes else comment


def _read(path: Path, variant: Variant | None, number: int | None = None) -> PdnFile:
    file = read_pdn(path, variant, only=number or -1)
    return file if file.games else read_pdn(path, variant)
