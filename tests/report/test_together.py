"""Several runs and files in one fit: games that they share, what changed, and what is set otherwise."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arena
from tests.helpers.command_line import invoke, refused
from tests.helpers.results import written
from tests.helpers.runs import StoredRun

OTHERS = ("x", "y", "z")


def run(
    folder: Path,
    points: Mapping[tuple[str, str], Sequence[float]],
    *,
    mine: str = "old",
    moves: str = "11-15",
    depth: int = 0,
    **settings: Any,
) -> Path:
    """A run of pairs with colours swapped, from an opening each: the points of the first of two players in them.

    `mine` is what the player of that name is made of, with a depth a search; games with other points have other
    moves.
    """
    players: dict[str, Any] = {name: name for pair in points for name in pair}
    if depth:
        players["mine"] = {"name": "mine", "type": "negamax", "depth": depth}
    openings = max(map(len, points.values()))
    with StoredRun(folder, players.values(), openings, hashes={"mine": mine}, **settings) as stored:
        for (one, other), pairs in points.items():
            for number, of_pair in enumerate(pairs):
                first = min(max(of_pair - 0.5, 0.0), 1.0)
                for white, black, result in (
                    (one, other, {1.0: "white", 0.5: "draw", 0.0: "black"}[first]),
                    (other, one, {1.0: "black", 0.5: "draw", 0.0: "white"}[of_pair - first]),
                ):
                    line = (moves, f"{of_pair:g}") if "mine" in (one, other) else ("11-15",)
                    stored.add(white, black, result, opening=number, moves=line)
        stored.end()
    return folder


def pairs(share: float, count: int = 60, seed: int = 1) -> list[float]:
    """The points of a player in pairs, with this share of them to expect."""
    rng = np.random.default_rng(seed)
    return (
        rng.multinomial(2, [(1 - share) ** 2, 2 * share * (1 - share), share**2], count) @ [0, 0.5, 1]
    ).tolist()


def against(*shares: float, seed: int = 1, count: int = 60) -> dict[tuple[str, str], list[float]]:
    return {("mine", OTHERS[i]): pairs(share, count, seed + i) for i, share in enumerate(shares)}


def elo_of(points: Sequence[float]) -> float:
    share = sum(points) / len(points) / 2
    return 400 * math.log10(share / (1 - share))


def test_games_of_two_runs_are_the_same_by_their_key_and_their_moves(tmp_path):
    """The second has another opponent, so that numbers of games differ; in the third other moves are made."""
    points = against(0.6, 0.5)
    first = run(tmp_path / "a", points)
    more = run(tmp_path / "b", {("z", "x"): pairs(0.5), **points})
    moved = run(tmp_path / "c", points, moves="11-16")
    alone, both, other = (arena.rate(*sources) for sources in ([first], [first, more], [first, moved]))
    assert both.results.same == (240, 240) and other.results.same == (240, 0)
    assert (len(both.results.games), len(other.results.games)) == (360, 480)
    assert "240 of 240 games that both have are the same, move for move.\n" in invoke("rate", first, more).stdout
    for one, two in ((alone, arena.rate(first, first)), (arena.rate(more), both)):
        assert one.ratings.difference("x", "y") == pytest.approx(two.ratings.difference("x", "y"))


def test_a_file_counts_once_whatever_its_name(tmp_path):
    rows = "white,black,wins,draws,losses\nnew,old,30,50,20\nold,base,40,40,20\n"
    file, copy = written(tmp_path, "games.csv", rows), written(tmp_path, "copy.csv", rows)
    alone, twice = arena.rate(file), arena.rate(file, copy, file)
    assert alone.standings.equals(twice.standings)
    assert ["copies" in note for note in twice.results.notes] == [True]


def test_a_change_is_measured_on_the_opponents_that_both_versions_met(tmp_path):
    """By hand: what it scores against x, as Elo. Against z, whom the old one never met, it scores nothing."""
    old, new = against(0.5, count=100), against(0.7, seed=9, count=100)
    unlike = {("x", "z"): pairs(0.5, 100), ("mine", "z"): [0.0] * 100}
    folders = [run(tmp_path / "old", old), run(tmp_path / "new", {**new, **unlike}, mine="new")]
    found = arena.rate(*folders)
    assert {"mine (old)", "mine (new)", "x", "z"} == {*found.ratings.table["player"]}
    (row,) = (row for row in found.changes.to_dict("records") if row["player"] != row["other"])
    assert (row["player"], row["other"], row["opponents"]) == ("mine (new)", "mine (old)", 1)
    by_hand = elo_of(new["mine", "x"]) - elo_of(old["mine", "x"])
    assert row["elo_difference"] == pytest.approx(by_hand, rel=0.02) and row["chance"] < 0.001
    assert row["elo_difference_low"] < by_hand < row["elo_difference_high"]
    whole = found.ratings.difference("mine (new)", "mine (old)")
    assert whole is not None and whole.high < row["elo_difference_low"], "all games say otherwise"
    assert "mine (new) is stronger than mine (old) against the 1 opponent that both met: +" in "".join(
        found.sentences
    )


@pytest.mark.full
def test_a_player_that_is_the_same_gains_nothing_by_other_opponents(tmp_path):
    """Beside the same games of mine, x and y the second run has a player that x alone loses to."""
    points = against(0.6, 0.5) | {("x", "y"): pairs(0.5)}
    more = {**points, ("mine", "z"): pairs(0.9), ("y", "z"): pairs(0.9), ("x", "z"): pairs(0.2)}
    found = arena.rate(run(tmp_path / "a", points), run(tmp_path / "b", more))
    assert len(found.changes) and (found.changes["elo_difference"].abs() < 1e-6).all()
    assert [line[:27] for line in found.sentences] == ["One rating per player does "], "that of the whole fit"


@pytest.mark.full
def test_results_that_one_rating_does_not_tell_are_said(tmp_path):
    """Players under time limits: the same in both runs, but on a busy machine in one."""
    folders = [
        run(tmp_path / "idle", against(0.5, 0.5)),
        run(tmp_path / "busy", against(0.25, 0.3, seed=7), moves="11-16"),
    ]
    found = arena.rate(*folders)
    assert {*found.ratings.table["player"]} == {"mine", "x", "y"}
    assert [line.split(" is the same in idle and busy")[0] for line in found.sentences][:1] == ["mine"]
    level = arena.rate(folders[0], run(tmp_path / "again", against(0.5, 0.5, seed=5), moves="11-16"))
    assert level.sentences == []


@pytest.mark.full
def test_two_versions_without_a_common_opponent_are_not_compared(tmp_path):
    folders = [
        run(tmp_path / "a", {("mine", "x"): pairs(0.5)}),
        run(tmp_path / "b", {("mine", "y"): pairs(0.5)}, mine="new"),
    ]
    found = arena.rate(*folders)
    assert found.changes["elo_difference"].isna().all() and "No opponent met both" in found.sentences[0]
    assert "nan" not in invoke("rate", *folders).output + invoke("rate", *folders, "--json").output
    assert str(tmp_path) in refused("rate", folders[0], tmp_path)


@pytest.mark.full
def test_what_is_set_otherwise_is_listed(tmp_path):
    one, two = against(0.5, count=10), against(0.6, count=10) | {("x", "w"): [1.0]}
    folders = [
        run(tmp_path / "a", one, depth=2, max_plies=300),
        run(tmp_path / "b", two, depth=3, max_plies=50, mine="new"),
    ]
    found = arena.rate(*folders)
    assert found.settings == ["max_plies: 300 in a, 50 in b", "mine: depth 2 in a, 3 in b", "only in b: w"]
    assert all(line in invoke("rate", *folders).stdout.splitlines() for line in found.settings)
