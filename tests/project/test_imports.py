"""Imports: their direction, no circle, nothing heavy before it is needed; the public names."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib

import pytest

import arena
from tests.helpers.sources import ROOT, modules


def test_every_room_has_its_layer():
    rooms = {".".join(name.split(".")[: 1 if name.startswith("players") else 2]) for name in modules()}
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = {
        name for contract in contracts for layer in contract.get("layers", ()) for name in layer.split(" | ")
    }
    assert rooms - {"arena"} <= layers


HEAVY = (
    "numba",
    "numpy",
    "pandas",
    "scipy",
    "matplotlib",
    "pydantic",
    "joblib",
    "jinja2",
    "yaml",
    "rich",
    "torch",
)


@pytest.mark.parametrize("module", ["arena", "arena.commands.cli"])
def test_the_package_and_its_command_line_import_nothing_heavy(module):
    code = f"import sys, {module}; print(*(name for name in {HEAVY} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_every_public_name_can_be_imported_from_arena():
    for name in arena.__all__:
        assert getattr(arena, name) is not None
    assert set(arena.__all__) == set(arena._HOMES) <= set(dir(arena))
    checked = next(node for node in modules()["arena"].body if isinstance(node, ast.If))
    typed = [alias.name for node in ast.walk(checked) if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(typed) == sorted(arena.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'evaluators'"):
        arena.evaluators  # noqa: B018


def test_the_page_is_served_without_what_reports_need():
    loaded = "import sys, arena.web.app; print(*{'pandas', 'matplotlib'} & sys.modules.keys())"
    found = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
