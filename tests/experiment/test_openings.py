"""Openings: ballots, random ones, files, and how a configuration asks for them."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from arena.experiment.load import load
from arena.experiment.openings import MAX_OPENINGS, SETS, sources
from arena.experiment.openings.sources import (
    Opening,
    OpeningsError,
    drawn,
    file_openings,
    is_even,
    random_line,
    random_openings,
    set_openings,
    sets_of,
)
from arena.experiment.yaml.values import ConfigError
from arena.play.prepare import prepare
from arena.rules.custom import build_variant
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.variants import VARIANTS, Variant
from tests.helpers.command_line import invoke, one_line, refused
from tools.opening_sets import balance, generated, replayed

ENGLISH = VARIANTS["english"]
FIRST_TWO = [
    "B:W14,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,12,13,15",
    "B:W17,21,23,24,25,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,11,12",
]
"""Those of seed 0 after 4 random plies, so that old runs can be repeated."""
CONFIG = """\
name: t
variant: english
openings: {openings}
players: [{{name: a, type: random}}, {{name: b, type: random}}]
"""


def prepared(folder: Path, openings: str) -> list[str]:
    path = folder / "config.yaml"
    path.write_text(CONFIG.format(openings=openings))
    plan = prepare(load(path))
    return [fen(plan.variant, opening.position) for opening in plan.parts.openings.openings]


COUNTS = {
    "english-2-move": {"usual": 43, "barred": 6},  # American Checker Federation
    "english-3-move": {"usual": 144, "mail play": 12, "barred": 18},  # American Checker Federation, 2002
    "english-11-man": {"usual": 2253, "barred": 247},  # E. Gilbert; 2500 by the North Carolina Checker Association
    "international-2-ply": {"usual": 79, "barred": 2},  # Moby Dam
    "international-3-ply": {"usual": 333, "barred": 114},  # ours; Moby Dam, by a rule of its own, plays 331
    "russian-table": {"usual": 742},  # of 745 rows (D. Tsinman, 2017), of which three pairs are one position each
    "brazilian-table": {"usual": 734},  # of 736 rows, with two such pairs
    "italian-table": {
        "even": 26, "White +1": 13, "White +2": 2, "White +3": 4,
        "Black +1": 44, "Black +2": 41, "Black +3": 36, "Black +4": 8,
    },  # Federazione Italiana Dama
}  # fmt: skip
"""The openings of each set, by their marks."""
ROWS = {"russian-table": 745, "brazilian-table": 736, "italian-table": 174}
FAULTS = ("9-14 21-17", "9-14 23-18", "10-14 21-17", "10-14 23-18", "11-16 23-19", "12-16 23-19")
"""The barred two-move ballots."""


def barred_too(name: str) -> list[Opening]:
    return set_openings(VARIANTS[SETS[name].variant], name, barred=True)


@pytest.mark.full(only=["english-11-man"])
@pytest.mark.parametrize("name", SETS)
def test_a_set_has_the_openings_of_its_source_each_once(name):
    found = barred_too(name)
    assert Counter(opening.mark for opening in found) == COUNTS[name]
    assert len({opening.position for opening in found}) == len(found)
    played = set_openings(VARIANTS[SETS[name].variant], name)
    assert (SETS[name].played, SETS[name].barred) == (len(played), COUNTS[name].get("barred", 0))
    if name in ROWS:
        assert len([row for opening in found for row in opening.name.split(" = ")]) == ROWS[name]
    if name == "english-2-move":
        assert {opening.name for opening in found if opening.mark == "barred"} == set(FAULTS)


@pytest.mark.full(but=["english-2-move", "italian-table"])
@pytest.mark.parametrize("name", SETS)
def test_the_lines_of_a_set_are_legal_and_lead_to_its_positions(name):
    variant = VARIANTS[SETS[name].variant]
    assert all(replayed(variant, opening.name) == opening.position for opening in barred_too(name))


@pytest.mark.full(but=["english-2-move", "english-3-move"])
@pytest.mark.parametrize("name", [name for name in SETS if name not in ("russian-table", "brazilian-table")])
def test_a_set_has_all_positions_that_its_rule_gives(name):
    """Those of the Italian table are the positions after three plies in which no man is lost, as in English."""
    assert {opening.position for opening in barred_too(name)} == set(generated(name))


@pytest.mark.full
@pytest.mark.parametrize("name", SETS)
def test_the_balance_of_openings_is_what_the_search_finds(name):
    variant, found = VARIANTS[SETS[name].variant], barred_too(name)
    for opening in Random(0).sample(found, 8):
        assert float(opening.balance) == pytest.approx(balance(variant, opening.position), abs=0.006)
    played = [opening for opening in found if opening.mark != "barred"]
    off = [opening.name for opening in played if abs(float(opening.balance)) >= 0.5]
    assert off == (["XV-18: cd4 fg5 gh4 gf4"] if name == "russian-table" else [])


def test_a_variant_plays_the_sets_of_those_with_its_start_and_moves():
    english = [f"english-{what}" for what in ("2-move", "3-move", "11-man")]
    assert [one.name for one in sets_of(VARIANTS["cis300"])] == english
    assert [one.name for one in sets_of(build_variant({"base": "english", "repetition": 0}))] == english
    assert [one.name for one in sets_of(VARIANTS["brazilian"])] == ["brazilian-table"]
    for other in ("game3", "simplified", "english-6x6", "killer", {"base": "english", "first": "white"}):
        assert sets_of(build_variant(other)) == []
    with pytest.raises(OpeningsError) as caught:
        set_openings(VARIANTS["russian"], "english-3-move")
    one_line(caught.value)


def test_balanced_openings_win_no_material_and_the_first_of_a_seed_are_the_same_for_any_count():
    balanced = random_openings(ENGLISH, 6, 15, seed=2)
    unbalanced = random_openings(ENGLISH, 6, 60, seed=2, balanced=False)
    assert all(is_even(ENGLISH, opening.position) for opening in balanced)
    assert not all(is_even(ENGLISH, opening.position) for opening in unbalanced)
    assert random_openings(ENGLISH, 6, 5, seed=2) == balanced[:5]
    assert random_openings(ENGLISH, 6, 0, seed=2) == []
    fens = [fen(ENGLISH, opening.position) for opening in random_openings(ENGLISH, 4, 2, seed=0)]
    assert fens == FIRST_TWO


@pytest.mark.parametrize(
    ("plies", "count", "message"),
    [
        (3, 175, "175 .* are too many: .* had 174.*; raise random_plies"),
        (12, 10**9, f"more than {MAX_OPENINGS}"),
    ],
)
def test_more_openings_than_there_are_end_in_an_error_soon(plies, count, message, monkeypatch):
    tries = []

    def counted(variant: Variant, plies: int, rng: Random) -> Game:
        tries.append(plies)
        assert len(tries) < 40_000
        return random_line(variant, plies, rng)

    monkeypatch.setattr(sources, "random_line", counted)
    with pytest.raises(OpeningsError, match=message):
        random_openings(ENGLISH, plies, count, seed=0)


def test_all_even_openings_of_three_plies_are_found(monkeypatch):
    monkeypatch.setattr(sources, "_SILENT_SECONDS", -1.0)
    progress: list[str] = []
    assert len(random_openings(ENGLISH, 3, 174, 4, say=progress.append)) == 174
    assert progress[-1] == "173 of 174 openings of 3 random plies are found"


def test_openings_drawn_by_lot_are_seeded_and_distinct():
    all_of_them = set_openings(ENGLISH, "english-3-move")
    ten = drawn(all_of_them, 10, seed=1)
    assert len({opening.position for opening in ten}) == 10 and ten != drawn(all_of_them, 10, seed=2)
    assert drawn(all_of_them, 150, seed=1)[:10] == ten
    assert drawn(all_of_them * 2, None, seed=1) == all_of_them
    with pytest.raises(OpeningsError, match="there are only 156 such openings, not 157"):
        drawn(all_of_them, 157, seed=1)


def test_a_file_holds_a_fen_a_line(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("# two\n\nB:W21:B1\nW:W21:B1  {with a name}\n")
    found = file_openings(ENGLISH, path).openings
    assert [fen(ENGLISH, opening.position) for opening in found] == ["B:W21:B1", "W:W21:B1"]
    for text in ("B:W21:B1\nB:W99:B1\n", "# nothing\n", "B:W" + 10**6 * "x", 10**6 * "["):
        for file in (path, path.with_suffix(".pdn")):
            file.write_text(text)
            with pytest.raises(OpeningsError) as caught:
                file_openings(ENGLISH, file)
            assert len(str(caught.value)) < 400 + len(str(file)) and "\n" not in str(caught.value)


BOOK = """\
[GameType "21"]
1. 9-13 {+0.34/12 0.050s} 21-17 $2 {-W7} 2. 5-9 *

[GameType "21"]
1. 9-14 22-17 2. 11-15 25-22 3. 15-19 24x15 4. 10x19 23x16 5. 12x19 17x10 6. 6x15 1-2 *

1. 11-15 *
"""


def test_a_pdn_file_gives_the_final_positions_of_its_games_or_those_after_some_plies(tmp_path):
    path = tmp_path / "book.pdn"
    path.write_text(BOOK)
    whole, early = file_openings(ENGLISH, path), file_openings(ENGLISH, path, 3)
    assert whole.openings[0].position == early.openings[0].position == barred_too("english-3-move")[0].position
    assert [len(found.openings) for found in (whole, early)] == [2, 2]
    assert ["ply 12" in whole.left_out[0], "1 plies, not 3" in early.left_out[0]] == [True, True]
    first = [fen(ENGLISH, opening.position) for opening in early.openings]
    assert prepared(tmp_path, "{file: book.pdn, plies: 3, order: file, count: 1}") == first[:1]
    for openings in (
        *("{file: a.txt, plies: 3}", "{plies: 3}", "{order: file}", "{set: english-3-move, count: 157}"),
        *("{file: nowhere.txt}", "{count: 1000000000}", "{set: russian-table}"),
    ):
        with pytest.raises(ConfigError, match=r"config.yaml:3:\d+: "):
            prepared(tmp_path, openings)


@pytest.mark.parametrize(
    ("position", "notes"),
    [
        ("B:W18,21,23,24,26-32:B1-11,15", 0),
        ("W:W22-32:B1-12", 1),
        ("B:W21-25:B1-4,6", 1),
        ("B:WK22,K23:B1", 2),
    ],
)
def test_positions_of_few_pieces_or_of_won_material_have_a_note(tmp_path, position, notes):
    (tmp_path / "a.txt").write_text(f"{position}\n")
    found = file_openings(ENGLISH, tmp_path / "a.txt").notes
    assert len(found) == notes and all("1 of 1 openings of a.txt" in note for note in found)


def test_games_that_give_no_opening_are_left_out_counted_and_listed(tmp_path):
    path = tmp_path / "openings.pdn"
    bad = '[Event "x"]\n1. 9-13 1-32 *\n\n[GameType "20"]\n1. 32-28 *\n\n[FEN "W:W99"]\n*\n\n'
    path.write_text(bad + "1. 9-13 *\n\n1. 9-14 *\n")
    openings, left_out, _ = file_openings(ENGLISH, path)
    assert [opening.name for opening in openings] == ["openings.pdn: game 4", "openings.pdn: game 5"]
    for number, (line, named) in enumerate(zip(left_out, ("1-32", "international", "W99"), strict=True), 1):
        assert str(path) in line and f"game {number}" in line and named in line
    assert len(prepared(tmp_path, "{file: openings.pdn}")) == 2
    assert list(prepare(load(tmp_path / "config.yaml")).warnings(1))[1:] == left_out
    path.write_text(bad)
    with pytest.raises(OpeningsError, match="game 1, ply 2"):
        file_openings(ENGLISH, path)


def test_only_regular_files_of_sensible_size_in_unicode_are_read(tmp_path):
    for encoding in ("utf-8-sig", "utf-16"):
        for name, text in (("a.txt", "B:W21:B1\r\n"), ("a.pdn", '[FEN "B:W21:B1"]\r\n*\r\n')):
            (tmp_path / name).write_bytes(text.encode(encoding))
            assert len(file_openings(ENGLISH, tmp_path / name).openings) == 1
    (tmp_path / "cp1251.txt").write_bytes("# Иванов\nB:W21:B1\n".encode("cp1251"))
    with (tmp_path / "large.pdn").open("wb") as file:
        file.truncate(65 * 2**20)
    for path, words in (
        (tmp_path / "cp1251.txt", "not text in UTF-8"),
        (tmp_path / "large.pdn", "has more than 64 MB"),
        (Path("/dev/zero"), "/dev/zero cannot be read: it is not a regular file"),
    ):
        with pytest.raises(OpeningsError, match=words):
            file_openings(ENGLISH, path)


def test_the_command_lists_sets_and_the_openings_of_one_as_a_file_has_them(tmp_path):
    rows = invoke("list", "openings").stdout.splitlines()
    assert [row.split()[0] for row in rows[1:]] == list(SETS)
    assert "'english-3-move'" in refused("list", "openings", "english-3-mvoe")
    (tmp_path / "openings.txt").write_text(invoke("list", "openings", "english-3-move").stdout)
    assert len(file_openings(ENGLISH, tmp_path / "openings.txt").openings) == 174


def test_an_opening_is_played_several_times_before_the_next_one(tmp_path):
    (tmp_path / "three.txt").write_text("B:W21:B1\nW:W21:B1\nB:W21:B1\n")
    assert prepared(tmp_path, "{file: three.txt, repeat: 2}") == 2 * ["B:W21:B1"] + 2 * ["W:W21:B1"]
    notes = list(prepare(load(tmp_path / "config.yaml")).warnings(1))
    assert "1 of 3 openings" in notes[0] and "2 times" in notes[-1]
    assert prepared(tmp_path, "{random_plies: 0, count: 3}") == 3 * [fen(ENGLISH, ENGLISH.start)]
    assert len(set(prepared(tmp_path, "{count: 5, repeat: 4}"))) == 5
    assert len(prepared(tmp_path, "{set: english-2-move}")) == 43


@pytest.mark.parametrize("end", ["until: {error: 20}", "sprt: {elo0: 0, elo1: 9}"])
@pytest.mark.parametrize("openings", ["{repeat: 2}", "{random_plies: 0}"])
def test_no_early_end_counts_games_from_one_opening_as_different(tmp_path, openings, end):
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG.format(openings=openings) + f"{end}\n")
    with pytest.raises(ConfigError, match="needs different openings"):
        load(path)
