"""What a report says first, and what it warns of."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.base.files import RUNS
from arena.ledger.record import SuiteAnswer
from arena.ratings.interval import Z95, Interval, score_from_elo
from arena.report.load import card
from arena.report.page.sections import RunPage
from arena.report.page.standings import standings_grid
from arena.report.run import Run
from arena.report.sentences.answer import answer, doublings, more_games, opening
from arena.report.sentences.cautions import (
    below_random,
    cautions,
    cut_short,
    failing,
    failures,
    pondered,
    too_long,
    unfinished,
    untold,
    waited,
)
from arena.report.sentences.claims import MOST, Claim, among_given, shortened
from arena.report.sentences.facts import byes
from tests.helpers.report_data import (
    MISSING_WORD,
    changed,
    drawn,
    experiment,
    frames,
    plain,
    player,
    run_of,
    searched,
    synthetic,
)

TERMS: list[dict[str, Any]] = [{"depth": 6}, {"nodes": 2000}, {"seconds": 0.02}]

pytestmark = pytest.mark.usefixtures("no_pictures")


# the opening words


def two(folder: Path, results: list[str], *names: str, **changes: Any) -> Run:
    """A match of two players, the first of which is White in every other game, with these results."""
    first, second = names or ("a", "b")
    run = synthetic(folder, [player(first, 3), player(second, 4)], len(results) // 2, plies=2)
    return changed(run, games=run.games.assign(result=results, **changes))


CLOSE_RESULTS = ["white", "draw", "draw", "white", "white", "draw"] * 5 + ["draw"] * 20
LEVEL_RESULTS = ["white", "draw", "draw", "white", "draw", "draw", "draw", "draw"] * 10


def lines_of(run: Run) -> list[str]:
    return [claim.sentence for claim in answer(run)]


def test_a_run_of_two_is_one_line_with_the_interval_of_the_difference_everywhere(tmp_path: Path) -> None:
    """The interval of a player's own rating is half as wide as that of the difference."""
    run = two(tmp_path, LEVEL_RESULTS)
    found = run.ratings.contrast({"a": 1.0, "b": -1.0})
    assert found is not None
    assert lines_of(run) == [f"a and b: no difference shown: {found} Elo."]
    table = standings_grid(run).texts().set_index("Player")["Elo"]
    assert table["a"] == str(found) and table["b"] == "0"
    assert run.zero == "b = 0"
    for text in (RunPage(run).markdown, RunPage(run).html, card(run), "\n".join(opening(run).lines)):
        words = plain(re.sub(r"</?b>|</?small>", "", text))
        assert "no difference shown" in words and str(found) in words


def test_few_games_have_no_number(tmp_path: Path) -> None:
    for results in (["white", "black"] * 2, ["draw"] * 4):
        (claim,) = answer(two(tmp_path, results))
        assert claim.lacks_games and claim.elo is None and "±" not in claim.sentence


def test_failures_come_before_all_else_and_what_they_decided_has_no_number(tmp_path: Path) -> None:
    run = two(tmp_path, ["black", "white"] * 4, termination="error")
    said = "8 of 8 games were lost because players failed: a lost 8 of its 8 games by errors."
    assert [*map(str, failures(run))] == [said]
    assert opening(run).lines[:2] == [said, "a failed in 8 of its 8 games, which say nothing of its play."]
    assert plain(RunPage(run).markdown).split("\n\n")[2] == said
    assert "±" not in "".join(lines_of(run))


def test_who_failed_in_half_of_its_games_says_nothing_of_its_play(tmp_path: Path) -> None:
    for failed, named in ((4, {"a": 4}), (3, {})):
        ends = ["error"] * failed + ["no_moves"] * (8 - failed)
        assert failing(two(tmp_path, ["black", "white"] * 4, termination=ends)) == named


def test_players_of_one_rating_have_no_leader(tmp_path: Path) -> None:
    players = [player(f"p{i}", type=f"my.py:P{i}") for i in range(4)]
    run = synthetic(tmp_path, players, 6, plies=2)
    level = changed(run, games=run.games.assign(result="draw"))
    assert lines_of(level) == ["4 players are level."]
    best = run.games["white"].isin(["p0", "p1"]) ^ run.games["black"].isin(["p0", "p1"])
    won = np.where(run.games["white"].isin(["p0", "p1"]), "white", "black")
    assert lines_of(changed(run, games=run.games.assign(result=np.where(best, won, "draw")))) == [
        "p1 and p0 are level at the top."
    ]


def test_each_value_is_a_line_at_each_kind_of_terms_and_what_is_not_shown_is_said_so(tmp_path: Path) -> None:
    players = [player(f"{e} {term}", type="negamax", evaluation=e, **term) for e in ("x", "y") for term in TERMS]
    run = synthetic(tmp_path, players, 8, plies=2)
    claims = answer(run)
    assert [claim.names for claim in claims] == [("y", "x")] * 3
    for claim, term in zip(claims, ("depth", "nodes", "time"), strict=True):
        assert f"at equal {term}" in claim.sentence and claim.interval is not None
        assert not claim.is_shown or abs(claim.interval.value) > claim.interval.error


def test_the_best_two_values_of_a_setting_are_compared_where_neither_is_the_reference(tmp_path: Path) -> None:
    players = [player(e, 3, type="negamax", evaluation=e) for e in ("x", "y", "z")]
    run = synthetic(tmp_path, players, 20, plies=2)
    strength = {"x": 0, "y": 1, "z": 2}
    white, black = (run.games[colour].astype(str).map(strength) for colour in ("white", "black"))
    won = changed(run, games=run.games.assign(result=np.where(white > black, "white", "black")))
    best, *against_first = answer(won)
    difference = won.ratings.contrast({"z": 1.0, "y": -1.0})
    assert (best.names, best.interval, best.is_shown) == (("z", "y"), pytest.approx(difference), True)
    assert [claim.names for claim in against_first] == [("z", "x"), ("y", "x")]
    lost = changed(run, games=run.games.assign(result=np.where(white < black, "white", "black")))
    assert [claim.names for claim in answer(lost)] == [("y", "x"), ("z", "x")]


def test_an_answer_has_so_many_lines_at_most_and_says_how_many_are_left_out(tmp_path: Path) -> None:
    claims = shortened([Claim("{} plays", (f"p{i}",)) for i in range(MOST + 4)])
    assert len(claims) == MOST and "5" in claims[-1].words and not claims[-1].names
    assert [len(shortened([Claim("x", lacks_games=True)] * count)) for count in (3, 4)] == [3, 1]
    players = [player(f"p{i}", 3, evaluation=f"e{i}") for i in range(MOST)]
    few = answer(synthetic(tmp_path, players, 1, plies=2))
    assert not [claim for claim in few if claim.lacks_games] and "too few games" in few[-1].words


SWEEP = [player(f"{e} d{depth}", depth, type="negamax", evaluation=e) for e in "xy" for depth in (1, 2, 4)]


def with_searches(run: Run) -> Run:
    """The run with a search of every player to depth 6."""
    of = experiment(SWEEP, suite={"random": 2, "depth": 6})
    return changed(run, experiment=of, answers=searched(**{spec.name: [90] for spec in of.players}))


@pytest.mark.parametrize("are_searched", [False, True])
def test_a_sweep_of_two_settings_is_answered_for_each_at_equal_others(tmp_path: Path, are_searched: bool) -> None:
    run = synthetic(tmp_path, SWEEP, 30, plies=2)
    found = {claim.names for claim in answer(with_searches(run) if are_searched else run)}
    assert found == {("y", "x"), ("evaluation x",), ("evaluation y",)}


def test_a_place_among_players_of_given_elo_is_said_as_far_as_the_interval_shows() -> None:
    given = {"a": 0.0, "b": 200.0, "c": 400.0}
    for low, high, names in ((10, 150, "ab"), (-50, 190, "b"), (10, 350, "ac"), (210, 399, "bc"), (210, 500, "b")):
        claim = among_given("own", Interval((low + high) / 2, low, high), given)
        assert (claim.names, claim.is_shown) == (("own", *names), True)
    unclear = among_given("own", Interval(200, -10, 410), given)
    assert (unclear.names, unclear.is_shown) == (("own",), False)


def test_what_two_players_solve_of_a_suite_differs_by_mcnemars_test_also_without_games(tmp_path: Path) -> None:
    """Nine positions against one are shown, six against two are not."""
    players = [player("a", 3), player("b", 3)]
    run = synthetic(tmp_path, players, 2)
    run = changed(run, games=run.games.head(0))
    for alone, other, is_shown in ((9, 1, True), (6, 2, False)):
        solved = {
            "a": [True] * (20 + alone) + [False] * other,
            "b": [True] * 20 + [False] * alone + [True] * other,
        }
        rows = [
            SuiteAnswer("s", number, "", name, 10, 1, "x", "x", done, 1, 1, 0.0, 0.0, "", "")
            for name, all in solved.items()
            for number, done in enumerate(all, 1)
        ]
        (claim,) = answer(changed(run, answers=pd.DataFrame(rows)))
        assert claim.names == ("s", "a", "b") and claim.is_shown == is_shown
        assert f"{alone} solved by the first alone, {other} by the second" in claim.note


def by_strength(folder: Path, lead: dict[int, float], pairs: int = 30) -> Run:
    """A sweep of two evaluations, of which y is ahead by so many logits at each depth; a doubling is worth 0.4."""
    players = [player(f"{e} d{d}", d, type="negamax", evaluation=e) for e in "xy" for d in lead]
    run = synthetic(folder, players, pairs, plies=2)
    strength = {f"{e} d{d}": 0.4 * np.log2(d) + (e == "y") * ahead for e in "xy" for d, ahead in lead.items()}
    white, black = (run.games[colour].astype(str).map(strength) for colour in ("white", "black"))
    chance = np.random.default_rng(2).random(len(white))
    won = np.where(chance < 1 / (1 + np.exp(black - white)), "white", "black")
    return changed(run, games=run.games.assign(result=won))


def test_a_difference_that_changes_its_sign_has_no_mean_but_its_ends_and_where_it_is_shown(
    tmp_path: Path,
) -> None:
    run = by_strength(tmp_path, {1: -1.2, 2: -0.5, 4: 0.6, 8: 1.6})
    first, *others = answer(run)
    ends = [run.ratings.difference(f"y d{depth}", f"x d{depth}") for depth in (1, 8)]
    assert first.names == ("y", "x") and first.interval is None
    assert f"from {ends[0]} Elo at depth 1 to {ends[1]} Elo at depth 8" in first.sentence
    assert "; stronger at depth 4 to 8; weaker at depth 1 to 2" in first.sentence
    assert all(claim.interval is None or claim.names != ("y", "x") for claim in others)
    page = RunPage(run).markdown
    assert "| y | x |" in page.partition("\n## ")[0] and "mean of 4 pairs" not in page
    ahead = by_strength(tmp_path, {1: 0.6, 2: 1.0, 4: 1.6, 8: 2.6}, 60)
    assert answer(ahead)[0].sentence.startswith("y is stronger than x at equal depth everywhere: from +")
    same = answer(by_strength(tmp_path, {1: 0.5, 2: 0.5, 4: 0.5, 8: 0.5}))[0]
    assert same.interval is not None and same.note == "mean of 4 pairs of players"


def test_what_one_interval_shows_among_many_is_not_said_to_be_stronger(tmp_path: Path) -> None:
    """Ten gauntlets of equal players: each has one that its own interval calls better or worse, all have none."""
    called = {"one": 0, "all": 0}
    for seed in range(10):
        players = [player(f"p{i}", type=f"my.py:P{i}") for i in range(12)]
        run = synthetic(tmp_path, players, 20, plies=2, seed=seed)
        games = run.games[(run.games["white"] == "p0") | (run.games["black"] == "p0")]
        ratings = changed(run, games=games).ratings
        found = [ratings.difference(a, b) for a, b in combinations(ratings.names, 2)]
        called["one"] += any(each is not None and abs(each.value) > each.error for each in found)
        called["all"] += any(ratings.family.shows({a: 1.0, b: -1.0}) for a, b in combinations(ratings.names, 2))
    assert called["one"] >= 8 and called["all"] <= 1


def test_twice_the_depth_is_worth_what_a_line_says_or_there_is_the_elo_of_each_depth(tmp_path: Path) -> None:
    straight = by_strength(tmp_path, {1: 0.0, 2: 0.0, 4: 0.0, 8: 0.0})
    claims = [claim.interval for claim in doublings(straight) if claim.interval is not None and claim.is_shown]
    assert len(claims) == 2 and claims[0].value > claims[1].value > 0
    two = by_strength(tmp_path, {2: 0.0, 6: 0.0})
    for claim, family in zip(answer(two)[-2:], "xy", strict=True):
        assert claim.interval == two.ratings.difference(f"{family} d6", f"{family} d2") and claim.is_shown
    bent = doublings(by_strength(tmp_path, {1: 0.0, 2: 2.0, 4: -1.0, 8: 0.5}))
    (of_y,) = [claim for claim in bent if claim.names == ("evaluation y",)]
    assert of_y.interval is None and re.search(
        r"not worth the same everywhere; Elo .* at 1, .* at 8\.$", of_y.sentence
    )


def scores(run: Run) -> np.ndarray:
    """The score of player a in each pair of a run of two."""
    white = run.games["result"].map({"white": 1.0, "draw": 0.5, "black": 0.0})
    return white.where(run.games["white"] == "a", 1 - white).groupby(run.games["pair"]).mean().to_numpy()


def told(run: Run) -> list[int]:
    """The Elo, how many times the games it takes to tell it, and the openings for that."""
    more = more_games(run, answer(run))
    assert more is not None
    found = re.search(
        r"difference of (\d+) Elo .* takes (\d+) times the games: openings: {count: (\d+)}", " ".join(more)
    )
    assert found is not None, more
    return [int(number) for number in found.groups()]


def test_so_many_times_the_games_show_the_difference_in_four_runs_of_five(tmp_path: Path) -> None:
    """Runs are drawn with the spread of the pairs played, about the score that the difference means."""
    run = two(tmp_path, CLOSE_RESULTS)
    elo, times, openings = told(run)
    assert openings == times * 10  # of the configuration's 10
    played = scores(run)
    drawn = np.random.default_rng(5).choice(played, (2000, len(played) * times))
    drawn += score_from_elo(elo) - played.mean()
    shows = drawn.mean(axis=1) - 0.5 > Z95 * drawn.std(axis=1, ddof=1) / np.sqrt(drawn.shape[1])
    assert 0.78 < shows.mean() < 0.92


def test_a_match_of_the_command_line_is_told_its_options_and_no_key_of_a_configuration(tmp_path: Path) -> None:
    own = two(tmp_path, CLOSE_RESULTS)
    own = changed(own, games=own.games.assign(termination="max_plies"))
    of_match = changed(own, info=own.info._replace(file=str(own.folder.resolve() / "match")))
    settings = [more.setting for run in (own, of_match) if (more := more_games(run, answer(run)))]
    assert settings[0].startswith("openings:") and settings[1].startswith("--openings ")
    assert cut_short(own)[0].startswith(cut_short(of_match)[0][:-1]) and cut_short(own) != cut_short(of_match)


def test_more_games_are_counted_from_those_of_the_configuration(tmp_path: Path) -> None:
    run = two(tmp_path, CLOSE_RESULTS)
    whole, half = (changed(run, info=run.info._replace(games=n * len(run.games))) for n in (1, 2))
    assert abs(told(half)[1] - told(whole)[1] / 2) <= 1
    nearly_begun = changed(run, info=run.info._replace(games=1000 * len(run.games)))
    assert more_games(nearly_begun, answer(run)) is None
    test = experiment([player("a", 3), player("b", 4)], sprt={"elo0": 0, "elo1": 5})
    assert more_games(changed(run, experiment=test), answer(run)) is None


# notes


def timed(folder: Path, seconds: float, limit: float = 0.002) -> Run:
    """A run of two evaluations at equal time, of which `slow` computed for so many seconds a move."""
    players = [player(name, type="negamax", evaluation=name, seconds=limit) for name in ("quick", "slow")]
    run = synthetic(folder, players, 2, plies=6)
    took = np.where(run.moves["player"].astype(str) == "slow", seconds, 0.9 * limit)
    return changed(run, moves=run.moves.assign(nodes=1000, depth=4, seconds=10 * took, cpu_seconds=took))


def test_a_limit_of_time_that_was_not_kept_is_noted_and_marked_where_it_was_compared(tmp_path: Path) -> None:
    late, kept = timed(tmp_path, 0.0042), timed(tmp_path, 0.00239)
    (note,) = too_long(late)
    assert note.startswith("† Time was not equal: slow took 4.2 ms per move, 2.1 times its limit. ")
    lines = opening(late).lines
    assert note in lines and " †" in lines[0]
    assert RunPage(late).markdown.count("† Time was not equal") == 1
    assert too_long(kept) == []
    assert "†" not in RunPage(kept).markdown
    np.testing.assert_allclose(late.effort.set_index("player")["time_used"][["quick", "slow"]], [0.9, 2.1])


def test_games_cut_by_the_ply_limit_are_noted_beyond_a_few_per_cent(tmp_path: Path) -> None:
    run = two(tmp_path, LEVEL_RESULTS, termination="no_moves")
    for cut, noted in ((0, 0), (4, 0), (5, 1), (80, 1)):
        ended = np.where(np.arange(80) < cut, "max_plies", "no_moves")
        some = changed(run, games=run.games.assign(termination=ended))
        assert len(cut_short(some)) == noted and set(cut_short(some)) <= set(opening(some).cautions)


def test_a_report_of_an_unfinished_run_says_so_before_anything_else(tmp_path: Path) -> None:
    players = [player(name, 3) for name in "abcd"]
    whole = synthetic(tmp_path, players, 10, plies=2)
    apart = whole.games["white"].isin(["a", "b"]) & whole.games["black"].isin(["a", "b"])
    some = changed(whole, games=whole.games[~apart].head(90).reset_index(drop=True))
    said = "Not complete: 90 of 120 games."
    assert unfinished(whole) == [] and unfinished(some) == [said]
    assert unfinished(changed(some, damaged=2)) == ["Not complete: 90 of 120 games; 2 stored games are damaged."]
    assert RunPage(some).markdown.split("\n\n")[2] == said == opening(some).lines[0]
    assert re.findall(r"<p[^>]*>(.*?)</p>", RunPage(some).html)[1] == said
    assert ['http-equiv="refresh"' in RunPage(run).html for run in (whole, some)] == [False, True]
    swiss = changed(some, info=whole.info._replace(exact=False))
    assert unfinished(swiss)[0].startswith("Not complete: 90 of at most 120 games")
    assert unfinished(changed(swiss, order=[("a", "won")])) == []


def below(folder: Path, loser: dict[str, Any], *, wins: bool = False, **games: Any) -> Run:
    """A run in which a player loses, or wins, every game against a random one."""
    run = synthetic(folder, [player("chance", type="random"), loser], 10, plies=2)
    white = run.games["white"] == (loser["name"] if wins else "chance")
    return changed(run, games=run.games.assign(result=np.where(white, "white", "black"), **games))


@pytest.mark.parametrize(
    ("kind", "evaluation", "why"),
    [
        ("greedy", "mine.py:own", "does not see the reply"),
        ("negamax", "mine.py:own", "a wrong sign"),
        ("greedy", "simple", ""),
        ("negamax", "simple", ""),
    ],
)
def test_own_code_that_is_certainly_below_random_is_sent_to_arena_check(
    tmp_path: Path, kind: str, evaluation: str, why: str
) -> None:
    loser = player("poor", 4, type=kind, evaluation=evaluation)
    notes = [*map(str, below_random(below(tmp_path, loser)))]
    assert len(notes) == bool(why) and set(notes) <= set(cautions(below(tmp_path, loser)))
    for note in notes:
        assert note.startswith("poor is below chance, which moves by chance (−") and why in note
        assert note.endswith(": arena check mine.py:own english.")
    assert below_random(below(tmp_path, loser, wins=True)) == []
    assert below_random(below(tmp_path, loser, termination="error")) == []


def test_a_class_that_moves_at_random_is_not_accused_as_each_is_tested_among_all(tmp_path: Path) -> None:
    """Of 40 equal players one or two are below another one at 5 % each."""
    players = [player("chance", type="random"), *(player(f"s{i}", type=f"class.py:S{i}") for i in range(40))]
    run = synthetic(tmp_path, players, 1, plies=2)
    unlucky = (run.games["white"] == "s7") | (run.games["black"] == "s7")
    against = run.games["white"].where(run.games["white"] != "s7", run.games["black"]) == "chance"
    lost = np.where(run.games["white"] == "s7", "black", "white")
    some = unlucky & (against | (run.games["game"] % 5 == 0))
    bad = changed(run, games=run.games.assign(result=np.where(some, lost, run.games["result"])))
    difference = bad.ratings.contrast({"s7": 1.0, "chance": -1.0})
    assert difference is not None and difference.los < 0.05
    assert below_random(bad) == []


# nodes and time


def test_moves_that_took_more_than_twice_their_processor_time_are_noted(tmp_path: Path) -> None:
    run = synthetic(tmp_path, [player("own", 9, seconds=1.0), player("calm", 9, seconds=1.0)], 2, plies=6)
    assert waited(run) == []
    took = run.moves["seconds"].where(run.moves["player"].astype(str) == "calm", 3 * run.moves["seconds"])
    slow = changed(run, moves=run.moves.assign(seconds=took))
    (note,) = waited(slow)
    assert note.startswith("Moves waited: own took ") and "calm" not in note and note in cautions(slow)


@pytest.mark.parametrize(
    ("seconds", "own", "calm", "named"),
    [
        (1.0, 0.11, 0.09, ["own"]),
        (1.0, 0.09, 0.0, []),
        (1.0, 0.11, 0.2, ["calm", "own"]),
        (0.01, 0.01, 0.0, []),
    ],
)
def test_computing_in_the_opponents_time_is_noted_above_a_tenth_of_the_own_time_and_50_ms_a_game(
    tmp_path: Path, seconds: float, own: float, calm: float, named: list[str]
) -> None:
    run = synthetic(tmp_path, [player("own", 9), player("calm", 9)], 2, plies=6)
    assert pondered(run) == []
    used = pd.Series(np.where(run.moves["player"].astype(str) == "own", own, calm), dtype="Float64")
    said = "".join(pondered(changed(run, moves=run.moves.assign(seconds=seconds, pondered_seconds=used))))
    assert re.findall(r"(\w+) for", said) == named


def test_two_entries_that_play_the_same_moves_are_called_one_player_and_have_no_rating(tmp_path: Path) -> None:
    players = [player("A", 3), player("B", 3, preset="pvs")]
    run = synthetic(tmp_path, players, 10, plies=6)
    half = run.moves[run.moves["game"] % 2 == 0]
    mirrored = half.assign(game=half["game"] + 1)
    moves = pd.concat([half, mirrored]).sort_values(["game", "ply"], kind="stable").reset_index(drop=True)
    alike = changed(run, moves=moves, games=run.games.assign(result=run.games["result"][::2].repeat(2).to_numpy()))
    said = "A and B played the same moves in all 20 games: they are one player."
    assert lines_of(alike) == [said]
    assert standings_grid(alike).texts()["Elo"].tolist() == ["", ""]
    assert not MISSING_WORD.search(RunPage(alike).markdown.replace("none", ""))
    assert "elo" not in drawn(alike)
    assert lines_of(run) != [said]


def test_two_that_are_one_player_beside_a_third_are_answered_for(tmp_path: Path) -> None:
    """The difference of the two is 0 and its interval has no width."""
    players = [player("A", 3, evaluation="x"), player("B", 3, evaluation="y"), player("C", 1, evaluation="x")]
    run = synthetic(tmp_path, players, 10, plies=6)
    between = run.games["white"].isin(["A", "B"]) & run.games["black"].isin(["A", "B"])
    first = run.games["game"].where(~(between & (run.games["game"] % 2 == 1)), run.games["game"] - 1)
    moves = [run.moves[run.moves["game"] == of].assign(game=game) for game, of in enumerate(first)]
    results = run.games["result"].to_numpy()[first]
    alike = changed(run, moves=pd.concat(moves, ignore_index=True), games=run.games.assign(result=results))
    assert [(claim.names, claim.is_shown) for claim in answer(alike)][:2] == [
        (("A", "B"), False),
        (("A", "C"), True),
    ]
    assert alike.ratings.twins and alike.zero != run.zero
    elo = alike.standings.set_index("player")["elo"]
    assert elo["A"] + elo["C"] == pytest.approx(0, abs=1e-4) and elo["A"] == elo["B"]
    suite = experiment(players, suite={"random": 1, "depth": 6})
    ablated = changed(alike, experiment=suite, answers=searched(A=[10], B=[20], C=[30]))
    claims = [claim for run in (alike, ablated) for claim in opening(run).claims]
    assert all(claim.interval is None or claim.interval.error > 0 for claim in claims)


# tables


def test_points_of_a_swiss_that_no_game_gave_are_those_of_byes(tmp_path: Path) -> None:
    """With two pairs a round a bye is four points."""
    row = {"points": 7.0, "wins": 2, "draws": 2, "byes": 1}
    swiss = {"type": "swiss", "rounds": 1, "pairs": 2}
    players = [player("a", 1), player("b", 2)]
    run = run_of(tmp_path, experiment(players, format=swiss), *frames(players, 1, plies=2))
    vars(run)["standings"] = pd.DataFrame([{"player": "a", **row}, {"player": "b", **row, "byes": 0}])
    assert "a: 4 for 1 bye." in byes(run)
    vars(run)["standings"] = pd.DataFrame([{"player": "b", **row, "byes": 0}])
    assert byes(run) == ""


def test_one_of_several_runs_says_which_and_leads_back(tmp_path: Path) -> None:
    (tmp_path / RUNS).touch()
    run = synthetic(tmp_path / "english-1k", [player("a", 1), player("b", 2)], 1, plies=2)
    page = RunPage(run).html
    assert f"{run.name}: english-1k</h1>" in page and 'href="../report.html"' in page


def test_a_cycle_that_ratings_cannot_tell_is_a_caution(tmp_path: Path) -> None:
    beats = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}
    players = [player(name) for name in ("rock", "paper", "scissors")]
    run = synthetic(tmp_path, players, 20)
    games = run.games
    white = [(white, black) in beats for white, black in zip(games["white"], games["black"], strict=True)]
    won = np.where(games["opening"] % 10 < 7, white, ~np.array(white))
    games = games.assign(result=np.where(won, "white", "black"), termination="no_moves")
    cyclic = changed(run, games=games)
    (sentence,) = untold(cyclic.ratings)
    assert "70.0 % of the points against" in sentence
    assert "where 50.0 % are expected" in sentence and sentence in cautions(cyclic)
    assert untold(run.ratings) == []
