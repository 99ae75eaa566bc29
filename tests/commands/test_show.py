"""`arena show`: positions, games of PDN files and of runs, on a board."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import arena
from arena import Game
from arena.commands.show import position_of
from arena.rules.game import game_of
from tests.helpers.command_line import invoke, refused

CONFIG = """\
name: t
variant: english
seed: 7
openings: {random_plies: 3, count: 1}
max_plies: 20
players:
  - {name: any, type: random}
  - {name: "deep 黒", type: negamax, depth: 3}
"""
PDN = """\
[White "Ada"]
[Black "\x1b[2JBob"]
[GameType "21,B,8,8,N1,0"]
1. 11-15 23-19 2. 8-11 22-17 3. 4-8 17-13 4. 15-18 24-20 5. 11-15 28-24 6. 8-11 26-23 1-0

[White "Cyd"]
[Black "Dan"]
[GameType "21,B,8,8,N1,0"]
1. 11-15 23-19 /FEN "W:W32:B1,K5"/ 32-28 1/2-1/2

[White "Eve"]
[GameType "99"]
1. 1-2 *

[White "Fay"]
[GameType "21,B,8,8,N1,0"]
1. 11-15 22-11 *
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two games, the players' files long gone."""
    folder = tmp_path_factory.mktemp("show")
    (folder / "t.yaml").write_text(CONFIG)
    arguments = ("run", folder / "t.yaml", "--out", folder / "out", "--workers", 1, "--no-report")
    assert invoke(*arguments).exit_code == 0
    (folder / "t.yaml").unlink()
    return folder / "out"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pdn"
    path.write_text(PDN)
    return path


def shown(*arguments: object) -> list[str]:
    result = invoke("show", *arguments)
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    return result.stdout.splitlines()


# --- positions


def test_a_fen_and_a_variant_are_shown_with_their_boards():
    lines = shown("W:WK14,K21:B1,K5", "--variant", "english")
    assert len(lines) == 10 and lines[-2:] == ["White to move", "W:WK14,K21:B1,K5"]
    assert shown("international") == [*str(Game("international")).splitlines(), Game("international").fen]
    assert shown("english", "--flip")[0].split() == ["32w", "31w", "30w", "29w"]
    assert shown("{base: english, men: 8}")[-1] == "B:W25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8"


@pytest.mark.parametrize(("fen", "variant"), [("W:W21-32:B1-12", "english"), ("W:W31-50:B1-20", "international")])
def test_a_fen_without_a_variant_is_read_by_its_squares_with_a_message(fen, variant):
    result = invoke("show", fen, "--json")
    assert json.loads(result.stdout)["variant"] == variant
    assert result.stderr == f"read as {variant}; --variant names other rules\n"


def test_a_board_is_written_as_svg(tmp_path):
    result = invoke("show", "english", "--out", tmp_path / "board.svg")
    assert f"wrote {tmp_path}/board.svg" in result.stderr
    root = ElementTree.parse(tmp_path / "board.svg").getroot()
    assert len([use for use in root.iter("{http://www.w3.org/2000/svg}use") if use.get("data-square")]) == 24


# --- games of a PDN


def test_a_game_of_a_pdn_is_shown_at_its_end_or_after_a_ply(games):
    lines = shown(games)
    assert lines[0] == "game 1 of 4 of games.pdn: Ada (white) against \\x1b[2JBob (black), Black won"
    assert lines[-1].split() == ["12", "Ada", "26-23"]
    game = Game("english")
    for text in ("11-15", "23-19", "8-11"):
        game.push(text)
    lines = shown(games, "--ply", 3)
    assert lines[2:12] == [*str(game).splitlines(), game.fen]
    around = ["11-15", "23-19", "8-11", "22-17", "4-8", "17-13", "15-18"]
    assert [line.split()[-1] for line in lines[12:]] == ["move", *around]
    assert shown(games, "--ply", 0)[1] == "before ply 1 of 12"
    assert "'22-11' is not legal" in invoke("show", games, "--game", 4).stderr
    assert "game 3" in refused("show", games, "--game", 3)


def test_moves_squares_and_the_fen_have_letters_where_pdn_has_them(games):
    games.write_text('[GameType "25"]\n1. c3-d4 f6-e5 2. d4:f6 g7:e5 *')
    lines = shown(games, "--ply", 3)
    assert lines[1] == "after ply 3 of 4, d4:f6"
    assert "[f6w]" in lines[4] and lines[9].split()[0] == "a1w" and lines[11].startswith("B:Wf6,a3,")
    assert [line.split()[-1] for line in lines[13:]] == ["c3-d4", "f6-e5", "d4:f6", "g7:e5"]
    assert json.loads(invoke("show", games, "--json").stdout)["moves"][3]["move"] == "g7:e5"


def test_a_position_set_up_in_mid_game_is_where_the_game_goes_on(games):
    assert "W:W32:B1,K5" in shown(games, "--game", 2, "--ply", 2)
    viewed = position_of(str(games), None, "2", 3)
    assert game_of(viewed.game, viewed.ply).fen == "B:W28:B1,K5"


def test_what_the_comments_of_a_pdn_found_is_shown(games):
    text = games.read_text().replace("11-15 23-19 2. 8-11", "11-15 {-0.25/6 0.050s} 23-19 {+W7/9} 2. 8-11", 1)
    games.write_text(text)
    rows = [line.split() for line in shown(games, "--ply", 1)[-5:-3]]
    assert rows == [
        ["1", "\\x1b[2JBob", "11-15", "-0.25", "6", "0.050000"],
        ["2", "Ada", "23-19", "wins", "in", "7", "9"],
    ]
    first, second, *_ = json.loads(invoke("show", games, "--json").stdout)["moves"]
    assert (first["score"], first["plies_to_win"], first["seconds"]) == (-0.25, None, 0.05)
    assert (second["score"], second["plies_to_win"], second["seconds"]) == (None, 7, None)


# --- games of a run


def test_a_game_of_a_run_is_shown_with_scores(run):
    games = arena.load(run).games
    moves = arena.load(run).moves
    moves = moves[moves["game"] == 2].set_index("ply")
    lines = shown(run, "--game", 2, "--ply", 9)
    assert lines == shown(run, "--game", games["id"][1], "--ply", 9)
    assert lines[0].startswith(f"game {games['id'][1]} of t: deep 黒 (white) against any (black), ")
    assert lines[1] == f"after ply 9 of {len(moves)}, {moves['move'][9]}"
    head, *rows = lines[-9:]
    assert head.split() == ["ply", "player", "move", "score", "depth", "nodes", "seconds"]
    assert [int(row.split()[0]) for row in rows] == [*range(6, 14)]
    for row in rows:
        ply, player, move, *searched = row.replace(" 黒", "").split()
        assert move == moves["move"][int(ply)]
        assert len(searched) == (4 if player == "deep" else 1)
        assert player == "any" or searched[2] == str(moves["nodes"][int(ply)])


def test_the_position_of_a_run_is_the_one_after_its_moves(run):
    document = json.loads(invoke("show", run, "--game", 1, "--json").stdout)
    assert document["ply"] == len(document["moves"]) and document["variant"] == "english"
    before = json.loads(invoke("show", run, "--game", 1, "--ply", 0, "--json").stdout)
    game = Game("english", before["fen"])
    for ply, move in enumerate(document["moves"], start=1):
        assert (move["ply"], move["move"]) == (ply, game.text(game.move(move["move"])))
        assert (move["score"] is None) == (move["player"] == "any")
        game.push(move["move"])
    assert game.fen == document["fen"]
    assert "3" in refused("show", run, "--game", 3) and str(run.parent) in refused("show", run.parent)
