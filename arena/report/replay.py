"""What a report holds to be played again: configuration, sources of players, versions, a digest a pairing."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import compress, decompress

from arena.base.errors import ArenaError
from arena.base.files import found_file
from arena.base.wording import counted, first_few
from arena.base.writing import write_text
from arena.experiment.load import KEPT_CONFIG, as_yaml
from arena.experiment.zero import is_of_class
from arena.ledger.info import versions
from arena.ledger.read import RunData, read
from players.identity import COPIES, copy_of

SOURCES = "sources"
"""The folder, in that of a run that is played again, of what its report held."""
_MOST_BYTES = 4 << 20
"""Bytes of files that a page holds, at most."""
_ELEMENT = re.compile(r'<script type="application/json" id="replay">"([^"]*)"</script>')


def embedded(run: RunData, folder: Path) -> str:
    """What the page of a run in a folder holds, packed; "" for a class, whose code is that of others.

    It is "", too, where files are not kept that it needs.
    """
    experiment, home = run.experiment, run.experiment.path.parent
    kept = {path: copy_of(path, mark, folder / COPIES) for path, mark in run.info.all_files.items()}
    named = [experiment.openings.file, *(suite.name for suite in experiment.suite)]
    beside = {name: found_file(Path(name), home) for name in named if name}
    kept |= {name: path for name, path in beside.items() if path.is_file()}
    is_others = is_of_class(experiment.players) or "sheets" in experiment.report or experiment.sandbox
    if is_others or not all(path.is_file() for path in kept.values()):
        return ""
    if sum(path.stat().st_size for path in kept.values()) > _MOST_BYTES:
        return ""
    document = {
        "config": as_yaml(experiment, home),
        "files": {name: b64encode(path.read_bytes()).decode() for name, path in kept.items()},
        "versions": run.info.versions,
        "digests": _digests(run),
    }
    return b64encode(compress(json.dumps(document).encode(), 9)).decode()


def unpacked(page: Path) -> dict[str, Any]:
    """What the page of a report holds. Raises ArenaError for one that cannot be played again."""
    found = _ELEMENT.search(page.read_text(encoding="utf-8"))
    if found is None:
        raise ArenaError(
            f"{page} holds no sources: it is of a class, of several runs, of large files, or no report"
        )
    document: dict[str, Any] = json.loads(decompress(b64decode(found[1])))
    return document


def write_sources(document: Mapping[str, Any], folder: Path) -> Path:
    """Write the files of a report into a folder, as they lay around its configuration, whose path is returned."""
    up = max((Path(name).parts.count("..") for name in document["files"]), default=0)
    home = folder.joinpath(SOURCES, *["up"] * up)
    for name, content in document["files"].items():
        if not (home / name).resolve().is_relative_to((folder / SOURCES).resolve()):
            raise ArenaError(f"the report's file {name} lies outside of {folder}")
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(b64decode(content))
    config = home / KEPT_CONFIG
    config.parent.mkdir(parents=True, exist_ok=True)
    write_text(document["config"], config)
    return config


def verdict(document: Mapping[str, Any], folder: Path) -> str:
    """How many games of the run in a folder are those of a report, and what may be the reason for others."""
    run = read(folder)
    then, now, here = document["digests"], _digests(run), versions()
    games = sum(count for count, _ in then.values())
    other = [name for name, digest in then.items() if [*now.get(name, ())] != digest]
    same = games - sum(then[name][0] for name in other)
    words = f"{same:,} of {counted(games, 'game')} are the same"
    if not other:
        return words
    unlike = [
        f"{name} {was} then, {here[name]} now" for name, was in document["versions"].items() if here[name] != was
    ]
    timed = "time limits never give the same games twice" if run.experiment.is_timed else ""
    reasons = "; ".join(filter(None, [timed, *unlike]))
    return f"{words}; others are in {first_few(other, 5)}" + (f" ({reasons})" if reasons else "")


def _digests(run: RunData) -> dict[str, list[Any]]:
    """By pairing, White first, how many games it has, and a digest of their openings, moves and results."""
    found = {}
    for (white, black), games in run.games.groupby(["white", "black"]):
        rows = sorted(zip(games["line"].tolist(), games["result"], strict=True))
        found[f"{white} – {black}"] = [len(rows), sha256(repr(rows).encode()).hexdigest()[:16]]
    return found
