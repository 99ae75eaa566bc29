"""Sheets: each has its own player and no name of another, whatever its length and wherever it stands."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from html import unescape
from pathlib import Path

import pandas as pd
import pytest

from arena.ledger.info import Entrant, RunInfo
from arena.report.run import Run
from arena.report.sheets import file_names, opponents, write_sheets
from arena.report.viewer import RunGames
from arena.report.write import write
from players.loading import SAME_FILE, UNBUILT, Finding
from tests.helpers.command_line import invoke, refused
from tests.helpers.report_data import changed, data_of, experiment, found_before, frames, player, run_of

COMMON = (
    "move",
    "is",
    "ply",
    "illegal",
    "a",
    "A",
    "a-1",
    "é",
    "e\u0301",
    "the file",
    "error",
    "place",
    "bot",
    "bot 2",
)
"""Names that are words of reports, or that differ little."""
LETTERS = "ждщюяђѣѫҗ"
"""Letters of no word of a report."""
FAILED = "returned the illegal move 12345 at ply 8"
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


def made_up(rng: random.Random, taken: set[str]) -> str:
    """A name of one to six LETTERS that is not taken."""
    while (name := "".join(rng.choices(LETTERS, k=rng.randint(1, 6)))) in taken:
        pass
    taken.add(name)
    return name


def class_named(folder: Path, names: list[str], words: list[str]) -> Run:
    """A class whose players, files and classes have these names and words; the first is left out."""
    gone, *others = names
    types = {name: f"work/{words[2 * i]}.py:{words[2 * i + 1]}" for i, name in enumerate(names)}
    modules = {others[-1]: f"work.{words[-1]}:{words[-2]}"}
    players = [player("built", 3), *(player(name, type=(types | modules)[name]) for name in others)]
    games, moves = frames(players, 1, plies=4)
    games["error"] = ""
    for name in others:
        row = games.index[games["white"] == name][0]
        games.loc[row, ["result", "termination", "error"]] = ["black", "illegal_move", f"{name} {FAILED}"]
    found = (
        Finding("error", where=gone, detail=f"{types[gone]} cannot be built: {gone} {words[0]}", kind=UNBUILT),
        Finding("error", "its evaluation is faulty, which is that of", where=gone, others=(others[0],)),
        Finding("warning", "has the same file as", where=others[0], kind=SAME_FILE, others=(others[1], gone)),
    )
    run = run_of(folder, experiment(players, anchor=others[-1]), games, moves)
    return changed(run, info=found_before(run.info, found, {gone: types[gone].partition(":")[0]}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of submissions, of which one fails, one is in a folder with a name, and one is an evaluation."""
    home = tmp_path_factory.mktemp("class")
    (home / "bexley").mkdir()
    (home / "anneliese_smythe.py").write_text(PLAYER.format(name="Anneli", fails=False))
    (home / "bexley" / "bot.py").write_text(PLAYER.format(name="Bexley", fails=True))
    (home / "carlotta.py").write_text(EVALUATION)
    own = {"author": "Bexley O'Dowd"}
    document = {
        "name": "homework",
        "variant": "english",
        "openings": {"random_plies": 4, "count": 3},
        "max_plies": 40,
        "failures": {"withdraw_after": 0},
        "anchor": "Anneliese Smythe",
        "players": [
            {"name": "Anneliese Smythe", "type": "anneliese_smythe.py:AnneliBot", **own},
            {"name": "bexley", "type": "bexley/bot.py:BexleyBot", **own},
            {"name": "carlotta", "type": "greedy", "evaluation": "carlotta.py:carlotta_value"},
            {"name": "random", "type": "random"},
        ],
    }
    (home / "bot.yaml").write_text(json.dumps(document), encoding="utf-8")
    done = invoke("run", home / "bot.yaml", "--out", home / "homework", "--workers", 1, "--no-report")
    assert done.exit_code == 3, done.output
    return home / "homework"


def words_of(page: str) -> set[str]:
    """The words of a page's text, in the letters that LETTERS are of."""
    return set(re.findall(f"[{LETTERS}]+", unescape(page).lower()))


def all_differ(names: list[str]) -> bool:
    """Whether names are different files, also where case and the way to write an accent do not count."""
    return len({unicodedata.normalize("NFC", name).casefold() for name in names}) == len(names)


@pytest.mark.parametrize(
    "names", [COMMON, ("a", "A", "a-1"), ("a-2", "a", "A"), ("", ".", "..", "/"), ("x", "X") * 9]
)
def test_every_name_has_a_file_of_its_own(names: tuple[str, ...]) -> None:
    files = file_names(list(names))
    assert len(files) == len(names) and all_differ(files)
    assert all(re.fullmatch(r"[\w-][\w.-]*\.html", file) for file in files)


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(3, 30))]
)
def test_no_name_of_another_one_x(tmp_path: Path, seed: int) -> None:
    rng, taken = random.Random(seed), set[str]()
    words = [made_up(rng, taken) for _ in range(16)]
    names = [*rng.sample(COMMON, 2), *(made_up(rng, taken) for _ in range(4))]
    rng.shuffle(names)
    run = class_named(tmp_path, names, words)
    paths = write_sheets(run, RunGames(run))
    assert len(paths) == len(names) and all_differ([path.name for path in paths])
    own = {name: {name, *words[2 * i : 2 * i + 2]} for i, name in enumerate(names)}
    own[names[-1]] |= {words[-1], words[-2]}
    for name, path in zip([*names[1:], names[0]], paths, strict=True):
        page = path.read_text(encoding="utf-8")
        games = json.dumps(data_of(page)["listed"], ensure_ascii=False) if "data-games" in page else ""
        assert words_of(page) | words_of(games) <= own[name], name
        assert name in unescape(page).replace("<wbr>", "")
        assert (FAILED in page) == (name != names[0])


def test_failures_are_those_of_the_player_who_lost_however_another_one_is_called(tmp_path: Path) -> None:
    run = class_named(tmp_path, ["gone", "bot 2", "bot", "b"], [f"w{n}" for n in range(10)])
    failures = run.submissions.set_index("player")["failures"]
    assert failures.dropna().to_dict() == {"bot 2": 1, "bot": 1, "b": 1} and pd.isna(failures["gone"])


def test_a_finding_is_read_back_as_it_was_stored() -> None:
    finding = Finding("warning", "has the same file as", where="anna", kind=SAME_FILE, others=("bob",))
    info = RunInfo({"anna": Entrant("hash", findings=(finding,))})
    assert RunInfo.parsed(json.loads(json.dumps(info.as_dict()))) == info


def test_older_sheets_are_removed_and_a_file_of_the_users_own_stays(tmp_path: Path) -> None:
    run = class_named(tmp_path, ["ann", "bo", "cy", "di"], [f"word{number}" for number in range(12)])
    sheets = write(changed(run, experiment=run.experiment.model_copy(update={"report": ("sheets",)})))
    assert sheets
    own = sheets[0].with_name("mine.html")
    own.write_text("<p>What I say to the class.")
    sheets[0].rename(own.with_name("older.html"))
    assert write_sheets(run, RunGames(run)) == sheets and {*own.parent.iterdir()} == {*sheets, own}


@pytest.mark.full
def test_a_sheet_has_its_own_player_and_nothing_of_the_others(folder: Path) -> None:
    done = invoke("report", folder, "--sheets")
    assert done.exit_code == 0 and f"sheets: 3 files in {folder / 'sheets'}" in done.stdout
    found = {path.name: path.read_text(encoding="utf-8").lower() for path in (folder / "sheets").iterdir()}
    secrets = {"Anneliese_Smythe.html": "anneliese", "bexley.html": "quillfield", "carlotta.html": "carlotta"}
    assert set(found) == set(secrets)
    for name, text in found.items():
        assert {other for other, word in secrets.items() if word in text} == {name}
        assert ("opponent 1" in text or "opponent 2" in text) and "random" in text


def test_a_run_without_submissions_has_no_sheets(tmp_path: Path) -> None:
    config = tmp_path / "t.yaml"
    text = (
        "name: t\nvariant: english\nopenings: {random_plies: 4, count: 1}\nmax_plies: 4\n"
        "players: [{name: a, type: random}, {name: b, type: random}]\n"
    )
    config.write_text(text)
    config.write_text(text + "report: [sheets]\n")
    assert "no submissions" in refused("run", config, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_numbers_follow_neither_the_order_of_the_file_nor_that_of_names(tmp_path: Path) -> None:
    players = [player(f"s{number:02}", type=f"work/s{number:02}.py:Bot") for number in range(20)]
    run = run_of(tmp_path, experiment(players), *frames(players[:2], 1, plies=4))
    one, again, other = (
        opponents(changed(run, info=run.info._replace(players={"s00": Entrant(mark)}))) for mark in ("a", "a", "b")
    )
    assert one == again != other and list(one) not in (sorted(one), sorted(one, reverse=True))
    assert sorted(one.values()) == sorted(f"opponent {number}" for number in range(1, 21))
