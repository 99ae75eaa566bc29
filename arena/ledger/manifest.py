"""The manifest of a run: its configuration, its players' signatures, and where and with what it was played."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.base.files import replace
from arena.experiment.model import Experiment
from arena.ledger.store import Store, StoreError

SECONDS = 5.0
"""Seconds that git has for an answer."""


class WorkingTree(NamedTuple):
    """The commit of a configuration's folder, and whether files differ from it."""

    commit: str
    """Hash of the commit that is checked out."""
    dirty: bool
    """Whether tracked files of the configuration's folder differ from it, or the configuration is not tracked."""


def working_tree(file: Path) -> WorkingTree | None:
    """The working tree that a file is in; None if it is in none, has no commit, or git is not there."""
    folder = file.resolve().parent
    commit = _git(folder, "rev-parse", "HEAD")
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".")
    itself = _git(folder, "status", "--porcelain", "--untracked-files=all", "--", file.resolve().name)
    if commit is None or changed is None or itself is None:
        return None
    return WorkingTree(commit.strip(), bool(changed or itself))


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=os.environ | {"GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


FILE = "manifest.json"
KEY = "manifest"
"""The manifest's name among the ledger's documents."""
PACKAGES = ("draughts-arena", "numba", "llvmlite", "numpy")
"""Packages whose versions may change what a search finds."""
_DIGITS = 16
"""Hexadecimal digits of a hash that are kept."""


class SignedGame(NamedTuple):
    """A few plies from a fixed position, as far as they are a player's own."""

    fen: str
    moves: list[str]
    """Each of its moves with nodes and score, such as `12-16 (460 nodes, score 3)`."""


Signatures = Mapping[str, list[SignedGame] | None]
"""By player what it played from the fixed positions; None for one that these do not identify."""


class Session(NamedTuple):
    """A time during which a run was played."""

    began: str
    """UTC, as ISO 8601, to a second."""
    games: int
    """Games that were stored when it began."""
    workers: int | str
    host: str
    process: int
    """The arena's process number on its host."""
    versions: dict[str, str | None]
    """Of Python and of PACKAGES; None for one that is not installed as a package."""
    machine: dict[str, Any]
    """`platform`, `processor` and `cores`."""
    changed: dict[str, str]
    """By player what of its signature differed from the one stored, where resuming was forced."""
    tree: WorkingTree | None = None
    """Of the configuration's file; None where git knows of none."""


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
    hash: str
    """Of `configuration` and `files`."""
    seed: int
    signatures: dict[str, list[SignedGame] | None]
    men: dict[str, float | None]
    """By player what a man is worth in the unit of its scores, None where that is not known."""
    sessions: list[Session]
    """In their order; the first one began the run."""
    found: tuple[Diagnosis, ...] = ()
    """The findings on the players, and on those left out, before the first game."""
    left_out: Mapping[str, str] = MappingProxyType({})
    """The players of the configuration's file that do not take part, as they were found faulty, with the file of
    each that its user wrote, else ""."""

    def errors_of(self, player: str) -> list[str]:
        """The mistakes that were found in a player before the first game."""
        return [one.message for one in self.found if one.player == player and one.level == "error"]

    @property
    def faulty(self) -> tuple[Diagnosis, ...]:
        """The mistakes that were found of players who take part."""
        return tuple(one for one in self.found if one.level == "error" and one.player not in self.left_out)


def manifest_of(
    experiment: Experiment, files: Mapping[str, str], signatures: Signatures, men: Mapping[str, float | None]
) -> Manifest:
    """The manifest of a run that has no session yet."""
    configuration = experiment.as_dict()
    text = json.dumps([configuration, dict(files)], sort_keys=True)
    return Manifest(
        str(experiment.path.resolve()),
        configuration,
        dict(files),
        sha256(text.encode()).hexdigest()[:_DIGITS],
        experiment.seed,
        dict(signatures),
        dict(men),
        [],
    )


def session(
    games: int, workers: int | str, changed: Mapping[str, str], tree: WorkingTree | None = None
) -> Session:
    """The session of this process, which begins now with `games` games stored."""
    began = datetime.now(UTC).isoformat(timespec="seconds")
    return Session(began, games, workers, platform.node(), os.getpid(), versions(), machine(), dict(changed), tree)


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


def session_document(session: Session) -> dict[str, Any]:
    """A session as JSON types."""
    return session._asdict() | {"tree": None if session.tree is None else session.tree._asdict()}


def save(store: Store, manifest: Manifest) -> None:
    """Store the manifest among the store's documents, and as FILE beside it. Raises StoreError."""
    document = _document(manifest)
    store.put(KEY, document)
    path = store.path.with_name(FILE)
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    try:
        replace(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
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
        document["signatures"] = {
            player: None if games is None else [SignedGame(**game) for game in games]
            for player, games in document["signatures"].items()
        }
        document["found"] = tuple(Diagnosis(**of_one) for of_one in document.get("found", ()))
        document["sessions"] = [_session(of_one) for of_one in document["sessions"]]
        return Manifest(**document)
    except (TypeError, ValueError, KeyError, AttributeError):
        raise StoreError(f"{path} is of another version of the arena, which has another manifest") from None


def _session(document: Mapping[str, Any]) -> Session:
    tree = document.get("tree")
    return Session(**{**document, "tree": None if tree is None else WorkingTree(**tree)})


def _document(manifest: Manifest) -> dict[str, Any]:
    signatures = {
        player: None if games is None else [game._asdict() for game in games]
        for player, games in manifest.signatures.items()
    }
    sessions = [session_document(of_one) for of_one in manifest.sessions]
    found = [of_one._asdict() for of_one in manifest.found]
    changed = {"signatures": signatures, "sessions": sessions, "found": found}
    return manifest._asdict() | changed | {"left_out": dict(manifest.left_out)}
