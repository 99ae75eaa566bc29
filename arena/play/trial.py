"""Trials: players are built before a run, those of a user's own code examined, and short games played with them.

A user's Python is looked at by workers, in processes of the players' own, so that a process with threads, such as
a notebook's, is not forked for it. An outside program is begun by a fork of the calling process, which hears how
long it is in answering.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import IntEnum
from itertools import chain, product
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

import numpy as np

from arena.base.wording import listed
from arena.experiment.formats.base import ScheduledGame
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import OpeningsError, random_openings
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import begin_game, close_players
from arena.ledger.record import GameRecord, detail
from arena.play.match import Task, play
from arena.play.workers import run
from arena.rules.movegen import compiled_generator
from arena.rules.notation import fen
from arena.rules.played import replayed
from arena.rules.position import COLOURS, WHITE, Position
from arena.rules.variants import Variant
from players.examine import examined
from players.finding import ALIKE, SAME_FILE, UNBUILT, Finding
from players.identity import NO_FILES, Files
from players.loading import (
    PlayerError,
    blame,
    files_of,
    from_folder,
    located,
    meant,
    no_file,
    own_code,
    user_files,
    without_own_code,
)
from players.player import ENGINE, Allowance, Limit, PlayerSpec
from players.table import build_player

_FEWEST, _MOST = 4, 40
"""Plies of a player's first moves, when its pace is unknown, and the most of any game."""
_BUDGET = 3.0
"""Seconds that a player's games take, about, but for the first game, of _MOST plies."""
_SLOWER = 10
"""A player's moves in a game may take this many times as long, on average, as the slowest of its first moves."""
_SLOW_SECONDS = 15.0
"""Seconds after which it is said who is still looked at."""
_OPENINGS, _OPENING_PLIES = 3, 4
"""Openings of the games, and their random plies."""
_OPPONENT = PlayerSpec("an opponent that moves at random", "random")
_COMPILED = PlayerSpec("compiled first", "negamax", Limit(depth=1))
"""A player whose kernels are compiled before the time of a user's own code begins."""
_FEWEST_COMPARED = 20
"""Decisions that two players must both have made, to say that they made the same moves."""
_COMPARED = ("move", "depth", "nodes", "score")
"""What must repeat when a game is played again, by columns of moves."""


class Extent(IntEnum):
    """How closely a player is looked at; only a user's own plays."""

    BUILT = 0
    """It is built."""
    FIRST_MOVES = 1
    """Its evaluation is examined if that is a file, and it plays a few plies."""
    GAMES = 2
    """Its evaluation is examined if that is a file or weights, and it plays several games."""


class Trial(NamedTuple):
    """Players to be looked at together: those of a user's Python with one evaluation, or any other one alone."""

    players: tuple[PlayerSpec, ...]
    experiment: Experiment
    variant: Variant
    allowance: Allowance
    extent: Extent
    openings: tuple[Position, ...]
    """Of their games."""

    def __str__(self) -> str:
        return f"the trial of {listed([spec.name for spec in self.players])}"

    @property
    def is_own(self) -> bool:
        """Whether they run a user's own code."""
        return is_own(self.players[0])


class Look(NamedTuple):
    """The result of looking at a player."""

    man_value: float | None = None
    """The worth of a man in its scores, if it says so."""
    costs: bool = False
    """Whether its answers cost money."""
    findings: tuple[Finding, ...] = ()
    error: PlayerError | None = None
    """Why it cannot be built."""
    moves: tuple[tuple[str, ...], ...] = ()
    """Its moves in each game in which it had a choice, of a player that played several."""
    files: Files = NO_FILES
    """The files of a user's own that it was loaded from."""
    printed: str = ""
    """What a class of a user's own printed in its first game of several."""

    @property
    def problems(self) -> list[Finding]:
        """The mistakes and warnings, and that it cannot be built unless a mistake says why."""
        problems = [finding for finding in self.findings if finding.level != "ok"]
        is_faulty = any(finding.level == "error" for finding in problems)
        if self.error is None or is_faulty:
            return problems
        return [*problems, Finding("error", said=str(self.error), kind=UNBUILT)]


def is_own(spec: PlayerSpec) -> bool:
    """Whether a player runs a user's own code: its class, its evaluation, or an outside program."""
    return bool(own_code(spec))


def look_at(
    experiment: Experiment,
    variant: Variant,
    extent: Extent,
    say: Callable[[str], object],
    workers: int = 1,
    *,
    everyone: bool = False,
    looking: Callable[[Sequence[str]], object] = lambda _: None,
    known: Collection[str] = (),
) -> list[Look]:
    """Look at the players of an experiment: of built-in types, unless `everyone`, only whether they can be built.

    So at those that are `known` by their names, where no other one has their evaluation. Players of one evaluation
    are looked at together, on one of the worker processes. `say` receives which of a user's players is tried at
    length, and which take long; `looking` those that are left, also when none is.
    """
    specs = [located(spec, experiment.path.parent) for spec in experiment.players]
    allowance = experiment.allowance._replace(unreachable=1)
    openings: tuple[Position, ...] = ()
    if extent > Extent.BUILT and any(map(is_own, specs)):
        build_player(_COMPILED, variant)
        openings = _openings(variant)
    groups: dict[tuple[bool, str], list[PlayerSpec]] = {}
    for spec in specs:
        evaluation = spec.options.get("evaluation") if _is_python(spec) else None
        groups.setdefault((evaluation is None, str(evaluation or spec.name)), []).append(spec)
    looks: dict[str, Look] = {}
    of_users: list[Trial] = []
    for group in groups.values():
        is_known = not everyone and (not is_own(group[0]) or all(spec.name in known for spec in group))
        group_extent = Extent.BUILT if is_known else extent
        trial = Trial(tuple(group), experiment, variant, allowance, group_extent, openings)
        if _is_python(group[0]):
            of_users.append(trial)
            _compile_for(trial)
        else:
            looks |= looked_at(_announced(trial, say))
    trials = (_announced(trial, say) for trial in of_users)

    def left() -> list[str]:
        return [spec.name for spec in specs if spec.name not in looks]

    def say_who_is_slow() -> None:
        if left():
            say(f"still looking at {listed(left())}")

    slow = Timer(_SLOW_SECONDS, say_who_is_slow)
    slow.daemon = True
    slow.start()
    try:
        looking(left())
        for group_looks in run(looked_at, trials, workers, lambda: False):
            looks |= group_looks
            looking(left())
    finally:
        slow.cancel()
        looking(())
    told = [_as_written(looks[spec.name], spec, experiment.path.parent) for spec in experiment.players]
    return _with_copies(specs, told)


def as_written(text: str, spec: PlayerSpec, folder: Path) -> str:
    """A message on a player, with its files as the configuration in `folder` names them, others from there on."""
    for at, path in zip(user_files(located(spec, folder)), user_files(spec), strict=True):
        text = text.replace(str(at), str(path))
    return from_folder(text, str(folder.resolve()))


def _as_written(look: Look, spec: PlayerSpec, folder: Path) -> Look:
    findings = tuple(finding._replace(said=as_written(finding.said, spec, folder)) for finding in look.findings)
    error = look.error and PlayerError(as_written(str(look.error), spec, folder), *look.error.keys)
    return look._replace(findings=findings, error=error)


def _with_copies(specs: Sequence[PlayerSpec], looks: Sequence[Look]) -> list[Look]:
    """The looks, with a warning at each player whose Python file has a copy, or whose moves were another one's.

    Who draws moves is not like another one by chance: the chance of each player of a trial is its own.
    """
    files = [tuple(user_files(spec)) if _is_python(spec) else () for spec in specs]
    contents = [sorted(files_of(spec).values()) for spec in specs]
    warned = list(looks)
    for place, look in enumerate(looks):
        others = [other for other, paths in enumerate(files) if files[place] and paths and paths != files[place]]
        copies = [other for other in others if contents[other] == contents[place]]
        shared = {
            other: decisions
            for other in others
            if other not in copies and (decisions := _same_decisions(look, looks[other])) >= _FEWEST_COMPARED
        }
        findings = []
        if copies:
            names = tuple(specs[other].name for other in copies)
            findings.append(Finding("warning", "has the same file as", kind=SAME_FILE, others=names))
        if shared:
            names = tuple(specs[other].name for other in shared)
            findings.append(Finding("warning", kind=ALIKE, others=names, decisions=min(shared.values())))
        warned[place] = look._replace(findings=(*look.findings, *findings))
    return warned


def _same_decisions(look: Look, other: Look) -> int:
    """In how many decisions of their trials two players chose the same move; 0 if they differed in one."""
    games = list(zip(look.moves, other.moves, strict=False))
    if any(a != b for game in games for a, b in zip(*game, strict=False)):
        return 0
    return sum(min(map(len, game)) for game in games)


def of_source(spec: PlayerSpec) -> Iterator[Finding]:
    """Yield what is wrong with a player's Python file without running it: its syntax, or what it should define."""
    for reference in own_code(spec) if _is_python(spec) else ():
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


def looked_at(trial: Trial) -> dict[str, Look]:
    """Look at the players of a trial, whose evaluation is examined once; by their names."""
    findings, is_faulty = list[Finding](), False
    first = trial.players[0]
    looks: dict[str, Look] = {}
    try:
        with suppress(PlayerError):  # which is raised again when the player is built
            findings = list(_of_evaluation(trial))
            is_faulty = any(finding.level == "error" for finding in findings)
        for spec in trial.players:
            look = _built(trial, spec)._replace(findings=tuple(findings))
            if findings and spec is not first:
                fault = Finding("error", "its evaluation is faulty, which is that of", others=(first.name,))
                look = look._replace(findings=(fault,) if is_faulty else ())
            if trial.is_own and trial.extent > Extent.BUILT and not (look.error or is_faulty or look.costs):
                of_games, games = _of_games(trial, spec)
                moves = (_moves_of(trial, game, number) for number, game in enumerate(games))
                choices = (table["move"][table["legal_moves"] > 1].astype(str) for table in moves)
                printed = "" if spec.type == ENGINE or not games else "".join(games[0].logs)
                look = look._replace(
                    findings=(*look.findings, *of_games),
                    moves=tuple(tuple(texts.tolist()) for texts in choices),
                    printed=printed,
                )
            looks[spec.name] = look
    finally:
        close_players()  # games of the run begin without a memory of these; a program may have one port alone
    return looks


def _built(trial: Trial, spec: PlayerSpec) -> Look:
    """Build a player, in a process of its own if it is a user's code."""
    try:
        player = begin_game(
            replace(spec, in_process=False), trial.variant, trial.variant.start, "0", trial.allowance
        )
    except PlayerError as error:
        return Look(error=error, files=error.files or files_of(spec))
    except PlayerFailure as failure:
        message = f"{spec.name} {failure} while it was built"
        return Look(error=PlayerError(message, "type"), files=dict(failure.files))
    return Look(player.man_value, player.costs, files=player.files)


def _of_evaluation(trial: Trial) -> Iterator[Finding]:
    """Yield findings on the players' evaluation. Raises PlayerError if that cannot be built."""
    description: Any = trial.players[0].options.get("evaluation")
    is_file = isinstance(description, str) and (":" in description or description.endswith(".npz"))
    is_sandboxed = trial.is_own and trial.allowance.sandbox is not None
    least = Extent.FIRST_MOVES if is_file else Extent.GAMES if isinstance(description, dict) else None
    if least is None or trial.extent < least or is_sandboxed:
        return
    examination = examined(description, trial.variant, build_seconds=trial.allowance.move_timeout)
    for finding in examination.findings:
        if finding.message:
            yield finding._replace(message=f"its evaluation {finding.message}")
        else:
            yield finding._replace(said=f"its evaluation {finding.said}")


def _of_games(trial: Trial, spec: PlayerSpec) -> tuple[list[Finding], list[GameRecord]]:
    """Play the games of a player: a few plies, then several games, which are returned, if it is to play them.

    It is an error if the player raises, moves illegally, is late, or reports more nodes or plies than its limit
    allows; what an outside program reports is not checked. Where nothing is wrong the first game is played again.
    """
    first_moves = _game(trial, spec, 0, _FEWEST)
    findings = list(_of_record(trial, spec, first_moves, 0))
    if findings or trial.extent < Extent.GAMES:
        return findings, []
    trial, plies = _paced(trial, float(_moves_of(trial, first_moves, 0)["seconds"].max(initial=1e-3)))
    games = [_game(trial, spec, number, plies if number else _MOST) for number in range(2 * len(trial.openings))]
    of_games = (_of_record(trial, spec, game, number) for number, game in enumerate(games))
    findings = _of_different_causes(chain.from_iterable(of_games))
    if not findings and spec.limit.longest is None:
        findings = _of_repeats(trial, spec, games[0], plies)
    return findings, games


def _paced(trial: Trial, pace: float) -> tuple[Trial, int]:
    """The trial of a player whose move takes `pace` seconds, who is not waited for much longer, and its plies."""
    plies = min(max(2 * int(_BUDGET / (2 * len(trial.openings)) / pace), _FEWEST), _MOST)
    most = trial.allowance.move_timeout + _MOST * _SLOWER * pace
    game_timeout = min(trial.allowance.game_timeout, most)
    return trial._replace(allowance=trial.allowance._replace(game_timeout=game_timeout)), plies


def _of_repeats(trial: Trial, spec: PlayerSpec, game: GameRecord, plies: int) -> list[Finding]:
    """Play a player's first game again, after the others and then in new processes: what differs, and why."""

    def again() -> bytes:
        return _compared(_game(trial, spec, 0, plies), plies)

    def alone() -> bytes:
        close_players()
        return again()

    later, first = again(), alone()
    if _compared(game, plies) == later == first:
        return []
    if spec.type == ENGINE:
        return [Finding("warning", "does not repeat a game: its games cannot be replayed")]
    if alone() != first:
        return [Finding("error", "does not play the same from the same seed: all chance must come from `rng`")]
    return [Finding("error", "plays a game differently after other games: it keeps state from game to game")]


def _is_python(spec: PlayerSpec) -> bool:
    return is_own(spec) and spec.type != ENGINE


def _compile_for(trial: Trial) -> None:
    """Compile what a user's players are played with, once for all workers."""
    compiled_generator(trial.variant.rules)
    for spec in trial.players:
        with suppress(PlayerError):  # which is found again when the player itself is built
            if (plain := without_own_code(spec)) is not None:
                build_player(plain, trial.variant)


def _announced(trial: Trial, say: Callable[[str], object]) -> Trial:
    """The trial, when `say` has received which of a user's players are tried at length."""
    if trial.is_own and trial.extent is Extent.GAMES:
        for spec in trial.players:
            say(f"trying {spec.name}")
    return trial


def _openings(variant: Variant) -> tuple[Position, ...]:
    """The openings of the games: the start alone where the rules lead to fewer positions."""
    try:
        openings = random_openings(variant, _OPENING_PLIES, _OPENINGS, seed=0, balanced=False)
    except OpeningsError:
        return (variant.start,)
    return tuple(opening.position for opening in openings)


def _game(trial: Trial, spec: PlayerSpec, number: int, plies: int) -> GameRecord:
    opening, colour = _of_number(trial, number)
    player = replace(spec, in_process=False)
    is_white = colour == WHITE
    sides = (player, _OPPONENT) if is_white else (_OPPONENT, player)
    chances = (spec.name, "") if is_white else ("", spec.name)
    scheduled = ScheduledGame(number + 1, number // 2 + 1, 1, colour, 1 - colour, 0)
    task = Task.of(trial.experiment, scheduled, trial.variant, opening, sides, {})
    # who draws moves at random does so alike against all players
    task = task._replace(max_plies=plies, allowance=trial.allowance, adjudication=None)
    return play(task._replace(identity="", chances=chances))


def _of_number(trial: Trial, number: int) -> tuple[Position, int]:
    """The opening of a game and the colour of the player."""
    return list(product(trial.openings, range(len(COLOURS))))[number]


def _of_record(trial: Trial, spec: PlayerSpec, record: GameRecord, number: int) -> Iterator[Finding]:
    """Yield the mistakes of a player in a game of its trial."""
    if record.error:
        yield _of_failure(trial, spec, record)
    moves = _moves_of(trial, record, number)
    for name in () if spec.type == ENGINE else ("nodes", "depth"):
        limit = getattr(spec.limit, name)
        if limit is not None and moves[name].max(initial=0) > limit:
            yield Finding("error", f"reports {name} {moves[name].max()} where its limit is {limit}", kind=name)
    if np.isinf(moves["score"]).any():
        yield Finding("error", "reports a score that is not finite", kind="score")


def _of_failure(trial: Trial, spec: PlayerSpec, record: GameRecord) -> Finding:
    """The failure that ended a game, with all that is known of it."""
    said, incident = detail(record.error, spec.name), record.incident
    finding = Finding("error", said=said, kind=record.termination)
    if incident is None:
        return finding
    position = replayed(trial.variant, record.opening_fen, list(incident.moves)).positions[-1]
    return finding._replace(
        place=fen(trial.variant, position), traceback=incident.traceback, output=incident.output
    )


def _moves_of(trial: Trial, record: GameRecord, number: int) -> np.ndarray:
    """The player's moves in a game."""
    opening, colour = _of_number(trial, number)
    return record.table()[0 if opening.turn == colour else 1 :: 2]


def _of_different_causes(findings: Iterable[Finding]) -> list[Finding]:
    """The first of the findings of each kind that were raised at the same line."""
    first: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        first.setdefault((finding.kind, finding.traceback), finding)
    return list(first.values())


def _compared(record: GameRecord, plies: int) -> bytes:
    table = record.table()[:plies]
    return b"".join(table[name].tobytes() for name in _COMPARED)
