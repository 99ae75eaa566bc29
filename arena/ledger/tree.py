"""The working tree of git that a configuration is in: its commit, and whether files differ from it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

SECONDS = 5.0
"""Seconds that git has for an answer."""


class WorkingTree(NamedTuple):
    """What a configuration was at."""

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
    """What git prints in a folder; None if it fails, is not there or takes too long."""
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
