"""The JavaScript of pages: how modules become one script; its own tests, linter and types, with Node.js."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from arena.report.markup import modules, script
from arena.report.page import PAGE_SCRIPT as TABLES
from arena.report.viewer import VIEWER_SCRIPT as VIEWER
from arena.web.page import MODULE as PAGE

TOP = Path(__file__).parents[2]
HOME = TOP / "tests" / "javascript"
TESTS = sorted(str(path) for path in HOME.glob("*.test.js"))
SECONDS = 300
ENTRIES = [PAGE, VIEWER, TABLES]


def node(*command: str) -> str:
    """What Node.js prints; skips without it."""
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    done = subprocess.run(["node", *command], cwd=TOP, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tool(name: str) -> str:
    """The JavaScript file of a tool that `npm install` put beside package.json; skips without it."""
    path = HOME / "node_modules" / name
    if not path.is_file():
        pytest.skip("npm install has not been run, so that the JavaScript is not checked")
    return str(path)


@pytest.mark.full
@pytest.mark.parametrize("entry", [TABLES, VIEWER])
def test_each_script_of_the_report_names_nothing_twice_and_cannot_end_early(entry, tmp_path):
    text = script(entry)
    assert "</script" not in text.lower() and "<!--" not in text and "@import" not in text
    (tmp_path / "all.cjs").write_text(text, encoding="utf-8")
    node("--check", str(tmp_path / "all.cjs"))


@pytest.mark.parametrize(
    ("entries", "kinds"),
    [(ENTRIES, "function"), ([VIEWER, TABLES], "function|class|const|let")],
    ids=["all", "report"],
)
def test_no_two_modules_name_the_same(entries, kinds):
    """Functions on all pages; on a report's page, whose modules share one scope, anything."""
    names = [
        name
        for text in modules(*entries).values()
        for name in re.findall(rf"^(?:export )?(?:async )?(?:{kinds}) (\w+)", text, re.MULTILINE)
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []


@pytest.mark.full
def test_functions_that_need_no_browser_do_what_their_tests_say():
    version = [int(part) for part in node("--version").strip("v\n").split(".")[:2]]
    older = ["--experimental-default-type=module"] if version < [20, 19] else []
    passed = node(*older, "--test", *TESTS)
    assert re.search(r"# fail 0$", passed, re.MULTILINE)


@pytest.mark.full
def test_the_linter_finds_nothing():
    node(tool("eslint/bin/eslint.js"), "--config", str(HOME / "eslint.config.js"), ".")


@pytest.mark.full
def test_types_are_right():
    node(tool("typescript/bin/tsc"), "--project", str(HOME))
