"""The manifest of a run, and players that changed between two sessions of it."""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result

import arena
from arena.experiment.load import load
from arena.ledger.ledger import Ledger
from arena.ledger.manifest import FILE, SignedGame, stored_manifest
from arena.play.plan import Plan, prepare
from arena.play.signature import MOVES, PLIES, PlayerChanged, begin, difference, signature, signatures
from arena.report.sentences.notes import notes
from arena.rules.variants import VARIANTS
from players.player import Allowance, Limit, PlayerSpec
from tests.helpers.command_line import error_line, invoke

pytestmark = pytest.mark.usefixtures("no_pictures")
CONFIG = """\
name: t
variant: english
seed: 7
openings: {random_plies: 4, count: 2}
max_plies: 20
players:
  - {name: steady, type: greedy}
  - {name: own, type: "own.py:Own"}
  - {name: deep, type: negamax, depth: 2}
"""
OWN = """\
from pathlib import Path
from arena import Choice

class Own:
    def __init__(self, variant):
        self.place = int(Path(__file__).with_name("place.txt").read_text())

    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[self.place % len(game.legal_moves)], nodes=len(game.legal_moves))
"""
"""Plays the first or the last legal move, as a file says of which the arena does not know."""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "place.txt").write_text("0")
    (tmp_path / "t.yaml").write_text(CONFIG)
    return tmp_path / "t.yaml"


def plan_of(config: Path) -> Plan:
    return prepare(load(config))


def begin_again(config: Path, *, force: bool = False) -> dict[str, str]:
    plan = plan_of(config)
    with Ledger(config.parent / "out", plan.experiment, plan.facts) as ledger:
        return begin(plan, ledger, 1, force=force)


def document(config: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((config.parent / "out" / FILE).read_text())
    return found


def run(config: Path, *options: str) -> Result:
    out = config.parent / "out"
    return invoke("run", str(config), "--out", str(out), "--workers", "1", *options)


def test_a_run_says_what_it_is_made_of_and_where_it_was_played(config: Path) -> None:
    assert run(config, "--no-report").exit_code == 0
    found = document(config)
    assert found["configuration"] == load(config).as_dict()
    assert (found["file"], found["seed"]) == (str(config), 7)
    assert list(found["files"]) == ["own.py"]
    assert list(found["signatures"]) == ["steady", "own", "deep"]
    [session] = found["sessions"]
    assert (session["games"], session["workers"]) == (0, 1)
    assert session["versions"]["python"] == sys.version.split()[0]
    assert session["versions"]["numba"]
    assert session["machine"]["cores"] >= 1
    plan = plan_of(config)
    with Ledger(config.parent / "out", plan.experiment, plan.facts) as ledger:
        manifest = stored_manifest(ledger)
    assert manifest is not None
    again = signatures(plan)
    assert manifest.signatures.keys() == again.keys()
    for name, games in manifest.signatures.items():  # a busy machine may stop one of the two sooner
        first, second = games or [], again[name] or []
        both = min(len(first), len(second))
        assert both and first[:both] == second[:both]


@pytest.mark.full
def test_the_hash_is_of_the_configuration_and_of_the_users_files(config: Path) -> None:
    hashes: list[str] = []
    for name, old, new in [("t.yaml", "", ""), ("t.yaml", "seed: 7", "seed: 8"), ("own.py", "class", "\nclass")]:
        path = config.with_name(name)
        path.write_text(path.read_text().replace(old, new, 1) if old else path.read_text())
        plan = plan_of(config)
        with Ledger(config.parent / f"out{len(hashes)}", plan.experiment, plan.facts) as ledger:
            begin(plan, ledger, 1)
            manifest = stored_manifest(ledger)
            assert manifest is not None
            hashes.append(manifest.hash)
    assert len(set(hashes)) == 3


@pytest.mark.full
def test_each_time_that_a_run_goes_on_is_recorded_and_a_complete_one_is_left_alone(config: Path) -> None:
    begin_again(config)
    assert run(config, "--no-report").exit_code == 0
    assert len(document(config)["sessions"]) == 2
    (config.with_name("place.txt")).write_text("-1")
    assert run(config, "--no-report").exit_code == 0
    assert len(document(config)["sessions"]) == 2


def test_a_player_that_changed_is_refused_with_the_difference(config: Path) -> None:
    begin_again(config)
    (config.with_name("place.txt")).write_text("-1")
    result = run(config)
    assert result.exit_code == 2
    line = error_line(result.stderr)
    changed = "own plays differently now than at the start of the run (move 1 from B:W21,"
    assert f"{config.parent / 'out'}: {changed}" in line
    assert re.search(r": (\S+) \(7 nodes\) then, (?!\1)\S+ \(7 nodes\) now\); --force resumes", line)
    assert len(document(config)["sessions"]) == 1


def test_force_goes_on_with_a_player_that_changed_and_the_manifest_says_so(config: Path) -> None:
    begin_again(config)
    (config.with_name("place.txt")).write_text("-1")
    result = run(config, "--no-report", "--force")
    assert result.exit_code == 0
    assert "own plays differently now than at the start of the run (move 1 from" in result.stderr
    first, second = document(config)["sessions"]
    assert first["changed"] == {}
    assert list(second["changed"]) == ["own"]
    found = [note for note in notes(arena.load(config.parent / "out")) if "--force" in note]
    assert len(found) == 1
    assert found[0].startswith("own is not one player: it plays differently (move 1 from B:")
    assert found[0].endswith(" now) since 0 games of the run were played, which was resumed by --force.")


def test_force_does_not_mix_another_experiment_into_a_run(config: Path) -> None:
    begin_again(config)
    config.write_text(CONFIG.replace("seed: 7", "seed: 8"))
    result = run(config, "--force")
    assert result.exit_code == 2
    assert "holds another experiment (changed: seed)" in error_line(result.stderr)


def test_a_refusal_names_all_players_that_changed_and_the_versions_that_did(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_again(config)
    monkeypatch.setattr("arena.play.signature.LIMIT", Limit(depth=1))
    monkeypatch.setattr("arena.play.signature.versions", lambda: {"python": "9.9"})
    (config.with_name("place.txt")).write_text("-1")
    with pytest.raises(PlayerChanged, match=r"own plays .*, and so does deep; python 3\.\S+ then, 9\.9 now\)"):
        begin_again(config)


def test_a_signature_is_of_the_players_own_moves_from_all_positions_and_not_of_its_limit() -> None:
    english = VARIANTS["english"]
    one, other = (
        signature(PlayerSpec("x", "negamax", limit), english, Allowance())
        for limit in (Limit(depth=1), Limit(seconds=9.0))
    )
    assert one == other
    assert one is not None
    assert [len(game.moves) for game in one] == [MOVES] * len(PLIES)
    assert {game.fen[0] for game in one} == {"B", "W"}
    changed = signature(PlayerSpec("x", "negamax", Limit(depth=1), {"evaluation": "cis300"}), english, Allowance())
    assert changed is not None
    assert difference(one, changed)


CAPRICIOUS = """\
import itertools
from arena import Choice

calls = itertools.count()

class Counts:
    def __init__(self, variant): pass
    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0], nodes=next(calls))

class Fails(Counts):
    def choose(self, game, limit, rng):
        raise ValueError("no")
"""


@pytest.mark.parametrize("name", ["Counts", "Fails"])
def test_a_player_that_fails_or_varies_has_no_signature(tmp_path: Path, name: str) -> None:
    (tmp_path / "capricious.py").write_text(CAPRICIOUS)
    spec = PlayerSpec("x", f"{tmp_path / 'capricious.py'}:{name}")
    assert signature(spec, VARIANTS["english"], Allowance()) is None


@pytest.mark.full
def test_a_slow_player_is_signed_from_fewer_positions_and_compared_on_those(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def signed(seconds: float) -> list[SignedGame]:
        """The signature of a player for which a second passes from look to look at the clock."""
        monkeypatch.setattr("arena.play.signature.time", SimpleNamespace(perf_counter=partial(next, count())))
        monkeypatch.setattr("arena.play.signature.SECONDS", seconds)
        found = signature(PlayerSpec("x", "greedy"), VARIANTS["english"], Allowance())
        assert found is not None
        return found

    long, short = signed(2), signed(0)
    assert len(short) == 1 < len(long) < len(PLIES)
    assert difference(short, long) == difference(long, short) == ""
