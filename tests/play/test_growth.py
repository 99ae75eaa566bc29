"""A run that grows: what is there is kept, what is missing is played, and the whole is as if played at once."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import arena
from arena.experiment.load import load
from arena.experiment.yaml.values import ConfigError
from arena.ledger.ledger import StoreError
from arena.watch.status import Observer
from tests.helpers.command_line import invoke, one_line
from tests.helpers.runs import assert_same
from tests.helpers.runs import play_run as play
from tests.helpers.watched import read_status

pytestmark = pytest.mark.usefixtures("no_pictures")
SCRIPT = Path(__file__).parents[1] / "data" / "engine.py"
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
OWN = """\
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
    assert play(load(path), folder / out, heard, workers=1).complete
    return heard


def as_at_once(folder: Path, settings: dict[str, Any]) -> arena.Run:
    """The grown run, which is the same as that of the same configuration played at once."""
    grown(folder, settings, "at once")
    run = arena.load(folder / "out")
    assert_same(run, arena.load(folder / "at once"))
    return run


def write_own(folder: Path, name: str, move: int = 0, said: str = "pass") -> dict[str, Any]:
    """A player of its own file, which makes one of its legal moves."""
    (folder / f"{name}.py").write_text(OWN.format(name=name.title(), move=move, said=said))
    return {"name": name, "type": f"{name}.py:{name.title()}"}


def test_openings_players_and_depths_are_added_as_if_all_were_played_at_once(tmp_path):
    steps = [
        SMALL,
        SMALL | {"openings": {"count": 3}},
        SMALL | {"openings": {"count": 3}, "players": [SHALLOW, RANDOM, GREEDY]},
        SMALL | {"openings": {"count": 3}, "players": [SHALLOW, RANDOM, DEEP, GREEDY]},
    ]
    before = set[str]()
    for step, played in zip(steps, [4, 2, 12, 18], strict=True):
        assert grown(tmp_path, step).played == played
        ids = set(arena.load(tmp_path / "out").games["id"])
        assert before < ids, "a game keeps its id"
        before = ids
    assert grown(tmp_path, steps[-1]).played == 0
    as_at_once(tmp_path, steps[-1])


def test_a_run_that_shrinks_keeps_its_games_and_counts_those_that_are_asked_for(tmp_path):
    large = SMALL | {"openings": {"count": 3}, "players": [SHALLOW, RANDOM, GREEDY]}
    grown(tmp_path, large)
    heard = grown(tmp_path, SMALL)
    assert heard.played == 0 and heard.lines[0].startswith("depth-1 takes no part any more")
    as_at_once(tmp_path, SMALL)
    assert grown(tmp_path, large).played == 0
    as_at_once(tmp_path, large)


def test_games_are_kept_wherever_their_openings_stand(tmp_path):
    (tmp_path / "two.txt").write_text("B:W21,22:B1,2\nW:W21,22:B1,2\n")
    grown(tmp_path, SMALL | {"openings": {"file": "two.txt"}})
    (tmp_path / "two.txt").write_text("W:W23,22:B1,2\nW:W21,22:B1,2\nB:W21,22:B1,2\n")
    longer = SMALL | {"openings": {"file": "two.txt", "repeat": 2}}
    assert grown(tmp_path, longer).played == 8
    as_at_once(tmp_path, longer)


def test_a_changed_file_has_its_games_alone_played_again_and_going_back_plays_nothing(tmp_path):
    ann, bob = write_own(tmp_path, "ann"), write_own(tmp_path, "bob", -1)
    group = SMALL | {"players": [RANDOM, ann, bob]}
    assert grown(tmp_path, group).played == 12
    before = arena.load(tmp_path / "out")
    write_own(tmp_path, "bob")
    heard = grown(tmp_path, group)
    assert heard.played == 8
    assert [line for line in heard.lines if "bob" in line] == ["bob changed: its games are played again"]
    after = as_at_once(tmp_path, group).games
    others = ~(after["white"] == "bob") & ~(after["black"] == "bob")
    assert after[others].equals(before.games[others])
    assert read_status(tmp_path / "out").games == 12
    write_own(tmp_path, "bob", -1)
    assert grown(tmp_path, group).played == 0
    assert_same(arena.load(tmp_path / "out"), before)


@pytest.mark.full
def test_a_player_that_was_left_out_takes_part_when_its_file_is_mended(tmp_path):
    players = [RANDOM, GREEDY, write_own(tmp_path, "ann", 1000)]
    group = SMALL | {"players": players, "failures": {"faulty": "leave-out"}}
    grown(tmp_path, group)
    assert len(arena.load(tmp_path / "out").games) == 4
    for move, is_said in ((1000, False), (2000, True)):
        write_own(tmp_path, "ann", move)
        heard = grown(tmp_path, group)
        assert any("ann is left out" in line for line in heard.lines) == is_said, "it is tried if its file changed"
    write_own(tmp_path, "ann")
    assert grown(tmp_path, group).played == 8
    assert not as_at_once(tmp_path, group).info.left_out


@pytest.mark.full
def test_a_program_of_another_version_or_with_another_file_plays_its_games_again(tmp_path):
    for name, text in (("openings.txt", "W:WK32:BK1\nB:WK32:BK1\n"), ("net.bin", "1")):
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-S", "-E", str(SCRIPT), "plays"]
    bot = {"name": "bot", "type": "engine", "depth": 3, "command": command, "files": ["net.bin"]}
    settings = SMALL | {"openings": {"file": "openings.txt"}, "max_plies": 8, "players": [RANDOM, GREEDY, bot]}
    assert grown(tmp_path, settings).played == 12
    assert arena.load(tmp_path / "out").info.players["bot"].version == "scripted 1"
    (tmp_path / "version").write_text("2")
    heard = grown(tmp_path, settings)
    assert heard.played == 8 and "bot (scripted 1 then, scripted 2 now) changed" in heard.lines[0]
    (tmp_path / "version").unlink()
    assert grown(tmp_path, settings).played == 0
    (tmp_path / "net.bin").write_text("2")
    assert grown(tmp_path, settings).played == 8
    (tmp_path / "net.bin").unlink()
    with pytest.raises(ConfigError, match=r"growing.yaml:\d+:\d+: there is no file .*net.bin"):
        grown(tmp_path, settings)


def test_a_player_that_was_left_out_takes_part_when_its_entry_alone_is_mended(tmp_path):
    kinds = (OWN.format(name=name, move=move, said="pass") for name, move in (("Bad", 1000), ("Good", 0)))
    (tmp_path / "ann.py").write_text("".join(kinds))
    for kind, played in (("Bad", 4), ("Bad", 0), ("Good", 8)):
        players = [RANDOM, GREEDY, {"name": "ann", "type": f"ann.py:{kind}"}]
        group = SMALL | {"players": players, "failures": {"faulty": "leave-out"}}
        assert grown(tmp_path, group).played == played


@pytest.mark.full
def test_who_is_withdrawn_is_decided_anew(tmp_path):
    """Who fails as White alone is withdrawn by the first game, but not after a sound one against another."""
    players = [write_own(tmp_path, "ann", said="assert game.turn"), RANDOM, GREEDY]
    settings = SMALL | {"players": players, "failures": {"withdraw_after": 1, "faulty": "forfeit"}}
    grown(tmp_path, settings)
    run = arena.load(tmp_path / "out")
    assert list(run.data.withdrawn) == ["ann"] and len(run.games) == 4
    larger = settings | {"players": [SHALLOW, *players]}
    grown(tmp_path, larger)
    assert len(as_at_once(tmp_path, larger).games) == 24


def test_an_anchor_may_be_added_to_a_run_that_is_complete_and_a_player_after_it(tmp_path):
    grown(tmp_path, SMALL)
    anchored = SMALL | {"anchor": {"random": 1000}}
    assert grown(tmp_path, anchored).played == 0
    standings = arena.load(tmp_path / "out").standings.set_index("player")
    assert standings["elo"]["random"] == 1000
    larger = anchored | {"players": [RANDOM, GREEDY, SHALLOW]}
    assert grown(tmp_path, larger).played == 8
    as_at_once(tmp_path, larger)


def test_grades_of_what_stays_are_kept(tmp_path):
    settings = SMALL | {"players": [SHALLOW, DEEP], "grade": {"pieces": 0, "judge": "simple@d3"}, "max_plies": 20}
    grown(tmp_path, settings)
    larger = settings | {"players": [RANDOM, SHALLOW, DEEP]}
    grown(tmp_path, larger)
    run = as_at_once(tmp_path, larger)
    assert run.data.grades.equals(arena.load(tmp_path / "at once").data.grades) and len(run.data.graded) == 12


def test_what_every_game_depends_on_is_refused_in_one_line(tmp_path):
    grown(tmp_path, SMALL)
    for key, value, place in (
        ("seed", 4, " (3 there, 4 here)"),
        ("variant", "russian", " (english there, russian here)"),
        ("max_plies", 50, ""),
        ("time_margin", 0.5, ""),
        ("adjudicate", {"win": {"men": 3}}, ""),
    ):
        path = tmp_path / "growing.yaml"
        path.write_text(yaml.safe_dump(SMALL | {key: value}))
        with pytest.raises(StoreError, match=re.escape(f"another {key}{place}")) as caught:
            play(load(path), tmp_path / "out", workers=1)
        one_line(caught.value)
    assert grown(tmp_path, SMALL).played == 0


@pytest.mark.full(but=["swiss"])
@pytest.mark.parametrize(
    "settings",
    [
        {"format": {"type": "swiss", "rounds": 1}},
        {"format": {"type": "knockout", "extra": 0}},
        {"format": "match", "sprt": {"elo0": 0, "elo1": 9}},
        {"openings": {"count": 26}, "until": {"error": 60.0}, "max_plies": 8},
    ],
    ids=["swiss", "knockout", "sprt", "until"],
)
def test_of_formats_that_results_decide_the_games_that_are_asked_for_count_as_if_played_at_once(
    settings, tmp_path
):
    first = SMALL | settings
    grown(tmp_path, first)
    larger = first | {"openings": {"count": 30}}
    if "sprt" not in settings:
        larger |= {"players": [RANDOM, GREEDY, SHALLOW]}
    grown(tmp_path, larger)
    as_at_once(tmp_path, larger)
    assert grown(tmp_path, first).played == 0
    as_at_once(tmp_path, first)


@pytest.mark.full
def test_a_match_of_more_openings_keeps_its_games_and_so_does_its_kept_configuration(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_own(tmp_path, "own")
    for count in ("2", "3"):
        assert invoke("match", "own.py", "random", "--openings", count, "--workers", 1).exit_code == 0
    (folder,) = (tmp_path / "reports").iterdir()
    before, kept = arena.load(folder).games, folder / "experiment.yaml"
    kept.write_text(kept.read_text().replace("count: 3", "count: 4"))
    again = invoke("run", kept, "--out", folder, "--workers", 1, "--no-report")
    assert again.exit_code == 0, again.stderr
    after = arena.load(folder).games
    assert (len(before), len(after)) == (6, 8) and set(before["began"]) < set(after["began"])
