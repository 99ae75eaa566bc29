"""What is known of a run besides its configuration: its files, versions, faulty players, last session."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.base.version import OURS, version_of
from arena.base.work import cores
from players.finding import Finding, parsed

PACKAGES = (OURS, "numba", "llvmlite", "numpy")
"""Packages whose versions may change what a search finds."""
_NONE: Mapping[str, Any] = MappingProxyType({})


class Session(NamedTuple):
    """The time since a run was begun or resumed last."""

    began: str
    """UTC, as ISO 8601, to a second."""
    games: int
    """Games that were stored when it began."""
    workers: int | str
    host: str
    process: int
    """The arena's process number on its host."""


class RunInfo(NamedTuple):
    """What is known of a run besides its configuration. The first three belong to what the run is."""

    games: int
    """Games of the whole tournament, or the most that there may be."""
    exact: bool = True
    """Whether exactly this many are played, whatever their results."""
    files: Mapping[str, str] = _NONE
    """A short hash of each file that players are made of, by its path from the configuration's folder on."""
    file: str = ""
    """The configuration's file, absolute."""
    men: Mapping[str, float | None] = _NONE
    """By player what a man is worth in the unit of its scores, None where that is not known."""
    found: tuple[Finding, ...] = ()
    """The findings on the players, and on those left out, before the first game: `where` is the player."""
    left_out: Mapping[str, str] = _NONE
    """The players of the configuration's file that do not take part, as they were found faulty, with the file of
    each that its user wrote, else ""."""
    versions: Mapping[str, str | None] = _NONE
    """Of Python and of PACKAGES when the run began; None for one that is not installed as a package."""
    machine: Mapping[str, Any] = _NONE
    """`platform`, `processor` and `cores` of the machine where it began."""
    began: str = ""
    """UTC, as ISO 8601, to a second; empty for a run that was not begun by the command line or `arena.run`."""
    session: Session | None = None
    """The last one."""
    forced: str = ""
    """The versions that differed when the run was resumed all the same."""
    left_out_files: Mapping[str, Mapping[str, str]] = _NONE
    """As `files` of the players that are left out, by player."""
    files_of: Mapping[str, Sequence[str]] = _NONE
    """The paths of those of `files` that each player is made of, by player."""

    def files_by(self, player: str) -> dict[str, str]:
        """As `files` of a player."""
        return {path: self.files[path] for path in self.files_of.get(player, ())}

    @property
    def faulty(self) -> tuple[Finding, ...]:
        """The mistakes that were found of players who take part."""
        return tuple(
            finding for finding in self.found if finding.level == "error" and finding.where not in self.left_out
        )

    def begun(self, session: Session) -> RunInfo:
        """The same of a run that begins with a session, here and now."""
        return self._replace(versions=versions(), machine=_machine(), began=session.began, session=session)

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON types; `parsed` reads it."""
        document = {
            name: dict(value) if isinstance(value, Mapping) else value for name, value in self._asdict().items()
        }
        findings = [finding.as_dict() for finding in self.found]
        return document | {"found": findings, "session": self.session and self.session._asdict()}

    @staticmethod
    def parsed(document: Mapping[str, Any]) -> RunInfo:
        """The info of which `as_dict` made a document. Raises TypeError or KeyError for another document."""
        findings = tuple(map(parsed, document.get("found", ())))
        session = Session(**document["session"]) if document.get("session") else None
        return RunInfo(**{**document, "found": findings, "session": session})


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
