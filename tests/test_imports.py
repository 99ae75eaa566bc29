"""Tests of the house: the direction of imports, circles, who may use which library, and the public names."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter import cli

import arena
from tests.helpers.sources import ROOT, modules

LIBRARIES = {
    "pandas": (
        "arena.experiment.formats",
        "arena.ratings",
        "arena.report",
        "arena.ledger",
        "arena.watch",
        "arena.learning",
    ),
    "matplotlib": ("arena.report",),
    "jinja2": ("arena.report", "arena.web"),
    "starlette": ("arena.web",),
    "uvicorn": ("arena.web",),
    "yaml": ("arena.experiment.yaml",),
    "sqlite3": ("arena.ledger", "arena.watch", "arena.learning"),
    "joblib": ("arena.play", "arena.learning"),
    "distributed": ("arena.play", "tests.benchmarks.workers"),
    "numba": ("arena.rules", "players", "arena.learning"),
    "pettingzoo": ("arena.sitting",),
    "gymnasium": ("arena.sitting",),
    "torch": ("arena.learning",),
    "click": ("arena.commands",),
    "rich": ("arena.watch", "arena.commands", "arena.report"),
}
"""The only rooms that use a library."""

PRINTING = ("arena.commands", "arena.watch.display", "arena.base.supervisor")
"""Rooms and files that may; the last gives the standard streams of a new process to what it runs."""

HEAVY = (
    "numba",
    "numpy",
    "pandas",
    "scipy",
    "matplotlib",
    "pydantic",
    "joblib",
    "distributed",
    "jinja2",
    "yaml",
    "rich",
    "pettingzoo",
    "gymnasium",
    "torch",
    "starlette",
    "uvicorn",
)


def is_within(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


def imports(module: str) -> Iterator[str]:
    """The modules that a module imports anywhere: at its top, in a function, or for the type checker."""
    for node in ast.walk(modules()[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}, line {node.lineno}: a relative import"
            assert node.module is not None
            yield node.module


def lint(config: Path, contract: str) -> int:
    """What import-linter exits with for one contract of a configuration; it prints the imports that are wrong."""
    return cli.lint_imports(config_filename=str(config), limit_to_contracts=(contract,), no_cache=True)


def test_the_program_is_found():
    assert {"arena", "arena.rules.movegen", "players.negamax.player"} <= set(modules())
    assert "arena.rules.variants" in set(imports("players.negamax.player"))


@pytest.mark.parametrize("contract", ["layers", "circles"])
def test_a_room_imports_only_rooms_below_it_and_nothing_imports_in_a_circle(contract):
    assert lint(ROOT / "pyproject.toml", contract) == cli.EXIT_STATUS_SUCCESS


def test_every_room_has_its_layer():
    rooms = {".".join(name.split(".")[: 1 if name.startswith("players") else 2]) for name in modules()}
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = {
        name for contract in contracts for layer in contract.get("layers", ()) for name in layer.split(" | ")
    }
    assert rooms - {"arena"} <= layers


def test_libraries_stay_where_they_belong():
    wrong = {
        f"{module} imports {name}"
        for module in modules()
        for name in imports(module)
        for library, users in LIBRARIES.items()
        if is_within(name, library) and not any(is_within(module, user) for user in users)
    }
    assert sorted(wrong) == []


def test_only_the_command_line_and_its_progress_print():
    wrong = [
        f"{module}, line {node.lineno}: {ast.unparse(node)}"
        for module in modules()
        if not any(is_within(module, room) for room in PRINTING)
        for node in ast.walk(modules()[module])
        if isinstance(node, ast.Name | ast.Attribute)
        and ast.unparse(node) in ("print", "sys.stdout", "sys.stderr")
    ]
    assert wrong == []


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


def test_a_type_name_is_used_once():
    named = [
        node.name
        for room in ("arena", "players")
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert [name for name, times in Counter(named).items() if times > 1] == []


def test_the_page_is_served_without_what_reports_need():
    loaded = "import sys, arena.web.app; print(*{'pandas', 'matplotlib'} & sys.modules.keys())"
    found = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
