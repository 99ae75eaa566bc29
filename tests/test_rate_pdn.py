"""Who moves first in PDN, and that the PDN of a run is rated as the run is, under all rules."""

import json

import pytest

import arena
from arena.ratings.results import ResultsError
from arena.report.files import pdn_games
from arena.report.load import read_results
from arena.rules.variants import VARIANTS
from tests.helpers.command_line import invoke

RUN = """\
name: tiny
variant: {variant}
max_plies: 30
openings: {{random_plies: {plies}, count: {count}, balanced: false}}
players:
  - {{name: r, type: random}}
  - {{name: g, type: greedy}}
  - {{name: s, type: random}}
"""


def game(white="a", black="b", result="1-0", number="1.", move="11-15", **tags):
    named = {"White": white, "Black": black, "Result": result} | tags
    return "".join(f'[{name} "{value}"]\n' for name, value in named.items()) + f"\n{number} {move} {result}\n\n"


def first_of(tmp_path, *games, name="games.pdn"):
    (tmp_path / name).write_text("".join(games))
    found = read_results([tmp_path / name])
    return found.first, found.first_by


CASES = [*((name, 4) for name in VARIANTS), ("english", 0), ("cis300", 0), ("{base: russian, first: black}", 3)]


@pytest.mark.full
@pytest.mark.parametrize(("variant", "plies"), CASES, ids=str)
def test_the_pdn_of_a_run_is_rated_as_the_run(tmp_path, variant, plies):
    (tmp_path / "run.yaml").write_text(RUN.format(variant=variant, plies=plies, count=2 if plies else 1))
    output = invoke("run", tmp_path / "run.yaml", "--out", tmp_path / "out", "--workers", 1, "--no-report")
    assert output.exit_code == 0, output.output
    run = arena.load(tmp_path / "out")
    (tmp_path / "games.pdn").write_text("\n".join(pdn_games(run)))
    document = json.loads(invoke("rate", tmp_path / "games.pdn", "--json").output)
    assert document["first"] == run.first and document["first_by"] in (
        "GameType",
        "the numbering of the moves",
    )
    assert document["advantage"] == pytest.approx(run.ratings.advantage.value, abs=1e-6)
    for row in document["players"]:
        standing = run.standings.set_index("player").loc[row["player"]]
        for column in ("elo", "elo_low", "elo_high") if plies else ("elo",):
            assert row[column] == pytest.approx(standing[column], abs=1e-6)


def test_gametype_says_who_moves_first(tmp_path):
    assert first_of(tmp_path, game(GameType="21")) == ("black", "GameType")
    assert first_of(tmp_path, game(GameType="20,W,10,10,N2,0")) == ("white", "GameType")
    assert first_of(tmp_path, game(GameType="99,B,8,8,N1,0")) == ("black", "GameType")
    assert first_of(tmp_path, game(Variant="english")) == ("black", "Variant")
    assert first_of(tmp_path, game()) == ("black", "the first move")
    assert first_of(tmp_path, game(move="a1-b2")) == ("white", "")
    fen = "B:W21,22:B1,2"
    assert first_of(tmp_path, game(FEN=fen, GameType="20")) == ("white", "GameType")
    assert first_of(tmp_path, game(FEN=fen)) == ("black", "the numbering of the moves")
    assert first_of(tmp_path, game(FEN=fen, number="1...")) == ("white", "the numbering of the moves")
    assert first_of(tmp_path, game(FEN=fen), game(FEN="W" + fen[1:])) == ("white", "")


def test_rate_says_who_moves_first_and_first_overrides(tmp_path):
    path = tmp_path / "games.pdn"
    path.write_text(game(GameType="21") + game("b", "a", GameType="21"))
    assert "Black moves first (GameType)." in invoke("rate", path).output
    assert "White moves first (--first)." in invoke("rate", path, "--first", "white").output
    path.write_text(game(move="a1-b2") + game("b", "a", move="a1-b2"))
    assert "White is assumed to move first; --first changes that" in invoke("rate", path).output


def test_rules_that_differ_in_who_moves_first_are_one_clear_line(tmp_path):
    text = game(GameType="20") + game(GameType="21")
    with pytest.raises(ResultsError, match=r"games.pdn:8: by its GameType Black moves first .* line 1"):
        first_of(tmp_path, text)
    result = invoke("rate", tmp_path / "games.pdn")
    assert result.exit_code == 2 and result.output.count("\n") == 1
    assert invoke("rate", tmp_path / "games.pdn", "--first", "black").exit_code == 0
    for name, kind in (("w.pdn", "20"), ("b.pdn", "21")):
        first_of(tmp_path, game(GameType=kind), name=name)
    result = invoke("rate", tmp_path / "b.pdn", tmp_path / "w.pdn")
    assert result.exit_code == 2 and "White moves first in" in result.output and "w.pdn" in result.output


def test_games_from_a_fen_with_colours_swapped_are_a_pair(tmp_path):
    fen = "B:W21,22:B1,2"
    (tmp_path / "games.pdn").write_text((game(FEN=fen) + game("b", "a", FEN=fen)) * 3 + game())
    games = read_results([tmp_path / "games.pdn"]).games
    assert games["pair"].nunique() == 4
    assert games["pair"][0] == games["pair"][1] != games["pair"][2] == games["pair"][3]
