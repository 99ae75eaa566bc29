"""The games on the page of a report: which are inside, and what the page is told of them, without a browser."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import arena.report.viewer as viewer_games
from arena.report.run import Run
from arena.report.viewer import RunGames, viewer_of
from arena.rules.game import Game
from arena.rules.notation import fen, pieces_text
from arena.rules.pdn.read import read_pdn
from arena.rules.played import PlayedGame, replayed
from arena.rules.variants import Variant
from tests.helpers.command_line import invoke
from tests.helpers.report_data import data_of, player, synthetic, unpacked
from tests.helpers.runs import StoredRun

PLAYERS = [player("x", 3), player("y", 4), player("r", type="random")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Games whose moves are not all legal, with scores but of `r`."""
    return synthetic(tmp_path_factory.mktemp("made"), PLAYERS, 4, plies=20)


def shown(game: PlayedGame) -> Any:
    """What a page has of a game."""
    [block] = data_of(viewer_of([game]))["blocks"]
    return unpacked(block)[0]


def moved(board: str, path: list[int], captured: list[int], is_crowned: bool) -> str:
    """The board after a move, as the docstring of `_document` says."""
    if not path:
        return board
    letters = list(board)
    piece = letters[path[0] - 1].upper() if is_crowned else letters[path[0] - 1]
    for number in (path[0], *captured):
        letters[number - 1] = "."
    letters[path[-1] - 1] = piece
    return "".join(letters)


@pytest.mark.full(but=["english"])
def test_what_a_page_has_of_a_game_leads_to_its_positions(variant: Variant) -> None:
    rng = random.Random(5)
    for _ in range(4):
        game = Game(variant)
        texts: list[str] = []
        while not game.outcome and len(texts) < 120:
            texts.append(game.text(rng.choice(game.legal_moves)))
            game.push(texts[-1])
        played = replayed(variant, fen(variant, variant.start), texts)
        assert not played.problems and played.moves == game.moves and played.positions == game.positions
        board = pieces_text(variant, played.start)
        data = shown(played)
        steps = zip(game.positions[1:], data["paths"], data["captured"], texts, strict=True)
        for ply, (position, path, captured, text) in enumerate(steps, 1):
            assert text == (("x" if captured else "-").join(map(str, path)) or "pass")
            board = moved(board, path, captured, ply in data["crowned"])
            assert board == pieces_text(variant, position)


def test_a_game_is_shown_until_its_first_move_that_is_not_legal() -> None:
    english = Game("english").variant
    texts = ["11-15", "23-19", "15-11"]
    game = replayed(english, Game("english").fen, texts, number=7)
    assert shown(game)["paths"] == [[11, 15], [23, 19]] and game.text(2) == "23-19"
    ((_, _, number, ply, fault),) = game.problems
    assert (number, ply) == (7, 3) and fault.startswith("'15-11' is not legal in B:W")
    game = replayed(english, "B:W21:B99", ["11-15"])
    assert (pieces_text(english, game.start), game.moves) == ("." * 32, [])
    assert "'99' is not on the board" in game.problems[0].message


def test_the_page_holds_as_many_games_as_are_asked_for_or_fit(made: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer_games, "AT_ONCE", 2)
    whole = data_of(RunGames(made).part())
    assert len(whole["listed"]["id"]) == len(made.games) and {*whole["listed"]["white"]} == {*made.players}
    few = data_of(RunGames(made).part(7))
    assert sum(len(unpacked(block)) for block in few["blocks"]) == 7
    assert few["listed"]["id"] == whole["listed"]["id"][:7]
    room = sum(map(len, whole["blocks"])) // 2
    part = data_of(RunGames(made).part(characters=room))
    assert 0 < len(part["listed"]["id"]) < len(made.games) and sum(map(len, part["blocks"])) <= room


PDN = """[Event "Glasgow <1841>"]
[White "Anderson"]
[Black "Wyllie"]
[Result "1-0"]
[GameType "21"]

{Old.} 1. 11-15 {the best reply follows} 23-19 {+0.34/12 0.050s} 2. 9-14 /FEN "W:W21:BK5"/ 21-17 1-0

[White "Shashin"]
[GameType "25,W,8,0,A0,0"]

1. c3-d4 b6-a5 2. d4-c5 d6:b4 *
"""


def test_games_of_a_pdn_have_tags_comments_scores_and_their_own_notation(tmp_path: Path) -> None:
    data = data_of(viewer_of(read_pdn(PDN).games))
    english, russian = unpacked(data["blocks"][0])
    assert data["listed"]["white"] == ["Anderson", "Shashin"] and data["listed"]["result"] == ["black", "*"]
    assert english["tags"]["Event"] == "Glasgow <1841>" and english["score"] == [None, 0.34, None, None]
    assert english["comments"] == {"0": "Old.", "1": "the best reply follows", "2": "+0.34/12 0.050s"}
    pieces, turn = english["setups"]["3"]
    assert (pieces[20], pieces[4], turn, pieces.count(".")) == ("w", "B", "white", 30)
    assert [board["names"][0] for board in data["boards"]] == ["1", "b8"] and russian["tags"]["White"] == "Shashin"
    assert [board["capture"] for board in data["boards"]] == ["x", ":"]
    (tmp_path / "two.pdn").write_text(PDN)
    assert invoke("show", tmp_path / "two.pdn", "--out", tmp_path / "all.html").exit_code == 0
    assert (
        invoke("show", tmp_path / "two.pdn", "--game", 2, "--ply", 3, "--out", tmp_path / "2.html").exit_code == 0
    )
    every, second = (data_of((tmp_path / name).read_text()) for name in ("all.html", "2.html"))
    assert every["listed"]["id"] == ["1", "2"] and (second["listed"]["id"], second["ply"]) == (["2"], 3)


@pytest.mark.full
@pytest.mark.parametrize(("games", "words"), [("all", "All 6 games"), ("2", "The 2 games"), ("0", "")])
def test_the_command_takes_all_or_a_number_of_games(
    tmp_path: Path, no_pictures: None, games: str, words: str
) -> None:
    with StoredRun(tmp_path, "ab") as run:
        for _ in range(6):
            run.add("a", "b", "white", moves=("11-15", "23-19"))
    assert invoke("report", tmp_path, "--games", games).exit_code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert words in page and ('id="viewer"' in page) == bool(words)
