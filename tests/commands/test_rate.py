"""`arena rate`: results of runs, PDN and CSV become tables and JSON."""

import json
import re

import pytest

import arena
from arena.ratings.joint import rate
from arena.ratings.match import sprt
from arena.report.together import read_results as read_sources
from arena.report.write import pdn_games
from arena.rules.pdn.read import read_pdn
from tests.helpers.command_line import invoke, refused
from tests.helpers.results import written

GAMES = "white,black,result\nann,bob,1-0\nbob,ann,1/2-1/2\nbob,cat,0-1\ncat,ann,0-1\nann,cat,1-0\n"
FEN = "B:W21,22:B1,2"
RUN = """\
name: tiny
variant: {{base: {}}}
max_plies: 30
openings: {{random_plies: {}, count: {}, balanced: false}}
players: [{{name: r, type: random}}, {{name: g, type: greedy}}]
"""


def rated(*words):
    """What `arena rate` prints as JSON."""
    return json.loads(invoke("rate", *words, "--json").output)


def read_results(paths, first=None):
    return read_sources(*paths, first=first).results


def elo(document):
    return {row["player"]: row["elo"] for row in document["players"]}


def game(white="a", black="b", result="1-0", number="1.", moves="11-15", **tags):
    named = {"White": white, "Black": black, "Result": result} | tags
    return "".join(f'[{name} "{value}"]\n' for name, value in named.items()) + f"\n{number} {moves} {result}\n\n"


# --- what is printed


def test_text_and_json_have_the_joint_rating(tmp_path):
    path = written(tmp_path, "games.csv", GAMES)
    document = rated(path)
    assert list(elo(document)) == ["ann", "cat", "bob"]
    assert elo(document)["bob"] < 0 < elo(document)["ann"]
    ann, *_, last = document["players"]
    assert (ann["games"], ann["wins"], ann["draws"], ann["losses"]) == (4, 3, 1, 0)
    assert ann["elo_high"] - ann["elo"] == pytest.approx(ann["error"])
    assert last["los"] is None and document["notes"] == []
    assert not re.search(r"nan|inf|(?<!\w)-\d", invoke("rate", path).output)
    assert elo(rated(path, "--anchor", "bob"))["bob"] == 0
    raised = elo(rated(path, "--anchor", "bob=2500"))
    lead = elo(document)["ann"] - elo(document)["bob"]
    assert raised["bob"] == 2500 and raised["ann"] - 2500 == pytest.approx(lead, abs=1e-3)
    several = elo(rated(path, "--anchor", "bob=100", "--anchor", "cat=-50"))
    assert (several["bob"], several["cat"]) == (100, -50) and "bob2" in refused("rate", path, "--anchor", "bob2=3")
    assert rated(path, "--first", "black")["advantage"] == pytest.approx(-document["advantage"], abs=1e-4)


@pytest.mark.full
@pytest.mark.parametrize(("variant", "plies"), [("english", 4), ("cis300", 0), ("russian, first: black", 3)])
def test_a_run_and_its_pdn_are_rated_as_in_its_report(tmp_path, variant, plies):
    config = written(tmp_path, "tiny.yaml", RUN.format(variant, plies, 2 if plies else 1))
    result = invoke("run", config, "--out", tmp_path / "out", "--workers", 1, "--no-report")
    assert result.exit_code == 0, result.output
    run = arena.load(tmp_path / "out")
    path = written(tmp_path, "games.pdn", "\n".join(pdn_games(run)))
    for game in read_pdn(path).games:
        is_cut = game.tags["TerminationDetails"] == "max_plies"
        assert game.tags["PlyCount"] == str(len(game.moves)) and is_cut == (game.tags["Termination"] != "normal")
    table = run.ratings.table.set_index("player")
    of_run, of_file = rated(run.folder), rated(path)
    assert invoke("report", run.folder).exit_code == 0  # it writes games.csv
    for sources in ([run.folder, path], [path, tmp_path / "out" / "games.csv", run.folder], [run.folder] * 2):
        together = rated(*sources)
        assert together["players"] == of_run["players"], "a game counts once, wherever it stands"
    for document in (of_run, of_file):
        assert document["advantage"] == pytest.approx(run.ratings.advantage.value, abs=1e-4)
        elo = {row["player"]: row["elo"] for row in document["players"]}
        first, second = elo
        difference = table.loc[first, "elo"] - table.loc[second, "elo"]  # a report of two has the second at 0
        assert elo[first] - elo[second] == pytest.approx(difference, abs=1e-4)
    for of_one, of_other in zip(of_run["players"], of_file["players"], strict=True):
        for column in ("elo", "elo_low", "elo_high") if plies else ("elo",):
            assert of_one[column] == pytest.approx(of_other[column], abs=1e-4)
    assert of_file["first_by"] in ("GameType", "Variant")


# --- files


def test_counts_stand_for_the_games_they_count(tmp_path):
    rows = [("ann,bob,1-0", 2), ("ann,bob,1/2-1/2", 1), ("bob,ann,1/2-1/2", 1), ("bob,ann,0-1", 3)]
    columns = "white,black,wins,draws,losses\n"
    counted = written(tmp_path, "counted.csv", f"{columns}ann,bob,2,1,0\nbob,ann,0,1,3\n")
    listed = "white,black,result\n" + "".join(f"{row}\n" * count for row, count in rows)
    assert invoke("rate", counted).output == invoke("rate", written(tmp_path, "listed.csv", listed)).output
    huge = rated(written(tmp_path, "huge.csv", f"{columns}ann,bob,40000,30000,30000\n"))
    assert huge["players"][0]["games"] == 10**5 and 0 < huge["players"][0]["error"] < 2


def test_semicolons_and_tabs_separate_cells_as_commas_do(tmp_path):
    listed = written(tmp_path, "commas.csv", 'white,black,result\nann,"b; ob",1-0\n"b; ob",ann,1/2-1/2\n')
    for name, mark in (("semicolons.csv", ";"), ("tabs.csv", "\t")):
        path = written(tmp_path, name, listed.read_text().replace(",", mark))
        found, expected = (read_results([each]).games.drop(columns="id") for each in (path, listed))
        assert found.equals(expected)


def test_pairs_are_games_of_one_number_or_from_one_fen_with_colours_swapped_in_one_file(tmp_path):
    text = "white,black,result,pair\nann,bob,1-0,1\nbob,ann,1-0,1\n"
    one, other = written(tmp_path, "one.csv", text), written(tmp_path, "other.csv", f"{text}\n")
    assert read_results([one, other]).games["pair"].tolist() == [0, 0, 1, 1]
    assert read_results([written(tmp_path, "games.csv", GAMES)]).games["pair"].isna().all()
    pdn = (game(FEN=FEN) + game("b", "a", FEN=FEN)) * 3 + game()
    pair = read_results([written(tmp_path, "games.pdn", pdn)]).games["pair"]
    assert pair.nunique() == 4 and pair[0] == pair[1] != pair[2] == pair[3]


def test_a_csv_may_have_the_results_of_any_standard(tmp_path):
    meant = {
        "white": ["1-0", "2-0", "1 - 0"],
        "black": ["0-1", "0-2", "0 - 1"],
        "draw": ["1/2-1/2", "1-1", "1 1/2 - 1/2", "1/2-1 1/2", "1+ - 1-", "1.01-0.99"],
        None: ["*", "?", "0-0"],
    }
    rows = [(text, result) for result, texts in meant.items() for text in texts]
    games = "white,black,result\n" + "".join(f"ann,bob,{text}\n" for text, _ in rows)
    found = read_results([written(tmp_path, "games.csv", games)])
    assert found.games["result"].tolist() == [result for _, result in rows if result]
    assert "3 games without a result" in found.notes[-1] and not found.faults


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
        (
            "a.csv",
            "white,black,result\na,b,1-0\n,b,1-0\n\nb,a,won\nc,?,1-0\nc,c,1-0\nc,a,\nc\n",
            [3, 5, 6, 7, 8, 9],
        ),
        ("a.csv", "white,black,wins,draws,losses\na,b,1,0,0\na,b,1,-2,3\na,b,x,1,1\na,,1,1,1\n", [3, 4, 5]),
    ],
)
def test_games_that_cannot_be_rated_are_left_out_counted_and_listed(tmp_path, name, text, lines):
    path = written(tmp_path, name, text)
    document = rated(path)
    assert [row["games"] for row in document["players"]] == [1, 1]
    assert [row["line"] for row in document["left_out"]] == lines
    found = [int(count) for count in re.findall("([0-9]+) games? not counted", invoke("rate", path, path).output)]
    assert sum(found) == len(lines), "of a file that is given twice, too"


def test_names_are_texts_whose_spaces_do_not_matter(tmp_path):
    nan = written(tmp_path, "nan.csv", 'White , Black,Result\nnan,"NA",1-0\n\n NA,nan,0-1\n')
    spaces = "white,black,result\nRossi  Anna,b,1-0\nb,\u00a0Rossi Anna ,1-0\n"
    pdn = game("Rossi  Anna", "b", "*") + game("b", "Rossi\tAnna ", "1-0")
    for path, names in (
        (nan, {"nan", "NA"}),
        (written(tmp_path, "a.csv", spaces), {"Rossi Anna", "b"}),
        (written(tmp_path, "a.pdn", pdn), {"Rossi Anna", "b"}),
    ):
        games = read_results([path]).games
        assert {*games["white"], *games["black"]} == names


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


def test_a_pdn_needs_no_known_rules_and_is_recognized_by_its_name_or_its_first_tag(tmp_path):
    ann = 'Ann "the" First'
    expected = [[ann, "bob", "white"], ["bob", ann, "draw"], ["cat", "bob", "white"], ["cat", "bob", "draw"]]
    for name, text in (("games.pdn", PDN), ("games.txt", PDN.partition("\n")[2])):
        games = read_results([written(tmp_path, name, text)]).games
        assert games[["white", "black", "result"]].to_numpy().tolist() == expected


def test_games_of_a_pdn_with_the_same_moves_repeat_one_another(tmp_path):
    same = game(moves="11-15 22-17") * 3 + game(moves="11-15\n22-17 $1")
    text = same + game("b", "a", moves="11-15 22-17") + game(number="", moves="") * 2
    games = read_results([written(tmp_path, "games.pdn", text)]).games
    assert games["line"].isna().sum() == 2
    assert "7 games, 4 distinct" in rate(games).notes["repeated"]


@pytest.mark.parametrize(
    ("name", "encoding", "read"),
    [
        ("José", "latin-1", "José"),
        ("Иванов П.", "koi8-r", "é×ÁÎÏ× ð."),
        ("Иванов П.", "utf-8", "Иванов П."),
        ("José", "utf-16", "José"),
    ],
)
def test_a_file_that_is_not_unicode_is_read_as_latin_1_with_a_caution(tmp_path, name, encoding, read):
    for file, text in (("a.csv", f"white,black,result\n{name},bob,1-0\n"), ("a.txt", game(name))):
        path = written(tmp_path, file, text.replace("\n", "\r\n").encode(encoding))
        found = read_results([path])
        assert found.games["white"].tolist() == [read]
        cautions = [note for note in found.notes if "iconv" in note]
        assert [str(path) in note for note in cautions] == [True] * (not encoding.startswith("utf"))


def test_1_0_is_a_win_of_who_moves_first_in_a_pdn_and_of_white_in_a_csv(tmp_path):
    table = written(tmp_path, "a.csv", "white,black,result\na,b,1-0\n")
    pdn = written(tmp_path, "a.pdn", game())
    for path, first, winner in ((table, "black", "white"), (pdn, None, "black"), (pdn, "white", "white")):
        assert read_results([path], first).games["result"].tolist() == [winner]


# --- what is refused


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.csv", "", 1),
        ("a.csv", f"white,black,result\na,b,{'9' * 5000}\n", 2),
        ("a.csv", "white,result\na,1-0\n", 1),
        ("a.csv", "white,black,result,white\na,b,1-0,c\n", 1),
        ("a.csv", "white,black,result\na,b,1-0\na,b,1-0,5\n", 3),
        ("a.csv", 'white,black,result\na,b,1-0\na,"b,1-0\n', 3),
        ("a.csv", "white,black,wins,draws,losses\na,b,1.5,2,3\n", 2),
        ("a.csv", "white,black,wins,draws,losses\na,b,0,2000000,0\n", 2),
        ("a.csv", "white,black,wins,draws,losses\na,b,0,0,0\n", None),
        ("a.pdn", "1. 11-15 *", None),
        ("a.pdn", '[White "a"]\n[Black "b"]\n[Result "won"]\n', 1),
    ],
)
def test_a_bad_file_gets_one_line_with_its_place(tmp_path, name, text, line):
    path = written(tmp_path, name, text)
    assert refused("rate", path).startswith(f"{path}:{line}: " if line else f"{path}: ")


# --- who moves first


@pytest.mark.parametrize(
    ("games", "first", "source"),
    [
        (game(GameType="21"), "black", "GameType"),
        (game(GameType="20,W,10,10,N2,0"), "white", "GameType"),
        (game(GameType="99,B,8,8,N1,0"), "black", "GameType"),
        (game(Variant="english"), "black", "Variant"),
        (game(), "black", "the moves"),
        (game(moves="c3-d4"), "white", "the moves"),
        (game(moves="a1-b2"), "white", ""),
        (game(FEN=FEN, GameType="20"), "white", "GameType"),
        (game(FEN=FEN, moves="1-5") + game(FEN="W" + FEN[1:], moves="21-17"), "black", "the moves"),
    ],
)
def test_tags_or_moves_say_who_moves_first_and_first_overrides(tmp_path, games, first, source):
    path = written(tmp_path, "games.pdn", games)
    found = read_results([path])
    assert (found.first, found.first_by) == (first, source)
    assert read_results([path], "white").first_by == "--first"


def test_sources_that_differ_in_who_moves_first_need_first(tmp_path):
    both = written(tmp_path, "games.pdn", game(GameType="20") + game(GameType="21"))
    white, black = (written(tmp_path, f"{kind}.pdn", game(GameType=kind)) for kind in ("20", "21"))
    for paths, place in (([both], f"{both}:8: "), ([black, white], "White moves first in " + str(white))):
        assert refused("rate", *paths).startswith(place)
        assert invoke("rate", *paths, "--first", "black").exit_code == 0


# --- a sequential test


@pytest.mark.parametrize(("rows", "counts", "named"), [
    ("ann,bob,1-0,1\nbob,ann,1/2-1/2,1\nann,bob,1/2-1/2,2\nbob,ann,0-1,2\n", [0, 0, 0, 2, 0], "pairs"),
    ("ann,bob,1-0,1\nbob,ann,0-1,1\nann,bob,0-1,\n", [0, 0, 0, 0, 1], "pair, 1 game"),
    ("ann,bob,1-0,\nann,bob,1-0,\nann,bob,1/2-1/2,\nann,bob,0-1,\n", [1, 1, 2], "games"),
])  # fmt: skip
def test_a_sequential_test_counts_the_games_there_are(tmp_path, rows, counts, named):
    path = written(tmp_path, "games.csv", f"white,black,result,pair\n{rows}")
    found, expected = rated(path, "--sprt", 0, 5)["sprt"], sprt(counts, 0, 5)
    assert (found["player"], found["counts"], found["llr"]) == ("ann", counts, expected.llr)
    assert (found["lower"], found["upper"], found["verdict"]) == tuple(expected[1:])
    assert f"after {sum(counts)} {named}" in invoke("rate", path, "--sprt", 0, 5).output
    turned = rated(path, "--sprt", -5, 0, "--anchor", "ann=100")["sprt"]
    assert turned["player"] == "bob" and turned["llr"] == pytest.approx(-expected.llr)


def test_a_sequential_test_is_of_two_players_and_needs_two_hypotheses(tmp_path):
    three = written(tmp_path, "three.csv", GAMES)
    two = written(tmp_path, "two.csv", "white,black,result\nann,bob,1-0\n")
    assert "3" in refused("rate", three, "--sprt", 0, 5) and "--sprt" in refused("rate", two, "--sprt", 5, 0)
