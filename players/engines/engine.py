"""The player that is an outside program, asked for moves by the Hub protocol or by DXP."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from arena.rules.game import Game
from arena.rules.variants import Variant
from players.engines.dxp import Dxp, Listens
from players.engines.hub import RESERVE, Hub, ParameterValue
from players.engines.program import Program, ProgramError
from players.loading import PlayerError, words_of_command
from players.options import does
from players.player import AnswerError, Choice, Limit


class Engine:
    """An outside program that speaks Hub, version 2, or DXP: its `command` is started in `folder`.

    The folder may be of a commit, `HEAD~1:engine`; before a run `build` is called there, such as `make`. By `hub`
    the program gets `parameters`, of a time limit `reserve` seconds less, and `stop` when the limit is met. By
    `dxp` it `listens` at a `port`, or connects to the arena there; `{port}` in the command is that port, for 0 a
    free one. `files` are those that it is made of besides the words of its command. It is started anew for each
    game with `restart`, and by `dxp`. With `log` the arena keeps the dialogue of a game beside the run.
    """

    man_value = 1.0

    def __init__(
        self,
        variant: Variant,
        command: str | list[str],
        folder: str = ".",
        build: str | None = None,
        protocol: Literal["hub", "dxp"] = "hub",
        parameters: dict[str, ParameterValue] | None = None,
        reserve: Annotated[
            float, does("how much of a time limit is kept from a Hub program", "seconds", least=0)
        ] = RESERVE,
        port: Annotated[int, does("the port of DXP, 0: a free one", least=0, most=65_535)] = 0,
        listens: Listens = "program",
        files: list[str] | None = None,
        restart: bool = False,
        log: bool = False,
    ) -> None:
        """Start the program and initialise it; it is built (`players.identity`). Raises PlayerError."""
        self.kept = not restart
        words = words_of_command(command)
        self.name = Path(words[0]).name if words else ""
        self.cpu_elsewhere = 0.0
        start = partial(_started, folder=Path(folder))
        others: tuple[tuple[str, object, object], ...]
        if protocol == "dxp":
            others = ("parameters", parameters, None), ("reserve", reserve, RESERVE), ("restart", restart, False)
            self._speech: Hub | Dxp = Dxp(start, words, variant, port, listens)
        else:
            others = ("port", port, 0), ("listens", listens, "program")
            self._speech = Hub(start, words, variant, parameters or {}, reserve, self.name)
        for key, value, usual in others:
            if value != usual:
                raise PlayerError(f"protocol {protocol} has no {key!r}", key)
        self._in_words(self._speech.open)
        self.version = self._speech.version

    def begin(self) -> None:
        """Announce a new game to the program. Raises AnswerError and PlayerError."""
        self._in_words(self._speech.begin)

    def check_limit(self, limit: Limit) -> None:
        self._speech.check_limit(limit)

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Have the program think; a move that is not legal is returned as text. Raises ValueError without a limit,
        AnswerError if the program ends, says `error`, does not stop, or breaks the protocol."""
        program = self._speech.program
        assert program is not None
        before = program.cpu_seconds()
        try:
            choice = self._speech.choose(game, limit)
        except ProgramError as error:
            raise AnswerError(str(error)) from None
        self.cpu_elsewhere = program.cpu_seconds() - before
        return choice

    def close(self) -> None:
        self._speech.close()

    def _in_words(self, begin: Callable[[], None]) -> None:
        """Begin something; the error of a program that ends has its last words, and the program is closed."""
        try:
            begin()
        except ProgramError as error:
            wrote = self._speech.program.wrote if self._speech.program is not None else ""
            self.close()
            raise PlayerError(f"{self.name} {error} before it was ready{wrote}", "command") from None
        except PlayerError:
            self.close()
            raise


def _started(words: Sequence[str], folder: Path) -> Program:
    if not words:
        raise PlayerError("the command is empty: expected a program, such as [./scan, hub]", "command")
    if not folder.is_dir():
        raise PlayerError(f"there is no folder {folder}", "folder")
    program, *arguments = words
    path = folder / program
    if "/" not in program and not path.is_file():
        if shutil.which(program) is None:
            raise PlayerError(f"there is no program {program!r}, neither in {folder} nor in PATH", "command")
        path = Path(program)
    elif not path.is_file():
        raise PlayerError(f"there is no program {path}", "command")
    elif not os.access(path, os.X_OK):
        raise PlayerError(f"{path} is not a program: it may not be executed (chmod +x)", "command")
    try:
        return Program([str(path), *arguments], folder)
    except OSError as error:
        raise PlayerError(f"{path} cannot be started: {error.strerror}", "command") from None
