"""Tests of the direction of imports, and of who may use which library, by parsing every module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LAYERS = (
    ("arena.rules", "arena.ratings.match"),
    ("arena.player",),
    ("players",),
    (
        "arena.ballots",
        "arena.bench",
        "arena.bench.time",
        "arena.bench.engines",
        "arena.config",
        "arena.formats",
        "arena.store.ledger",
        "arena.match",
        "arena.openings",
        "arena.probe",
        "arena.schedule",
        "arena.experiment.sweep",
        "arena.wording",
        "arena.swiss",
        "arena.tuning.config",
        "arena.tuning_fit",
        "arena.tuning.games",
        "arena.tuning.patterns",
        "arena.tuning.store",
    ),
    ("arena.ratings.clusters", "arena.ratings.davidson", "arena.ratings.covariance"),
    (
        "arena.adaptive",
        "arena.play.executor",
        "arena.play.pilot",
        "arena.ratings.joint",
        "arena.report",
        "arena.tournament",
        "arena.ratings.transitivity",
        "arena.tuning.run",
        "arena.tuning.report",
    ),
    ("arena.report.results",),
    ("arena.report.compare",),
    ("arena", "arena.__main__", "arena.cli", "arena.commands", "arena.progress"),
)
"""A part of the program imports its own layer and those before it.

`arena.adaptive` is a schedule that rates between batches, so it stands beside the ratings.
"""

ONLY = {
    "arena.rules": (),
    "arena.ratings.match": (),
    "arena.player": ("arena.rules",),
    "arena.formats": ("arena.ratings.match",),
    "arena.schedule": ("arena.formats",),
    "arena.swiss": ("arena.formats", "arena.schedule"),
    "arena.adaptive": ("arena.formats", "arena.schedule", "arena.ratings.joint", "arena.ratings.match"),
    "arena.config": ("arena.rules", "arena.player", "arena.formats", "arena.experiment.sweep", "arena.wording"),
    "arena.experiment.sweep": ("arena.wording",),
    "arena.wording": (),
    "arena.store.ledger": ("arena.rules", "arena.match", "arena.probe"),
    "arena.play.executor": (),
    "arena.ratings.davidson": ("arena.ratings.match",),
    "arena.ratings.clusters": ("arena.ratings.davidson",),
    "arena.ratings.covariance": ("arena.ratings.clusters", "arena.ratings.davidson"),
    "arena.ratings.joint": (
        "arena.ratings.clusters",
        "arena.ratings.davidson",
        "arena.ratings.covariance",
        "arena.ratings.match",
    ),
    "arena.ratings.transitivity": (
        "arena.ratings.clusters",
        "arena.ratings.davidson",
        "arena.ratings.joint",
        "arena.ratings.match",
    ),
    "arena.report": (
        "arena.rules.notation",
        "arena.rules.pdn",
        "arena.ratings.match",
        "arena.experiment.sweep",
        "arena.store.ledger",
        "arena.ratings.joint",
        "arena.ratings.transitivity",
    ),
    "arena.report.results": ("arena.ratings.clusters", "arena.store.ledger", "arena.report"),
    "arena.progress": (),
}
"""What some parts may import besides themselves, where that is less than their layer allows."""

LIBRARIES = {
    "pandas": (
        "arena.adaptive",
        "arena.ratings.clusters",
        "arena.report.compare",
        "arena.ratings.davidson",
        "arena.store.ledger",
        "arena.ratings.joint",
        "arena.report",
        "arena.report.results",
        "arena.ratings.covariance",
        "arena.ratings.transitivity",
        "arena.tuning.report",
    ),
    "matplotlib": (
        "arena.report.plots",
        "arena.report.plot_sprt",
        "arena.report.plot_sweeps",
        "arena.report.plot_tuning",
    ),
    "yaml": ("arena.config",),
    "numba": ("arena.rules", "players"),
    "click": ("arena.cli", "arena.commands"),
    "rich": ("arena.progress",),
}
"""The only parts that use a library."""

PRINTING = ("arena.commands", "arena.progress")


def is_within(module: str, part: str) -> bool:
    return module == part or module.startswith(f"{part}.")


def modules() -> dict[str, ast.Module]:
    """The syntax of every module of the program, by its name."""
    found = {}
    for package in ("arena", "players"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            found[name] = ast.parse(path.read_text())
    return found


MODULES = modules()
every_module = pytest.mark.parametrize("module", MODULES)


def imports(module: str) -> Iterator[str]:
    """The modules that a module imports anywhere: at its top, in a function, or for the type checker."""
    for node in ast.walk(MODULES[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}, line {node.lineno}: a relative import"
            assert node.module is not None
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                yield submodule if submodule in MODULES else node.module


def own_imports(module: str) -> set[str]:
    return {name for name in imports(module) if name.split(".")[0] in ("arena", "players")}


def part_of(module: str) -> str:
    """The narrowest entry of LAYERS that a module belongs to; `arena` itself is its __init__ alone."""
    parts = [part for layer in LAYERS for part in layer if is_within(module, part) and part != "arena"]
    return max(parts, key=len, default=module)


def layer_of(module: str) -> int:
    levels = [level for level, layer in enumerate(LAYERS) if part_of(module) in layer]
    assert levels, f"{module} has no place in LAYERS"
    return levels[0]


def test_the_program_is_found():
    assert {"arena", "arena.rules.movegen", "arena.report.plots", "players.negamax.player"} <= set(MODULES)
    assert "arena.rules.position" in own_imports("players.negamax.player")
    assert "arena.rules.game" in own_imports("arena.player")


@every_module
def test_imports_go_from_later_layers_to_earlier_ones(module):
    wrong = {name for name in own_imports(module) if layer_of(name) > layer_of(module)}
    assert not wrong


@every_module
def test_parts_import_only_what_they_need_to_know(module):
    part = part_of(module)
    allowed = (part, *ONLY.get(part, ("arena", "players")))
    wrong = {name for name in own_imports(module) if not any(is_within(name, other) for other in allowed)}
    assert not wrong


@every_module
def test_libraries_stay_where_they_belong(module):
    wrong = {
        name
        for name in imports(module)
        for library, users in LIBRARIES.items()
        if is_within(name, library) and not any(is_within(module, user) for user in users)
    }
    assert not wrong


@every_module
def test_only_the_command_line_and_its_progress_print(module):
    if module in PRINTING:
        return
    expressions = [node for node in ast.walk(MODULES[module]) if isinstance(node, ast.expr)]
    wrong = {node.lineno for node in expressions if ast.unparse(node) in ("print", "sys.stdout", "sys.stderr")}
    assert not wrong
