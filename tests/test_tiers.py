"""The list of tiers names tests that there are."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.tiers import FULL, QUICK


@cache
def written() -> dict[str, set[str]]:
    """The names of the tests of each file."""
    return {
        path.stem: {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
        for path in Path(__file__).parent.glob("test_*.py")
    }


@pytest.mark.parametrize("listed", [FULL, QUICK], ids=["full", "quick"])
def test_every_listed_test_is_there(listed):
    wrong = {
        (file, name)
        for file, names in listed.items()
        for name in (names if file in written() else ("",))
        if name.partition("[")[0] not in written().get(file, ())
    }
    assert wrong == set()
