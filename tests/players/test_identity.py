"""What a player is made of: every file that it is loaded from, by content and place, in a run or a commit."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from arena.base.files import found_file
from arena.experiment.load import player_spec
from arena.experiment.names import distinct_names, short_entry
from arena.hosting.handle import LocalPlayer
from arena.ledger.info import player_hash
from arena.rules.variants import VARIANTS
from players.identity import at_commit, hash_of, keep, now, placed
from players.importing import forget_modules, loaded
from players.loading import PlayerError, files_of, load_object, located
from players.player import Pause, PlayerSpec
from players.table import build_player

ENGLISH = VARIANTS["english"]
PLAYER = """\
from pathlib import Path
import helper

class Own:
    def __init__(self, variant):
        self.says = (helper.WORTH, (Path(__file__).parent / "w.txt").read_text())

    def choose(self, game, limit, rng): ...
"""


@pytest.fixture(autouse=True)
def _nothing_loaded() -> None:
    forget_modules()


def written(folder: Path, worth: int = 1, weight: str = "a") -> PlayerSpec:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "player.py").write_text(PLAYER)
    (folder / "helper.py").write_text(f"WORTH = {worth}\n")
    (folder / "w.txt").write_text(weight)
    return PlayerSpec("own", f"{folder}/player.py:Own")


def says(spec: PlayerSpec) -> tuple[int, str]:
    player = build_player(spec, ENGLISH)
    found: tuple[int, str] = player.says  # type: ignore[attr-defined]
    return found


def recorded(spec: PlayerSpec, copies: Path | str = "") -> PlayerSpec:
    forget_modules()
    says(spec)
    assert not copies or keep(loaded(), copies) == []
    return replace(spec, files=loaded(), copies=str(copies))


def test_a_player_is_its_file_the_modules_that_it_imports_and_the_data_that_it_reads_by_their_places(tmp_path):
    one, two = (recorded(written(tmp_path / name, worth)) for name, worth in (("a", 1), ("b", 2)))
    here = placed({**one.files, **two.files}, tmp_path)
    assert set(here) == {f"{folder}/{file}" for folder in "ab" for file in ("player.py", "helper.py", "w.txt")}
    assert here["a/player.py"] == here["b/player.py"] and here["a/helper.py"] != here["b/helper.py"]
    assert placed(one.files, tmp_path / "elsewhere").keys() == {
        f"../a/{name}" for name in ("helper.py", "player.py", "w.txt")
    }
    written(tmp_path / "a", 1, "b")
    then = placed(now(here, tmp_path), tmp_path)
    assert [path for path in here if then[path] != here[path]] == ["a/w.txt"]


def test_an_edited_module_or_file_is_loaded_again_and_a_folders_own_helper_is_imported(tmp_path):
    spec, other = written(tmp_path / "a"), written(tmp_path / "b", 7)
    assert [says(spec), says(other), says(spec)] == [(1, "a"), (7, "a"), (1, "a")]
    written(tmp_path / "a", 2, "b")
    assert [says(spec), says(other)] == [(2, "b"), (7, "a")]


def test_players_of_one_process_have_their_own_files_although_another_one_imported_them(tmp_path):
    first, second = written(tmp_path / "a"), written(tmp_path / "b", 7)
    again = replace(first, name="again")
    shared = tmp_path / "a" / "other.py"
    shared.write_text(PLAYER)
    players = [LocalPlayer(spec, ENGLISH) for spec in (first, second, again, replace(first, type=f"{shared}:Own"))]
    for player in players:
        player.begin()
    files = [set(placed(player.files, tmp_path)) for player in players]
    for folder, name, found in zip("abaa", ("player", "player", "player", "other"), files, strict=True):
        assert found == {f"{folder}/{file}" for file in (f"{name}.py", "helper.py", "w.txt")}


def test_sources_are_loaded_as_they_are_recorded_whatever_became_of_the_files(tmp_path):
    spec = recorded(written(tmp_path), tmp_path / "copies")
    (tmp_path / "helper.py").write_text("WORTH = 2\n")
    (tmp_path / "player.py").unlink()
    assert says(spec) == (1, "a")
    forget_modules()
    (tmp_path / "helper.py").unlink()
    assert says(spec) == (1, "a")


def test_a_player_whose_data_changed_is_not_the_recorded_one(tmp_path):
    spec = recorded(written(tmp_path), tmp_path / "copies")
    for change in (lambda: (tmp_path / "w.txt").write_text("b"), (tmp_path / "w.txt").unlink):
        change()
        with pytest.raises(Pause, match=rf"{tmp_path}/w\.txt .* {tmp_path}/copies/.*/w\.txt"):
            says(spec)


def test_files_that_an_entry_names_are_its_players_and_one_that_is_missing_is_blamed(tmp_path):
    spec = located(replace(written(tmp_path), options={"files": ["net.bin", "none.bin"]}), tmp_path)
    (tmp_path / "net.bin").touch()
    with pytest.raises(PlayerError, match=r"there is no file .*none\.bin") as caught:
        says(spec)
    assert caught.value.keys == ("files", 1)
    (tmp_path / "none.bin").touch()
    player = LocalPlayer(spec, ENGLISH)
    player.begin()
    assert {"net.bin", "none.bin", "player.py"} < set(placed(player.files, tmp_path))


@pytest.mark.full
def test_large_files_are_not_copied(tmp_path):
    sizes = {"small": 1 << 10, "large": 40 << 20, "larger": 41 << 20}
    for name, size in sizes.items():
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    assert keep({str(tmp_path / name): hash_of(tmp_path / name) for name in sizes}, tmp_path / "copies") == []
    assert {file.name for file in (tmp_path / "copies").glob("*/*")} == {"small", "large"}


def test_a_file_that_a_player_writes_is_its_own(tmp_path):
    (tmp_path / "noting.py").write_text(
        "from pathlib import Path\nplace = Path(__file__).with_name('count.txt')\nplace.write_text('1')\n"
        "place.read_text()\nclass Own:\n    def choose(self, game, limit, rng): ...\n"
    )
    build_player(PlayerSpec("own", f"{tmp_path}/noting.py:Own"), ENGLISH)
    assert list(placed(loaded(), tmp_path)) == ["noting.py"]


@pytest.mark.parametrize(
    ("reference", "text"),
    [("asks.py:Own", "import queue\nqueue.best"), ("asks.py:Own", "from queue import best"), ("queue:Own", "")],
)
def test_a_module_that_pythons_own_hides_is_named(reference, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("queue.py", "asks.py"):
        (tmp_path / name).write_text(text or "class Own: ...")
    with pytest.raises(PlayerError, match=str(tmp_path / "queue.py")):
        load_object(reference, "type", callable)


def test_a_second_save_of_as_many_bytes_is_seen_although_it_keeps_the_time(tmp_path):
    file = tmp_path / "my.py"
    marks = []
    for text in ("a = 1", "a = 2", "a = 3"):
        file.write_text(text)
        os.utime(file, ns=(0, 0))
        marks.append(hash_of(file))
    assert len(set(marks)) == 3


def test_a_file_beside_the_configuration_comes_before_one_of_the_working_directory(tmp_path, monkeypatch):
    for name in ("beside", "here"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "net.npz").touch()
    monkeypatch.chdir(tmp_path / "here")
    assert found_file(Path("net.npz"), tmp_path / "beside") == tmp_path / "beside" / "net.npz"


# --- files of a commit


def git(folder: Path, *words: str) -> None:
    named = "-c", "user.name=a", "-c", "user.email=a@b"
    subprocess.run(["git", "-C", folder, *named, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two commits of a player in `bots`, its worth in a file beside it, and an edit of that."""
    bots = tmp_path / "bots"
    bots.mkdir()
    git(tmp_path, "init", "-q")
    (bots / "my.py").write_text("import worth\ndef value(position, rules): return worth.MAN\n")
    for worth in (1, 2, 3):
        (bots / "worth.py").write_text(f"MAN = {worth}\n")
        if worth < 3:
            git(tmp_path, "add", ".")
            git(tmp_path, "commit", "-qm", f"worth {worth}")
    return tmp_path


@pytest.mark.parametrize(("revision", "worth"), [("HEAD~1", 1), ("HEAD", 2)])
def test_a_file_of_a_commit_imports_what_stood_beside_it(repository, revision, worth):
    bots = repository / "bots"
    for folder, path in ((repository, "bots/my.py"), (bots, "bots/my.py"), (bots, "./my.py")):
        entry = short_entry(f"{revision}:{path}@d5", folder)
        spec = located(player_spec({"name": "a", **entry}), folder)
        assert load_object(spec.options["evaluation"], "evaluation", callable)(None, None) == worth
        forget_modules()


def test_a_path_without_a_revision_is_of_no_commit(repository):
    (repository / "HEAD:x.py").write_text("")
    for path in ("bots/my.py", "nothing:bots/my.py", "HEAD:x.py", ":my.py", "-x:my.py"):
        assert at_commit(Path(path), repository) is None
    assert at_commit(Path("HEAD:my.py"), repository / "nowhere") is None


def test_versions_of_one_file_have_names_that_tell_them_apart_and_are_one_player_if_they_are_equal():
    entries = [{"type": "negamax", "evaluation": f"{of}my.py:value", "depth": 5} for of in ("", "HEAD~1:")]
    assert distinct_names(entries) == ["my.py:value d5", "HEAD~1:my.py:value d5"]
    hashes = {player_hash(player_spec({"name": "a", **entry}), ["1"]) for entry in entries}
    assert len(hashes) == 1


def test_a_program_of_a_commit_is_built_there_once_before_it_is_hashed(repository):
    build = "cat worth.py > engine && echo built >> log"
    spec = PlayerSpec("a", "engine", options={"folder": "HEAD~1:bots", "command": "./engine", "build": build})
    first, again = located(spec, repository), located(spec, repository)
    folder = Path(str(first.options["folder"]))
    assert (folder / "engine").read_text() == "MAN = 1\n" and (folder / "log").read_text() == "built\n"
    assert first == again and str(folder / "engine") in files_of(first)
    broken = PlayerSpec("a", "engine", options={"command": "./engine", "build": "echo no compiler >&2; false"})
    with pytest.raises(PlayerError, match="no compiler"):
        located(broken, repository)
