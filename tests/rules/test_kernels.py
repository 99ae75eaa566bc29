"""How kernels are compiled and kept: which files the cache depends on, what a second process loads."""

import os
import re
import subprocess
import sys
import tempfile
import time

import pytest

from arena.base.files import ROOT
from arena.rules.jit import cache
from arena.rules.variants import VARIANTS
from players.evaluation.build import explained_value

ENGLISH = VARIANTS["english"]
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
mine.compiled(english.rules)
kernels = {id(value): value for name, module in list(sys.modules.items())
           if name.partition(".")[0] in ("arena", "players")
           for value in [*vars(module).values(), *inlined] if isinstance(value, Dispatcher)}.values()
[compiled] = mine._compiled.values()
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels), 1 - compiled.cache_hits)
"""
"""Prints what must not depend on the cache, and how many kernels and evaluations were compiled."""


def test_kernels_stand_only_where_the_hash_of_their_folder_looks():
    imports = re.compile(r"import .*\b(kernel|inlined|evaluator|callback)\b")
    files = [*(ROOT / "arena").rglob("*.py"), *(ROOT / "players").rglob("*.py")]
    own = [path for path in files if "templates" not in path.parts]  # they become a user's own code
    users = {path.relative_to(ROOT).as_posix() for path in own if imports.search(path.read_text())}
    sources = {path.relative_to(ROOT).as_posix() for path in cache.kernel_sources()}
    assert {"arena/rules/captures.py", "players/negamax/search.py"} <= users <= sources | {"arena/__init__.py"}


def python(code: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_change_of_code_has_another_folder_and_a_change_of_words_has_not(tmp_path, monkeypatch):
    (path := tmp_path / "tree" / "arena" / "rules" / "moves.py").parent.mkdir(parents=True)
    monkeypatch.setattr("arena.rules.jit.cache.ROOT", tmp_path / "tree")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    text = '"""Moves."""\ndef f(x):\n    """One more."""\n    if x > 8: raise E("many")\n    return x + 1\n'
    folders = []
    for old, new in (
        ("", ""),
        ("Moves", "All, moves"),
        ("One", "1"),
        ("many", "too, many"),
        ("\n", "\n# why\n"),
        ("+ 1", "+ 2"),
    ):
        path.write_text(text.replace(old, new) if old else text)
        folders.append(cache.cache_folder.__wrapped__())
    assert folders[0].parent == tmp_path / "cache" / "draughts-arena"
    assert [folder == folders[0] for folder in folders] == [True, True, True, True, True, False]


@pytest.mark.parametrize("fault", ["anybody may write", "another user's", "a link"])
def test_a_folder_into_which_others_could_have_put_code_is_not_used(fault, tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    places = [tmp_path / "cache" / "draughts-arena", tmp_path / f"draughts-arena-{os.getuid()}"]
    for place in places:
        place.mkdir(parents=True)
        if fault == "a link":
            place.rename(place.with_name(f"{place.name}-elsewhere"))
            place.symlink_to(f"{place}-elsewhere")
        place.chmod(0o777 if fault == "anybody may write" else 0o700)
    if fault == "another user's":
        own = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: own + 1)
        places[1] = places[1].rename(tmp_path / f"draughts-arena-{own + 1}")
    assert not {cache.cache_folder.__wrapped__().parent} & {*places, *(place.resolve() for place in places)}


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
def test_without_a_place_to_write_to_a_temporary_folder_is_used_with_a_warning(
    cause, tmp_path, monkeypatch, caplog
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file") if cause == "no folder" else "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if cause == "no home":
        monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as without HOME and without a user's entry
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders = {cache.cache_folder.__wrapped__() for _ in range(2)}
    assert [folder.parent for folder in folders] == [tmp_path / f"draughts-arena-{os.getuid()}"]
    (message,) = caplog.messages
    assert str(tmp_path / f"draughts-arena-{os.getuid()}") in message
    assert ("home" if cause == "no home" else str(tmp_path / "file")) in message


@pytest.mark.full
def test_a_second_process_compiles_nothing_but_a_users_code(tmp_path):
    """It loads the recursive kernels of perft and of the search, too."""
    path = tmp_path / "mine.py"
    path.write_text(
        "from arena import evaluator\n\n@evaluator\ndef mine(position, rules):\n    return 1.0 * position.turn\n"
    )
    first, second = (python(USE, str(path)).splitlines() for _ in range(2))
    assert second == [first[0], "0 1"]
    assert first[0].split()[0] == "7361"


@pytest.mark.full
def test_an_import_does_not_touch_the_disk_and_compilation_is_announced_once_and_ends_with_its_context(tmp_path):
    place = tmp_path / "cache"
    code = (
        "from pathlib import Path\n"
        "import players.table\n"
        "from arena.rules.jit.kernel import compiling, compiling_meanwhile\n"
        "from arena.rules.movegen import legal_moves\n"
        "from arena.rules.variants import VARIANTS\n"
        "from players.negamax.search import compiled_search\n"
        f"print(Path({str(place)!r}).exists())\n"
        "rules, start, compiled = VARIANTS['english'].rules, VARIANTS['english'].start, []\n"
        "with compiling.heard_by(lambda: compiled or compiled.append(print('compiling'))):\n"
        "    with compiling_meanwhile(lambda: compiled_search(rules)):\n"
        "        pass\n"
        "    print(len(legal_moves(rules, start)))\n"
    )
    environment = {"NUMBA_CACHE_DIR": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    assert [python(code, **environment) for _ in range(2)] == ["False\ncompiling\n7\n", "True\n7\n"]
    assert not list(place.rglob("*search*.nbi"))


MINE = """\
from pathlib import Path
from arena import evaluator
from parts.weight import worth

weight = float((Path(__file__).parent / "w.txt").read_text())

@evaluator
def mine(position, rules):
    return weight + worth()
"""
WEIGHT = "from arena import kernel\n\n@kernel\ndef worth():\n    return {0}.0\n"


@pytest.mark.compiled
def test_what_an_evaluation_captures_is_loaded_and_compiled_again_when_its_file_is_edited(tmp_path):
    def value(weight: int, worth: int) -> float:
        (tmp_path / "w.txt").write_text(f"{weight}")
        (tmp_path / "parts" / "weight.py").write_text(WEIGHT.format(worth))
        return explained_value(ENGLISH, ENGLISH.start, f"{tmp_path}/mine.py:mine")[0]

    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "parts").mkdir()
    assert [value(5, 10), value(7, 10), value(7, 20)] == [15, 17, 27]
