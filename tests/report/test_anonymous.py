"""Reports without names: no file has a real one, wherever it stood."""

from __future__ import annotations

import base64
import json
import platform
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from arena.ledger.info import RunInfo
from arena.ledger.public import Pseudonyms, published
from arena.ledger.read import read
from arena.report.load import list_runs
from players.finding import Finding
from tests.helpers.command_line import invoke, refused
from tests.helpers.report_data import experiment, player

HOST = "secret-host"
PLAYER = """\
from arena import Choice


class BexleyError(Exception):
    pass


class {name}Bot:
    def __init__(self, variant, author=""):
        self.author = author

    def choose(self, game, limit, rng):
        if {fails} and len(game.moves) > 4:
            raise BexleyError(f"{{self.author}} of Quillfield has not written this")
        return Choice(game.legal_moves[0], extra={{"{name}_count": 1.0}})
"""
EVALUATION = """\
from arena import evaluator


@evaluator
def carlotta_value(position, rules):
    return 0
"""
SECRETS = ("anneliese", "smythe", "bexley", "carlotta", "quillfield", "o'dowd", "o&#39;dowd", "o\\u0027dowd")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of submissions, of which one fails, one is in a folder with a name, and one is an evaluation."""
    home = tmp_path_factory.mktemp("class")
    (home / "bexley").mkdir()
    (home / "anneliese_smythe.py").write_text(PLAYER.format(name="Anneli", fails=False))
    (home / "bexley" / "bot.py").write_text(PLAYER.format(name="Bexley", fails=True))
    (home / "carlotta.py").write_text(EVALUATION)
    own: dict[str, Any] = {"author": "Bexley O'Dowd"}
    document = {
        "name": "homework",
        "variant": "english",
        "openings": {"random_plies": 4, "count": 3},
        "max_plies": 40,
        "failures": {"disqualify_after": 0},
        "anchor": "Anneliese Smythe",
        "players": [
            {"name": "Anneliese Smythe", "type": "anneliese_smythe.py:AnneliBot", **own},
            {"name": "bexley", "type": "bexley/bot.py:BexleyBot", **own},
            {"name": "carlotta", "type": "greedy", "evaluation": "carlotta.py:carlotta_value"},
            {"name": "random", "type": "random"},
        ],
    }
    (home / "bot.yaml").write_text(json.dumps(document), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(platform, "node", lambda: HOST)
        done = invoke("run", home / "bot.yaml", "--out", home / "homework", "--workers", 1, "--no-report")
    assert done.exit_code == 3, done.output
    return home / "homework"


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder, by their paths in it; what a page has packed is unpacked."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() + b"".join(_unpacked(path))
        for path in folder.rglob("*")
        if path.is_file()
    }


def _unpacked(page: Path) -> Iterator[bytes]:
    if page.suffix == ".html":
        for text in re.findall(r'"(eJ[\w+/]{20,}=*)"', page.read_text(encoding="utf-8")):
            yield zlib.decompress(base64.b64decode(text))


def test_no_byte_of_what_is_written_has_a_real_name_a_path_or_a_machine(folder: Path) -> None:
    done = invoke("report", folder, "--anonymous", "--fen")
    assert done.exit_code == 0
    found = contents(folder / "anonymous")
    assert len(found) > 10 and any(b'"captured":' in page for page in found.values())
    secrets = (*SECRETS, str(folder.parent), HOST, str(Path(__file__).parents[2]))
    assert [name for name, text in found.items() for secret in secrets if secret.encode() in text.lower()] == []
    assert set(pd.read_csv(folder / "anonymous" / "games.csv")["machine"]) == {"machine 1"}
    assert all(b"player 2" in found[name] for name in ("report.html", "games.pdn", "submissions.csv"))
    assert b"failed by an error at ply" in found["games.csv"]
    names = pd.read_csv(folder / "names.csv")
    assert dict(zip(names["player"], names["file"], strict=True)) == {
        "Anneliese Smythe": "anneliese_smythe.py",
        "bexley": "bexley/bot.py",
        "carlotta": "carlotta.py",
    }
    assert names["published"].tolist() == ["player 1", "player 2", "player 3"]
    assert not [name for name in found if "names" in name] and f"names: {folder / 'names.csv'}" in done.stdout


@pytest.mark.full
def test_a_sheet_has_its_own_player_and_nothing_of_the_others(folder: Path) -> None:
    done = invoke("report", folder, "--sheets")
    assert done.exit_code == 0 and f"sheets: 3 files in {folder / 'sheets'}" in done.stdout
    found = {path.name: path.read_text(encoding="utf-8").lower() for path in (folder / "sheets").iterdir()}
    secrets = {"Anneliese_Smythe.html": "anneliese", "bexley.html": "quillfield", "carlotta.html": "carlotta"}
    assert set(found) == set(secrets)
    for name, text in found.items():
        assert {other for other, word in secrets.items() if word in text} == {name}
        assert ("submission 1" in text or "submission 2" in text) and "random" in text


@pytest.mark.full
def test_the_report_without_names_is_that_of_the_run_and_the_same_each_time(folder: Path) -> None:
    assert invoke("report", folder, "--anonymous").exit_code == 0
    first = contents(folder / "anonymous")
    assert invoke("report", folder).exit_code == 0
    assert invoke("report", folder, "--anonymous").exit_code == 0
    assert contents(folder / "anonymous") == first
    names = pd.read_csv(folder / "names.csv").set_index("player")["published"]
    own, other = (pd.read_csv(path / "standings.csv") for path in (folder, folder / "anonymous"))
    assert own["player"].replace(names).tolist() == other["player"].tolist()
    pd.testing.assert_frame_equal(own.drop(columns="player"), other.drop(columns="player"))
    assert published(read(folder)).experiment.anchor == {names["Anneliese Smythe"]: 0.0}


def test_numbers_follow_neither_the_order_of_the_file_nor_that_of_names(tmp_path: Path) -> None:
    players = [player(f"s{number:02}", type=f"work/s{number:02}.py:Bot") for number in range(20)]
    times = pd.DataFrame({"game": [1], "machine": [""], "began": [0.0], "seconds": [0.25], "cpu_seconds": [0.125]})
    one, again, other = (
        Pseudonyms(experiment(players), RunInfo(1), {}, games).names
        for games in (times, times, times.assign(seconds=0.25000000001))
    )
    assert one == again != other and list(one) not in (sorted(one), sorted(one, reverse=True))
    assert sorted(one.values()) == sorted(f"player {number}" for number in range(1, 21))


def test_nobody_is_told_by_a_place_in_a_list() -> None:
    names = [f"s{number:02}" for number in range(20)]
    players = [player(name, type=f"work/{name}.py:Bot") for name in names]
    found = tuple(Finding("error", where=name, said="raised KeyError") for name in names)
    info = RunInfo(1, men=dict.fromkeys(names), found=found, left_out=dict.fromkeys(names, ""))
    empty = pd.DataFrame(columns=["game", "machine", "began", "seconds", "cpu_seconds"])
    public = Pseudonyms(experiment(players), info, {}, empty).info(info)
    for listed in (list(public.men), list(public.left_out), [one.where for one in public.found]):
        assert listed == sorted(listed) and len(listed) == 20 and not {*listed} & {*names}


def test_a_folder_of_several_runs_is_refused_and_a_run_without_submissions_has_no_sheets(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    list_runs(tmp_path / "runs", "two", ["english", "russian"])
    assert f"{tmp_path}/runs/english" in refused("report", tmp_path / "runs", "--anonymous")
    config = tmp_path / "t.yaml"
    config.write_text(
        "name: t\nvariant: english\nopenings: {random_plies: 4, count: 1}\nmax_plies: 4\n"
        "players: [{name: a, type: random}, {name: b, type: random}]\n"
    )
    assert "no submissions" in refused("run", config, "--out", tmp_path / "out", "--sheets")
    assert not (tmp_path / "out").exists()
