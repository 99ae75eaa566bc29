"""DXP: its messages, and outside programs that play by it."""

import random
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
import yaml

import arena
from arena.base.process import ON_LINUX
from arena.experiment.load import load
from arena.experiment.model import entry_of
from arena.experiment.openings.sources import random_line
from arena.hosting.player_process import begin_game, close_players
from arena.ledger.record import named_of
from arena.play.match import play
from arena.play.trials import look_at
from arena.rules.custom import build_variant
from arena.rules.game import Game
from arena.rules.hub import parse_hub_move
from arena.rules.notation import fen, parse_fen
from arena.rules.variants import VARIANTS
from players.engines import dxp
from players.engines.dxp import game_request, move_message, parsed_move
from players.loading import PlayerError
from players.player import Allowance, AnswerError, Limit, PlayerSpec
from players.table import build_player
from tests.helpers.asking import assert_plays_games, column, task_of
from tests.helpers.command_line import one_line
from tests.helpers.failing import dxp_program

pytestmark = pytest.mark.skipif(not ON_LINUX, reason="such processes need Linux")

INTERNATIONAL = VARIANTS["international"]
KINGS = parse_fen(INTERNATIONAL, "W:WK46:BK1")


@pytest.fixture(autouse=True)
def nobody_is_left() -> Iterator[None]:
    yield
    close_players()


# --- messages


def test_a_request_has_the_layout_of_the_protocol():
    name = "draughts-arena".ljust(32)
    assert game_request(INTERNATIONAL, INTERNATIONAL.start, 1, 5) == f"R01{name}Z005000A"
    position = parse_fen(INTERNATIONAL, "B:W50,K46:B1,K2")
    squares = "zZ" + 43 * "e" + "W" + 3 * "e" + "w"
    assert game_request(INTERNATIONAL, position, 0, 120) == f"R01{name}W120000BZ{squares}"
    frysk = VARIANTS["frysk"]
    assert game_request(frysk, frysk.start, 0, 5)[42:] == "BW" + 5 * "z" + 40 * "e" + 5 * "w"


@pytest.mark.parametrize(
    ("text", "move"), [("M0012061100", (12, "6-11")), ("M001205250422122320", (12, "5x25x22x12x23x20"))]
)
def test_moves_are_read_as_the_protocol_shows_them(text, move):
    assert parsed_move(text) == move


@pytest.mark.parametrize("text", ["M", "M0000322801", "M00003228002", "M 000322800", "M0000３22800"])
def test_what_is_not_a_move_is_an_error_of_the_program(text):
    with pytest.raises(AnswerError, match="which is not a move of the protocol"):
        parsed_move(text)


@pytest.mark.full(but=["international"])
@pytest.mark.parametrize("name", ["international", "frisian"])
def test_every_move_is_read_as_it_was_written(name):
    variant, rng = VARIANTS[name], random.Random(1)
    for _ in range(5):
        game = random_line(variant, 120, rng)
        while game.moves:
            game.pop()
            for move in game.legal_moves:
                _, text = parsed_move(move_message(variant, game.position, move))
                assert parse_hub_move(variant, game.position, text, game.legal_moves) == move


# --- games


@pytest.mark.full
@pytest.mark.parametrize("listens", ["program", "arena"])
def test_a_partner_that_knows_the_rules_plays_games_to_their_end(listens):
    assert_plays_games(dxp_program("plays by the rules", listens=listens), INTERNATIONAL)


def test_two_seats_play_each_other_each_at_a_port_of_its_own():
    record = play(
        task_of(INTERNATIONAL, dxp_program("shuttles"), dxp_program("chats"), opening=KINGS, max_plies=6)
    )
    assert (record.error, record.termination, record.plies) == ("", "max_plies", 6)
    assert (column(record, "clock") <= 60).all()
    assert named_of({1: record.extras or b""}) == [(1, ply, "said_ms", 3000) for ply in range(1, 7)]
    assert column(record, "move").tolist()[:4] == [b"46-41", b"1-6", b"41-46", b"6-1"]


@pytest.mark.parametrize("listens", ["program", "arena"])
def test_a_program_plays_on_when_the_moves_of_its_clock_are_made(listens):
    limit = Limit(clock=60.0, moves=2)
    sides = (replace(dxp_program("shuttles", listens=listens), limit=limit) for _ in range(2))
    record = play(task_of(INTERNATIONAL, *sides, opening=KINGS, max_plies=7))
    assert (record.termination, record.error) == ("max_plies", "")
    assert [clock // 60 for clock in column(record, "clock")[::2]] == [0, 1, 1, 2]


@pytest.mark.full
def test_a_program_with_one_port_is_tried_and_plays_in_one_process_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.play.trials._openings", lambda variant: (fen(variant, variant.start),))
    monkeypatch.setattr("arena.play.trials._MOST", 6)
    with socket.create_server(("127.0.0.1", 0)) as free:
        spec = dxp_program("plays by the rules", port=free.getsockname()[1])
    whole = {"name": "dxp", "variant": "international", "openings": {"count": 1}, "max_plies": 6}
    config = whole | {"players": [entry_of(spec), "random"]}
    (tmp_path / "dxp.yaml").write_text(yaml.safe_dump(config))
    [tried, _] = look_at(load(tmp_path / "dxp.yaml"), "examined", lambda _: None).values()
    assert tried.problems == []
    played = arena.run(load(tmp_path / "dxp.yaml"), tmp_path / "out", workers=2, quiet=True)
    assert isinstance(played, arena.Run)
    assert played.games["error"].tolist() == [""] * 2


@pytest.mark.full
def test_a_program_in_this_process_is_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr(dxp, "_END_SECONDS", 0.25)
    player = build_player(dxp_program("is silent"), INTERNATIONAL)
    with pytest.raises(AnswerError, match=r"sent nothing, 0\.25 s after its time was over"):
        player.choose(Game(INTERNATIONAL, KINGS), Limit(clock=0.1), random.Random(0))
    player.close()  # type: ignore[attr-defined]


@pytest.mark.full
def test_a_move_taken_back_is_a_new_game_for_the_program():
    player = build_player(dxp_program("plays by the rules"), INTERNATIONAL)
    for texts in (("32-28",), ("31-27",)):
        game = Game(INTERNATIONAL)
        for text in texts:
            game.push(text)
        assert player.choose(game, Limit(clock=60.0), random.Random(0)).move in game.legal_moves
    player.close()  # type: ignore[attr-defined]


# --- before the first game


@pytest.mark.parametrize(
    ("changes", "clock", "variant"),
    [
        ({}, Limit(depth=3), "international"),
        ({}, Limit(clock=90), "international"),
        ({}, Limit(clock=60), "english"),
        ({"parameters": {"book": False}}, Limit(clock=60), "international"),
        ({"reserve": 0.1}, Limit(clock=60), "international"),
        ({"protocol": "dpx"}, Limit(clock=60), "international"),
        ({"protocol": "hub", "port": 27531}, Limit(clock=60), "international"),
        ({"command": [sys.executable]}, Limit(clock=60), "international"),
        ({"port": 70000}, Limit(clock=60), "international"),
    ],
)
def test_a_wrong_entry_is_one_line(changes, clock, variant):
    spec = dxp_program("shuttles", **changes)
    with pytest.raises(PlayerError) as caught:
        build_player(PlayerSpec("p", "engine", clock, spec.options), build_variant(variant))
    one_line(str(caught.value))


def test_a_port_that_is_taken_is_refused_until_it_is_free():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        for listens in ("program", "arena"):
            with pytest.raises(PlayerError, match=f"port {port} is taken, perhaps by another process"):
                build_player(dxp_program("shuttles", port=port, listens=listens), INTERNATIONAL)
    spec = dxp_program("shuttles", port=port)
    first = begin_game(spec, INTERNATIONAL, KINGS, "1", Allowance())
    with pytest.raises(PlayerError, match=f"port {port} is taken"):
        begin_game(spec, INTERNATIONAL, KINGS, "1", Allowance(), copy=1)
    first.close()
    begin_game(spec, INTERNATIONAL, KINGS, "1", Allowance(), copy=1)
