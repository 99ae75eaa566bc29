"""What is known of a run besides its configuration: players' files, openings, versions, the last session."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from arena.base.files import OURS, commit, version_of
from arena.base.work import cores
from arena.experiment.model import entry_of
from players.finding import Finding
from players.identity import COPIES
from players.loading import moved
from players.player import PlayerSpec

PACKAGES = (OURS, "numba", "llvmlite", "numpy")
"""Packages whose versions may change what a search finds."""


class Session(NamedTuple):
    """The time since a run was begun or resumed last."""

    began: str
    """UTC, as ISO 8601, to a second."""
    games: int
    """Games of the schedule that were stored when it began."""
    workers: int | str
    host: str
    process: int
    """The arena's process number on its host."""


class RunInfo(NamedTuple):
    """What is known of a run besides its configuration."""

    players: Mapping[str, str] = {}
    """The `player_hash` of each player that takes part, by name, in their order."""
    openings: tuple[str, ...] = ()
    """FENs, in the order in which they are played."""
    games: int = 0
    """Games of the whole run, or the most that there may be."""
    exact: bool = True
    """Whether exactly this many are played, whatever their results."""
    files: Mapping[str, Mapping[str, str]] = {}
    """By player, those left out among them: a short hash of each of its files, by its path from the folder of the
    configuration."""
    programs: Mapping[str, str] = {}
    """By player what an outside program says that it is: its name and version."""
    file: str = ""
    """The configuration's file, absolute."""
    men: Mapping[str, float | None] = {}
    """By player what a man is worth in the unit of its scores, None where that is not known."""
    found: tuple[Finding, ...] = ()
    """The findings on the players, and on those left out, before the first game: `where` is the player."""
    left_out: Mapping[str, str] = {}
    """The players of the configuration's file that do not take part, as they were found faulty, with the file of
    each that its user wrote, else ""."""
    left_out_hashes: Mapping[str, str] = {}
    """The `player_hash` of each of them."""
    versions: Mapping[str, str | None] = {}
    """Of Python and of PACKAGES when the run began; None for one that is not installed as a package."""
    machine: Mapping[str, Any] = {}
    """`platform`, `processor` and `cores` of the machine where it began."""
    began: str = ""
    """UTC, as ISO 8601, to a second."""
    session: Session | None = None
    """The last one."""
    commit: str = ""
    """The commit of the arena when the run began; "" outside a checkout."""
    forced: str = ""
    """The versions that differed when the run was resumed all the same."""

    @property
    def all_files(self) -> dict[str, str]:
        """The files of all players that take part, with a short hash of each."""
        return {path: mark for name in self.players for path, mark in self.files.get(name, {}).items()}

    @property
    def faulty(self) -> tuple[Finding, ...]:
        """The mistakes that were found of players who take part."""
        return tuple(
            finding for finding in self.found if finding.level == "error" and finding.where not in self.left_out
        )

    def facts(self) -> Iterator[str]:
        """Yield lines on what a run was played by: versions, machine, programs, files with their copies."""
        versions = [f"{name} {version}" for name, version in self.versions.items() if version]
        yield "Versions: " + ", ".join(versions + [f"commit {self.commit}"] * bool(self.commit))
        yield "Machine: {platform}, {processor}, {cores} cores".format(**self.machine)
        for name, program in self.programs.items():
            yield f"Program: {name} is {program}"
        for path, mark in self.all_files.items():
            yield f"File: {path} ({COPIES}/{mark})"

    def begun(self, session: Session | None, before: RunInfo | None) -> RunInfo:
        """The same of a run that begins here and now with a session, or goes on with it after `before`."""
        if before is None:
            began = session.began if session else ""
            begun = self._replace(versions=versions(), machine=_machine(), commit=commit())
            return begun._replace(began=began, session=session)
        kept = {name: getattr(before, name) for name in ("versions", "machine", "commit", "began", "forced")}
        return self._replace(**kept, session=session)

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON types; `parsed` reads it."""
        return dict(zip(self._fields, _adapter().dump_python(self, mode="json"), strict=True))

    @staticmethod
    def parsed(document: Mapping[str, Any]) -> RunInfo:
        """The info of which `as_dict` made a document. Raises ValueError for another document."""
        return _adapter().validate_python(document)


@cache
def _adapter() -> TypeAdapter[RunInfo]:
    return TypeAdapter(RunInfo)


def player_hash(spec: PlayerSpec, marks: Iterable[str], program: str = "") -> str:
    """16 hex digits of the SHA-256 of what makes a player's moves: its settings, the hashes of its files, and what
    an outside program says that it is.

    Where its files lie, and of which commit, is none of it: a configuration and its copy in the run's folder have
    the same players.
    """
    entry = entry_of(moved(spec, lambda path: Path(path.name.rpartition(":")[2])))
    settings = {name: value for name, value in entry.items() if name not in ("name", "log", "folder", "build")}
    text = json.dumps([settings, sorted(marks), *filter(None, [program])], sort_keys=True, default=str)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def session(games: int, workers: int | str) -> Session:
    """The session of this process, which begins now with `games` games stored."""
    began = datetime.now(UTC).isoformat(timespec="seconds")
    return Session(began, games, workers, platform.node(), os.getpid())


def versions() -> dict[str, str | None]:
    """Versions of Python and of PACKAGES, None for one that is not installed as a package."""
    return {"python": platform.python_version(), **{package: version_of(package) for package in PACKAGES}}


def _machine() -> dict[str, Any]:
    """The system, its processor by name and how many cores this process may use."""
    processor = platform.processor() or platform.machine()
    with suppress(OSError, UnicodeDecodeError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
    return {"platform": platform.platform(), "processor": processor, "cores": cores()}
