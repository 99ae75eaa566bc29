"""A run that grows: what is there is kept, what is missing is played, and the whole is as if played at once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

import arena
from arena.experiment.load import load
from arena.ledger.ledger import JUDGES, Ledger
from arena.ledger.store import StoreError
from arena.play.options.grading import graded_games
from arena.play.options.suites import answered_in
from arena.play.prepare import prepare
from arena.play.tournament import Outcome
from arena.watch.observer import Observer
from tests.helpers.tournaments import assert_same
from tests.helpers.tournaments import play_run as play

pytestmark = pytest.mark.usefixtures("no_pictures")
RANDOM, GREEDY = ({"name": name, "type": name} for name in ("random", "greedy"))
SHALLOW, DEEP = ({"name": f"depth-{depth}", "type": "negamax", "depth": depth} for depth in (1, 2))
SMALL: dict[str, Any] = {
    "name": "growing",
    "variant": "english",
    "seed": 3,
    "openings": {"count": 2},
    "max_plies": 40,
    "players": [RANDOM, GREEDY],
}
FIRST = """\
from arena import Choice

class {name}:
    def __init__(self, variant): pass
    def choose(self, game, limit, rng):
        {said}
        return Choice(game.legal_moves[{move}])
"""


class Heard(Observer):
    """What a run says, and how many games it plays."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.played = 0

    def say(self, line: str) -> None:
        self.lines.append(line)

    def done(self, number: int) -> None:
        self.played = number


def grown(folder: Path, settings: dict[str, Any], out: str = "out") -> Heard:
    """Play what a run lacks of a configuration."""
    path, heard = folder / "growing.yaml", Heard()
    path.write_text(yaml.safe_dump(settings))
    outcome = play(load(path), folder / out, heard, workers=1)
    assert outcome == Outcome(True, bool(arena.load(folder / out).data.failures))
    return heard


def refused(folder: Path, settings: dict[str, Any]) -> str:
    path, before = folder / "growing.yaml", (folder / "out" / "ledger.sqlite").read_bytes()
    path.write_text(yaml.safe_dump(settings))
    with pytest.raises(StoreError) as caught:
        play(load(path), folder / "out", Observer(), workers=1)
    assert (folder / "out" / "ledger.sqlite").read_bytes() == before and "\n" not in str(caught.value)
    return str(caught.value)


def write_own(folder: Path, name: str, move: int = 0, said: str = "pass") -> dict[str, Any]:
    """A player of its own file, which makes one of its legal moves."""
    (folder / f"{name}.py").write_text(FIRST.format(name=name.title(), move=move, said=said))
    return {"name": name, "type": f"{name}.py:{name.title()}"}


def test_openings_players_and_depths_are_added_one_after_the_other_as_if_all_were_played_at_once(
    tmp_path: Path,
) -> None:
    steps = [
        SMALL,
        SMALL | {"openings": {"count": 3}},
        SMALL | {"openings": {"count": 3}, "players": [SHALLOW, RANDOM, GREEDY]},
        SMALL | {"openings": {"count": 3}, "players": [SHALLOW, RANDOM, DEEP, GREEDY]},
    ]
    assert [grown(tmp_path, step).played for step in steps] == [4, 2, 12, 18]
    assert grown(tmp_path, steps[-1]).played == 0
    assert grown(tmp_path, steps[-1], "at once").played == 36
    assert_same(arena.load(tmp_path / "out"), arena.load(tmp_path / "at once"))


def test_games_are_kept_wherever_their_openings_stand(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("B:W21,22:B1,2\nW:W21,22:B1,2\n")
    grown(tmp_path, SMALL | {"openings": {"file": "two.txt"}})
    (tmp_path / "two.txt").write_text("W:W23,22:B1,2\nW:W21,22:B1,2\nB:W21,22:B1,2\n")
    longer = SMALL | {"openings": {"file": "two.txt", "repeat": 2}}
    assert grown(tmp_path, longer).played == 8
    grown(tmp_path, longer, "at once")
    assert_same(arena.load(tmp_path / "out"), arena.load(tmp_path / "at once"))


def test_a_changed_file_has_its_games_alone_played_again_and_the_earlier_run_is_kept(tmp_path: Path) -> None:
    ann, bob = write_own(tmp_path, "ann"), write_own(tmp_path, "bob", -1)
    grown(tmp_path, SMALL | {"players": [RANDOM, bob, GREEDY]})
    group = SMALL | {"players": [RANDOM, ann, bob, GREEDY]}
    assert grown(tmp_path, group).played == 12
    before = arena.load(tmp_path / "out").games
    write_own(tmp_path, "bob")
    heard = grown(tmp_path, group)
    assert heard.played == 12
    [line] = [line for line in heard.lines if "bob" in line]
    kept = tmp_path / "out" / "earlier-1"
    assert str(kept) in line and "12 games" in line and "ann" not in line
    assert arena.load(kept).games.equals(before)
    after = arena.load(tmp_path / "out").games
    others = ~(before["white"] == "bob") & ~(before["black"] == "bob")
    assert after[others].equals(before[others])
    assert grown(tmp_path, group).played == 0
    grown(tmp_path, group, "at once")
    assert_same(arena.load(tmp_path / "out"), arena.load(tmp_path / "at once"))


def test_a_player_that_was_left_out_takes_part_when_its_file_is_mended(tmp_path: Path) -> None:
    players = [RANDOM, GREEDY, write_own(tmp_path, "ann", 1000)]
    group = SMALL | {"players": players, "failures": {"faulty": "leave-out"}}
    path = tmp_path / "growing.yaml"
    path.write_text(yaml.safe_dump(group))
    assert play(load(path), tmp_path / "out", workers=1) == Outcome(True, True)
    assert len(arena.load(tmp_path / "out").games) == 4
    for move, is_said in ((1000, False), (2000, True)):
        write_own(tmp_path, "ann", move)
        assert play(load(path), tmp_path / "out", heard := Heard(), workers=1) == Outcome(True, True)
        assert any("ann is left out" in line for line in heard.lines) == is_said, "it is tried if its file changed"
    write_own(tmp_path, "ann")
    assert grown(tmp_path, group).played == 8
    grown(tmp_path, group, "at once")
    assert_same(arena.load(tmp_path / "out"), arena.load(tmp_path / "at once"))
    assert not arena.load(tmp_path / "out").info.left_out


def test_who_is_disqualified_is_decided_anew(tmp_path: Path) -> None:
    """Who fails as White alone is disqualified by the first game, but not after a sound one against another."""
    players = [write_own(tmp_path, "ann", said="assert game.turn"), RANDOM, GREEDY]
    settings = SMALL | {"players": players, "failures": {"disqualify_after": 1, "faulty": "forfeit"}}
    grown(tmp_path, settings)
    assert len(arena.load(tmp_path / "out").games) == 4
    larger = settings | {"players": [SHALLOW, *players]}
    grown(tmp_path, larger)
    grown(tmp_path, larger, "at once")
    assert len(arena.load(tmp_path / "out").games) == 24
    assert_same(arena.load(tmp_path / "out"), arena.load(tmp_path / "at once"))


def test_grades_and_answers_of_what_stays_are_kept(tmp_path: Path) -> None:
    settings = SMALL | {"players": [SHALLOW, DEEP], "suite": {"random": 3, "depth": 2}}
    settings |= {"grade": {"pieces": 0, "judge": "simple@d3"}, "max_plies": 20}
    grown(tmp_path, settings)
    path = tmp_path / "out"
    with Ledger(path, load(settings), prepare(load(tmp_path / "growing.yaml")).info) as ledger:
        judge = next(iter(ledger.documents()[JUDGES]))
    larger = settings | {"players": [RANDOM, SHALLOW, DEEP]}
    (tmp_path / "growing.yaml").write_text(yaml.safe_dump(larger))
    plan = prepare(load(tmp_path / "growing.yaml"), path)
    with Ledger(path, plan.experiment, plan.info, plan.opening_fens) as ledger:
        assert len(graded_games(ledger, judge)) == 4 and len(answered_in(ledger)) == 6
    grown(tmp_path, larger)
    grown(tmp_path, larger, "at once")
    one, other = (arena.load(tmp_path / out) for out in ("out", "at once"))
    assert one.data.grades.equals(other.data.grades)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"seed": 4}, "changed: seed"),
        ({"variant": "russian"}, "changed: variant"),
        ({"max_plies": 50}, "changed: max_plies"),
        ({"players": [RANDOM | {"depth": 1}, GREEDY | {"depth": 1}]}, "would keep no game, as random and greedy"),
        ({"players": [RANDOM, SHALLOW]}, "greedy"),
        ({"openings": {"count": 1}}, "not number 2 of the 1"),
        ({"openings": {"count": 2, "random_plies": 6}}, "other openings"),
        ({"format": {"type": "swiss", "rounds": 1}, "openings": {"count": 3}}, "results decide who meets"),
        (
            {"format": {"type": "gauntlet", "seeds": ["depth-1"]}, "players": [RANDOM, GREEDY, SHALLOW]},
            "random and greedy would meet less often",
        ),
    ],
)
def test_what_is_no_growth_is_refused_in_one_line_that_says_why(
    changed: dict[str, Any], why: str, tmp_path: Path
) -> None:
    grown(tmp_path, SMALL)
    assert why in refused(tmp_path, SMALL | changed)


@pytest.mark.parametrize("format", [{"type": "swiss", "rounds": 1}, {"type": "knockout", "extra": 0}])
def test_what_results_decided_cannot_grow(format: dict[str, Any], tmp_path: Path) -> None:
    grown(tmp_path, SMALL | {"format": format})
    larger = SMALL | {"format": format, "players": [RANDOM, GREEDY, SHALLOW], "openings": {"count": 9}}
    assert f"results decide who meets in a {format['type']}" in refused(tmp_path, larger)


def test_an_open_test_goes_on_with_more_openings_and_a_decided_one_cannot(tmp_path: Path) -> None:
    is_open = SMALL | {"sprt": {"elo0": 0, "elo1": 9}}
    grown(tmp_path, is_open, "open")
    assert grown(tmp_path, is_open | {"openings": {"count": 3}}, "open").played == 2
    decided = {"openings": {"count": 50}, "sprt": {"elo0": -1500, "elo1": 0, "alpha": 0.4, "beta": 0.4}}
    grown(tmp_path, SMALL | decided)
    longer = decided | {"openings": {"count": 60}}
    assert "its sequential test was decided after" in refused(tmp_path, SMALL | longer)


def test_a_run_until_elo_is_known_goes_on_with_more_openings_but_not_with_more_players(tmp_path: Path) -> None:
    until = SMALL | {"openings": {"count": 26}, "until": {"error": 60.0}, "max_plies": 8}
    grown(tmp_path, until)
    assert "results of all decide" in refused(tmp_path, until | {"players": [RANDOM, GREEDY, SHALLOW]})
    assert "cannot end earlier" in refused(tmp_path, until | {"until": {"error": 90.0}})
    longer = until | {"openings": {"count": 40}, "until": {"error": 50.0}}
    grown(tmp_path, longer)
    grown(tmp_path, longer, "at once")
    assert_same(arena.load(tmp_path / "out"), arena.load(tmp_path / "at once"))


def test_a_run_whose_growth_was_killed_grows_when_it_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = [write_own(tmp_path, "ann", 1000), GREEDY]
    settings = SMALL | {"players": players, "failures": {"disqualify_after": 0, "faulty": "forfeit"}}
    grown(tmp_path, settings)
    shutil.copytree(tmp_path / "out", tmp_path / "killed")
    larger = settings | {"players": [RANDOM, *players]}
    (tmp_path / "growing.yaml").write_text(yaml.safe_dump(larger))
    plan = prepare(load(tmp_path / "growing.yaml"), tmp_path / "killed")

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("arena.ledger.ledger.renumber", killed)
        with pytest.raises(KeyboardInterrupt):
            Ledger(tmp_path / "killed", plan.experiment, plan.info, plan.opening_fens)
    for out in ("killed", "out"):
        grown(tmp_path, larger, out)
    run = arena.load(tmp_path / "killed")
    assert_same(run, arena.load(tmp_path / "out"))
    failed = run.games[run.games["error"] != ""]
    assert failed["traceback"].str.contains("in choose").all() and len(failed)
