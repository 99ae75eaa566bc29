"""Hidden names are fields: none is in a text, whatever its length, and no word that is like one is lost."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from arena.ledger.moves import Moves
from arena.ledger.public import Pseudonyms
from arena.ledger.record import PROBE_COLUMNS, failures_of
from arena.report.page.sections import RunPage
from arena.report.run import Run
from arena.report.sheets import file_names, write_sheets
from players.finding import SAME_FILE, UNBUILT, Finding, parsed
from tests.helpers.report_data import changed, experiment, frames, player, run_of

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
    games["error"], games["machine"], games["cpu_seconds"] = "", "", 0.0
    for name in others:
        row = games.index[games["white"] == name][0]
        games.loc[row, ["result", "termination", "error"]] = ["black", "illegal_move", f"{name} {FAILED}"]
    found = (
        Finding("error", where=gone, said=f"{types[gone]} cannot be built: {gone} {words[0]}", kind=UNBUILT),
        Finding("error", "its evaluation is faulty, which is that of", where=gone, others=(others[0],)),
        Finding("warning", "has the same file as", where=others[0], kind=SAME_FILE, others=(others[1], gone)),
    )
    run = run_of(folder, experiment(players, anchor=others[-1]), games, moves)
    info = run.info._replace(found=found, left_out={gone: types[gone].partition(":")[0]})
    return changed(run, info=info, failures=tuple(failures_of(games.to_dict("records"))))


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
def test_no_name_of_another_one_is_in_a_sheet_or_in_a_report_without_names(tmp_path: Path, seed: int) -> None:
    rng, taken = random.Random(seed), set[str]()
    words = [made_up(rng, taken) for _ in range(16)]
    names = [*rng.sample(COMMON, 2), *(made_up(rng, taken) for _ in range(4))]
    rng.shuffle(names)
    run = class_named(tmp_path, names, words)
    paths = write_sheets(run)
    assert len(paths) == len(names) and all_differ([path.name for path in paths])
    own = {name: {name, *words[2 * i : 2 * i + 2]} for i, name in enumerate(names)}
    own[names[-1]] |= {words[-1], words[-2]}
    for name, path in zip([*names[1:], names[0]], paths, strict=True):
        page = path.read_text(encoding="utf-8")
        assert words_of(page) <= own[name], name
        assert name in unescape(page).replace("<wbr>", "")
        assert (FAILED in page) == (name != names[0])
    data = run.data._replace(
        moves=Moves(tmp_path, run.games, run.void_games, pd.Index(names), {}, 24, run.data.extras),
        probes=pd.DataFrame(columns=list(PROBE_COLUMNS)),
    )
    games: Any = run.games.assign(began=0.0)
    public = Pseudonyms(data.experiment, data.info, {}, games).of(data)
    told = [public.experiment.as_dict(), public.info.as_dict(), public.failures, public.games.to_csv()]
    assert not words_of(str(told)) and not {*names} & {*public.games["white"]}
    if seed < 5:
        hidden = public.published or {}
        moves = run.moves.assign(player=[hidden.get(name, (name,))[0] for name in run.moves["player"]])
        page = RunPage(changed(run, **{**public._asdict(), "moves": moves, "published": {}})).html
        assert not words_of(page)


def test_failures_are_those_of_the_player_who_lost_however_another_one_is_called(tmp_path: Path) -> None:
    run = class_named(tmp_path, ["gone", "bot 2", "bot", "b"], [f"w{n}" for n in range(10)])
    failures = run.submissions.set_index("player")["failures"]
    assert failures.dropna().to_dict() == {"bot 2": 1, "bot": 1, "b": 1} and pd.isna(failures["gone"])


def test_a_finding_is_read_back_as_it_was_stored() -> None:
    finding = Finding("warning", "has the same file as", where="anna", kind=SAME_FILE, others=("bob",))
    assert parsed(json.loads(json.dumps(finding.as_dict()))) == finding


def test_older_sheets_are_removed_and_a_file_of_the_users_own_stays(tmp_path: Path) -> None:
    run = class_named(tmp_path, ["ann", "bo", "cy", "di"], [f"word{number}" for number in range(12)])
    sheets = write_sheets(run)
    own = sheets[0].with_name("mine.html")
    own.write_text("<p>What I say to the class.")
    sheets[0].rename(own.with_name("older.html"))
    assert write_sheets(run) == sheets and {*own.parent.iterdir()} == {*sheets, own}
