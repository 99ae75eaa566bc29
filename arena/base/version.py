"""The version of a package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

OURS = "draughts-arena"
"""The package that this is."""


def version_of(package: str = OURS) -> str | None:
    """The version of a package, None if it is not installed as one."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
