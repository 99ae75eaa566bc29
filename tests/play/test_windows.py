"""The arena where POSIX is missing: `data/windows` shows it a Python as on Windows, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import arena
from tests.helpers.rule_sets import UNCOMPILED
from tests.helpers.tournaments import CONFIG, experiment

pytestmark = [pytest.mark.full, pytest.mark.skipif(sys.platform != "linux", reason="the fakes rest on Linux")]

ROOT = Path(__file__).parents[2]
FAKES = Path(__file__).parents[1] / "data" / "windows"
IMPORTS = """\
import importlib, pkgutil, sys
import arena, players

for package in (arena, players):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__") and ".templates" not in module.name:
            try:
                importlib.import_module(module.name)
            except ImportError as error:
                assert "pip install" in str(error), (module.name, error)
print("imported")
"""
CLOCK = """\
import time
import numba
from arena.rules.jit.native import monotonic

now = numba.njit(lambda: monotonic())
now()
first, before = now(), time.monotonic()
time.sleep(0.05)
assert abs((now() - first) - (time.monotonic() - before)) < 0.01
print("steady")
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def on_windows(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs Python in a folder with the fakes; its output goes into a pipe with an encoding of Windows.

    Kernels that read the counter would be of no use to other tests, so they are kept apart.
    """
    kernels = tmp_path_factory.mktemp("kernels")

    def run(folder: Path, *arguments: str, compiled: bool = False) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PYTHONPATH": f"{FAKES}{os.pathsep}{ROOT}", "PYTHONIOENCODING": "cp1252"}
        environment |= {"NUMBA_CACHE_DIR": str(kernels), "NUMBA_DISABLE_JIT": str(int(not compiled))}
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, encoding="cp1252", check=False
        )

    return run


def test_every_module_is_imported(on_windows, tmp_path):
    done = on_windows(tmp_path, "-c", IMPORTS)
    assert (done.stdout, done.returncode) == ("imported\n", 0), done.stderr


@pytest.mark.skipif(UNCOMPILED, reason="the clock is a kernel")
def test_the_clock_of_the_search_is_the_counter_of_windows(on_windows, tmp_path):
    done = on_windows(tmp_path, "-c", CLOCK, compiled=True)
    assert (done.stdout, done.returncode) == ("steady\n", 0), done.stderr


@pytest.mark.slow
def test_a_tournament_of_two_workers_is_played_and_reported_and_commands_read_it(on_windows, tmp_path):
    experiment(tmp_path, CONFIG.replace("type: greedy", 'type: "own.py:Slow"').replace("count: 8", "count: 3"))
    for command, words in (
        (("run", "config.yaml", "--out", "out", "--workers", "2"), "±"),
        (("status", "out"), "complete, last game"),
        (("report", "out"), "report.html"),
    ):
        done = on_windows(tmp_path, "-m", "arena", *command, compiled=True)
        assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
        assert words in done.stdout and (tmp_path / "out" / "report.html").is_file()
    run = arena.load(tmp_path / "out")
    assert len(run.games) == 18 and (run.games["error"] == "").all()
    assert run.games["worker"].nunique() == 2


@pytest.mark.parametrize("entry", ["type: engine, command: [cat], nodes: 5", "type: random}]\nsandbox: true #"])
def test_what_needs_another_system_is_one_line(on_windows, tmp_path, entry):
    head = "name: t\nvariant: english\nopenings: {random_plies: 2, count: 2, balanced: false}\n"
    text = f"{head}players: [{{name: b, type: random}}, {{name: a, {entry}}}]\n"
    (tmp_path / "t.yaml").write_text(text, encoding="utf-8")
    done = on_windows(tmp_path, "-m", "arena", "run", "t.yaml", "--out", "out")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
