"""The configuration that a run keeps: one experiment as YAML, with all that sweeps and short forms mean."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from arena.base.files import found_file, replace
from arena.base.wording import printable
from arena.base.writing import write_text
from arena.experiment.model import Experiment, entry_of
from arena.experiment.openings import RANDOM_KEYS
from arena.experiment.suite import shipped
from arena.experiment.yaml.values import yaml_text
from players.loading import located, moved
from players.player import PlayerSpec

KEPT_CONFIG = "experiment.yaml"
"""Its name in the folder of the run."""
FIRST_WORDS = "# Written by the arena: what this run plays."
"""How it begins, by which it is known from a file of the user's own."""


def write_kept(experiment: Experiment, facts: Iterable[str], folder: Path) -> None:
    """Write KEPT_CONFIG into the folder of a run, with lines on what it was played by.

    A file of the user's own that is called so stays. Raises OSError.
    """
    path = folder / KEPT_CONFIG
    if not path.exists() or path.read_bytes().startswith(FIRST_WORDS.encode()):
        comments = "".join(f"# {printable(' '.join(line.split()))}\n" for line in facts)
        first, rest = as_yaml(experiment, folder).split("\n", 1)
        replace(path, partial(write_text, f"{first}\n{comments}{rest}"))


def as_yaml(experiment: Experiment, folder: Path) -> str:
    """The experiment as YAML to stand in `folder`, from which it names files; `arena run` plays it."""
    home, start = experiment.path.parent, folder.resolve()

    def seen(path: str) -> str:
        return os.path.relpath(found_file(Path(path), home).resolve(), start)

    document: dict[str, Any] = experiment.model_dump(mode="json", exclude_none=True)
    document["players"] = [entry_of(seen_from(folder, spec, home)) for spec in experiment.players]
    if experiment.grade is not None and experiment.grade.judge is not None:
        document["grade"]["judge"] = entry_of(seen_from(folder, experiment.grade.judge, home))
    openings = document["openings"]
    for key in () if experiment.openings.is_random else RANDOM_KEYS:
        del openings[key]
    if "file" in openings:
        openings["file"] = seen(openings["file"])
    for suite in document["suite"]:
        if suite.get("name") not in (None, *shipped()):
            suite["name"] = seen(suite["name"])
    readable = [os.path.relpath((home / path).resolve(), start) for path in experiment.process.readable]
    document["process"]["readable"] = readable
    given = {key: value for key, value in document.items() if value not in ({}, [])}
    return f"{FIRST_WORDS} To play it anew: arena run {KEPT_CONFIG} --out ANOTHER\n{yaml_text(given)}"


def seen_from(folder: Path, spec: PlayerSpec, home: Path) -> PlayerSpec:
    """The player, whose files are named from `home`, with their paths from `folder` on."""
    here = folder.resolve()
    return moved(located(spec, home), lambda path: Path(os.path.relpath(path, here)))
