"""The syntax of the program's files, read when a test first needs it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def sources() -> dict[str, ast.Module]:
    """Of every file of `arena` and `players`, by its path from the project's folder."""
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for package in ("arena", "players")
        for path in sorted((ROOT / package).rglob("*.py"))
    }


@cache
def modules() -> dict[str, ast.Module]:
    """Of every module, by its dotted name; the files that `arena init` copies are none."""
    return {
        path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): tree
        for path, tree in sources().items()
        if "/templates/" not in path
    }
