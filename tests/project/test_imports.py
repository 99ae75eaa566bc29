"""Imports: their direction, no circle, nothing heavy before it is needed; the public names."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import arena

ROOT = Path(__file__).parents[2]


def test_every_room_has_its_layer():
    packages = [folder.relative_to(ROOT) for folder in ROOT.glob("arena/*") if (folder / "__init__.py").exists()]
    files = [file.relative_to(ROOT).with_suffix("") for file in ROOT.glob("arena/*.py") if file.stem != "__init__"]
    rooms = {".".join(path.parts) for path in (*packages, *files)} | {"players"}
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = {
        name for contract in contracts for layer in contract.get("layers", ()) for name in layer.split(" | ")
    }
    assert rooms <= layers


HEAVY = "numba numpy pandas scipy matplotlib pydantic joblib jinja2 yaml rich torch"


@pytest.mark.parametrize(
    ("module", "allowed"),
    [
        ("arena.commands.cli", set()),
        ("arena.experiment.load", {"pydantic", "yaml"}),
        pytest.param("arena.web.app", {*HEAVY.split()} - {"pandas", "matplotlib"}, marks=pytest.mark.full),
    ],
)
def test_what_is_imported_first_loads_nothing_heavy(module, allowed):
    heavy = {*HEAVY.split()} - allowed
    code = f"import sys, {module}; print(*({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_every_public_name_can_be_imported_from_arena():
    for name in arena.__all__:
        assert getattr(arena, name) is not None
    assert set(arena.__all__) == set(arena._HOMES) <= set(dir(arena))
    tree = ast.parse((ROOT / "arena" / "__init__.py").read_text(encoding="utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    typed = [alias.name for node in ast.walk(checked) if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(typed) == sorted(arena.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'evaluators'"):
        arena.evaluators  # noqa: B018
