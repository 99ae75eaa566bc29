"""Trials: a user's own players are examined before a run, and play short games.

An outside program is begun by a fork of the calling process, which hears how long it is in answering.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.experiment.model import Experiment
from arena.experiment.openings.sources import OpeningsError, random_openings
from arena.hosting.player_process import close_players
from arena.ledger.record import GameRecord, failures_of
from arena.play.inspection import Inspection, Inspector, PlayerGroup, build, is_own, is_python
from arena.play.match import Task, play
from arena.rules.notation import fen
from arena.rules.played import replayed
from arena.rules.position import WHITE, Position
from arena.rules.variants import Variant
from players.engines.parameters import cautions
from players.examine import examined
from players.finding import SAME_FILE, UNBUILT, Finding
from players.loading import PlayerError, blame, files_of, meant, no_file, own_code, user_files
from players.player import ENGINE, Allowance, Limit, PlayerSpec
from players.table import build_player

_FEWEST, _MOST = 4, 40
"""Plies of a player's first moves, when its pace is unknown, and the most of any game."""
_BUDGET = 3.0
"""Seconds that a player's games take, about, but for the first game, of _MOST plies."""
_SLOWER = 10
"""A player's moves in a game may take this many times as long, on average, as the slowest of its first moves."""
_OPENINGS, _OPENING_PLIES = 3, 4
"""Openings of the games, and their random plies."""
_OPPONENT = PlayerSpec("an opponent that moves at random", "random")
_COMPILED = PlayerSpec("compiled first", "negamax", Limit(depth=1))
"""A player whose kernels are compiled before the time of a user's own code begins."""
_COMPARED = ("move", "depth", "nodes", "score")
"""What must repeat when a game is played again, by columns of moves."""


def trial_of(experiment: Experiment, *, is_close: bool) -> Inspector:
    """The trial of an experiment's players, of a few plies unless it is close, with what it needs compiled."""
    if not any(map(is_own, experiment.players)):
        return Trial((), is_close=is_close)
    build_player(_COMPILED, experiment.rule_set)
    return Trial(_openings(experiment.rule_set), is_close=is_close)


class Trial(Inspector):
    """Examines an evaluation that is a file, or weights if it is close, and has a user's own player play."""

    def __init__(self, openings: Sequence[Position], *, is_close: bool) -> None:
        self.is_announced = is_close
        self._is_close, self._openings = is_close, openings

    def inspect(self, group: PlayerGroup) -> dict[str, Inspection]:
        """Inspect the players of a group, whose evaluation is examined once."""
        findings = list[Finding]()
        with suppress(PlayerError):  # which is raised again when the player is built
            findings = list(self._of_evaluation(group))
        parameters = group.players[0].options.get("parameters")
        if group.players[0].type == ENGINE and isinstance(parameters, dict):
            findings = [Finding("warning", said=words) for words in cautions(parameters)]
        is_faulty, first = any(finding.level == "error" for finding in findings), group.players[0]
        inspections: dict[str, Inspection] = {}
        for spec in group.players:
            inspection = build(group, spec)._replace(findings=tuple(findings))
            if findings and spec is not first:
                fault = Finding("error", "its evaluation is faulty, which is that of", others=(first.name,))
                inspection = inspection._replace(findings=(fault,) if is_faulty else ())
            if is_own(first) and not (inspection.error or is_faulty or inspection.costs):
                inspection = self._played(_Games(spec, group, self._openings, group.allowance), inspection)
            inspections[spec.name] = inspection
        return inspections

    def compare(self, specs: Sequence[PlayerSpec], inspections: list[Inspection]) -> list[Inspection]:
        """The same, with a warning at each player whose Python file has a copy."""
        files = [tuple(user_files(spec)) if is_python(spec) else () for spec in specs]
        contents = [sorted(files_of(spec).values()) for spec in specs]
        warned = []
        for place, inspection in enumerate(inspections):
            copies = tuple(
                spec.name
                for spec, paths, content in zip(specs, files, contents, strict=True)
                if files[place] and paths and paths != files[place] and content == contents[place]
            )
            findings = [*inspection.findings]
            if copies:
                findings.append(Finding("warning", "has the same file as", kind=SAME_FILE, others=copies))
            warned.append(inspection._replace(findings=tuple(findings)))
        return warned

    def _of_evaluation(self, group: PlayerGroup) -> Iterator[Finding]:
        """Yield findings on the players' evaluation. Raises PlayerError if that cannot be built."""
        description: Any = group.players[0].options.get("evaluation")
        is_file = isinstance(description, str) and (":" in description or description.endswith(".npz"))
        is_sandboxed = is_own(group.players[0]) and group.allowance.sandbox is not None
        if is_sandboxed or not (is_file or (self._is_close and isinstance(description, dict))):
            return
        found = examined(description, group.variant, build_seconds=group.allowance.move_timeout, is_timed=False)
        for finding in found.findings:
            if finding.message:
                yield finding._replace(message=f"its evaluation {finding.message}")
            else:
                yield finding._replace(said=f"its evaluation {finding.said}")

    def _played(self, games: _Games, inspection: Inspection) -> Inspection:
        """The same with a player's mistakes in a few plies and, if it is close, in several games, and its moves.

        It is an error if the player raises, moves illegally, is late, or reports more nodes or plies than its
        limit allows; what an outside program reports is not checked. Where nothing is wrong the first game is
        played again.
        """
        first_moves = games.play(0, _FEWEST)
        findings = list(games.mistakes(first_moves, 0))
        if findings or not self._is_close:
            return inspection._replace(findings=(*inspection.findings, *findings))
        close_players()  # which others follow, with other times: a program may have one port alone
        games, plies = games.at_pace(float(games.moves(first_moves, 0)["seconds"].max(initial=1e-3)))
        records = [games.play(number, plies if number else _MOST) for number in range(2 * len(self._openings))]
        of_each = (games.mistakes(record, number) for number, record in enumerate(records))
        findings = _of_different_causes(chain.from_iterable(of_each))
        if not findings and games.spec.limit.longest is None:
            findings = list(games.differences(records[0], plies))
        printed = "" if games.spec.type == ENGINE else "".join(records[0].logs)
        return inspection._replace(findings=(*inspection.findings, *findings), printed=printed)


class _Games(NamedTuple):
    """The games of a player's trial: of each number one from an opening, as White or as Black."""

    spec: PlayerSpec
    group: PlayerGroup
    openings: Sequence[Position]
    allowance: Allowance

    def side(self, number: int) -> tuple[Position, int]:
        """The opening of a game and the colour of the player."""
        return self.openings[number // 2], number % 2

    def play(self, number: int, plies: int) -> GameRecord:
        """Play a game. Who draws moves at random does so alike against all players."""
        opening, colour = self.side(number)
        sides = (self.spec, _OPPONENT) if colour == WHITE else (_OPPONENT, self.spec)
        experiment = self.group.experiment
        white, black = sides
        task = Task(
            number, experiment.rule_set, opening, number, white, black, experiment.seed, plies, self.allowance
        )
        return play(task)

    def moves(self, record: GameRecord, number: int) -> np.ndarray:
        """The player's moves in a game."""
        opening, colour = self.side(number)
        return record.table()[0 if opening.turn == colour else 1 :: 2]

    def at_pace(self, seconds: float) -> tuple[_Games, int]:
        """The games of a player whose move takes so long, who is not waited for much longer, and their plies."""
        plies = min(max(2 * int(_BUDGET / (2 * len(self.openings)) / seconds), _FEWEST), _MOST)
        most = self.allowance.move_timeout + _MOST * _SLOWER * seconds
        game_timeout = min(self.allowance.game_timeout, most)
        return self._replace(allowance=self.allowance._replace(game_timeout=game_timeout)), plies

    def mistakes(self, record: GameRecord, number: int) -> Iterator[Finding]:
        """Yield the player's mistakes in a game."""
        if record.error:
            yield self._failure(record)
        moves = self.moves(record, number)
        for name in () if self.spec.type == ENGINE else ("nodes", "depth"):
            limit, reported = getattr(self.spec.limit, name), moves[name].max(initial=0)
            if limit is not None and reported > limit:
                yield Finding("error", f"reports {name} {reported} where its limit is {limit}", kind=name)
        if np.isinf(moves["score"]).any():
            yield Finding("error", "reports a score that is not finite", kind="score")

    def _failure(self, record: GameRecord) -> Finding:
        """The failure that ended a game, with all that is known of it."""
        [failure], variant = failures_of([{**record._asdict(), "game": 0, "id": ""}]), self.group.variant
        before = record.table()["move"].astype(str).tolist()[: failure.ply - 1]  # a late move was played
        place = fen(variant, replayed(variant, record.opening_fen, before).positions[-1])
        finding = Finding("error", said=failure.detail, kind=record.termination, place=place)
        return finding._replace(traceback=failure.traceback, output=failure.output)

    def differences(self, game: GameRecord, plies: int) -> Iterator[Finding]:
        """Play the first game again, after the others and then in new processes; yield what differs."""

        def again() -> bytes:
            return _compared(self.play(0, plies), plies)

        def alone() -> bytes:
            close_players()
            return again()

        later, first = again(), alone()
        if _compared(game, plies) == later == first:
            return
        if self.spec.type == ENGINE:
            yield Finding("warning", "does not repeat a game: its games cannot be replayed")
        elif alone() != first:
            yield Finding("error", "does not play the same from the same seed: all chance must come from `rng`")
        else:
            yield Finding("error", "plays a game differently after other games: it keeps state from game to game")


def _compared(record: GameRecord, plies: int) -> bytes:
    table = record.table()[:plies]
    return b"".join(table[name].tobytes() for name in _COMPARED)


def _of_different_causes(findings: Iterable[Finding]) -> list[Finding]:
    """The first of the findings of each kind that were raised at the same line."""
    first: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        first.setdefault((finding.kind, finding.traceback), finding)
    return list(first.values())


def _openings(variant: Variant) -> tuple[Position, ...]:
    """The openings of the games: the start alone where the rules lead to fewer positions."""
    try:
        openings = random_openings(variant, _OPENING_PLIES, _OPENINGS, seed=0, balanced=False)
    except OpeningsError:
        return (variant.start,)
    return tuple(opening.position for opening in openings)


def of_source(spec: PlayerSpec) -> Iterator[Finding]:
    """Yield what is wrong with a player's Python file without running it: its syntax, or what it should define."""
    for reference in own_code(spec) if is_python(spec) else ():
        source, _, name = reference.rpartition(":")
        path = Path(source)
        if path.suffix != ".py":
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except OSError:
            yield Finding("error", said=no_file(path), kind=UNBUILT)
            continue
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            yield Finding("error", said=f"{source} cannot be loaded: {blame(error, source)}", kind=UNBUILT)
            continue
        if name not in (bound := _bound(tree)) and "*" not in bound:
            public = [
                node.name
                for node in tree.body
                if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
            ]
            has = f"(it has: {', '.join(public) or 'nothing'})"
            yield Finding("error", said=f"{source} has no {name!r}{meant(name, public)} {has}", kind=UNBUILT)


def _bound(tree: ast.Module) -> set[str]:
    """The names that a module's source gives to something, anywhere; `*` if it imports all of another one."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names
