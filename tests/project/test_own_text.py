"""No text that the arena made is taken apart: facts stay values until they are shown."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ARENA = Path(__file__).parents[2] / "arena"
ROOMS = ("report", "board", "watch", "web")
CUTS = {
    *("startswith", "endswith", "removeprefix", "removesuffix"),
    *("split", "rsplit", "splitlines", "partition", "rpartition"),
    *("search", "match", "fullmatch", "findall", "finditer"),
    *("replace", "sub"),
}
"""Methods that take a text apart, those of patterns among them."""
SAID = {"words", "word", "text", "sentence", "line", "message", "reason", "name", "error", "title"}
"""What a text is called in which nothing is looked for."""
DOORS = {
    "board/entering.py": "what a person types",
    "report/charts/style.py": "the SVG that matplotlib wrote",
    "report/describe.py": "the name of a file",
    "report/page/player.py": "what a player's code raised",
    "report/tables/comparisons.py": "names of players, which are people's",
    "report/sheets.py": "names of players, of which files are named",
    "report/tables/submissions.py": "the paths in what a player's code raised",
    "report/template.py": "modules of JavaScript",
    "report/viewer/__init__.py": "JSON that stands in HTML",
    "web/guard.py": "an address",
    "web/messages.py": "the header of a request",
}
"""Where texts of people, programs and files come in, by file."""


def cuts(source: str) -> Iterator[tuple[int, str]]:
    """The lines of a source that take a text apart, each with how."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CUTS:
            yield node.lineno, node.func.attr
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            where = node.comparators[0]
            if getattr(where, "attr", getattr(where, "id", "")) in SAID:
                yield node.lineno, "in"


@pytest.mark.parametrize("room", ROOMS)
def test_only_what_comes_from_outside_is_taken_apart(room: str) -> None:
    found = {
        f"{path.relative_to(ARENA).as_posix()}:{line} {how}"
        for path in sorted((ARENA / room).rglob("*.py"))
        if path.relative_to(ARENA).as_posix() not in DOORS
        for line, how in cuts(path.read_text(encoding="utf-8"))
    }
    assert found == set(), "what is said of a game, a player or a run is a value with fields until it is shown"


def test_every_door_is_used() -> None:
    unused = [file for file in DOORS if not list(cuts((ARENA / file).read_text(encoding="utf-8")))]
    assert unused == []


def test_a_cut_is_seen() -> None:
    assert [how for _, how in cuts('name = text.removesuffix(" wins")')] == ["removesuffix"]
    assert [how for _, how in cuts('import re\nif re.match("a", text): pass')] == ["match"]
    assert [how for _, how in cuts('is_draw = "drawn" in claim.words')] == ["in"]
