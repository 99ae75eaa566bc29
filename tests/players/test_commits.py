"""Players of a commit: what `REV:path` loads, what it is called by a run, and a program that is built there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arena.experiment.load import player_spec
from arena.experiment.names import distinct_names, short_entry
from arena.ledger.info import player_hash
from players.identity import at_commit
from players.importing import forget_modules
from players.loading import PlayerError, files_of, load_object, located
from players.player import PlayerSpec


def git(folder: Path, *words: str) -> None:
    named = "-c", "user.name=a", "-c", "user.email=a@b"
    subprocess.run(["git", "-C", folder, *named, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two commits of a player in `bots`, its worth in a file beside it, and an edit of that."""
    forget_modules()
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
def test_a_file_of_a_commit_imports_what_stood_beside_it(repository: Path, revision: str, worth: int) -> None:
    for folder, path in ((repository, "bots/my.py"), (repository / "bots", "./my.py")):
        entry = short_entry(f"{revision}:{path}@d5", folder)
        spec = located(player_spec({"name": "a", **entry}), folder)
        assert load_object(spec.options["evaluation"], "evaluation", callable)(None, None) == worth
        forget_modules()


def test_a_path_without_a_revision_is_of_no_commit(repository: Path) -> None:
    (repository / "HEAD:x.py").write_text("")
    for path in ("bots/my.py", "nothing:bots/my.py", "HEAD:x.py", ":my.py", "-x:my.py"):
        assert at_commit(Path(path), repository) is None
    assert at_commit(Path("HEAD:my.py"), repository / "nowhere") is None


def test_versions_of_one_file_have_names_that_tell_them_apart_and_are_one_player_if_they_are_equal() -> None:
    entries = [{"type": "negamax", "evaluation": f"{of}my.py:value", "depth": 5} for of in ("", "HEAD~1:")]
    assert distinct_names(entries) == ["my.py:value d5", "HEAD~1:my.py:value d5"]
    hashes = {player_hash(player_spec({"name": "a", **entry}), ["1"]) for entry in entries}
    assert len(hashes) == 1


def test_a_program_of_a_commit_is_built_there_once_before_it_is_hashed(repository: Path) -> None:
    build = "cat worth.py > engine && echo built >> log"
    spec = PlayerSpec("a", "engine", options={"folder": "HEAD~1:bots", "command": "./engine", "build": build})
    first, again = located(spec, repository), located(spec, repository)
    folder = Path(str(first.options["folder"]))
    assert (folder / "engine").read_text() == "MAN = 1\n" and (folder / "log").read_text() == "built\n"
    assert first == again and str(folder / "engine") in files_of(first)
    broken = PlayerSpec("a", "engine", options={"command": "./engine", "build": "echo no compiler >&2; false"})
    with pytest.raises(PlayerError, match="no compiler"):
        located(broken, repository)
