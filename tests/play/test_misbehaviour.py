"""What players do wrong, wherever they are: each loses its own game for a reason in one line, and no other one."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.base.process import ON_LINUX
from arena.hosting import sandbox
from arena.hosting.player_process import close_players
from arena.ledger.record import GameRecord
from arena.play.match import play
from arena.rules.notation import parse_fen
from arena.rules.variants import VARIANTS, Variant
from players.engines import dxp
from players.player import Allowance, Choice, Limit, PlayerSpec
from tests.helpers.asking import First, assert_first_lost, own, task_of
from tests.helpers.failing import (
    MALICE,
    assert_others_unharmed,
    configured,
    dxp_program,
    game_of,
    hub_program,
    run,
)

pytestmark = pytest.mark.skipif(not ON_LINUX, reason="processes of their own need Linux")

ENGLISH, INTERNATIONAL = VARIANTS["english"], VARIANTS["international"]
ERROR, TIME, ILLEGAL = "error", "time", "illegal_move"
HERE, CLASS, HUB, DXP = "here", "class", "Hub", "DXP"
CHANGED = "changed the game, which choose must leave as it was at ply "
LATE = "gave no answer within 0.5 s"

FACTS = [
    # place, what it does, how its game ends, why
    (CLASS, "EndsItsProcess", ERROR, "ended its process (exit code 7)"),
    (HUB, "crashes", ERROR, "ended (exit code 7) at ply"),
    (DXP, "crashes", ERROR, "ended (exit code 7) at ply 1"),
    # closes its connection
    (CLASS, "ClosesEverything", ERROR, "ended its process (exit code 1)"),
    (HUB, "closes its input", ERROR, "closed its input at ply"),
    (DXP, "closes the connection", ERROR, "closed its connection at ply 1"),
    # gives no answer
    (CLASS, "HangsInARegularExpression", TIME, f"{LATE}: it is at own.py, line "),
    (CLASS, "HangsInNativeCode", TIME, LATE),
    (CLASS, "StopsItself", TIME, LATE),
    (HUB, "is silent", TIME, "gave no answer within 1 s"),
    (HUB, "heeds no stop", TIME, ""),
    (DXP, "is silent", TIME, "gave no answer within 1.35 s at ply 1"),
    # answers late
    (DXP, "is late", TIME, "took "),
    # floods
    (CLASS, "PrintsForEver", TIME, LATE),
    (HUB, "writes no end of line", ERROR, "wrote 65536 bytes without an end of line"),
    (DXP, "writes no end of message", ERROR, "sent 128 characters"),
    # moves illegally
    (HERE, "UnpicklableMove", ILLEGAL, "returned the illegal move Unspeakable()"),
    (CLASS, "UnpicklableMove", ILLEGAL, "returned the illegal move Unspeakable()"),
    (HUB, "moves illegally", ILLEGAL, "returned the illegal move '1-32'"),
    (DXP, "moves illegally", ILLEGAL, "returned the illegal move '46-12' at ply 1"),
    # answers otherwise
    (HERE, "HugeMove", ERROR, "returned a move of 5,000,000 characters"),
    (HUB, "refuses positions", ERROR, "answered the error 'bad position'"),
    (DXP, "sends a wrong length", ERROR, "sent 'M00034641'"),
    (DXP, "claims a draw", ERROR, "ended the game in place of a move"),
    (DXP, "asks for a game", ERROR, "sent 'R01me"),
    (DXP, "asks for an earlier move", ERROR, "sent 'B005Z'"),
    (DXP, "refuses", ERROR, "answered the request for a game with 'Ame"),
    # raises
    (HERE, "RaisesUnspeakably", ERROR, "raised Unspeakable: its message cannot be read (own.py, line "),
    (HERE, "RaisesBackwards", ERROR, r"raised ValueError: \u202eno \x1b[2Jscreen (own.py, line "),
    (HERE, "RaisesSurrogates", ERROR, r"raised ValueError: \ud800 is half a character (own.py, line "),
    (CLASS, "Exits", ERROR, "raised SystemExit (own.py, line "),
    # changes the game
    (HERE, "Pushes", ERROR, CHANGED),
    (HERE, "Replaces", ERROR, CHANGED),
    (HERE, "ForgetsMoves", ERROR, CHANGED),
    # takes too much
    (CLASS, "Leaks", ERROR, "raised MemoryError (own.py, line "),
    (CLASS, "SharesMemory", ERROR, "took more than 160 MB of shared memory at ply "),
]
QUICK = [f"{place}-{kind}" for place, kind, *_ in FACTS if place == HERE or "illegal" in kind]
in_a_sandbox = pytest.mark.skipif(bool(sandbox.unavailable()), reason="no sandbox here")


def _here(kind: str, folder: Path) -> GameRecord:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.hosting.player_process.without_own_code", lambda spec: spec)
        return game_of(folder, kind)


def _hub(kind: str, folder: Path) -> GameRecord:
    bad = hub_program(kind, Limit(seconds=0.05) if kind == "heeds no stop" else Limit(depth=3), folder)
    task = task_of(ENGLISH, bad, PlayerSpec("random", "random"), opening=parse_fen(ENGLISH, "W:WK32:BK1"))
    return play(task._replace(max_plies=8, allowance=Allowance(move_timeout=1.0)))


def _dxp(kind: str, folder: Path) -> GameRecord:
    clock = 0.25 if kind in ("is silent", "is late") else 50.0
    sides = dxp_program(kind, clock=clock), dxp_program("shuttles", clock=50.0)
    opening = parse_fen(INTERNATIONAL, "W:WK46:BK1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dxp, "_MINUTE", 0.25)
        return play(task_of(INTERNATIONAL, *sides, opening=opening, max_plies=8))


PLACES: dict[str, Callable[[str, Path], GameRecord]] = {
    HERE: _here,
    CLASS: lambda kind, folder: game_of(folder, kind),
    HUB: _hub,
    DXP: _dxp,
}
"""How a player that does wrong comes to its game, as White."""


@pytest.fixture(autouse=True)
def nobody_is_left() -> Iterator[None]:
    yield
    close_players()


@pytest.mark.full(but=QUICK)
@pytest.mark.parametrize(
    ("place", "kind", "termination", "reason"), FACTS, ids=[f"{place}-{kind}" for place, kind, *_ in FACTS]
)
def test_who_does_wrong_loses_its_game(place, kind, termination, reason, tmp_path):
    if kind == "SharesMemory" and os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 512 << 20:
        pytest.skip("it shares 400 MB")
    name = "bad" if place in (HERE, CLASS) else kind
    assert_first_lost(PLACES[place](kind, tmp_path), name, termination, reason)


@pytest.mark.parametrize("place", [HUB, DXP])
def test_a_program_that_gives_up_has_resigned(place, tmp_path):
    record = PLACES[place]("gives up", tmp_path)
    assert (record.result, record.termination, record.error) == ("black", "resigned", "")


NAN = float("nan")
WRONG_FIELDS: dict[str, list[Any]] = {
    "nodes": ["many", None, 2**80],
    "score": ["hi", NAN],
    "pv": [5, (-1,)],
    "depth": [2**40],
    "plies_to_win": [1.5],
    "extra": [{"tokens": NAN}, {"a b": 1}, 812],
    "move": [None, "11-15", 1.5],
}


class Answers(First):
    """The first legal move and other fields of an answer; None for an answer of None."""

    def __init__(self, variant: Variant, fields: dict[str, Any] | None) -> None:
        self.fields = fields

    def choose(self, game, limit, rng):
        return None if self.fields is None else Choice(**{"move": game.legal_moves[0], **self.fields})


@pytest.mark.parametrize(
    "fields", [None, *({field: value} for field, values in WRONG_FIELDS.items() for value in values)], ids=str
)
def test_each_field_of_an_answer_is_checked(fields, monkeypatch):
    monkeypatch.setattr("arena.hosting.player_process.without_own_code", lambda spec: spec)
    record = play(task_of(INTERNATIONAL, own(Answers, fields=fields), own(First)))
    [field] = fields or ["None, not a Choice"]
    termination = ILLEGAL if field == "move" else ERROR
    assert (record.result, record.termination) == ("black", termination)
    assert field in record.error and record.error.startswith("own returned ") and record.error.endswith("at ply 1")


# --- nobody else is harmed


@pytest.fixture(scope="module")
def well(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    """The tournament in which `bad` behaves."""
    return run(configured(tmp_path_factory.mktemp("good"), "Good"))


def test_a_players_time_is_its_processor_time(well):
    wall = float(well.moves[well.moves["player"] == "bad"]["seconds"].mean())
    of_move = well.standings.set_index("player")["seconds_per_move"]
    assert 0 < of_move["bad"] < wall
    assert well.effort.set_index("player")["seconds_per_move"]["bad"] == pytest.approx(of_move["bad"])
    assert well.effort.set_index("player")["wall_seconds_per_move"]["bad"] == pytest.approx(wall)


@pytest.mark.full
def test_a_player_that_fails_loses_its_own_games_alone(well, tmp_path):
    failed = run(configured(tmp_path, "Sleeps"))
    assert_others_unharmed(failed, well)
    lost = failed.void_games
    assert failed.data.withdrawn == {"bad": "it failed in its first 3 games"}
    assert lost["termination"].tolist() == 3 * [TIME] and (lost["result"] == "*").all()
    assert "bad" not in {*failed.games["white"], *failed.games["black"]}


# --- harm that is meant

MEANT = {
    "Forges": (ERROR, "sent a malformed answer"),
    "ForgesAMove": (ILLEGAL, "returned the illegal move 99"),
    "SharesAFile": (ERROR, "took more than 160 MB of shared memory"),
    "SharesMemory": (ERROR, "took more than 160 MB of shared memory"),
    "Leaks": (ERROR, "raised MemoryError (own.py, line "),
    **dict.fromkeys(("StopsItsGroup", "StopsAllAbove", "KillsItsSupervisor"), (TIME, "gave no answer within ")),
}
"""How a game of such a player ends in a sandbox, and why; the rest of MALICE does nothing there."""
OFTEN = ("ForgesAMove", "StopsAllAbove", "KillsItsSupervisor", "SharesAFile", "Leaks")
SELDOM = [pytest.param(kind, marks=pytest.mark.slow) for kind in (*MALICE, "SharesMemory") if kind not in OFTEN]


@in_a_sandbox
@pytest.mark.full
@pytest.mark.parametrize("kind", [*OFTEN, *SELDOM])
def test_in_a_sandbox_malice_is_met_too(kind, tmp_path):
    termination, reason = MEANT.get(kind, ("max_plies", ""))
    limit = Limit(seconds=1.0) if termination == TIME else Limit()
    record = game_of(tmp_path, kind, limit, sandbox=())
    if reason:
        assert_first_lost(record, "bad", termination, reason)
    else:
        assert (record.termination, record.error) == (termination, "")
