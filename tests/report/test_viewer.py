"""The games on the page of a report, and what else it holds to be played again, without a browser."""

import random
from pathlib import Path
from typing import Any

import pytest

import arena.report.viewer as viewer_games
from arena.base import ArenaError
from arena.experiment.load import load
from arena.ledger.read import read
from arena.report.replay import compared, held_by, replay_element, write_sources
from arena.report.viewer import RunGames, viewer_of
from arena.rules.game import Game
from arena.rules.notation import fen, pieces_text
from arena.rules.pdn.read import read_pdn
from arena.rules.played import PlayedGame, replayed
from players.importing import forget_modules
from tests.helpers.command_line import invoke, refused
from tests.helpers.report_data import data_of, player, synthetic, unpacked
from tests.helpers.runs import StoredRun

# games


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
def test_what_a_page_has_of_a_game_leads_to_its_positions(variant):
    rng = random.Random(5)
    for _ in range(2):
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


def test_a_game_is_shown_until_its_first_move_that_is_not_legal():
    english = Game("english").variant
    game = replayed(english, Game("english").fen, ["11-15", "23-19", "15-11"], number=7)
    assert shown(game)["paths"] == [[11, 15], [23, 19]] and game.text(2) == "23-19"
    ((_, _, number, ply, fault),) = game.problems
    assert (number, ply) == (7, 3) and "15-11" in fault
    game = replayed(english, "B:W21:B99", ["11-15"])
    assert (pieces_text(english, game.start), game.moves) == ("." * 32, [])
    assert "99" in game.problems[0].message


def test_the_page_holds_as_many_games_as_are_asked_for_or_fit(tmp_path, monkeypatch):
    monkeypatch.setattr(viewer_games, "AT_ONCE", 2)
    made = synthetic(tmp_path, [player("x", 3), player("y", 4), player("r", type="random")], 4, plies=20)
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


def test_games_of_a_pdn_have_tags_comments_scores_and_their_own_notation(tmp_path):
    data = data_of(viewer_of(read_pdn(PDN).games))
    english, russian = unpacked(data["blocks"][0])
    assert data["listed"]["white"] == ["Anderson", "Shashin"] and data["listed"]["result"] == ["black", "*"]
    assert english["tags"]["Event"] == "Glasgow <1841>" and english["score"] == [None, 0.34, None, None]
    assert english["comments"] == {"0": "Old.", "1": "the best reply follows", "2": "+0.34/12 0.050s"}
    pieces, turn = english["setups"]["3"]
    assert (pieces[20], pieces[4], turn, pieces.count(".")) == ("w", "B", "white", 30)
    assert [board["names"][0] for board in data["boards"]] == ["1", "b8"] and russian["tags"]["White"] == "Shashin"
    assert [board["capture"] for board in data["boards"]] == ["x", ":"]
    file, made = tmp_path / "two.pdn", tmp_path / "made.html"
    file.write_text(PDN)
    for options, ids, ply in (((), ["1", "2"], 0), (("--game", 2, "--ply", 3), ["2"], 3)):
        assert invoke("show", file, *options, "--out", made).exit_code == 0
        data = data_of(made.read_text())
        assert (data["listed"]["id"], data["ply"]) == (ids, ply)


@pytest.mark.full
def test_the_command_takes_all_or_a_number_of_games(tmp_path, no_pictures):
    with StoredRun(tmp_path, "ab") as run:
        for _ in range(6):
            run.add("a", "b", "white", moves=("11-15", "23-19"))
    for games, words in (("all", "All 6 games"), ("2", "The 2 games"), ("0", "")):
        assert invoke("report", tmp_path, "--games", games).exit_code == 0
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert words in page and ('id="viewer"' in page) == bool(words)


# a report that plays itself again

RUN = """\
name: tiny
variant: english
max_plies: 60
openings: {file: openings.txt}
players:
  - {name: own, evaluation: "mine/own.py:value", depth: 2}
  - {name: greedy, type: greedy}
"""
OWN = """\
from arena import evaluator, features
from worth import MAN

@evaluator
def value(position, rules):
    worth = 0.0
    for side, sign in ((position.turn, 1), (1 - position.turn, -1)):
        worth += sign * 100 * features.men(position, rules, side)
        worth += sign * MAN * features.advancement(position, rules, side)
    return worth
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, no_pictures: None) -> Path:
    """The report of a run with a file of one's own, what that imports, and a file of openings, all deleted."""
    folder: Path = tmp_path_factory.mktemp("replay")
    (folder / "mine").mkdir()
    (folder / "tiny.yaml").write_text(RUN)
    (folder / "mine" / "own.py").write_text(OWN)
    (folder / "mine" / "worth.py").write_text("MAN = 20.0\n")
    (folder / "openings.txt").write_text("B:W21-32:B1-12\nB:W18,21,23-32:B1-12\n")
    assert invoke("run", folder / "tiny.yaml", "--out", folder / "out", "--workers", 1).exit_code == 0
    for name in ("tiny.yaml", "mine/own.py", "mine/worth.py", "openings.txt"):
        (folder / name).unlink()
    return folder / "out" / "report.html"


@pytest.mark.full
def test_a_report_alone_plays_the_same_games_with_the_code_of_its_author(page, tmp_path):
    assert "--yes" in refused("run", page, "--out", tmp_path / "out")
    assert "--force" in refused("run", page, "--force")
    result = invoke("run", page, "--out", tmp_path / "out", "--yes", "--workers", 1)
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("4 of 4 games are the same\n") and "own.py" in result.stdout


@pytest.mark.full
def test_games_of_a_changed_source_are_counted_as_others_by_pairing(page, tmp_path):
    document = held_by(page)
    config = write_sources(document, tmp_path / "again", sandbox=False)
    (config.parent / "mine" / "worth.py").write_text("MAN = -20.0\n")
    forget_modules()
    options = ("--workers", 1, "--no-report")
    assert invoke("run", config, "--out", tmp_path / "again", *options).exit_code == 0
    found = compared(document, tmp_path / "again")
    assert found.startswith(("0 of 4", "2 of 4")) and "own" in found
    assert "python 2 then" in compared({**document, "versions": {"python": "2"}}, tmp_path / "again")


@pytest.mark.full
@pytest.mark.parametrize("change", [{"report": ("sheets",)}, {"sandbox": True}])
def test_the_page_of_a_class_or_of_a_sandbox_holds_no_sources(page, change):
    run = read(page.parent)
    others = run._replace(experiment=run.experiment.model_copy(update=change))
    assert replay_element(run, page.parent) and not replay_element(others, page.parent)


@pytest.mark.full
@pytest.mark.parametrize("sandbox", [True, False])
def test_sources_are_written_to_be_played_in_a_sandbox_or_without(page, tmp_path, sandbox):
    assert load(write_sources(held_by(page), tmp_path, sandbox=sandbox)).sandbox == sandbox


def test_files_outside_of_the_folder_and_pages_without_sources_are_refused(tmp_path):
    with pytest.raises(ArenaError, match="outside"):
        write_sources({"config": "", "files": {"/etc/own.py": "", "../x.py": ""}}, tmp_path, sandbox=False)
    other = tmp_path / "other.html"
    other.write_text("<html></html>")
    assert "other.html" in refused("run", other, "--yes")
    assert "--yes" in refused("run", tmp_path / "a.yaml", "--yes")
