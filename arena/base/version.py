"""The versions of packages, and the commit of a checkout."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

from arena.base.files import ROOT

OURS = "draughts-arena"
"""The package that this is."""


def version_of(package: str = OURS) -> str | None:
    """The version of a package, None if it is not installed as one."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def commit() -> str:
    """The commit of this program, with `-dirty` behind it if files were changed since; "" outside a checkout."""
    asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    if (ROOT / ".git").exists():
        with suppress(OSError, subprocess.SubprocessError):
            return subprocess.run(asked, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    return ""
