"""Openings: ballots, random ones, files, and how a configuration asks for them."""

from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.experiment.load import load
from arena.openings.balance import is_even
from arena.openings.ballots import ballots
from arena.openings.sources import OpeningsError, ballot_openings, drawn, file_openings, random_openings
from arena.play.plan import prepare
from arena.rules.notation import fen
from arena.rules.variants import VARIANTS
from arena.yaml.errors import ConfigError

ENGLISH = VARIANTS["english"]
CONFIG = """\
name: t
variant: english
openings: {openings}
players: [{{name: a, type: random}}]
"""


def prepared(folder: Path, openings: str) -> list[str]:
    path = folder / "config.yaml"
    path.write_text(CONFIG.format(openings=openings))
    plan = prepare(load(path))
    return [fen(plan.variant, opening) for opening in plan.openings]


def test_there_are_49_two_move_and_174_three_move_ballots() -> None:
    two, three = ballots(ENGLISH, 2), ballots(ENGLISH, 3)
    assert Counter(ballot.mark for ballot in two) == {"usual": 43, "barred": 6}
    assert Counter(ballot.mark for ballot in three) == {"usual": 144, "mail play": 12, "barred": 18}
    assert len({ballot.position for ballot in three}) == 174
    assert three[0].moves == ("9-13", "21-17", "5-9")


def test_barred_ballots_are_left_out_unless_asked_for() -> None:
    assert len(ballot_openings(ENGLISH, 3)) == 156
    assert len(ballot_openings(ENGLISH, 3, barred=True)) == 174
    with pytest.raises(OpeningsError, match="not of international"):
        ballot_openings(VARIANTS["international"], 3)


def test_balanced_openings_win_no_material() -> None:
    balanced = random_openings(ENGLISH, 6, 15, seed=2)
    unbalanced = random_openings(ENGLISH, 6, 60, seed=2, balanced=False)
    assert all(is_even(ENGLISH, opening.position) for opening in balanced)
    assert not all(is_even(ENGLISH, opening.position) for opening in unbalanced)


def test_openings_drawn_by_lot_are_seeded_and_distinct() -> None:
    all_of_them = ballot_openings(ENGLISH, 3)
    ten = drawn(all_of_them, 10, seed=1)
    assert len({opening.position for opening in ten}) == 10
    assert ten == drawn(all_of_them, 10, seed=1) != drawn(all_of_them, 10, seed=2)
    assert drawn(all_of_them * 2, None, seed=1) == all_of_them
    with pytest.raises(OpeningsError, match="there are 156 such openings, 157 are wanted"):
        drawn(all_of_them, 157, seed=1)


def test_a_file_holds_a_fen_a_line(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# two\n\nB:W21:B1\nW:W21:B1  {with a name}\n")
    assert [fen(ENGLISH, opening.position) for opening in file_openings(ENGLISH, path)] == ["B:W21:B1", "W:W21:B1"]


def test_a_pdn_file_gives_the_final_positions_of_its_games(tmp_path: Path) -> None:
    path = tmp_path / "openings.pdn"
    path.write_text('[Event "a"]\n[GameType "21"]\n\n1. 9-13 21-17 2. 5-9 *\n')
    assert [opening.position for opening in file_openings(ENGLISH, path)] == [ballots(ENGLISH, 3)[0].position]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B:W21:B1\nB:W99:B1\n", "openings.txt:2: FEN 'B:W99:B1': '99' is not on the board"),
        ("# nothing\n", "openings.txt holds no opening"),
    ],
)
def test_a_bad_file_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(text)
    with pytest.raises(OpeningsError, match=message):
        file_openings(ENGLISH, path)


def test_a_configuration_takes_openings_from_ballots_and_files(tmp_path: Path) -> None:
    assert len(prepared(tmp_path, "{ballots: 2}")) == 43
    assert len(prepared(tmp_path, "{ballots: 3, barred: true, count: 170}")) == 170
    (tmp_path / "two.txt").write_text("B:W21:B1\nW:W21:B1\n")
    assert prepared(tmp_path, "{file: two.txt}") == ["B:W21:B1", "W:W21:B1"]


@pytest.mark.parametrize(
    ("openings", "message"),
    [
        ("{ballots: 3, count: 157}", "3:24: there are 156 such openings, 157 are wanted"),
        ("{file: nowhere.txt}", "3:12: .*nowhere.txt cannot be read: No such file or directory"),
        ("{ballots: 4}", "3:12: .*ballots"),
    ],
)
def test_openings_that_do_not_exist_are_told_with_their_place(tmp_path: Path, openings: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        prepared(tmp_path, openings)


def test_what_the_command_prints_is_a_file_of_openings(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["openings", "english", "--ballots", "3"])
    path = tmp_path / "openings.txt"
    path.write_text(result.stdout)
    assert len(file_openings(ENGLISH, path)) == 174
    again = CliRunner().invoke(main, ["openings", "english", "--file", str(path), "--count", "5"])
    assert len(again.stdout.splitlines()) == 5
