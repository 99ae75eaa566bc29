"""The commands `arena rate` and `arena compare`: foreign results in, tables and JSON out, broken files refused."""

import itertools
import json
import math
import re
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from arena.ratings.joint import rate
from arena.ratings.results import ResultsError
from arena.report import load
from arena.report.compare import RatedSide, compare
from arena.report.load import read_results
from arena.rules.result import Colour
from tests.helpers.command_line import invoke, one_line
from tests.helpers.results import error_of_difference, frame, repeat, simulate, written

GAMES = "white,black,result\nann,bob,1-0\nbob,ann,1/2-1/2\nbob,cat,0-1\ncat,ann,0-1\nann,cat,1-0\n"
RUN = """\
name: tiny
variant: english
max_plies: 20
openings: {random_plies: 2, count: 3}
players:
  - {name: a, type: random}
  - {name: b, type: random}
"""


def elo(document):
    return {row["player"]: row["elo"] for row in document["players"]}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    config = written(folder, "tiny.yaml", RUN)
    assert invoke("run", config, "--out", folder / "out", "--workers", 1).exit_code == 0
    return folder / "out"


def test_json_has_the_joint_rating(tmp_path):
    document = json.loads(invoke("rate", written(tmp_path, "games.csv", GAMES), "--json").output)
    assert [row["player"] for row in document["players"]] == ["ann", "cat", "bob"]
    assert sum(elo(document).values()) == pytest.approx(0, abs=1e-6)
    ann = document["players"][0]
    assert (ann["games"], ann["wins"], ann["draws"], ann["losses"]) == (4, 3, 1, 0)
    assert ann["elo_high"] - ann["elo"] == pytest.approx(ann["error"]) and ann["error"] > 100
    assert document["players"][-1]["los"] is None
    assert document["advantage_error"] > 0 and isinstance(document["notes"], list)


def test_text_has_the_table_of_a_run(tmp_path):
    output = invoke("rate", written(tmp_path, "games.csv", GAMES)).output
    assert " ".join(output.split("\n")[0].split()) == "# Player Elo 95 % interval Games Won Drawn Lost Score LOS"
    assert not re.search(r"(?<!\w)-\d", output)
    assert "Moving first (White) was worth" in output and "1 / (1 + 10^(−d/400))" in output
    assert "nan" not in output and "inf" not in output


def test_options_reach_the_fit(tmp_path):
    path = written(tmp_path, "games.csv", GAMES)

    def found(*options):
        return json.loads(invoke("rate", path, "--json", *options).output)

    plain = found()
    assert elo(found("--anchor", "bob"))["bob"] == 0
    assert found("--first", "black")["advantage"] == pytest.approx(-plain["advantage"])


def test_counts_stand_for_the_games_they_count(tmp_path):
    counted = "white,black,wins,draws,losses\nann,bob,2,1,0\nbob,ann,0,1,3\n"
    rows = [("ann,bob,1-0", 2), ("ann,bob,1/2-1/2", 1), ("bob,ann,1/2-1/2", 1), ("bob,ann,0-1", 3)]
    listed = "white,black,result\n" + "".join(f"{row}\n" * count for row, count in rows)
    assert (
        invoke("rate", written(tmp_path, "counted.csv", counted)).output
        == invoke("rate", written(tmp_path, "listed.csv", listed)).output
    )


def test_a_billion_counted_games_are_rated(tmp_path):
    text = "white,black,wins,draws,losses\nann,bob,400000000,300000000,300000000\n"
    document = json.loads(invoke("rate", written(tmp_path, "huge.csv", text), "--json").output)
    assert document["players"][0]["games"] == 10**9
    assert 0 < document["players"][0]["error"] < 0.05


def test_pairs_of_a_csv_are_clusters(tmp_path):
    rows = []
    for pair in range(31):
        results = ("1-0", "0-1") if pair == 30 else ("1-0",) * 2 if pair % 2 else ("0-1",) * 2
        rows += [f"ann,bob,{results[0]},{pair}", f"bob,ann,{results[1]},{pair}"]
    paired = written(tmp_path, "paired.csv", "white,black,result,pair\n" + "\n".join(rows))
    alone = written(tmp_path, "alone.csv", "white,black,result\n" + "\n".join(r.rpartition(",")[0] for r in rows))
    error = [json.loads(invoke("rate", path, "--json").output)["players"][0]["error"] for path in (paired, alone)]
    assert error[0] < 0.9 * error[1]
    assert read_results([alone]).games["pair"].isna().all()


def test_pairs_of_different_files_are_different(tmp_path):
    text = "white,black,result,pair\nann,bob,1-0,1\nbob,ann,1-0,1\n"
    games = read_results([written(tmp_path, "one.csv", text), written(tmp_path, "two.csv", text)]).games
    assert games["pair"].nunique() == 2 and len(games) == 4


def test_every_result_that_programs_write_is_known(tmp_path):
    meant = {
        "white": ["1-0", "2-0", "1 - 0", "1–0", "1-0F", "1-0 (ff)", "+-", "+ / –", "2:0", "1-0?"],
        "black": ["0-1", "0-2", "0—2", "0-1F", "-+", "- : +"],
        "draw": ["1/2-1/2", "1-1", "½-½", "1/2", "½", "1/2–1/2", "1 1/2 - 1/2", "½-1½", "1+ - 1-", "1.01-0.99"],
        None: ["*", "?", "-", "0-0"],
    }
    rows = [(text, result) for result, texts in meant.items() for text in texts]
    games = "white,black,result\n" + "".join(f"ann,bob,{text}\n" for text, _ in rows)
    pdn = "".join(f'[White "ann"]\n[Black "bob"]\n[Result "{text}"]\n\n1. 22-18 {text}\n\n' for text, _ in rows)
    for path in (written(tmp_path, "games.csv", games), written(tmp_path, "games.pdn", pdn)):
        found = read_results([path])
        assert found.games["result"].tolist() == [result for _, result in rows if result]
        assert [*found.notes] == ["4 games without a result were skipped."]


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        (
            "a.pdn",
            '[White "a"]\n[Black "b"]\n[Result "1-0"]\n*\n[Event "x"]\n[Result "1-0"]\n1. 9-13 1-0\n\n'
            '[White "b"]\n[Black "a"]\n[Result "won"]\n1. 9-13 *\n\n[White "c"]\n[Black "?"]\n[Result "1-0"]\n*\n'
            '[White "c"]\n[Black " c "]\n[Result "1-0"]\n*\n',
            [5, 9, 14, 18],
        ),
        ("a.csv", "white,black,result\na,b,1-0\n,b,1-0\nb,a,won\nc,?,1-0\nc,c,1-0\nc,a,\n", [3, 4, 5, 6, 7]),
        ("a.csv", "white,black,wins,draws,losses\na,b,1,0,0\na,b,1,-2,3\na,b,x,1,1\na,,1,1,1\n", [3, 4, 5]),
    ],
)
def test_games_that_cannot_be_rated_are_left_out_counted_and_listed(tmp_path, name, text, lines):
    path = written(tmp_path, name, text)
    document = json.loads(invoke("rate", path, "--json").output)
    assert [row["games"] for row in document["players"]] == [1, 1]
    assert [row["line"] for row in document["left_out"]] == lines
    output = invoke("rate", path).output
    for line in lines:
        assert re.search(rf"{name}: [0-9]+ games? not counted, .*\b{line}\b", output)
    assert sum(int(count) for count in re.findall("([0-9]+) games? not counted", output)) == len(lines)
    strict = invoke("rate", path, "--strict")
    assert strict.exit_code == 2 and strict.output.startswith(f"{path}:{lines[0]}: ")
    assert "not counted" in invoke("compare", path, path).output


def test_names_that_differ_in_spaces_are_one(tmp_path):
    for name, text in (
        ("a.csv", "white,black,result\nRossi  Anna,b,1-0\nb,\u00a0Rossi Anna ,1-0\n"),
        (
            "a.pdn",
            '[White "Rossi  Anna"]\n[Black "b"]\n*\n\n[White "b"]\n[Black "Rossi\tAnna "]\n[Result "1-0"]\n*\n',
        ),
    ):
        games = read_results([written(tmp_path, name, text)]).games
        assert set(games["white"]) | set(games["black"]) == {"Rossi Anna", "b"}


PDN = """\
% a line of the program
[Event "one"] [Round "1"]
[White "Ann \\"the\\" First"]
[Black "bob"]
[Result "2-0"]
[GameType "99"]
1. a1-b2 {no game [White "of ours"]
; 1-0 } 2. zz 2-0

[White "bob"]
[Black "Ann \\"the\\" First"]
1. 11-15 1/2-1/2

[White "bob"]
[Black "cat"]
[Result "*"]
1. 11-15 *

[White "cat"]
[Black "bob"]
[Result "0-1"]
[White "cat"]
[Black "bob"]
[Result "1-1"]
"""


def test_a_pdn_needs_no_known_rules(tmp_path):
    found = read_results([written(tmp_path, "games.pdn", PDN)])
    rows = found.games[["white", "black", "result"]].to_numpy().tolist()
    ann = 'Ann "the" First'
    assert rows == [[ann, "bob", "white"], ["bob", ann, "draw"], ["cat", "bob", "black"], ["cat", "bob", "draw"]]
    assert "1 game without a result was skipped." in invoke("rate", tmp_path / "games.pdn").output


def test_a_pdn_is_recognized_by_its_name_or_its_first_tag(tmp_path):
    texts = ['[White "a"]\n[Black "b"]\n[Result "1-0"]\n', GAMES]
    for name, text, count in [("x.pdn", texts[0], 1), ("x.txt", texts[0], 1), ("y.txt", texts[1], 5)]:
        assert len(read_results([written(tmp_path, name, text)]).games) == count


def test_games_of_a_pdn_with_the_same_moves_repeat_one_another(tmp_path):
    def game(white, black, moves):
        return f'[White "{white}"]\n[Black "{black}"]\n[Result "1-0"]\n\n{moves} 1-0\n\n'

    text = (
        game("a", "b", "1. 11-15 22-17") * 3
        + game("a", "b", "1. 11-15\n22-17 $1")
        + game("b", "a", "1. 11-15 22-17")
    )
    games = read_results([written(tmp_path, "games.pdn", text + game("a", "b", "") * 2)]).games
    assert games["line"].isna().sum() == 2
    assert any("7 games, 4 distinct" in note for note in rate(games).notes)


@pytest.mark.parametrize(
    ("name", "encoding", "said"),
    [
        ("José", "latin-1", "cp1252"),
        ("Müßig Ödön", "cp1252", "cp1252"),
        ("Иванов П.", "cp1251", "cp1251"),
        ("Иванов П.", "koi8-r", "koi8-r"),
        ("Иванов П.", "utf-8", ""),
        ("José", "utf-8-sig", ""),
        ("Иванов П.", "utf-16", ""),
        ("José", "utf-16-le", ""),
        ("José", "utf-16-be", ""),
        ("José", "utf-32", ""),
    ],
)
def test_the_encoding_of_a_file_is_recognised_and_a_guess_is_said(tmp_path, name, encoding, said):
    games = f"white,black,result\n{name},bob,1-0\n"
    pdn = f'[White "{name}"]\r\n[Black "bob"]\r\n[Result "1-0"]\r\n\r\n1. 22-18 1-0\r\n'
    for file, text in (("a.csv", games), ("a.pdn", pdn), ("a.txt", pdn)):
        path = written(tmp_path, file, text.encode(encoding))
        found = read_results([path])
        assert found.games["white"].tolist() == [name]
        assert [(str(path) in note, f"as {said};" in note, "--encoding" in note) for note in found.notes] == (
            [(True, True, True)] if said else []
        )
    assert read_results(
        [written(tmp_path, "a.csv", "white,black,result\nJiří,b,1-0".encode("cp1250"))], None, "cp1250"
    ).games["white"].tolist() == ["Jiří"]


def test_a_wrong_encoding_gets_one_line(tmp_path):
    path = written(tmp_path, "games.csv", b"white,black,result\na\xff,b,1-0\n")
    for options, named in (
        (("--encoding", "cp12512"), "cp1251"),
        (("--encoding", "utf-8"), str(path)),
        (("--encoding", "hex"), "hex"),
    ):
        result = invoke("rate", path, *options)
        assert result.exit_code == 2 and named in result.output


def test_players_may_be_called_nan(tmp_path):
    path = written(tmp_path, "games.csv", "White , Black,Result\nnan,NA,1-0\n\n NA,nan,0-1\n")
    games = read_results([path]).games
    assert games[["white", "black"]].to_numpy().tolist() == [["nan", "NA"], ["NA", "nan"]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", ""),
        ("a.csv", f"white,black,result\na,b,{'9' * 5000}\n"),
        ("a.csv", "white,result\na,1-0\n"),
        ("a.csv", "white,black,wins,draws\na,b,1,2\n"),
        ("a.csv", "white,black,result,white\na,b,1-0,c\n"),
        ("a.csv", "white,black,result\na,b,1-0\n\nb,a,3-0\n"),
        ("a.csv", "white,black,result\na,b,\n"),
        ("a.csv", "white,black,result\na,b,1-0\na,b,1-0,5\n"),
        ("a.csv", "white,black,result\na,b,1-0\na\n"),
        ("a.csv", "white,black,result\na,a,1-0\n"),
        ("a.csv", "white,black,wins,draws,losses\na,b,1,2,3\na,b,1,-2,3\n"),
        ("a.csv", "white,black,wins,draws,losses\na,b,1.5,2,3\n"),
        ("a.csv", "white,black,wins,draws,losses\na,b,1,2,x\n"),
        ("a.csv", "white,black,result\na,b,*\n"),
        ("a.csv", "white,black,wins,draws,losses\na,b,0,0,0\n"),
        ("a.pdn", "1. 11-15 *"),
        ("a.pdn", '\n[White "a"]\n[Result "1-0"]\n'),
        ("a.pdn", '[White "a"]\n[Black "b"]\n[Result "won"]\n'),
        ("a.pdn", '[White "a"]\n[Black "a"]\n[Result "1-0"]\n'),
    ],
)
def test_a_bad_file_gets_one_line_with_its_place(tmp_path, name, text):
    path = written(tmp_path, name, text)
    result = invoke("rate", path, "--strict")
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert result.output.startswith(str(path))
    one_line(result.output)


def test_what_is_not_there_gets_one_line(tmp_path):
    cases = {
        tmp_path / "none.csv": "cannot be read",
        tmp_path: "there is no run in",
        Path("/dev/zero"): "a device",
    }
    for path, reason in cases.items():
        result = invoke("rate", path)
        assert (result.exit_code, result.output.count("\n")) == (2, 1) and reason in result.output
    games = written(tmp_path, "games.csv", GAMES)
    result = invoke("rate", games, "--anchor", "dan")
    assert (
        result.exit_code == 2
        and result.output == "unknown anchor 'dan'; did you mean 'ann'? (choices: ann, bob, cat)\n"
    )


def test_a_run_is_rated_as_in_its_report(run):
    import arena

    report = arena.load(run)
    found = read_results([run])
    assert found.first == "black" and found.games["pair"].nunique() == 3
    document = json.loads(invoke("rate", run, "--json").output)
    table = report.ratings.table
    assert elo(document) == pytest.approx(dict(zip(table["player"], table["elo"], strict=True)))
    assert document["players"][0]["error"] == pytest.approx((table["elo_high"] - table["elo"])[0])
    assert document["advantage"] == pytest.approx(report.ratings.advantage.value)
    assert elo(
        json.loads(invoke("rate", run / "games.pdn", "--first", "black", "--json").output)
    ) == pytest.approx(elo(document), abs=1e-6)


def test_runs_that_differ_in_who_moves_first_need_first(run, monkeypatch):
    read, colours = load.read_run, itertools.cycle(get_args(Colour))
    monkeypatch.setattr(load, "read_run", lambda folder: read(folder)._replace(first=next(colours)))
    with pytest.raises(ResultsError, match="--first"):
        read_results([run, run])
    assert isinstance(read_results([run, run], "white").games, pd.DataFrame)


def side(games, name="x"):
    return RatedSide(name, rate(games), {})


def by_player(comparison):
    return comparison.table.set_index("player")


def test_a_comparison_with_itself_finds_no_change(tmp_path):
    path = written(tmp_path, "games.csv", GAMES)
    document = json.loads(invoke("compare", path, path, "--json").output)
    assert [row["difference"] for row in document["players"]] == [0, 0, 0]
    assert document["changes"] == ["No player's rating changed by more than its interval."]
    assert document["notes"] == []


def test_common_players_have_a_common_mean_and_independent_errors():
    one = simulate([0.6, 0.0, -0.6], 60, nu=1.0, h=0.3, seed=1)
    other = simulate([0.6, 0.0, -0.6, 1.5], 60, nu=1.0, h=0.3, seed=2)
    a, b = side(one), side(other)
    table = by_player(compare(a, b))
    common = ["p0", "p1", "p2"]
    for end, own in (("a", a), ("b", b)):
        assert table[f"elo_{end}"][common].mean() == pytest.approx(0, abs=1e-9)
        elo = own.ratings.table.set_index("player")["elo"]
        assert table[f"elo_{end}"]["p0"] - table[f"elo_{end}"]["p1"] == pytest.approx(elo["p0"] - elo["p1"])
    assert math.isnan(table["elo_a"]["p3"]) and math.isnan(table["difference"]["p3"])
    assert table["elo_b"]["p3"] > 150 and table["error_b"]["p3"] > 0
    expected = np.hypot(table["error_a"], table["error_b"])[common]
    np.testing.assert_allclose(table["difference_error"][common], expected)
    np.testing.assert_allclose(table["difference"], table["elo_b"] - table["elo_a"])


def test_two_common_players_have_the_error_of_half_their_difference():
    games = simulate([0.6, 0.0, -0.6], 60, nu=1.0, h=0.3, seed=1)
    a, b = side(games), side(frame(repeat("p0", "p1", 20, 20, 20)))
    error = 1.959964 * error_of_difference(a.ratings, "p0", "p1") / 2
    assert by_player(compare(a, b))["error_a"]["p0"] == pytest.approx(error)


def test_an_anchor_does_not_change_a_comparison():
    games, other = (simulate([0.6, 0.0, -0.6], 60, nu=1.0, h=0.3, seed=seed) for seed in (1, 2))
    anchored = RatedSide("x", rate(games, anchor={"p2": 1500}), {})
    plain, moved = compare(side(games), side(other)), compare(anchored, side(other))
    pd.testing.assert_frame_equal(by_player(plain), by_player(moved).loc[by_player(plain).index])


def test_changes_beyond_the_intervals_are_put_into_words():
    games = simulate([0.5, 0.0, -0.5], 100, nu=1.0, h=0.0, seed=1)
    better = simulate([0.5, 0.0, 1.5], 100, nu=1.0, h=1.0, seed=2)
    found = compare(side(games, "old"), side(better, "new"))
    row = by_player(found).loc["p2"]
    assert (
        found.changes[0] == f"p2 is {row['difference']:.0f} ± {row['difference_error']:.0f} Elo stronger in new."
    )
    assert any("p0 is" in text and "weaker in new" in text for text in found.changes)
    assert "3 of 3 ratings changed" in found.changes[3]
    assert found.changes[-1].startswith("Moving first is worth") and "more in new" in found.changes[-1]


def test_without_common_players_the_comparison_says_why_it_is_empty():
    a, b = side(frame(repeat("a", "b", 3, 1, 1))), side(frame(repeat("c", "d", 3, 1, 1)))
    found = compare(a, b)
    assert found.table["difference"].isna().all() and len(found.table) == 4
    assert found.changes == () and "no player in common" in found.notes[0]
    assert "one player in common" in compare(a, side(frame(repeat("a", "d", 3, 1, 1)))).notes[0]


def test_players_that_games_do_not_connect_are_compared_apart():
    both = frame(repeat("a", "b", 5, 1, 1) + repeat("c", "d", 1, 1, 5) + repeat("e", "f", 1, 1, 1))
    other = frame(repeat("a", "b", 3, 3, 1) + repeat("c", "d", 1, 1, 3) + repeat("e", "a", 1, 1, 1))
    found = compare(side(both), side(other))
    table = by_player(found)
    for part in (["a", "b"], ["c", "d"]):
        assert table["elo_a"][part].mean() == pytest.approx(0, abs=1e-9)
        assert table["elo_b"][part].mean() == pytest.approx(0, abs=1e-9)
    assert table["difference"][["e", "f"]].isna().all()
    assert found.notes[0] == "Games do not connect e to any other common player in both."
    assert "(1) a, b; (2) d, c" in found.notes[1]


def test_runs_and_files_compare_with_seconds_a_move_where_they_are_known(run):
    document = json.loads(invoke("compare", run, run / "games.pdn", "--first", "black", "--json").output)
    for row in document["players"]:
        assert row["seconds_a"] > 0 and row["seconds_b"] is None
        assert row["difference"] == pytest.approx(0, abs=1e-6)
    output = invoke("compare", run, run).output
    assert "Time/move a" in output and "nan" not in output
    assert "No player's rating changed by more than its interval." in output


def test_compare_says_what_it_cannot_read(tmp_path, run):
    result = invoke("compare", run, tmp_path)
    assert result.exit_code == 2 and result.output.count("\n") == 1 and "there is no run in" in result.output
