"""What a report says first, and what it warns of."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.base.files import RUNS
from arena.ledger.record import SuiteAnswer
from arena.ratings.interval import Z95, Interval, score_from_elo
from arena.report.load import card
from arena.report.page.player import PlayerPages
from arena.report.page.sections import RunPage
from arena.report.page.standings import standings_grid
from arena.report.run import Run
from arena.report.sentences.answer import answer, doublings, how_to_read, more_games, opening
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
from arena.report.sentences.claims import MOST, Claim, Level, among_given, ranging, shortened
from arena.report.sentences.facts import byes
from tests.helpers.report_data import (
    MISSING_WORD,
    TERMS,
    changed,
    drawn,
    experiment,
    frames,
    plain,
    player,
    rated,
    run_of,
    searched,
    synthetic,
)

pytestmark = pytest.mark.usefixtures("no_pictures")


def won_by(run: Run, strength: Callable[[str], float], seed: int | None = None) -> Run:
    """The run, in which the stronger player wins every game, or with a seed by the odds of logits."""
    white, black = (run.games[colour].astype(str).map(strength).to_numpy() for colour in ("white", "black"))
    bound = 0.5 if seed is None else np.random.default_rng(seed).random(len(white))
    share = (white > black) if seed is None else 1 / (1 + np.exp(black - white))
    return changed(run, games=run.games.assign(result=np.where(share > bound, "white", "black")))


def two(folder: Path, results: list[str], **columns: Any) -> Run:
    """A match of a and b, of whom a is White in every other game, with these results."""
    run = synthetic(folder, [player("a", 3), player("b", 4)], len(results) // 2, plies=2)
    return changed(run, games=run.games.assign(result=results, **columns))


CLOSE = ["white", "draw", "draw", "white", "white", "draw"] * 5 + ["draw"] * 20
LEVEL = ["white", "draw", "draw", "white", "draw", "draw", "draw", "draw"] * 10
CLASS = [player(f"p{i}", type=f"my.py:P{i}") for i in range(12)]


def lines_of(run: Run) -> list[str]:
    return [claim.sentence for claim in answer(run)]


def difference_of(run: Run, player: str, other: str) -> Interval:
    found = run.ratings.difference(player, other)
    assert found is not None
    return found


# the answer


def test_a_run_of_two_is_one_line_with_the_interval_of_the_difference_everywhere(tmp_path):
    """The interval of a player's own rating is half as wide as that of the difference."""
    run = two(tmp_path, LEVEL)
    found = str(difference_of(run, "a", "b"))
    (claim,) = answer(run)
    assert (claim.names, str(claim.elo), claim.is_shown) == (("a", "b"), found, False)
    table = standings_grid(run).texts().set_index("Player")["Elo"]
    assert table.to_dict() == {"a": found, "b": "0"} and run.zero == "b = 0"
    for text in (RunPage(run).markdown, RunPage(run).html, card(run), "\n".join(opening(run).lines)):
        assert found in plain(re.sub(r"</?b>|</?small>", "", text))


def test_few_games_have_no_number(tmp_path):
    for results in (["white", "black"] * 2, ["draw"] * 4):
        (claim,) = answer(two(tmp_path, results))
        assert claim.lacks_games and claim.elo is None and "±" not in claim.sentence and not how_to_read([claim])


def test_how_elo_is_read_is_said_with_a_number_and_what_stronger_means_with_a_comparison():
    levels = [Level("at", f"depth {n}", Interval.around(elo, 9.0), n > 1) for n, elo in ((1, 5.0), (2, -50.0))]
    alone, weaker = Claim("{} over {}", ("a", "b"), Interval.around(9.0, 2.0)), ranging("a", "b", levels)
    assert how_to_read([Claim("{} is first", ("a",))]) == ""
    assert 0 < len(how_to_read([alone])) < len(how_to_read([weaker])) == len(how_to_read([alone, weaker]))


def test_failures_come_before_all_else_and_what_they_decided_has_no_number(tmp_path):
    run = two(tmp_path, ["black", "white"] * 4, termination="error")
    (said,) = map(str, failures(run))
    assert said.startswith("8 of 8 games") and "a lost 8 of its 8 games" in said
    assert opening(run).lines[0] == said == plain(RunPage(run).markdown).split("\n\n")[2]
    assert [claim.names for claim in answer(run)] == [("a",)] and "±" not in "".join(lines_of(run))


def test_who_failed_in_half_of_its_games_says_nothing_of_its_play(tmp_path):
    for failed, named in ((4, {"a": 4}), (3, {})):
        ends = ["error"] * failed + ["no_moves"] * (8 - failed)
        assert failing(two(tmp_path, ["black", "white"] * 4, termination=ends)) == named


def test_players_of_one_rating_have_no_leader(tmp_path):
    run = synthetic(tmp_path, CLASS[:4], 6, plies=2)
    assert lines_of(changed(run, games=run.games.assign(result="draw"))) == ["4 players are level."]
    best = ("p0", "p1")
    is_between = run.games["white"].isin(best) == run.games["black"].isin(best)
    apart = won_by(run, lambda name: name in best).games.assign(
        result=lambda games: games["result"].mask(is_between, "draw")
    )
    (claim,) = answer(changed(run, games=apart))
    assert {*claim.names} == {*best} and not claim.is_shown


def test_each_value_is_a_line_at_each_kind_of_terms_and_what_is_not_shown_is_said_so(tmp_path):
    players = [player(f"{e} {term}", evaluation=e, **term) for e in ("x", "y") for term in TERMS]
    claims = answer(synthetic(tmp_path, players, 8, plies=2))
    assert [claim.names for claim in claims] == [("y", "x")] * 3
    for claim, term in zip(claims, ("depth", "nodes", "time"), strict=True):
        assert f"at equal {term}" in claim.sentence and claim.interval is not None
        assert not claim.is_shown or abs(claim.interval.value) > claim.interval.error


def test_the_best_two_values_of_a_setting_are_compared_where_neither_is_the_reference(tmp_path):
    run = synthetic(tmp_path, [player(e, 3, evaluation=e) for e in ("x", "y", "z")], 20, plies=2)
    won = won_by(run, "xyz".index)
    best, *against_first = answer(won)
    expected = pytest.approx(difference_of(won, "z", "y"))
    assert (best.names, best.interval, best.is_shown) == (("z", "y"), expected, True)
    assert [claim.names for claim in against_first] == [("z", "x"), ("y", "x")]
    assert [claim.names for claim in answer(won_by(run, "zyx".index))] == [("y", "x"), ("z", "x")]


def test_an_answer_has_so_many_lines_at_most_and_says_how_many_are_left_out(tmp_path):
    claims = shortened([Claim("{} plays", (f"p{i}",)) for i in range(MOST + 4)])
    assert len(claims) == MOST and "5" in claims[-1].words and not claims[-1].names
    assert [len(shortened([Claim("x", lacks_games=True)] * count)) for count in (3, 4)] == [3, 1]


SWEEP = [player(f"{e} d{depth}", depth, evaluation=e) for e in "xy" for depth in (1, 2, 4)]


@pytest.mark.parametrize("are_searched", [False, True])
def test_a_sweep_of_two_settings_is_answered_for_each_at_equal_others(tmp_path, are_searched):
    """Also where it has a suite of random positions, as an ablation has."""
    run = synthetic(tmp_path, SWEEP, 30, plies=2)
    if are_searched:
        of = experiment(SWEEP, suite={"random": 2, "depth": 6})
        run = changed(run, experiment=of, answers=searched(**{spec.name: [90] for spec in of.players}))
    assert {claim.names for claim in answer(run)} == {("y", "x"), ("evaluation x",), ("evaluation y",)}


def test_a_place_among_players_of_given_elo_is_said_as_far_as_the_interval_shows():
    given = {"a": 0.0, "b": 200.0, "c": 400.0}
    for low, high, names in ((10, 150, "ab"), (-50, 190, "b"), (10, 350, "ac"), (210, 399, "bc"), (210, 500, "b")):
        claim = among_given("own", Interval((low + high) / 2, low, high), given)
        assert (claim.names, claim.is_shown) == (("own", *names), True)
    unclear = among_given("own", Interval(200, -10, 410), given)
    assert (unclear.names, unclear.is_shown) == (("own",), False)


@pytest.mark.parametrize(("alone", "other", "is_shown"), [(9, 1, True), (6, 2, False)])
def test_what_two_players_solve_of_a_suite_differs_by_mcnemars_test_also_without_games(
    tmp_path, alone, other, is_shown
):
    run = synthetic(tmp_path, [player("a", 3), player("b", 3)], 0)
    solved = {"a": [True] * (20 + alone) + [False] * other}
    solved["b"] = [True] * 20 + [False] * alone + [True] * other
    rows = [
        SuiteAnswer("s", number, "", name, 10, 1, "x", "x", done, 1, 1, 0.0, 0.0, "", "")
        for name, all in solved.items()
        for number, done in enumerate(all, 1)
    ]
    (claim,) = answer(changed(run, answers=pd.DataFrame(rows)))
    assert claim.names == ("s", "a", "b") and claim.is_shown == is_shown
    assert re.findall(r"\d+", claim.note)[:2] == [str(alone), str(other)]


def by_strength(folder: Path, lead: dict[int, float], pairs: int = 30) -> Run:
    """A sweep of two evaluations, of which y is ahead by so many logits at each depth; a doubling is worth 0.4."""
    run = synthetic(folder, [player(f"{e} d{d}", d, evaluation=e) for e in "xy" for d in lead], pairs, plies=2)
    strength = {f"{e} d{d}": 0.4 * np.log2(d) + (e == "y") * ahead for e in "xy" for d, ahead in lead.items()}
    return won_by(run, strength.__getitem__, seed=2)


def test_a_difference_that_changes_its_sign_has_no_mean_but_its_ends_and_where_it_is_shown(tmp_path):
    run = by_strength(tmp_path, {1: -1.2, 2: -0.5, 4: 0.6, 8: 1.6})
    first, *others = answer(run)
    ends = [difference_of(run, f"y d{depth}", f"x d{depth}") for depth in (1, 8)]
    assert first.names == ("y", "x") and first.interval is None and first.compares
    assert f"{ends[0]} Elo at depth 1 to {ends[1]} Elo at depth 8" in first.sentence
    assert "stronger at depth 4 to 8; weaker at depth 1 to 2" in first.sentence
    assert all(claim.interval is None or claim.names != ("y", "x") for claim in others)
    page = RunPage(run).markdown
    assert "| y | x |" in page.partition("\n## ")[0] and "mean of 4 pairs" not in page
    same = answer(by_strength(tmp_path, {1: 0.5, 2: 0.5, 4: 0.5, 8: 0.5}))[0]
    assert same.interval is not None and same.note == "mean of 4 pairs of players"


def test_what_one_interval_shows_among_many_is_not_said_to_be_stronger(tmp_path):
    """The seed of a gauntlet is 2.1 standard errors ahead of each other player, short of 3.3 for all together."""
    run = synthetic(tmp_path, CLASS, 1, plies=2)
    run = changed(run, experiment=experiment(CLASS, format={"type": "gauntlet", "seeds": ["p0"]}))
    ratings = rated({str(one["name"]): 30.0 * (one["name"] == "p0") for one in CLASS})
    vars(run).update(ratings=ratings, standings=ratings.table.assign(nodes_per_move=np.nan))
    claims = answer(run)
    assert len(claims) == 11 and all(claim.interval and claim.interval.low > 0 for claim in claims)
    assert not any(claim.is_shown for claim in claims)


def test_twice_the_depth_is_worth_what_a_line_says_or_there_is_the_elo_of_each_depth(tmp_path):
    straight = by_strength(tmp_path, {1: 0.0, 2: 0.0, 4: 0.0, 8: 0.0})
    claims = [claim.interval for claim in doublings(straight) if claim.interval is not None and claim.is_shown]
    assert len(claims) == 2 and claims[0].value > claims[1].value > 0
    two = by_strength(tmp_path, {2: 0.0, 6: 0.0})
    for claim, family in zip(answer(two)[-2:], "xy", strict=True):
        assert claim.interval == difference_of(two, f"{family} d6", f"{family} d2") and claim.is_shown
    bent = doublings(by_strength(tmp_path, {1: 0.0, 2: 2.0, 4: -1.0, 8: 0.5}))
    (of_y,) = [claim for claim in bent if claim.names == ("evaluation y",)]
    assert of_y.interval is None and re.search(r"Elo .* at 1, .* at 8\.$", of_y.sentence)


# more games


def told(run: Run) -> list[int]:
    """The Elo, how many times the games it takes to tell it, and the openings for that."""
    more = more_games(run, answer(run))
    assert more is not None
    found = re.search(r"(\d+) Elo .* (\d+) times the games: openings: {count: (\d+)}", " ".join(more))
    assert found is not None, more
    return [int(number) for number in found.groups()]


def test_so_many_times_the_games_show_the_difference_in_four_runs_of_five(tmp_path):
    """Runs are drawn with the spread of the pairs played, about the score that the difference means."""
    run = two(tmp_path, CLOSE)
    elo, times, openings = told(run)
    assert openings == times * 10  # of the configuration's 10
    white = run.games["result"].map({"white": 1.0, "draw": 0.5, "black": 0.0})
    points = white.where(run.games["white"] == "a", 1 - white)
    played = points.groupby(run.games["pair"]).mean().to_numpy()
    drawn = np.random.default_rng(5).choice(played, (2000, len(played) * times))
    drawn += score_from_elo(elo) - played.mean()
    shows = drawn.mean(axis=1) - 0.5 > Z95 * drawn.std(axis=1, ddof=1) / np.sqrt(drawn.shape[1])
    assert 0.78 < shows.mean() < 0.92


def test_a_match_of_the_command_line_is_told_its_options_and_no_key_of_a_configuration(tmp_path):
    own = two(tmp_path, CLOSE, termination="max_plies")
    of_match = changed(own, info=own.info._replace(file=str(own.folder.resolve() / "match")))
    settings = [more.setting for run in (own, of_match) if (more := more_games(run, answer(run)))]
    assert settings[0].startswith("openings:") and settings[1].startswith("--openings ")
    assert "max_plies;" not in cut_short(of_match)[0] and cut_short(own) != cut_short(of_match)


def test_more_games_are_counted_from_those_of_the_configuration(tmp_path):
    run = two(tmp_path, CLOSE)
    half = changed(run, info=run.info._replace(games=2 * len(run.games)))
    assert abs(told(half)[1] - told(run)[1] / 2) <= 1
    nearly_begun = changed(run, info=run.info._replace(games=1000 * len(run.games)))
    assert more_games(nearly_begun, answer(run)) is None
    test = experiment([player("a", 3), player("b", 4)], sprt={"elo0": 0, "elo1": 5})
    assert more_games(changed(run, experiment=test), answer(run)) is None


# cautions


def timed(folder: Path, seconds: float, limit: float = 0.002) -> Run:
    """A run of two evaluations at equal time, of which `slow` computed for so many seconds a move."""
    players = [player(name, evaluation=name, seconds=limit) for name in ("quick", "slow")]
    run = synthetic(folder, players, 2, plies=6)
    took = np.where(run.moves["player"].astype(str) == "slow", seconds, 0.9 * limit)
    return changed(run, moves=run.moves.assign(nodes=1000, depth=4, seconds=10 * took, cpu_seconds=took))


def test_a_limit_of_time_that_was_not_kept_is_noted_and_marked_where_it_was_compared(tmp_path):
    late, kept = timed(tmp_path, 0.0042), timed(tmp_path, 0.00239)
    (note,) = too_long(late)
    assert note.startswith("†") and "slow took 4.2 ms" in note and "2.1 times" in note and "quick" not in note
    lines, page = opening(late).lines, RunPage(late).markdown
    assert note in lines and " †" in lines[0] and page.count(plain(note)[:20]) == 1
    assert too_long(kept) == [] and "†" not in RunPage(kept).markdown
    np.testing.assert_allclose(late.effort.set_index("player")["time_used"][["quick", "slow"]], [0.9, 2.1])


def test_games_cut_by_the_ply_limit_are_noted_beyond_a_few_per_cent(tmp_path):
    run = two(tmp_path, LEVEL, termination="no_moves")
    for cut, noted in ((0, 0), (4, 0), (5, 1), (80, 1)):
        ended = np.where(np.arange(80) < cut, "max_plies", "no_moves")
        some = changed(run, games=run.games.assign(termination=ended))
        assert len(cut_short(some)) == noted and (noted == 0 or cut_short(some)[0] in opening(some).cautions)


def test_a_report_of_an_unfinished_run_says_so_before_anything_else(tmp_path):
    whole = synthetic(tmp_path, [player(name, 3) for name in "abcd"], 10, plies=2)
    some = changed(whole, games=whole.games.head(90))
    (said,) = unfinished(some)
    assert unfinished(whole) == [] and "90 of 120 games" in said and "2 stored" not in said
    assert "2 stored games" in unfinished(changed(some, damaged=2))[0]
    assert RunPage(some).markdown.split("\n\n")[2] == said == opening(some).lines[0]
    assert ['http-equiv="refresh"' in RunPage(run).html for run in (whole, some)] == [False, True]
    swiss = changed(some, info=whole.info._replace(exact=False))
    assert "90 of at most 120 games" in unfinished(swiss)[0]
    assert unfinished(changed(swiss, order=[("a", "won")])) == []


@pytest.mark.parametrize(
    ("kind", "evaluation", "why"),
    [
        ("greedy", "mine.py:own", "does not see the reply"),
        ("negamax", "mine.py:own", "a wrong sign"),
        ("greedy", "simple", ""),
        ("negamax", "simple", ""),
    ],
)
def test_own_code_that_is_certainly_below_random_is_told_so_and_sent_to_arena_check(
    tmp_path, kind, evaluation, why
):
    loser = player("poor", 4, type=kind, evaluation=evaluation)
    run = synthetic(tmp_path, [player("chance", type="random"), loser], 10, plies=2)
    below = won_by(run, ["poor", "chance"].index)
    notes = [*map(str, below_random(below))]
    assert len(notes) == bool(why) and set(notes) <= set(cautions(below))
    page = plain(PlayerPages(below, ["poor"]).html("poor", ""))
    assert (why in page) and ("below chance" in page) == bool(why)
    for note in notes:
        assert note.startswith("poor is below chance") and why in note
        assert note.endswith(": arena check mine.py:own english.")
    assert below_random(won_by(run, ["chance", "poor"].index)) == []
    assert below_random(changed(below, games=below.games.assign(termination="error"))) == []


def test_a_class_that_moves_at_random_is_not_accused_as_each_is_tested_among_all(tmp_path):
    """Of 24 equal players one is below another one at 5 % each."""
    players = [player("chance", type="random"), *(player(f"s{i}", type=f"class.py:S{i}") for i in range(24))]
    run = synthetic(tmp_path, players, 1, plies=2)
    games = run.games
    unlucky = (games["white"] == "s7") | (games["black"] == "s7")
    against = games["white"].where(games["white"] != "s7", games["black"]) == "chance"
    lost = np.where(games["white"] == "s7", "black", "white")
    some = unlucky & (against | (games["game"] % 4 == 0))
    bad = changed(run, games=games.assign(result=np.where(some, lost, games["result"])))
    assert difference_of(bad, "s7", "chance").los < 0.05
    assert below_random(bad) == []


def test_moves_that_took_more_than_twice_their_processor_time_are_noted(tmp_path):
    run = synthetic(tmp_path, [player("own", 9, seconds=1.0), player("calm", 9, seconds=1.0)], 2, plies=6)
    assert waited(run) == []
    took = run.moves["seconds"].where(run.moves["player"].astype(str) == "calm", 3 * run.moves["seconds"])
    slow = changed(run, moves=run.moves.assign(seconds=took))
    (note,) = waited(slow)
    assert "own took " in note and "calm" not in note and note in cautions(slow)


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
    tmp_path, seconds, own, calm, named
):
    run = synthetic(tmp_path, [player("own", 9), player("calm", 9)], 2, plies=6)
    assert pondered(run) == []
    used = pd.Series(np.where(run.moves["player"].astype(str) == "own", own, calm), dtype="Float64")
    said = "".join(pondered(changed(run, moves=run.moves.assign(seconds=seconds, pondered_seconds=used))))
    assert re.findall(r"(\w+) for", said) == named


def test_a_cycle_that_ratings_cannot_tell_is_a_caution(tmp_path):
    beats = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}
    run = synthetic(tmp_path, [player(name) for name in ("rock", "paper", "scissors")], 20)
    games = run.games
    white = [(white, black) in beats for white, black in zip(games["white"], games["black"], strict=True)]
    won = np.where(games["opening"] % 10 < 7, white, ~np.array(white))
    cyclic = changed(run, games=games.assign(result=np.where(won, "white", "black"), termination="no_moves"))
    (sentence,) = untold(cyclic.ratings)
    assert "70.0 %" in sentence and "50.0 %" in sentence and sentence in cautions(cyclic)
    assert untold(run.ratings) == []


# players that are one


def test_two_entries_that_play_the_same_moves_are_called_one_player_and_have_no_rating(tmp_path):
    run = synthetic(tmp_path, [player("A", 3), player("B", 3, preset="pvs")], 10, plies=6)
    half = run.moves[run.moves["game"] % 2 == 0]
    moves = pd.concat([half, half.assign(game=half["game"] + 1)]).sort_values(["game", "ply"], kind="stable")
    results = run.games["result"][::2].repeat(2).to_numpy()
    alike = changed(run, moves=moves.reset_index(drop=True), games=run.games.assign(result=results))
    (claim,) = answer(alike)
    assert claim.names == ("A", "B") and not claim.is_shown and "20 games" in claim.words
    assert standings_grid(alike).texts()["Elo"].tolist() == ["", ""] and "elo" not in drawn(alike)
    assert not MISSING_WORD.search(RunPage(alike).markdown.replace("none", ""))


def test_two_that_are_one_player_beside_a_third_are_answered_for(tmp_path):
    """The difference of the two is 0 and its interval has no width."""
    players = [player("A", 3, evaluation="x"), player("B", 3, evaluation="y"), player("C", 1, evaluation="x")]
    run = synthetic(tmp_path, players, 10, plies=6)
    between = run.games["white"].isin(["A", "B"]) & run.games["black"].isin(["A", "B"])
    first = run.games["game"].where(~(between & (run.games["game"] % 2 == 1)), run.games["game"] - 1)
    moves = [run.moves[run.moves["game"] == of].assign(game=game) for game, of in enumerate(first)]
    results = run.games["result"].to_numpy()[first]
    alike = changed(run, moves=pd.concat(moves, ignore_index=True), games=run.games.assign(result=results))
    found = [(claim.names, claim.is_shown) for claim in answer(alike)]
    assert found[:2] == [(("A", "B"), False), (("A", "C"), True)]
    assert alike.ratings.twins and alike.zero != run.zero
    elo = alike.standings.set_index("player")["elo"]
    assert elo["A"] + elo["C"] == pytest.approx(0, abs=1e-4) and elo["A"] == elo["B"]
    suite = experiment(players, suite={"random": 1, "depth": 6})
    ablated = changed(alike, experiment=suite, answers=searched(A=[10], B=[20], C=[30]))
    claims = [claim for run in (alike, ablated) for claim in opening(run).claims]
    assert all(claim.interval is None or claim.interval.error > 0 for claim in claims)


# facts


def test_points_of_a_swiss_that_no_game_gave_are_those_of_byes(tmp_path):
    """With two pairs a round a bye is four points."""
    row = {"points": 7.0, "wins": 2, "draws": 2, "byes": 1}
    swiss = {"type": "swiss", "rounds": 1, "pairs": 2}
    players = [player("a", 1), player("b", 2)]
    run = run_of(tmp_path, experiment(players, format=swiss), *frames(players, 1, plies=2))
    vars(run)["standings"] = pd.DataFrame([{"player": "a", **row}, {"player": "b", **row, "byes": 0}])
    assert "a: 4 for 1 bye." in byes(run) and "b:" not in byes(run)


def test_one_of_several_runs_says_which_and_leads_back(tmp_path):
    (tmp_path / RUNS).touch()
    run = synthetic(tmp_path / "english-1k", [player("a", 1), player("b", 2)], 1, plies=2)
    page = RunPage(run).html
    assert f"{run.name}: english-1k</h1>" in page and 'href="../report.html"' in page
