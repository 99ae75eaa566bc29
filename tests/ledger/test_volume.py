"""Runs of many games: what a game takes in the ledger, reports in parts and while a run goes on."""

import math
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arena
import arena.report.viewer as games
from arena.experiment.formats.base import Rounds
from arena.ledger import read as reading
from arena.ledger.ledger import Ledger, StoreError
from arena.ledger.record import MOVE_COLUMNS, MOVE_RECORD, packed, unpacked
from arena.play.prepare import prepare
from arena.report.run import Run
from arena.report.sentences.facts import details
from arena.report.tables import rated_run
from tests.helpers.command_line import invoke
from tests.helpers.report_data import changed, data_of, write_quickly
from tests.helpers.runs import experiment, fill, playing

NAMES = [name for name, _ in MOVE_COLUMNS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of made-up games of players that search."""
    made = tmp_path_factory.mktemp("volume")
    fill(made, 45)
    return made


@pytest.fixture
def in_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The run read in many parts, large for the limits of memory."""
    monkeypatch.setattr(reading, "PLIES_AT_ONCE", 1000)
    monkeypatch.setattr(rated_run, "LARGE", 2000)
    return arena.load(folder)


_CODES = {"i2": "h", "i4": "i", "i8": "q", "f8": "d"}
_SECONDS = ("seconds", "cpu_seconds", "clock", "overrun", "pondered_seconds")


def naive(moves: bytes, plies: int) -> list[tuple[Any, ...]]:
    """A game's moves, read as `packed` says, byte by byte: the text, then the columns."""
    data = zlib.decompress(moves)
    record = struct.Struct("<" + "".join(_CODES[kind] for _, kind in MOVE_RECORD))
    found = []
    for octets in (data[ply::plies] for ply in range(plies)):
        values = dict(zip(NAMES, record.unpack_from(octets), strict=True))
        for name in _SECONDS:
            values[name] = (values[name] - 1) / 1e9 if values[name] else math.nan
        found.append((octets[record.size :].rstrip(b"\0"), *values.values()))
    return found


def row(move: str, **changes: float) -> tuple[Any, ...]:
    missing = ("cpu_seconds", "score", "clock", "overrun", "pondered_seconds")
    values: dict[str, float] = dict.fromkeys(NAMES, 0) | dict.fromkeys(missing, math.nan)
    return (move, *(values | changes).values())


GAMES = [
    [row("9-13", legal_moves=7, seconds=2.5e-6), row("22-18", legal_moves=7, seconds=1.75, cpu_seconds=1.5)],
    [
        row("1-5", seconds=2.0, cpu_seconds=0.0, plies_to_win=-9),
        row("1-5", seconds=2.0, cpu_seconds=7.25, plies_to_win=9),
    ],
    [row("a1xb2xc3xd4xe5", nodes=2**40, score=0.1, clock=59.999999999), row("1-5", nodes=-1, score=-math.inf)],
    [],
    [row("1-5", nodes=255, overrun=0.0), row("1-6", nodes=256, score=1e300), row("5-9", depth=2**31 - 1)],
]


def test_moves_are_read_as_they_were_recorded_also_as_the_description_of_a_ledger_says():
    columns = [dict(zip(["move", *NAMES], zip(*rows, strict=True), strict=False)) for rows in GAMES]
    packs = [packed(of_game) for of_game in columns]
    found = unpacked([moves for _, moves in packs], [plies for plies, _ in packs])
    wanted = np.array([each for rows in GAMES for each in rows], [("move", "S14"), *MOVE_COLUMNS])
    assert found.dtype == wanted.dtype
    read = np.array([each for plies, moves in packs for each in naive(moves, plies)], wanted.dtype)
    for name in wanted.dtype.names or ():
        np.testing.assert_array_equal(found[name], wanted[name], name)
        np.testing.assert_array_equal(read[name], wanted[name], name)


@pytest.mark.full
def test_a_report_in_parts_has_the_tables_of_one_whole(folder, in_parts, monkeypatch):
    assert len(list(in_parts.data.moves())) > 2
    monkeypatch.setattr(reading, "PLIES_AT_ONCE", 10**9)
    whole = arena.load(folder)
    assert len(list(whole.data.moves())) == 1
    for name in ("standings", "games", "effort"):
        pd.testing.assert_frame_equal(getattr(in_parts, name), getattr(whole, name))
    monkeypatch.setattr(reading, "PLIES_AT_ONCE", 1000)
    pd.testing.assert_frame_equal(arena.load(folder).moves, whole.moves)


def test_the_moves_of_chosen_games_can_be_read_alone(in_parts, monkeypatch):
    chosen = in_parts.games["game"].iloc[[3, 30, 31, -1]]
    alone = pd.concat(in_parts.data.moves(pd.Index(chosen)), ignore_index=True)
    among = in_parts.moves[in_parts.moves["game"].isin(chosen)].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, among)
    page = str(games.RunGames(in_parts).part(40))
    monkeypatch.setattr(rated_run, "LARGE", 10**9)
    assert len(data_of(page)["listed"]["id"]) == 40
    assert page == str(games.RunGames(arena.load(in_parts.folder)).part(40))


@pytest.mark.full
def test_a_large_run_has_its_moves_written_when_asked_for_and_says_so(in_parts, tmp_path):
    files = {path.name for path in write_quickly(changed(in_parts, tmp_path))}
    assert "games.csv" in files and not files & {"moves.csv", "games.pdn"}
    assert "written when asked for, by arena report --moves" in details(in_parts)[-1]
    files = {path.name for path in write_quickly(changed(in_parts, tmp_path), moves=True)}
    assert files >= {"moves.csv", "games.pdn"}
    table = pd.read_csv(tmp_path / "moves.csv")
    assert table["move"].tolist() == in_parts.moves["move"].tolist()
    assert (tmp_path / "games.pdn").read_text().count("[Event ") == len(in_parts.games)


def test_a_game_that_the_ledger_has_lost_is_no_report(folder, tmp_path):
    run = arena.load(folder)
    one_more = run.games.iloc[[-1]].assign(game=len(run.games) + 1, key=1)
    more, names = pd.concat([run.games, one_more]), pd.Index(run.players)
    with pytest.raises(StoreError, match="has lost games"):
        list(reading.Moves(folder / "ledger.sqlite", more, more[:0], names, {}, run.data.extras)())


@pytest.mark.full
def test_a_run_is_reported_while_it_is_played(tmp_path):
    plan = prepare(experiment(tmp_path))
    with Ledger(tmp_path / "out", plan.experiment, plan.info) as opened:
        played = playing(plan, opened)
        for _ in range(5):
            next(played)
        assert invoke("report", str(tmp_path / "out")).exit_code == 0
        reported = pd.read_csv(tmp_path / "out" / "games.csv")
        assert len(reported) == 5
        assert len(pd.read_csv(tmp_path / "out" / "moves.csv")) == reported["plies"].sum()
        next(played)


def test_rounds_are_the_pairs_of_each_opening_one_by_one():
    pairings = [(0, 1), (0, 2), (1, 2)]
    wanted = [(*pairing, opening, opening + 1) for opening in range(2, 6) for pairing in pairings]
    rounds = Rounds(pairings, range(2, 6))
    assert [rounds[index] for index in range(len(rounds))] == wanted
    assert not Rounds([], range(4)) and not Rounds(pairings, range(0))
