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

from markupsafe import Markup

from arena.base import ArenaError
from arena.base.files import found_file, write_text
from arena.base.wording import counted, first_few
from arena.experiment.load import KEPT_CONFIG, as_yaml
from arena.experiment.submissions import is_of_class
from arena.ledger.info import versions
from arena.ledger.read import RunData, read
from players.identity import COPIES, copy_of

_MOST_BYTES = 4 << 20
"""Bytes of files that a page holds, at most."""
_ELEMENT = '<script type="application/json" id="replay">"{}"</script>'


def replay_element(run: RunData, folder: Path) -> Markup:
    """What the page of a run in a folder holds; nothing of a class, or of a sandbox, whose code is that of others,
    and nothing where files are not kept that it needs.
    """
    experiment, home = run.experiment, run.experiment.path.parent
    kept = {path: copy_of(path, mark, folder / COPIES) for path, mark in run.info.all_files.items()}
    named = [experiment.openings.file, *(suite.name for suite in experiment.suite)]
    kept |= {name: path for name in named if name and (path := found_file(Path(name), home)).is_file()}
    is_others = is_of_class(experiment.players) or "sheets" in experiment.report or experiment.sandbox
    if is_others or not all(path.is_file() for path in kept.values()):
        return Markup()
    if sum(path.stat().st_size for path in kept.values()) > _MOST_BYTES:
        return Markup()
    document = {
        "name": experiment.name,
        "config": as_yaml(experiment, home),
        "files": {name: b64encode(path.read_bytes()).decode() for name, path in kept.items()},
        "versions": run.info.versions,
        "digests": _digests(run),
    }
    return Markup(_ELEMENT.format(b64encode(compress(json.dumps(document).encode(), 9)).decode()))


def held_by(page: Path) -> dict[str, Any]:
    """What the page of a report holds. Raises ArenaError for one that cannot be played again."""
    found = re.search(_ELEMENT.format('([^"]*)'), page.read_text(encoding="utf-8"))
    if found is None:
        raise ArenaError(
            f"{page} holds no sources: it is of a class, of several runs, of large files, or no report"
        )
    document: dict[str, Any] = json.loads(decompress(b64decode(found[1])))
    return document


def write_sources(document: Mapping[str, Any], folder: Path, *, sandbox: bool) -> Path:
    """Write the files of a report below a folder, as they lay around its configuration, whose path is returned.

    Raises ArenaError for a file that would lie elsewhere.
    """
    top = (folder / "sources").resolve()
    home = top.joinpath(*["up"] * max((Path(name).parts.count("..") for name in document["files"]), default=0))
    home.mkdir(parents=True, exist_ok=True)
    for name, content in document["files"].items():
        file = (home / name).resolve()
        if not file.is_relative_to(top):
            raise ArenaError(f"the report's file {name} lies outside of {folder}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b64decode(content))
    config: str = document["config"]
    write_text(
        config.replace("\nsandbox: false\n", "\nsandbox: true\n") if sandbox else config, home / KEPT_CONFIG
    )
    return home / KEPT_CONFIG


def compared(document: Mapping[str, Any], folder: Path) -> str:
    """How many games of the run in a folder are those of a report, and what may be the reason for others."""
    run = read(folder)
    then, now, here = document["digests"], _digests(run), versions()
    other = [name for name in then if then[name] != now.get(name)]
    games, unlike = (sum(then[name][0] for name in names) for names in (then, other))
    if not other:
        return f"{games:,} of {counted(games, 'game')} are the same"
    reasons = [
        f"{name} {was} then, {here[name]} now" for name, was in document["versions"].items() if here[name] != was
    ]
    if run.experiment.is_timed:
        reasons.insert(0, "time limits never give the same games twice")
    why = f" ({'; '.join(reasons)})" if reasons else ""
    where = first_few(other, 5, "; ")
    return f"{games - unlike:,} of {counted(games, 'game')} are the same; others are in {where}{why}"


def _digests(run: RunData) -> dict[str, list[Any]]:
    """By pairing, White first, how many games it has, and a digest of their openings, moves and results."""
    found = {}
    for (white, black), games in run.games.groupby(["white", "black"]):
        rows = sorted(zip(games["line"].tolist(), games["result"], strict=True))
        found[f"{white} – {black}"] = [len(rows), sha256(repr(rows).encode()).hexdigest()[:16]]
    return found
