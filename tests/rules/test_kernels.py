"""Tests of how kernels are compiled and kept: which files the cache depends on, what a second process loads."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time

import pytest

from arena.rules.jit import cache

USE = """
import random, sys
from numba.core.dispatcher import Dispatcher
from players.player import Limit
from arena.rules.game import Game
from arena.rules.jit.kernel import _inlined as inlined
from arena.rules.movegen import perft
from arena.rules.variants import VARIANTS
from players.loading import load_object
from players.negamax.player import Negamax

english = VARIANTS["english"]
choice = Negamax(english, "simple").choose(Game(english), Limit(depth=4), random.Random(0))
print(perft(english, english.start, 5), choice.nodes)
mine = load_object(sys.argv[1] + ":mine", "evaluation", callable)
mine.address(english.constants)
kernels = {id(value): value for name, module in list(sys.modules.items())
           if name.partition(".")[0] in ("arena", "players")
           for value in [*vars(module).values(), *inlined] if isinstance(value, Dispatcher)}.values()
[compiled] = mine._compiled.values()
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels), 1 - compiled.cache_hits)
"""
"""Prints what must not depend on the cache, and how many kernels and evaluations were compiled."""


def test_kernels_stand_only_where_the_hash_of_their_folder_looks():
    imports = re.compile(r"import .*\b(kernel|inlined|evaluator|callback)\b")
    files = [*(cache.ROOT / "arena").rglob("*.py"), *(cache.ROOT / "players").rglob("*.py")]
    own = [path for path in files if "templates" not in path.parts]  # they become a user's own code
    users = {path.relative_to(cache.ROOT).as_posix() for path in own if imports.search(path.read_text())}
    sources = {path.relative_to(cache.ROOT).as_posix() for path in cache.kernel_sources()}
    assert {"arena/rules/captures.py", "players/negamax/tree.py"} <= users <= sources | {"arena/__init__.py"}


def python(code: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=cache.ROOT,
        env=os.environ | {"PYTHONPATH": str(cache.ROOT)} | environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_change_of_any_kernel_file_however_deep_has_another_folder(tmp_path, monkeypatch):
    tree = {
        "arena/rules/moves.py": "",
        "arena/rules/jit/deeper/bits.py": "",
        "players/negamax/tree.py": "",
        "players/mcts/deeper/tree.py": "from arena.rules.jit.kernel import kernel\n",
        "arena/report/page/page.py": "",
    }
    for name, text in tree.items():
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text(text)
    monkeypatch.setattr(cache, "ROOT", tmp_path / "tree")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    before = cache.cache_folder.__wrapped__()
    assert before.parent == tmp_path / "cache" / "draughts-arena"
    changed = []
    for name, text in tree.items():
        (tmp_path / "tree" / name).write_text(text + "# changed\n")
        changed.append(cache.cache_folder.__wrapped__() != before)
        (tmp_path / "tree" / name).write_text(text)
    assert changed == [True, True, True, True, False]
    assert cache.cache_folder.__wrapped__() == before


def test_only_old_kernels_within_the_own_folder_are_deleted(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    own = tmp_path / "draughts-arena"
    kept = [
        tmp_path / "my_thesis_photos" / "a.jpg",
        tmp_path / ("0" * 16) / "movegen.nbi",
        own / "my_thesis_photos" / "a.jpg",
        own / ("2" * 16) / "movegen.nbi",
    ]
    for file in [*kept, own / ("1" * 16) / "rules" / "movegen.nbi"]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
        old = time.time() - (13 if file == kept[-1] else 15) * 24 * 3600
        for path in (file, *file.parents[: len(file.relative_to(tmp_path).parts) - 1]):
            os.utime(path, (0, old))
    (own / ("4" * 16)).symlink_to(kept[1].parent)
    folder = cache.cache_folder.__wrapped__()
    assert folder.parent == own
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(kept)
    assert {path.name for path in own.iterdir()} == {kept[0].parent.name, *(c * 16 for c in "24"), folder.name}


@pytest.mark.parametrize("cause", ["no home", "no folder"])
def test_without_a_place_to_write_to_a_temporary_folder_is_used_and_said(cause, tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file") if cause == "no folder" else "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if cause == "no home":
        monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as without HOME and without a user's entry
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delattr(os, "getuid")
    folders = {cache.cache_folder.__wrapped__() for _ in range(2)}
    assert [folder.parent for folder in folders] == [tmp_path / "draughts-arena-"]
    (message,) = caplog.messages
    assert str(tmp_path / "draughts-arena-") in message
    assert ("home" if cause == "no home" else str(tmp_path / "file")) in message


def test_an_import_of_kernels_does_not_touch_the_disk(tmp_path):
    imported = "arena.rules.movegen, players.table, numba"
    code = f"import {imported}; print(numba.config.CACHE_DIR)"
    place = tmp_path / "cache"
    assert python(code, NUMBA_CACHE_DIR=str(place), PYTHONDONTWRITEBYTECODE="1") == f"{place}\n"
    assert not place.exists()


@pytest.mark.full
def test_a_second_process_compiles_nothing(tmp_path):
    """The recursive kernels of perft and of the search, and an evaluation of a user's own, too."""
    path = tmp_path / "mine.py"
    path.write_text(
        "from arena import evaluator\n\n@evaluator\ndef mine(position, rules):\n    return 1.0 * position.turn\n"
    )
    first, second = (python(USE, str(path)).splitlines() for _ in range(2))
    assert second == [first[0], "0 0"]
    assert first[0].split()[0] == "7361"


@pytest.mark.full
def test_compilation_is_announced_once_and_what_is_compiled_meanwhile_ends_with_its_context(tmp_path):
    code = (
        "from arena.rules.jit.kernel import compilation_announced, compiling_meanwhile\n"
        "from arena.rules.movegen import legal_moves\n"
        "from arena.rules.variants import VARIANTS\n"
        "from players.negamax.deepening import compiled_search\n"
        "rules, start = VARIANTS['english'].constants, VARIANTS['english'].start\n"
        "with compilation_announced(lambda: print('compiling')):\n"
        "    with compiling_meanwhile(lambda: compiled_search(rules)):\n"
        "        pass\n"
        "    print(len(legal_moves(rules, start)))\n"
    )
    place = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert [python(code, **place) for _ in range(2)] == ["compiling\n7\n", "7\n"]
    assert not list(tmp_path.rglob("*search*.nbi"))


@pytest.mark.full
def test_a_users_evaluation_is_compiled_anew_when_a_kernel_in_a_file_beside_it_changes(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from arena.rules.jit.kernel import kernel\nfrom beside import worth\nfrom arena import evaluator\n\n"
        "@evaluator\ndef mine(position, rules):\n    return worth(position.turn)\n"
    )
    code = (
        "import sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from arena.rules.variants import VARIANTS\n"
        "from players.evaluation.build import explained_value\n"
        "english = VARIANTS['english']\n"
        "print(explained_value(english, english.start, sys.argv[1] + '/mine.py:mine')[0])\n"
    )
    values = []
    for worth in (1.5, 2.5):
        (tmp_path / "beside.py").write_text(
            f"from arena.rules.jit.kernel import kernel\n\n@kernel\ndef worth(turn):\n    return turn + {worth}\n"
        )
        values.append(float(python(code, str(tmp_path))))
    assert values[1] == values[0] + 1.0


@pytest.mark.full
def test_uncompiled_kernels_search_the_same_tree():
    code = (
        "import random\n"
        "from players.player import Limit\n"
        "from arena.rules.game import Game\n"
        "from arena.rules.variants import VARIANTS\n"
        "from players.negamax.player import Negamax\n"
        "english = VARIANTS['english']\n"
        "player = Negamax(english, 'strong', 'full')\n"
        "print(player.choose(Game(english), Limit(depth=3), random.Random(0)))\n"
    )
    assert python(code, NUMBA_DISABLE_JIT="1") == python(code)
