"""The live loop of `--watch`: a run is played again when a file of its players or its configuration is saved."""

from __future__ import annotations

import _thread
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from arena.base import ArenaError
from arena.commands.output import echo, say
from arena.commands.waiting import Terminal, resumable
from arena.experiment.model import Experiment
from arena.ledger.ledger import fits
from arena.play.carry_out import available, carry_out
from arena.play.prepare import Tournament, prepare
from arena.play.workers import Workers, kept_workers
from players.identity import MISSING, hash_of
from players.loading import located, user_files

if TYPE_CHECKING:
    from arena.commands.reports import Session

PAGE = "watch.html"
"""The page of the session, in the folder of its first version."""
_LOOK_SECONDS = 0.02
"""Seconds between two looks at the files."""
_SETTLE_LOOKS = 50
"""Looks that a file may be missing, as while an editor replaces it."""


def watch(
    read: Callable[[], Experiment],
    folder: Path,
    workers: Workers | None,
    config: Path | None = None,
    rewording: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> None:
    """Play what `read` returns, show the verdict, and do so again after each change, until Ctrl-C.

    Each version has a run of its own, in `folder`, `folder-2`, ..., which is known again by its content. `config`
    is the file that is read. Errors are raised within `rewording()`, which may raise others in their place.
    """
    files = FollowedFiles([config] if config else [])
    terminal = _Terminal(files)
    session: Session | None = None
    with kept_workers(), suppress(KeyboardInterrupt), files.followed():
        while True:
            try:
                with rewording():
                    played = _played(read, folder, workers, files, terminal)
                if played is not None:
                    from arena.commands.reports import Session

                    session = session or Session(folder / PAGE)
                    session.add(played, files.marks)
            except ArenaError as error:
                say(str(error))
            echo(f"\n{', '.join(files.wait())}:")
    if session is not None:
        session.end()


def _played(
    read: Callable[[], Experiment], base: Path, workers: Workers | None, files: FollowedFiles, terminal: _Terminal
) -> Path | None:
    """Play the experiment as it is now; the folder of its run, None if it was not played to its end."""
    with files.interrupting():
        experiment = read()
        files.follow_players(experiment)
        folders = chain([base], (base.with_name(f"{base.name}-{number}") for number in count(2)))
        folder = next(folder for folder in folders if fits(folder, experiment, is_same=True))
        used = available(experiment.workers if workers is None else workers, say, experiment.players)
        tournament = prepare(experiment, folder, terminal, used, is_strict=True)
        files.follow(tournament)
    with resumable(folder):
        outcome = carry_out(tournament, folder, terminal, used)
    if not outcome.complete and not files.changed:
        raise KeyboardInterrupt
    return folder if outcome.complete else None


class _Terminal(Terminal):
    """Shows each round, and stops it when a file is saved."""

    def __init__(self, files: FollowedFiles) -> None:
        super().__init__("arena.commands.reports")
        self._files = files

    @contextmanager
    def working(self, what: str, total: int, folder: Path | None = None) -> Iterator[Callable[[], bool]]:
        with super().working(what, total, folder) as stopping:
            yield lambda: stopping() or self._files.changed


class FollowedFiles:
    """The files that a version is made of, by their content, and whether one has been saved since."""

    def __init__(self, named: Collection[Path]) -> None:
        self._named = [str(path.resolve()) for path in named]
        self.marks = {path: hash_of(path) for path in self._named}
        """The hashes of the files."""
        self._lock = threading.Lock()
        self._is_interrupting = False
        self._has_changed = threading.Event()

    @property
    def changed(self) -> bool:
        """Whether a file is another one than when it was read."""
        return self._has_changed.is_set()

    def follow_players(self, experiment: Experiment) -> None:
        """Follow the files that players name, and the Python files beside them, which they may come to import."""
        home = experiment.path.parent
        named = [path.resolve() for spec in experiment.players for path in user_files(located(spec, home))]
        beside = (other for path in named for other in path.parent.glob("*.py"))
        with self._lock:
            self.marks = {str(path): hash_of(path) for path in (*named, *beside)} | self.marks

    def follow(self, tournament: Tournament) -> None:
        """Follow the files that the players were loaded from, as they were then, and no others."""
        with self._lock:
            self.marks = {path: self.marks[path] for path in self._named}
            home = tournament.experiment.path.parent.resolve()
            for entrant in tournament.info.players.values():
                self.marks |= {os.path.normpath(home / path): mark for path, mark in entrant.files.items()}

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Look at the files, in a thread, within the block."""
        is_over = threading.Event()

        def look() -> None:
            while not is_over.wait(_LOOK_SECONDS):
                with self._lock:
                    if not self.changed and any(hash_of(path) != mark for path, mark in self.marks.items()):
                        self._has_changed.set()
                        if self._is_interrupting:
                            _thread.interrupt_main()

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """End the block, as by an error, when a file is saved: a version that hangs need not be waited for."""
        with self._lock:
            self._is_interrupting = True
        try:
            yield
        except KeyboardInterrupt:
            if not self.changed:
                raise
            raise ArenaError("saved while it was tried") from None
        finally:
            with self._lock:
                self._is_interrupting = False

    def wait(self) -> list[str]:
        """Wait for a change, until all files are there and stay as they are; which ones changed."""
        self._has_changed.wait()
        before, last, looks = self.marks, dict[str, str](), 0
        while (marks := {path: hash_of(path) for path in before}) != last or (
            MISSING in marks.values() and looks < _SETTLE_LOOKS
        ):
            last, looks = marks, looks + 1
            time.sleep(_LOOK_SECONDS)
        with self._lock:
            self.marks = marks
            self._has_changed.clear()
        return [os.path.relpath(path) for path, mark in before.items() if marks[path] != mark]
