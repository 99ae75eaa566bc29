"""Options of a run: what they hear, and that the core plays the same games without any."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import arena
from arena.experiment.load import load
from arena.ledger.ledger import Ledger
from arena.play import prepare, tournament
from arena.play.options.option import Option, Unreachable
from tests.helpers.tournaments import assert_same

CONFIG: dict[str, Any] = {
    "name": "options",
    "variant": "english",
    "openings": {"random_plies": 4, "count": 3},
    "max_plies": 30,
    "players": ["random", "greedy", {"name": "deep", "type": "negamax", "depth": 2}],
}


def played(folder: Path) -> arena.Run:
    return arena.run(CONFIG, folder, workers=1, quiet=True)


def use(monkeypatch: pytest.MonkeyPatch, *options: type[Option]) -> None:
    for module in (prepare, tournament):
        monkeypatch.setattr(module, "OPTIONS", options)


def test_the_core_plays_the_same_games_without_any_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = played(tmp_path / "whole")
    use(monkeypatch)
    assert_same(played(tmp_path / "core"), whole)


def test_an_option_hears_of_each_game_in_the_order_of_what_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, int]] = []

    class Hears(Option):
        key = "hears"

        @staticmethod
        def prepare(*_: object) -> str:
            return "ready"

        def before(self) -> bool:
            heard.append((self.run.tournament.prepared["hears"], 0))
            return True

        def played(self, record: Any) -> None:
            heard.append(("played", record.game))

        def ended(self, record: Any) -> None:
            assert record.game not in self.run.ledger.finished()
            heard.append(("ended", record.game))

        def stored(self, record: Any) -> None:
            assert record.game in self.run.ledger.finished()
            heard.append(("stored", record.game))

        def after(self) -> bool:
            heard.append(("after", 0))
            return True

    use(monkeypatch, Hears)
    played(tmp_path)
    each = [(what, game) for game in range(1, 19) for what in ("played", "ended", "stored")]
    assert heard == [("ready", 0), *each, ("after", 0)]


def test_an_option_that_stops_ends_the_run_before_the_next_game_and_may_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stops(Option):
        def stops(self) -> bool:
            return len(self.run.ledger.finished()) >= 5

        def batch_ended(self) -> None:
            raise Unreachable("enough")

    use(monkeypatch, Stops)
    with pytest.raises(Unreachable, match="enough"):
        played(tmp_path)
    experiment = load(CONFIG)
    with Ledger(tmp_path, experiment, prepare.prepare(experiment).info) as ledger:
        assert ledger.finished() == {1, 2, 3, 4, 5}


def test_a_complete_run_goes_on_for_an_option_that_misses_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch)
    session = played(tmp_path).info.session

    class Misses(Option):
        def is_missing(self) -> bool:
            return True

    assert played(tmp_path).info.session == session
    use(monkeypatch, Misses)
    assert played(tmp_path).info.session != session
