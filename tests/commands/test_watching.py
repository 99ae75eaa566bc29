"""`--watch`: after each edit the verdict on the files as they are then, and never on older code."""

import html
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

import arena
from arena.commands import reports, watching
from tests.helpers.command_line import invoke

pytestmark = [pytest.mark.full, pytest.mark.compiled]
MATCH = ("match", "my.py:own@d2", "simple@d1", "--openings", "2", "--workers", "1", "--watch", "--out", "w")


def evaluation(men: object = 10, kings: str = "15", more: str = "", first: str = "") -> str:
    return f"""\
from arena import evaluator, features
{first}

@evaluator
def own(position, rules):
    value = 0.0
    for side, sign in ((position.turn, 1), (1 - position.turn, -1)):
        value += sign * {men} * features.men(position, rules, side)
        value += sign * {kings} * features.kings(position, rules, side)
    {more or "return value"}
"""


def save(text: str, name: str = "my.py") -> Callable[[], object]:
    return lambda: Path(name).write_text(text)


def watched(
    monkeypatch: pytest.MonkeyPatch, edits: Iterable[Callable[[], object]], words: Sequence[str] = MATCH
) -> tuple[list[Path], str]:
    """The folders of the versions played, and the output, where each wait for a change begins by an edit."""
    left, wait, add, played = iter(edits), watching.FollowedFiles.wait, reports.Session.add, list[Path]()

    def edited(files: watching.FollowedFiles) -> list[str]:
        edit = next(left, None)
        if edit is None:
            raise KeyboardInterrupt
        edit()
        return wait(files)

    def added(session: reports.Session, folder: Path, files: Mapping[str, str]) -> None:
        played.append(folder)
        add(session, folder, files)

    monkeypatch.setattr(watching.FollowedFiles, "wait", edited)
    monkeypatch.setattr(reports.Session, "add", added)
    done = invoke(*words)
    assert done.exit_code == 0, done.output
    return played, done.output


def folders(*numbers: int) -> list[Path]:
    return [Path("w" if number == 1 else f"w-{number}") for number in numbers]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(evaluation())()


def same_games(folder: Path) -> bool:
    """Whether the version in a folder played what a run without --watch plays of the files as they are."""
    config = arena.load(folder).experiment
    alone = arena.run(config, f"{folder}-alone", workers=1, quiet=True)
    searched = ["game", "ply", "move", "nodes", "depth", "score"]
    return bool(len(alone.games)) and arena.load(folder).moves[searched].equals(alone.moves[searched])


def test_an_edit_is_played_as_without_watch_and_compared_with_the_version_before(monkeypatch):
    played, output = watched(monkeypatch, [save(evaluation(men=5, kings="40"))])
    assert played == folders(1, 2)
    assert re.search(r"own d2 \(w-2\) .* own d2 \(w\) against the 1 opponent that both met", output)
    assert same_games(Path("w-2"))
    standings = output.rpartition("Player")[2]
    assert all(name in standings for name in ("own d2 (w)", "own d2 (w-2)", "simple d1"))
    for name, text in (("w", evaluation()), ("w-2", evaluation(men=5, kings="40"))):
        (copy,) = Path(name, "files").glob("*/my.py")
        assert copy.read_text() == text
    page = html.unescape(Path("w", watching.PAGE).read_text())
    assert "-        value += sign * 10 *" in page and "+        value += sign * 5 *" in page
    assert f"cp {next(Path('w', 'files').glob('*/my.py'))} my.py" in page


def replaced_as_editors_do(text: str) -> Callable[[], object]:
    def edit() -> None:
        Path("my.py").rename("my.py~")
        Path("new").write_text(text)
        Path("new").replace("my.py")

    return edit


def twice(first: Callable[[], object], second: Callable[[], object]) -> Callable[[], object]:
    return lambda: (first(), second())


def with_old_times(text: str) -> Callable[[], object]:
    def edit() -> None:
        status = Path("my.py").stat()
        Path("my.py").write_text(text)
        os.utime("my.py", ns=(status.st_atime_ns, status.st_mtime_ns))

    return edit


def overtaken(hangs: str, after: str) -> Callable[[], object]:
    """A save of what hangs, and another one once it is loaded."""

    def edit() -> None:
        save("from pathlib import Path\nPath('loaded').touch()\n" + hangs)()
        threading.Thread(target=save_once_loaded, daemon=True).start()

    def save_once_loaded() -> None:
        while not Path("loaded").exists():
            time.sleep(0.01)
        save(after)()

    return edit


def test_each_of_many_edits_has_the_right_verdict(monkeypatch):
    helped = evaluation(kings="WORTH", first="from helper import WORTH")
    read = evaluation(kings="WORTH", first="from pathlib import Path\nWORTH = int(Path('w.txt').read_text())")
    endless = evaluation(more="while value == value:\n        value += 0.0")
    function = "\n@numba.njit\ndef worth():\n    return 3.5\n"
    steps: list[tuple[int | str, Callable[[], object]]] = [
        (2, save(evaluation(kings="worth()", first="import numba" + function))),
        (3, twice(save("WORTH = 20\n", "helper.py"), save(helped))),
        (4, save("WORTH = 30\n", "helper.py")),
        ("SyntaxError", save(evaluation(men="10 +* 2"))),
        ("saved while it was tried", overtaken(endless, helped)),
        (3, save("WORTH = 20\n", "helper.py")),
        ("ZeroDivisionError", save(evaluation(more="return value / (value - value)"))),
        ("there is no file", Path("my.py").unlink),
        (5, twice(save("18", "w.txt"), save(read))),
        (6, save("19", "w.txt")),
        (7, with_old_times(evaluation(men=16))),
        (8, save(evaluation(men=16) + "# no other move\n")),
        ("TypingError", save(evaluation(more="return 'x'"))),
        (1, replaced_as_editors_do(evaluation())),
    ]  # fmt: skip
    played, output = watched(monkeypatch, [edit for _, edit in steps])
    assert played == folders(1, *(number for number, _ in steps if isinstance(number, int)))
    texts = [what for what, _ in steps if isinstance(what, str)]
    assert [text for text in texts if text not in output] == []
    assert "the games of w-7, move for move" in output
    save(helped)()
    save("WORTH = 30\n", "helper.py")()
    assert same_games(Path("w-4"))


def test_a_run_is_watched_with_its_configuration(monkeypatch):
    config = """\
name: own
variant: english
openings: {count: 2}
workers: 1
players:
  - {name: mine, type: negamax, depth: 1, evaluation: "my.py:own"}
  - {name: other, type: random}
"""
    save(config, "own.yaml")()
    steps = [
        save(config.replace("depth: 1", "depth: 2"), "own.yaml"),
        save("players: 3", "own.yaml"),
        save(config, "own.yaml"),
    ]
    played, output = watched(monkeypatch, steps, ("run", "own.yaml", "--watch", "--out", "w"))
    assert played == folders(1, 2, 1) and "own.yaml:1:" in output
    assert "mine: depth 1 in w, 2 in w-2" in output
