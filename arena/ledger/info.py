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

from arena.base.files import OURS, version_of
from arena.base.work import cores
from arena.experiment.model import entry_of
from players.identity import COPIES, NO_FILES, Files
from players.loading import UNBUILT, Finding, moved
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


class Entrant(NamedTuple):
    """A player as it was found before a run."""

    hash: str = ""
    """Its `player_hash`."""
    man_value: float | None = None
    """The worth of a man in its scores, if it says so."""
    costs: bool = False
    """Whether its answers cost money."""
    findings: tuple[Finding, ...] = ()
    files: Files = NO_FILES
    """The files of a user's own that it was loaded from; in a run's info by their paths from the configuration."""
    version: str = ""
    """What an outside program says that it is."""
    printed: str = ""
    """What a class of a user's own printed in its first game of several."""
    left_out: str = ""
    """The file that its user wrote, if it takes no part in the run as it was found faulty."""

    @property
    def problems(self) -> list[Finding]:
        """The mistakes and warnings, and that it cannot be built unless a mistake says why."""
        found = [finding for finding in self.findings if finding.level != "ok"]
        why = [finding for finding in found if finding.level == "error" and finding.kind != UNBUILT]
        return [finding for finding in found if finding.kind != UNBUILT or not why]


class RunInfo(NamedTuple):
    """What is known of a run besides its configuration."""

    players: Mapping[str, Entrant] = {}
    """The players of the configuration's file by name, in their order, those left out among them."""
    openings: tuple[str, ...] = ()
    """FENs, in the order in which they are played."""
    games: int = 0
    """Games of the whole run, or the most that there may be."""
    exact: bool = True
    """Whether exactly this many are played, whatever their results."""
    file: str = ""
    """The configuration's file, absolute."""
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
    def playing(self) -> dict[str, Entrant]:
        """The players that take part."""
        return {name: entrant for name, entrant in self.players.items() if not entrant.left_out}

    @property
    def hashes(self) -> dict[str, str]:
        """Their hashes."""
        return {name: entrant.hash for name, entrant in self.playing.items()}

    @property
    def left_out(self) -> dict[str, str]:
        """The files that users wrote of the players that are left out."""
        return {name: entrant.left_out for name, entrant in self.players.items() if entrant.left_out}

    @property
    def found(self) -> list[Finding]:
        """The findings on all players: `where` is the player."""
        return [finding for entrant in self.players.values() for finding in entrant.findings]

    @property
    def all_files(self) -> dict[str, str]:
        """The files of the players that take part, with a short hash of each."""
        return {path: mark for entrant in self.playing.values() for path, mark in entrant.files.items()}

    def facts(self) -> Iterator[str]:
        """Yield lines on what a run was played by: versions, machine, programs, files with their copies."""
        versions = [f"{name} {version}" for name, version in self.versions.items() if version]
        yield "Versions: " + ", ".join(versions + [f"commit {self.commit}"] * bool(self.commit))
        yield "Machine: {platform}, {processor}, {cores} cores".format(**self.machine)
        for name, entrant in self.players.items():
            if entrant.version:
                yield f"Program: {name} is {entrant.version}"
        yield from (f"File: {path} ({COPIES}/{mark})" for path, mark in self.all_files.items())

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


def machine() -> dict[str, Any]:
    """The system, its processor by name and how many cores this process may use."""
    processor = platform.processor() or platform.machine()
    with suppress(OSError, UnicodeDecodeError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
    return {"platform": platform.platform(), "processor": processor, "cores": cores()}
