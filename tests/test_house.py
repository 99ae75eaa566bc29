"""The house: which rooms import which, how many files and hidden imports there are, circles, and banned words.

The figures may be lowered freely; raise one only with a reason beside it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from tests.helpers.sources import ROOT, modules

MAY_IMPORT = {
    "arena": "play players report rules sitting",
    "__main__": "commands",
    "commands": "base bench experiment hosting learning ledger play players ratings report rules sitting watch "
    "web",
    "web": "base hosting ledger players report rules sitting watch",
    "bench": "experiment hosting ledger play players rules",
    "sitting": "base experiment hosting ledger play players rules watch",
    "learning": "base experiment hosting ledger play players ratings report rules",
    "play": "base experiment hosting ledger players ratings report rules watch",
    "report": "base experiment ledger players ratings rules watch",
    "watch": "base experiment ledger ratings rules",
    "hosting": "base players rules",
    "ledger": "base experiment players rules",
    "experiment": "base players ratings rules",
    "players": "base rules",
    "ratings": "base rules",
    "rules": "base",
}
"""Every pair of rooms with an import between them, in whatever form; "arena" is the package's public names."""
FILES = 318
IN_FUNCTIONS = 37
FOR_TYPES = 24
"""Python files of `arena` and `players`; imports in functions, and under TYPE_CHECKING."""
BY_NAME = {"arena/__init__.py", "arena/commands/cli.py"}
"""The files that import what they name in strings: the public names, and the commands."""


class Import(NamedTuple):
    """One name that a module imports; `form` is top, function, types or string."""

    module: str
    imported: str
    form: str
    line: int


def _home(name: str) -> str:
    """The module of the project that defines a dotted name, "" for another library's, or for a file's name."""
    while name and name not in modules():
        name = name.rpartition(".")[0]
    return name


def _imports(module: str, node: ast.AST, form: str) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(module, _home(alias.name), form, node.lineno) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        names = (f"{node.module}.{alias.name}" for alias in node.names)
        yield from (Import(module, _home(name), form, node.lineno) for name in names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
        if re.fullmatch(r"(arena|players)(\.\w+)+(:\w+)?", node.value):
            home = _home(node.value.partition(":")[0])
            yield Import(module, "" if home == "arena" else home, "string", node.lineno)
    elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        for statement in node.body:
            yield from _imports(module, statement, "types")
        for statement in node.orelse:
            yield from _imports(module, statement, form)
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        form = "function"
    for inner in ast.iter_child_nodes(node):
        yield from _imports(module, inner, form)


@cache
def imports() -> list[Import]:
    return [found for module, tree in modules().items() for found in _imports(module, tree, "top")]


def room(module: str) -> str:
    parts = module.split(".")
    return parts[0] if parts[0] == "players" or len(parts) == 1 else parts[1]


def test_rooms_import_only_the_rooms_of_the_table_in_whatever_form():
    """Also in functions, for the type checker, and by a name in a string."""
    pairs = {
        (room(one.module), room(one.imported))
        for one in imports()
        if one.imported and room(one.module) != room(one.imported)
    }
    table = {(one, other) for one, others in MAY_IMPORT.items() for other in others.split()}
    assert pairs - table == set()
    assert table - pairs == set(), "these are no longer needed: take them out of the table"


def test_no_two_files_import_each_other_in_a_circle_in_whatever_form():
    graph = defaultdict(set)
    for one in imports():
        if one.imported and one.module not in (one.imported, "arena"):
            graph[one.module].add(one.imported)
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None
    assert len(order) > 250


def test_files_and_imports_out_of_sight_only_become_fewer():
    forms = Counter(form for form, _, _ in {(one.form, one.module, one.line) for one in imports()})
    figures = {"files": len(modules()), "in functions": forms["function"], "for types": forms["types"]}
    assert figures == {"files": FILES, "in functions": IN_FUNCTIONS, "for types": FOR_TYPES}, (
        "lower the figures above if these are lower; if not, is there another way?"
    )


def test_only_the_public_names_and_the_commands_are_imported_by_a_string():
    callers = {
        module
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__"))
    }
    paths = {f"{module.replace('.', '/')}{'/__init__' if module == 'arena' else ''}.py" for module in callers}
    assert paths - {"players/loading.py"} == BY_NAME


BANNED = re.compile(
    r"\b(said|told|anew)\b|\bgo(es|ing)? on with\b|\bis no more\b|\b(be|is|are) done with\b"
    r"|has its time|nobody's concern|no more is asked|\b(what|which) is (no|none)\b|\bfor what is\b",
    re.IGNORECASE,
)
"""Verbs of speech for input and output, and turns of phrase that a reader has to read twice."""


def _prose() -> Iterator[tuple[str, str]]:
    """Every docstring, message, comment and README, with its place."""
    for path in sorted({*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("arena/**/*.md")}):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            yield f"{path.relative_to(ROOT)}:{number}", line
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{module}:{node.lineno}", node.value


def test_messages_docstrings_and_readmes_have_none_of_the_banned_words():
    found = [f"{place}: {match[0]}" for place, text in _prose() for match in [BANNED.search(text)] if match]
    assert found == []
