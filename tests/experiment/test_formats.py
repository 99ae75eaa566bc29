"""Formats in whole runs: the sequential test, `until`, and plans."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

from arena.experiment.formats.base import MIN_ROUNDS, Format, ScheduledGame
from arena.experiment.formats.fixed import Gauntlet, Match, RoundRobin, Sprt, Until
from arena.experiment.yaml.values import ConfigError
from arena.play.pilot import expectation, pilot
from arena.ratings.interval import ELO_PER_LOGIT, Z95
from arena.ratings.joint import rate
from arena.ratings.match import detectable, resolution
from arena.report.sentences.answer import decision
from arena.report.sentences.facts import narrowed
from arena.report.tables.outcomes import sprt_path
from arena.rules.result import result_of
from tests.helpers.report_data import changed, experiment, player, synthetic
from tests.helpers.schedules import DYNAMIC, FOUR, Result, batches, drawn, plan_of

SPRT = {"elo0": 0.0, "elo1": 40.0, "alpha": 0.05, "beta": 0.05, "model": "normalized"}


def test_a_format_with_rounds_needs_openings_for_all_of_them(tmp_path):
    text = "format: {type: swiss, rounds: 3, pairs: 9}\n" + FOUR
    with pytest.raises(ConfigError, match="4:29: with 4 players, swiss needs 27 openings, not 24"):
        plan_of(tmp_path, text)


@pytest.mark.parametrize(
    ("first", "pairs", "accepted"),
    [("white", 200, "accepted H1"), ("black", 200, "accepted H0"), ("draw", 4, "is open"), ("draw", 0, "is open")],
)
def test_a_decided_test_says_which_hypothesis_and_an_open_one_that_it_is(first, pairs, accepted):
    results = [first, {"white": "black", "black": "white"}.get(first, first)] * pairs
    path = sprt_path(pd.DataFrame({"game": range(1, 2 * pairs + 1), "result": results}), Sprt.model_validate(SPRT))
    sentence = decision(path, experiment([player("a"), player("b")], sprt=SPRT)).sentence
    assert f"{accepted} after {len(path)} pairs" in sentence
    whole = decision(path, experiment([player("a"), player("b")], sprt=SPRT), 2 * len(path)).sentence
    assert (f"not decided by all {len(path)} pairs; expect" in whole) == (pairs == 4)


EVERYONE = RoundRobin()
NAMES = [f"p{number}" for number in range(4)]


def frame(played: Sequence[ScheduledGame], points: Sequence[float]) -> pd.DataFrame:
    rows = [(NAMES[p.white], NAMES[p.black], result_of(x), p.pair) for p, x in zip(played, points, strict=True)]
    return pd.DataFrame(rows, columns=["white", "black", "result", "pair"])


def by_chance(
    seed: int, least: Callable[[ScheduledGame], float] = lambda _: 0.0
) -> tuple[dict[int, float], Result]:
    """White's points by game, of those that were asked for, and what draws them by lot."""
    rng, points = np.random.default_rng(seed), dict[int, float]()
    return points, lambda it: points.setdefault(it.game, float(rng.choice([least(it), 0.5, 1.0])))


def played_until(error: float, openings: int, seed: int, format: Format = EVERYONE) -> list[list[ScheduledGame]]:
    """The batches of a run of the players of NAMES, and that each but the last was not precise enough."""
    points, result = by_chance(seed, lambda scheduled: scheduled.opening % 2)
    found, order = batches(Until(error=error).batches(format, NAMES, openings), result)
    games: list[ScheduledGame] = []
    for number, batch in enumerate(found, start=1):
        games += batch
        table = rate(frame(games, [points[it.game] for it in games]), NAMES).table
        width = float((table["elo_high"] - table["elo_low"]).max() / 2)
        is_last = width <= error or len(games) == 2 * openings * len(format.pairings(NAMES))
        assert (number == len(found)) == is_last
    assert order == []
    return found


@pytest.mark.full(only=["format0"])
@pytest.mark.parametrize("format", [EVERYONE, Gauntlet(type="gauntlet", seeds=("p1",))])
def test_a_run_until_intervals_are_narrow_plays_the_rounds_of_its_format_from_the_first_on(format):
    found = played_until(28, 400, 1, format)
    (every,), _ = batches(format.batches(NAMES, 400), drawn)
    games = [scheduled for batch in found for scheduled in batch]
    assert games == every[: len(games)] and len(games) < len(every)
    rounds = [len({scheduled.round for scheduled in batch}) for batch in found]
    assert rounds[0] == MIN_ROUNDS and len(rounds) > 1
    for number, more in enumerate(rounds[1:], start=1):
        assert sum(rounds[:number]) / 20 <= more <= sum(rounds[:number])


def test_a_run_whose_intervals_stay_wide_ends_with_its_openings_and_none_is_rated_before_the_least():
    assert sum(map(len, played_until(5, MIN_ROUNDS + 2, 2))) == 12 * (MIN_ROUNDS + 2)
    assert [len(batch) for batch in played_until(1000, 3, 3)] == [36]


def test_one_player_of_unknown_elo_is_rated_after_as_many_pairs_as_others_after_rounds():
    newcomer, *known = NAMES
    gauntlet = Gauntlet(type="gauntlet", seeds=(newcomer,))
    until = Until(error=1000)
    found, _ = batches(until.batches(gauntlet, NAMES, 400, anchor=dict.fromkeys(known, 0.0)), drawn)
    assert [len(batch) for batch in found] == [2 * len(known) * -(-MIN_ROUNDS // len(known))]


def test_of_two_players_it_is_the_difference_that_is_to_be_known():
    """Whose interval is twice as wide as that of either player about their mean."""
    points, result = by_chance(4)
    batches(Until(error=40).batches(Match(type="match"), NAMES[:2], 500), result)
    pairs = np.array([points[game] + 1 - points[game + 1] for game in range(1, len(points), 2)]) / 2
    slope = ELO_PER_LOGIT / (pairs.mean() * (1 - pairs.mean()))
    assert 36 < Z95 * slope * pairs.std() / math.sqrt(len(pairs)) <= 40


def test_one_sentence_says_how_wide_intervals_are_and_whether_that_ended_the_run(tmp_path):
    players = [player(name) for name in "abc"]
    plain = synthetic(tmp_path, players, 12)
    assert narrowed(plain) == []
    half = (plain.standings["elo_high"] - plain.standings["elo_low"]) / 2
    for error, order in ((500.0, []), (1.0, None), (1.0, [])):
        wanted = experiment(players, until={"error": error})
        (sentence,) = narrowed(changed(plain, experiment=wanted, order=order))
        assert f"±{half.max():.1f} Elo" in sentence and f"±{error:g} Elo" in sentence
        assert sentence.startswith("The run ended when") == (error == 500)


@pytest.mark.full
def test_a_plan_counts_what_its_pilot_saw(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.play.pilot.PILOT_SECONDS", 100.0)
    plan = plan_of(tmp_path, FOUR)
    figures = zip((9.0, 1.0, 3.0, 2.0, 2.0), ["draw"] * 2 + ["white"] * 3, strict=True)
    made = [
        record._replace(seconds=seconds, result=result, worker=1)
        for record, (seconds, result) in zip(pilot(plan, 1)[:5], figures, strict=True)
    ]
    expected = expectation(plan, made, 4)
    assert (expected.games, expected.pilot_games, expected.games_per_pairing) == (288, 5, 48)
    assert expected.draw_rate == pytest.approx(2.5 / 6)
    assert expected.seconds_per_game == 2 and expected.loading == 7 and expected.seconds == 2 * 288 / 4 + 7
    loading = [record._replace(worker=number, seconds=60.0) for number, record in enumerate(made)]
    alone = expectation(plan, loading, 4)
    assert (alone.seconds_per_game, alone.loading) == (60, None)
    assert expected.pairing_elo == pytest.approx(detectable(resolution(48, 2.5 / 6)))
    cup = expectation(plan_of(tmp_path, DYNAMIC["knockout"] + FOUR), made, 1)
    assert cup.games_per_pairing == 10
