"""Trials: players are built, and a user's own examined and put to short games, before a run.

An outside program is begun by a fork of the calling process, which hears how long it is in answering.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from threading import Timer
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from arena.base.wording import joined
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import OpeningsError, random_openings
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import begin_game, close_players, compile_for
from arena.ledger.info import Entrant
from arena.ledger.record import GameRecord, failures_of, moves_of
from arena.play.match import Task, play
from arena.play.workers import run
from arena.rules.notation import fen
from arena.rules.played import replayed
from arena.rules.variants import Variant
from players.engines.hub import cautions
from players.engines.program import wrote
from players.examine import examine
from players.identity import MISSING
from players.loading import (
    SAME_FILE,
    UNBUILT,
    Finding,
    PlayerError,
    files_of,
    from_folder,
    located,
    own_code,
    user_files,
    without_own_code,
)
from players.player import ENGINE, Allowance, Limit, PlayerSpec
from players.table import build_player

_SLOW_SECONDS = 5.0
"""Seconds after which it is said who is still looked at."""
_COMPILED = PlayerSpec("compiled first", "negamax", Limit(depth=1))
"""A player whose kernels are compiled before the time of a user's own code begins."""
_FEWEST, _MOST = 4, 40
"""Plies of a player's first moves, when its pace is unknown, and the most of any game."""
_BUDGET = 3.0
"""Seconds that a player's games take, about, but for the first game, of _MOST plies."""
_SLOWER = 10
"""A player's moves in a game may take this many times as long, on average, as the slowest of its first moves."""
_OPENINGS, _OPENING_PLIES = 3, 4
"""Openings of the games, each played with either colour, and their random plies."""
_OPPONENT = PlayerSpec("an opponent that moves at random", "random")
_COMPARED = ("move", "depth", "nodes", "score")
"""What must repeat when a game is played again, by columns of moves."""

How: TypeAlias = Literal["built", "tried", "examined"]
"""How players are looked at: only built; a user's own are tried by a few plies, or examined in several games."""


class Trial(NamedTuple):
    """Players to look at together, those of a user's Python with one evaluation or any other one: plain data."""

    players: tuple[PlayerSpec, ...]
    experiment: Experiment
    how: How

    def __str__(self) -> str:
        return f"the trial of {joined([spec.name for spec in self.players])}"


def is_own(spec: PlayerSpec) -> bool:
    """Whether a player runs a user's own code: its class, its evaluation, or an outside program."""
    return bool(own_code(spec))


def _is_python(spec: PlayerSpec) -> bool:
    return is_own(spec) and spec.type != ENGINE


def look_at(
    experiment: Experiment,
    how: How,
    say: Callable[[str], object],
    workers: int = 1,
    *,
    known: Mapping[str, Entrant] | None = None,
    everyone: bool = False,
    done: Callable[[int], object] = lambda _: None,
) -> dict[str, Entrant]:
    """Look at the players of an experiment: at built-in types, unless `everyone`, only whether they can be built.

    So at those that are `known`, where no other one has their evaluation; what was found of them stands. Players
    of one evaluation are looked at together, a user's Python by worker processes, so that a process with threads,
    such as a notebook's, is not forked for it. `say` receives who takes long, `done` how many are looked at.
    """
    home, before = experiment.path.parent, known or {}
    specs = [located(spec, home) for spec in experiment.players]
    if how != "built" and any(map(is_own, specs)):
        build_player(_COMPILED, experiment.rule_set)
    found: dict[str, Entrant] = {}
    together: dict[tuple[bool, str], list[PlayerSpec]] = {}
    for spec in specs:
        evaluation = spec.options.get("evaluation") if _is_python(spec) else None
        together.setdefault((evaluation is None, str(evaluation or spec.name)), []).append(spec)
    of_users: list[Trial] = []
    for players in together.values():
        is_new = everyone or (is_own(players[0]) and not before.keys() >= {spec.name for spec in players})
        trial = Trial(tuple(players), experiment, how if is_new else "built")
        if not _is_python(players[0]):
            found |= try_out(trial)
            continue
        for spec in players:  # what it is played with is compiled once for all workers
            with suppress(PlayerError):  # which is found again when the player itself is built
                compile_for(without_own_code(spec), experiment.rule_set)
        of_users.append(trial)

    def say_who() -> None:
        say(f"still looking at {joined([spec.name for spec in specs if spec.name not in found])}")

    slow = Timer(_SLOW_SECONDS, say_who)
    slow.daemon = True
    slow.start()
    try:
        for of_trial in run(try_out, of_users, workers, lambda: False, specs):
            found |= of_trial
            done(len(found))
    finally:
        slow.cancel()
    copies = _copies(specs)
    entrants = {}
    for spec in experiment.players:
        entrant = found[spec.name]
        findings = [finding._replace(detail=_written(finding.detail, spec, home)) for finding in entrant.findings]
        if (then := before.get(spec.name)) is not None:
            version = entrant.version or then.version  # one that cannot be started now says none
            entrant = entrant._replace(files=then.files, version=version)
            findings = [finding for finding in findings if finding.kind == UNBUILT]
            findings += [finding for finding in then.findings if finding.kind not in (UNBUILT, SAME_FILE)]
        entrants[spec.name] = entrant._replace(findings=(*findings, *copies.get(spec.name, ())))
    return entrants


def _written(text: str, spec: PlayerSpec, folder: Path) -> str:
    """A text with files named as the configuration in `folder` names them, others from there on."""
    for path, name in zip(user_files(located(spec, folder)), user_files(spec), strict=True):
        text = text.replace(str(path), str(name))
    return from_folder(text, str(folder.resolve()))


def _copies(specs: Sequence[PlayerSpec]) -> dict[str, list[Finding]]:
    """A warning for each player whose Python files other files are copies of."""
    files = {spec.name: (user_files(spec), sorted(files_of(spec).values())) for spec in specs if _is_python(spec)}
    found: dict[str, list[Finding]] = {}
    for name, (paths, content) in files.items():
        alike = [other for other, (others, its) in files.items() if others != paths and its == content]
        if alike and {*content} - {MISSING}:
            found[name] = [Finding("warning", "has the same file as", kind=SAME_FILE, others=tuple(alike))]
    return found


def try_out(trial: Trial) -> dict[str, Entrant]:
    """Look at players, whose evaluation is examined once; what is found of each, by name."""
    first, findings = trial.players[0], list[Finding]()
    with suppress(PlayerError):  # which is raised again when the player is built
        findings = list(_of_settings(trial))
    is_faulty = any(finding.level == "error" for finding in findings)
    entrants: dict[str, Entrant] = {}
    try:
        for spec in trial.players:
            entrant = _built(spec, trial.experiment)
            is_sound = not (entrant.findings or is_faulty or entrant.costs)
            of_evaluation = findings
            if findings and spec is not first:
                fault = Finding("error", "its evaluation is faulty, which is that of", others=(first.name,))
                of_evaluation = [fault] if is_faulty else []
            entrant = entrant._replace(findings=(*of_evaluation, *entrant.findings))
            if trial.how != "built" and is_own(spec) and is_sound:
                entrant = _played(spec, trial, entrant)
            entrants[spec.name] = entrant
    finally:
        close_players()  # games of the run begin without a memory of these; a program may have one port alone
    return entrants


def _built(spec: PlayerSpec, experiment: Experiment) -> Entrant:
    """A player that is built, in a process of its own if it is a user's code."""
    variant = experiment.rule_set
    try:
        player = begin_game(spec, variant, variant.start, "0", experiment.allowance)
    except PlayerError as error:
        unbuilt = Finding("error", detail=str(error), kind=UNBUILT, keys=error.keys)
        return Entrant(findings=(unbuilt,), files=error.files or files_of(spec))
    except PlayerFailure as failure:
        words = wrote(failure.output) if spec.type == ENGINE else ""
        message = f"{spec.name} {failure} while it was built{words}"
        unbuilt = Finding("error", detail=message, kind=UNBUILT, keys=("type",))
        return Entrant(findings=(unbuilt,), files=dict(failure.files))
    man, costs, version = player.man_value, player.costs, player.version
    return Entrant(man_value=man, costs=costs, files=player.files, version=version)


def _of_settings(trial: Trial) -> Iterator[Finding]:
    """Yield findings on the players' evaluation, a file or weights, or on what a program is given.

    Raises PlayerError if the evaluation cannot be built.
    """
    if trial.how == "built":
        return
    first, allowance = trial.players[0], trial.experiment.allowance
    if first.type == ENGINE and isinstance(parameters := first.options.get("parameters"), dict):
        yield from (Finding("warning", detail=words) for words in cautions(parameters))
    description: Any = first.options.get("evaluation")
    is_file = isinstance(description, str) and (":" in description or description.endswith(".npz"))
    is_weights = isinstance(description, dict) and trial.how == "examined"
    if not (is_file or is_weights) or (is_own(first) and allowance.sandbox is not None):
        return
    variant, seconds = trial.experiment.rule_set, allowance.move_timeout
    for finding in examine(description, variant, build_seconds=seconds, is_timed=False).findings:
        if finding.message:
            yield finding._replace(message=f"its evaluation {finding.message}")
        else:
            yield finding._replace(detail=f"its evaluation {finding.detail}")


def _played(spec: PlayerSpec, trial: Trial, entrant: Entrant) -> Entrant:
    """The same with a player's mistakes in a few plies or, if it is examined, in several games.

    It is an error if the player raises, moves illegally, is late, or reports more nodes or plies than its limit
    allows; what an outside program reports is not checked. Where nothing is wrong the first game is played again.
    """
    games, printed = _Games(spec, trial.experiment, trial.experiment.allowance), ""
    first_moves = games.play(0, _FEWEST)
    findings = list(games.mistakes(first_moves))
    if trial.how == "examined" and not findings:
        close_players()  # which others follow, with other times: a program may have one port alone
        games, plies = games.at_pace(float(games.moves(first_moves)["seconds"].max(initial=1e-3)))
        numbers = range(2 * len(games.openings))
        records = [games.play(number, plies if number else _MOST) for number in numbers]
        first: dict[tuple[str, str], Finding] = {}  # of each kind those that were raised at different lines
        for finding in chain.from_iterable(map(games.mistakes, records)):
            first.setdefault((finding.kind, finding.traceback), finding)
        findings = list(first.values())
        if not findings and spec.limit.longest is None:
            findings = list(games.differences(records[0], plies))
        printed = "" if spec.type == ENGINE else "".join(records[0].logs)
    return entrant._replace(findings=(*entrant.findings, *findings), printed=printed)


class _Games(NamedTuple):
    """The games of a player's trial, by their numbers: from each opening one as White, one as Black."""

    spec: PlayerSpec
    experiment: Experiment
    allowance: Allowance

    @property
    def openings(self) -> tuple[str, ...]:
        return _openings(self.experiment.rule_set)

    def play(self, number: int, plies: int) -> GameRecord:
        """Play a game. Who draws moves at random does so alike against all players."""
        opening, is_black = divmod(number, 2)
        white, black = (_OPPONENT, self.spec) if is_black else (self.spec, _OPPONENT)
        rules, seed = self.experiment.rule_set, self.experiment.seed
        start = self.openings[opening]
        return play(Task(number, rules, start, number, white, black, seed, plies, self.allowance))

    def moves(self, record: GameRecord) -> np.ndarray:
        """The player's moves in a game."""
        return moves_of(record.table(), record.opening_fen, is_white=record.white == self.spec.name)

    def at_pace(self, seconds: float) -> tuple[_Games, int]:
        """The games of a player whose move takes so long, who is not waited for much longer, and their plies."""
        plies = min(max(int(_BUDGET / len(self.openings) / seconds), _FEWEST), _MOST)
        most = self.allowance.move_timeout + _MOST * _SLOWER * seconds
        game_timeout = min(self.allowance.game_timeout, most)
        return self._replace(allowance=self.allowance._replace(game_timeout=game_timeout)), plies

    def mistakes(self, record: GameRecord) -> Iterator[Finding]:
        """Yield the player's mistakes in a game."""
        for failure in failures_of([{**record._asdict(), "game": 0, "id": ""}]):
            variant = self.experiment.rule_set
            before = record.table()["move"].astype(str).tolist()[: failure.ply - 1]  # a late move was played
            place = fen(variant, replayed(variant, record.opening_fen, before).positions[-1])
            finding = Finding("error", detail=failure.detail, kind=record.termination, place=place)
            yield finding._replace(traceback=failure.traceback, output=failure.output)
        moves = self.moves(record)
        for name in () if self.spec.type == ENGINE else ("nodes", "depth"):
            limit, reported = getattr(self.spec.limit, name), moves[name].max(initial=0)
            if limit is not None and reported > limit:
                yield Finding("error", f"reports {name} {reported} where its limit is {limit}", kind=name)
        if np.isinf(moves["score"]).any():
            yield Finding("error", "reports a score that is not finite", kind="score")

    def differences(self, game: GameRecord, plies: int) -> Iterator[Finding]:
        """Play the first game again, after the others and then in new processes; yield what differs."""

        def alone() -> bytes:
            close_players()
            return _compared(self.play(0, plies), plies)

        later, first = _compared(self.play(0, plies), plies), alone()
        if _compared(game, plies) == later == first:
            return
        if self.spec.type == ENGINE:
            yield Finding("warning", "does not repeat a game: its games cannot be replayed")
        elif alone() != first:
            yield Finding("error", "does not play the same from the same seed: draw all random numbers from `rng`")
        else:
            yield Finding("error", "plays a game differently after other games: it keeps state from game to game")


def _compared(record: GameRecord, plies: int) -> bytes:
    table = record.table()[:plies]
    return b"".join(table[name].tobytes() for name in _COMPARED)


@cache
def _openings(variant: Variant) -> tuple[str, ...]:
    """The openings of the games, as FENs: the start alone where the rules lead to fewer positions."""
    starts = [variant.start]
    with suppress(OpeningsError):
        openings = random_openings(variant, _OPENING_PLIES, _OPENINGS, seed=0, balanced=False)
        starts = [opening.position for opening in openings]
    return tuple(fen(variant, start) for start in starts)
