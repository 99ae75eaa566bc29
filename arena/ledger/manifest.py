"""The manifest of a run: its configuration, and when, where and with what it was played."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.base.files import replace
from arena.base.writing import write_text
from arena.experiment.model import Experiment
from arena.ledger.store import Store, StoreError

FILE = "manifest.json"
KEY = "manifest"
"""The manifest's name among the ledger's documents."""
PACKAGES = ("draughts-arena", "numba", "llvmlite", "numpy")
"""Packages whose versions may change what a search finds."""


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


class Diagnosis(NamedTuple):
    """The findings on a player before the first game."""

    player: str
    level: str
    """`error` or `warning`."""
    message: str


class Manifest(NamedTuple):
    """The origin of a run: its files, versions and machine."""

    file: str
    """The configuration's file, absolute."""
    configuration: dict[str, Any]
    files: dict[str, str]
    """A short hash of each file of the user's own, by its name."""
    men: dict[str, float | None]
    """By player what a man is worth in the unit of its scores, None where that is not known."""
    versions: dict[str, str | None]
    """Of Python and of PACKAGES when the run began; None for one that is not installed as a package."""
    machine: dict[str, Any]
    """`platform`, `processor` and `cores` of the machine where it began."""
    began: str
    """UTC, as ISO 8601, to a second."""
    session: Session
    found: tuple[Diagnosis, ...] = ()
    """The findings on the players, and on those left out, before the first game."""
    left_out: Mapping[str, str] = MappingProxyType({})
    """The players of the configuration's file that do not take part, as they were found faulty, with the file of
    each that its user wrote, else ""."""
    forced: str = ""
    """The versions that differed when the run was resumed all the same."""

    def errors_of(self, player: str) -> list[str]:
        """The mistakes that were found in a player before the first game."""
        return [one.message for one in self.found if one.player == player and one.level == "error"]

    @property
    def faulty(self) -> tuple[Diagnosis, ...]:
        """The mistakes that were found of players who take part."""
        return tuple(one for one in self.found if one.level == "error" and one.player not in self.left_out)


def manifest_of(
    experiment: Experiment, files: Mapping[str, str], men: Mapping[str, float | None], session: Session
) -> Manifest:
    """The manifest of a run that begins with a session."""
    file = str(experiment.path.resolve())
    return Manifest(
        file, experiment.as_dict(), dict(files), dict(men), versions(), machine(), session.began, session
    )


def session(games: int, workers: int | str) -> Session:
    """The session of this process, which begins now with `games` games stored."""
    began = datetime.now(UTC).isoformat(timespec="seconds")
    return Session(began, games, workers, platform.node(), os.getpid())


def versions() -> dict[str, str | None]:
    """Versions of Python and of PACKAGES, None for one that is not installed as a package."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def machine() -> dict[str, Any]:
    """The system, its processor by name and how many cores this process may use."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, UnicodeDecodeError, StopIteration):
        pass
    return {"platform": platform.platform(), "processor": processor, "cores": os.cpu_count()}


def save(store: Store, manifest: Manifest) -> None:
    """Store the manifest among the store's documents, and as FILE beside it. Raises StoreError."""
    document = manifest._asdict() | {
        "session": manifest.session._asdict(),
        "found": [one._asdict() for one in manifest.found],
        "left_out": dict(manifest.left_out),
    }
    store.put(KEY, document)
    path = store.path.with_name(FILE)
    text = json.dumps(document, indent=1) + "\n"
    try:
        replace(path, partial(write_text, text))
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def stored_manifest(store: Store) -> Manifest | None:
    """The manifest of a store that is open for writing, None if it has none. Raises StoreError."""
    return parsed(store.documents(), store.path)


def parsed(stored: Mapping[str, Any], path: Path) -> Manifest | None:
    """The manifest among the documents of the store at `path`, None if it has none.

    Raises StoreError if it is of another version of the arena.
    """
    if KEY not in stored:
        return None
    try:
        document = dict(stored[KEY])
        document["session"] = Session(**document["session"])
        document["found"] = tuple(Diagnosis(**one) for one in document["found"])
        return Manifest(**document)
    except (TypeError, ValueError, KeyError, AttributeError):
        raise StoreError(f"{path} is of another version of the arena, which has another manifest") from None
