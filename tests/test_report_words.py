"""What a report says first, of settings at equal terms, and what it warns of."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.experiment.load import load_all
from arena.ratings.joint import Ratings
from arena.report.charts.catalogue import charts_of
from arena.report.page import html
from arena.report.run import Run
from arena.report.sentences.answers import gain_sentences
from arena.report.sentences.cautions import below_random, pondered, too_long, unbalanced, unfinished, waited
from arena.report.sentences.comparisons import comparison_sentences
from arena.report.sentences.facts import MOST, details, headline
from arena.report.sentences.notes import notes
from arena.report.tables.catalogue import TABLES
from arena.report.tables.comparisons import comparisons
from arena.report.tables.table import texts
from arena.report.tables.views import comparisons as comparison_cells
from arena.report.writers import content, markdown
from tests.helpers.report_data import (
    MISSING_WORD,
    changed,
    experiment,
    frames,
    plain,
    player,
    rated,
    run_of,
    specs,
    synthetic,
)

CONFIGS = Path(__file__).parents[1] / "configs"
TERMS: list[dict[str, Any]] = [{"depth": 6}, {"nodes": 2000}, {"seconds": 0.02}]
OWN = ("simple", "mine.py:fast", "mine.py:slow", "mine.py:poor")
NAMES = [name.removeprefix("mine.py:") for name in OWN]
STUDENT = [player(f"{e} {term}", type="negamax", evaluation=e, **term) for e in OWN for term in TERMS]


def of_student(*elo: float) -> Ratings:
    """Ratings of STUDENT in its order, with errors of 28 Elo in a difference."""
    return rated(dict(zip([p["name"] for p in STUDENT], elo, strict=True)))


# comparisons


def test_every_two_values_of_a_setting_are_compared_and_those_with_the_baseline_come_first() -> None:
    ratings = of_student(0, 0, 0, 50, 40, 30, 10, 20, -60, -70, 0, 5)
    table = comparisons(ratings, specs(STUDENT))
    assert len(table) == 6 * len(TERMS)
    pairs = list(dict.fromkeys(zip(table["value"], table["reference"], table["baseline"], strict=True)))
    assert pairs[:3] == [(value, "simple", True) for value in NAMES[1:]]
    assert pairs[3:] == [(b, a, False) for a, b in combinations(NAMES[1:], 2)]
    row = table[(table["value"] == "poor") & (table["reference"] == "fast")].iloc[0]
    found = ratings.contrast({STUDENT[9]["name"]: 1, STUDENT[3]["name"]: -1})
    assert found is not None and (row["elo_difference"], row["los"]) == (found.value, found.los)
    assert row["elo_difference"] == -120


def test_values_that_never_meet_the_baseline_are_compared_with_the_first_that_they_meet() -> None:
    players = [player("a", 4, evaluation="one"), player("b", 4, evaluation="two")]
    players += [player(name, 5, evaluation=name) for name in ("three", "four", "five")]
    table = comparisons(rated(dict.fromkeys([p["name"] for p in players], 0.0)), specs(players))
    assert table[["value", "reference", "baseline"]].to_numpy().tolist() == [
        ["two", "one", True], ["four", "three", True], ["five", "three", True], ["five", "four", False],
    ]  # fmt: skip


def test_classes_that_a_file_lists_one_by_one_are_players_and_no_values_of_a_setting() -> None:
    players = [player(f"p{i}", 4, type=f"class.py:P{i}") for i in range(30)]
    ratings = rated({p["name"]: 0.0 for p in players})
    assert comparisons(ratings, specs(players)).empty


def test_values_of_the_same_words_are_told_apart_by_their_first_player_and_files_are_called_by_name() -> None:
    values = ["some/where/net.npz", {"mix": {"x": 1}}, {"mix": {"x": 1, "y": 2}, "more": {}}, {"mix": {"x": 1}}]
    players = [player(f"p{i}", 4, evaluation=value) for i, value in enumerate(values[:3])]
    players.append(player("q1", 5, evaluation=values[3]))
    players.append(player("q0", 5, evaluation={"mix": {"x": 1}, "less": {}}))
    names = [p["name"] for p in players]
    table = comparisons(rated(dict.fromkeys(names, 0.0)), specs(players))
    words = {*table["value"], *table["reference"]}
    assert "net.npz" in words
    assert len(words) == 4


def test_values_of_the_same_words_are_called_by_what_their_players_names_share() -> None:
    mixes = {"bold": {"mix": {"safety": 0}}, "neat": {"mix": {"formation": 0}}}
    players = [
        player(f"{name}, depth {depth}", depth, evaluation=mix) for depth in (4, 5) for name, mix in mixes.items()
    ]
    table = comparisons(rated(dict.fromkeys([p["name"] for p in players], 0.0)), specs(players))
    assert {*table["value"], *table["reference"]} == {"mix (bold)", "mix (neat)"}


def test_the_tables_have_a_row_for_each_value_or_pair_and_columns_for_each_kind_of_terms() -> None:
    table = comparisons(of_student(0, 0, 0, 50, 40, 30, 10, 20, -60, -70, 0, 5), specs(STUDENT))
    against = texts(comparison_cells(table))
    assert against.columns.tolist() == [
        "Value", "Equal depth (6)", "LOS", "Equal nodes (2000)", "LOS", "Equal time (0.02 s)", "LOS"
    ]  # fmt: skip
    assert against.iloc[0].tolist() == [
        "fast", "+50 ± 28", "> 99.9 %", "+40 ± 28", "99.8 %", "+30 ± 28", "98.3 %",
    ]  # fmt: skip
    pairs = texts(comparison_cells(table, pairs=True))
    assert pairs["Pair"].tolist() == [f"{b} − {a}" for a, b in combinations(NAMES, 2)]
    assert pairs.iloc[3, 1] == "−40 ± 28"


def test_two_kinds_of_settings_share_a_table_with_a_column_for_the_setting() -> None:
    players = [player("a", 4), player("b", 4, pvs=False), player("c", 4, tt=0)]
    table = comparisons(rated({"a": 9, "b": 1, "c": 2}), specs(players))
    text = texts(comparison_cells(table))
    assert text.iloc[:, :3].to_numpy().tolist() == [["pvs", "no pvs", "default pvs"], ["tt", "tt 0", "default tt"]]
    assert table["baseline"].all()


def test_page_and_summary_show_a_hundred_pairs_at_most_and_fold_those_of_more_than_eight_values(
    tmp_path: Path,
) -> None:
    shown = []
    for count in (2, 8, 9, 16):
        players = [player(f"p{i}", 3, evaluation=f"e{i}") for i in range(count)]
        run = synthetic(tmp_path, players, 1, plies=2)
        part = content(run)["comparisons"]
        rows = None if part["pairs"] is None else len(part["pairs"])
        shown.append((rows, part["folded"], part["pairs_title"]))
        assert len(run.comparisons) == count * (count - 1) // 2
    assert shown[0][0] is None
    assert shown[1:] == [
        (28, False, "All 28 pairs"), (36, True, "All 36 pairs"),
        (100, True, "The first 100 of 120 pairs; comparisons.csv has all"),
    ]  # fmt: skip
    assert not MISSING_WORD.search(markdown(run))


# the opening words


def test_a_student_reads_of_each_of_three_heuristics_whether_it_is_better_at_which_terms_and_by_how_much() -> None:
    table = comparisons(of_student(0, 0, 0, 50, 40, 30, 10, 20, -60, -70, 0, 5), specs(STUDENT))
    assert comparison_sentences(table, 3) == [
        "fast against simple: +50 ± 28 Elo at equal depth, +40 ± 28 nodes (LOS 99.8 %), +30 ± 28 time "
        "(LOS 98.3 %).",
        "slow against simple: −60 ± 28 Elo at equal time; no measurable difference at equal depth (+10 ± 28) and "
        "nodes (+20 ± 28).",
        "poor against simple: −70 ± 28 Elo at equal depth; no measurable difference at equal nodes (0 ± 28) and "
        "time (+5 ± 28).",
    ]


def test_of_many_values_the_best_is_named_at_each_kind_of_terms_and_the_others_by_how_they_stand() -> None:
    table = comparisons(of_student(0, 0, 0, 50, 40, 30, 10, 20, -60, -70, 0, 5), specs(STUDENT))
    assert comparison_sentences(table, 2) == [
        "Of 4 evaluations fast is best at equal depth (+50 ± 28 Elo against simple), at equal nodes "
        "(+40 ± 28 Elo against simple; not measurably ahead of slow) and at equal time (+30 ± 28 Elo "
        "against simple; not measurably ahead of poor).",
        "Against simple, fast is stronger at equal depth, nodes and time; slow is weaker at equal "
        "time and not measurably different at equal depth and nodes; poor is weaker at equal depth and "
        "not measurably different at equal nodes and time.",
    ]
    level = comparisons(of_student(*[0] * 3, *[-50] * 9), specs(STUDENT))
    first, second = comparison_sentences(level, 2)
    assert first.startswith("Of 4 evaluations simple is best at equal depth (+50 ± 28 Elo against fast), at")
    assert second == ("Against simple, fast, slow and poor are weaker at equal depth, nodes and time.")


def test_of_many_settings_the_greatest_certain_differences_are_named_for_each_kind_of_terms() -> None:
    players = [
        player(f"with {name}, {term}", type="negamax", **term, **settings)
        for name, settings in [("all", {}), *((name, {name: 1}) for name in "abcdef")]
        for term in TERMS[:2]
    ]
    elo = [0.0, 0, 90, 0, -80, 0, 70, 0, -60, 0, 50, 0, 0, 0]
    table = comparisons(rated(dict(zip([p["name"] for p in players], elo, strict=True))), specs(players))
    assert comparison_sentences(table, 3) == [
        "With one setting changed, Elo at equal depth: a 1 +90 ± 28, b 1 −80 ± 28, c 1 +70 ± 28, d 1 −60 ± 28 "
        "and 1 more; no measurable difference for 1 other.",
        "With one setting changed, nothing differs measurably at equal nodes (6 comparisons).",
    ]
    fewer = table[~((table["terms"] == "depth") & (table["value"] == "a 1"))]
    assert [sentence[-15:] for sentence in comparison_sentences(fewer, 3)] == [
        "6 comparisons).",
        "ce for 1 other.",
    ]


def test_a_mean_says_what_it_is_over() -> None:
    several = [player(f"{e}{x}", seconds=0.01, x=x, evaluation=e) for e in "ab" for x in (1, 2)]
    table = comparisons(rated(dict.fromkeys([p["name"] for p in several], 0.0)), specs(several))
    text = " ".join(comparison_sentences(table[table["setting"] == "evaluation"], 1))
    assert text == "b against a: no measurable difference at equal time (mean of 2 pairs of players; 0 ± 20)."
    several = [player(f"{e}{s}", seconds=s, evaluation=e) for e in "ab" for s in (0.01, 0.02)]
    table = comparisons(rated(dict.fromkeys([p["name"] for p in several], 0.0)), specs(several))
    assert "at equal time (mean over 0.01 to 0.02 s; 0 ± 20)" in comparison_sentences(table, 1)[0]


def test_of_many_families_a_doubling_is_given_from_the_least_to_the_greatest() -> None:
    rows = [(f"e{i}", "depth", g, g - 9.0, g + 9.0) for i, g in enumerate((80.0, 60.0, 100.0, 70.0))]
    gains = pd.DataFrame(rows, columns=["family", "per", "gain", "gain_low", "gain_high"])
    assert gain_sentences(gains) == [
        "Each doubling of depth is worth 60 ± 9 Elo with e1 to 100 ± 9 Elo with e2 (least and greatest of 4 "
        "families)."
    ]
    assert gain_sentences(gains.head(1)) == ["Each doubling of depth is worth 80 ± 9 Elo."]


CONFIGURATIONS = sorted(
    path for path in CONFIGS.rglob("*.yaml") if path.stem.split("_")[0] not in ("tuning", "train")
)


@pytest.mark.full
@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.stem)
def test_every_shipped_configuration_has_four_opening_sentences_at_most(path: Path, tmp_path: Path) -> None:
    of = next(iter(load_all(path).values()))
    players = [{"name": spec.name, "depth": spec.limit.depth or 3} for spec in of.players]
    run = run_of(tmp_path, of, *frames(players, 1, plies=2))
    opening = headline(run)
    assert 1 <= len(opening) <= MOST == 4
    assert all(sentence.endswith(".") for sentence in [*opening, *details(run)])
    assert not MISSING_WORD.search(" ".join([*opening, *details(run)]).replace("none", ""))


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
    assert note in notes(late)
    assert " at equal time† " in headline(late)[0]
    assert content(late)["comparisons"]["table"].iloc[0, 1].endswith(" †")
    assert markdown(late).count("† Time was not equal") == 1
    assert too_long(kept) == []
    assert "†" not in markdown(kept)
    np.testing.assert_allclose(late.effort.set_index("player")["time_used"][["quick", "slow"]], [0.9, 2.1])


def test_games_lost_by_failures_are_noted_with_who_lost_how_many_of_how_many(tmp_path: Path) -> None:
    run = synthetic(tmp_path, [player("a", 3), player("b", 4)], 5, plies=2)
    assert not [note for note in notes(run) if "failures" in note]
    games = run.games.assign(termination=["time", "error", "time", *["no_moves"] * 7], result="white")
    games["white"], games["black"] = "a", "b"
    found = notes(changed(run, games=games))[0]
    assert found == ("3 games of 10 were lost by players' failures: b lost 2 on time and 1 by errors, of 10.")


def test_a_schedule_out_of_balance_is_noted_unless_the_format_intends_it(tmp_path: Path) -> None:
    players = [player(name, 3) for name in "abc"]
    run = synthetic(tmp_path, players, 10, plies=2)
    assert unbalanced(run) == []
    met = run.games["white"].isin(["a", "b"]) & run.games["black"].isin(["a", "b"])
    some = changed(run, games=run.games[~met | (run.games["pair"] < 4)].reset_index(drop=True))
    assert unbalanced(some) == ["The schedule is not balanced so far: a and c met in 20 games, a and b in 8."]
    assert unbalanced(some)[0] in notes(some)
    assert unbalanced(changed(some, experiment=experiment(players, format={"type": "knockout"}))) == []
    seeds = changed(some, experiment=experiment(players, format={"type": "gauntlet", "seeds": ["c"]}))
    assert unbalanced(seeds) == []


def test_a_report_of_an_unfinished_run_says_so_before_anything_else(tmp_path: Path) -> None:
    players = [player(name, 3) for name in "abcd"]
    whole = synthetic(tmp_path, players, 10, plies=2)
    apart = whole.games["white"].isin(["a", "b"]) & whole.games["black"].isin(["a", "b"])
    some = changed(whole, games=whole.games[~apart].head(90).reset_index(drop=True))
    said = "Not complete: 90 of 120 games; 1 pairing has not met."
    assert unfinished(whole) == [] and unfinished(some) == [said]
    assert markdown(some).split("\n\n")[1] == said
    assert re.findall(r"<p[^>]*>(.*?)</p>", html(some, {}, []))[0] == said
    swiss = changed(some, info=whole.info._replace(exact=False))
    assert unfinished(swiss)[0].startswith("Not complete: 90 of at most 120 games")
    assert unfinished(changed(swiss, order=[("a", "won")])) == []


def test_colours_out_of_balance_are_noted_in_every_format(tmp_path: Path) -> None:
    players = [player("a", 3), player("b", 3)]
    run = synthetic(tmp_path, players, 10, plies=2)
    one_sided = run.games[(run.games["white"] == "a") | (run.games["pair"] < 7)].reset_index(drop=True)
    of = experiment(players, format={"type": "knockout"})
    (note,) = unbalanced(changed(run, games=one_sided, experiment=of))
    assert note == (
        "Colours are not balanced so far: a had White 10 times and Black 7; b had White 7 times and Black 10."
    )


def below(folder: Path, loser: dict[str, Any], *, wins: bool = False, **games: Any) -> Run:
    """A run in which a player loses, or wins, every game against a random one."""
    run = synthetic(folder, [player("chance", type="random"), loser], 10, plies=2)
    white = run.games["white"] == (loser["name"] if wins else "chance")
    return changed(run, games=run.games.assign(result=np.where(white, "white", "black"), **games))


def test_a_greedy_player_below_random_is_explained(tmp_path: Path) -> None:
    (note,) = below_random(below(tmp_path, player("g", type="greedy", evaluation="mine.py:own")))
    assert note.startswith("g is below chance (−")
    assert "does not see the reply" in note and note.endswith(": arena check mine.py:own english.")
    assert below_random(below(tmp_path, player("g", type="greedy"), wins=True)) == []
    run = below(tmp_path, player("g", type="greedy"))
    even = run.games.assign(result=np.where(run.games["pair"] < 9, "draw", run.games["result"]))
    (note,) = below_random(changed(run, games=even))
    assert note.startswith("g is not measurably different from chance (−")


def test_a_searching_player_that_is_certainly_below_random_is_sent_to_arena_check(tmp_path: Path) -> None:
    poor = player("poor", 4, type="negamax", evaluation="simple")
    (note,) = below_random(below(tmp_path, poor))
    assert note.startswith("poor is below chance, which moves by chance (−")
    assert note.endswith(": arena check simple english.") and note in notes(below(tmp_path, poor))
    assert below_random(below(tmp_path, poor, wins=True)) == []
    assert below_random(below(tmp_path, poor, termination="error")) == []
    assert below_random(synthetic(tmp_path, [player("a", 3), player("b", 4)], 2, plies=2)) == []


# nodes and time


def test_moves_that_took_more_than_twice_their_processor_time_are_noted(tmp_path: Path) -> None:
    run = synthetic(tmp_path, [player("own", 9), player("calm", 9)], 2, plies=6)
    assert waited(run) == []
    took = run.moves["seconds"].where(run.moves["player"].astype(str) == "calm", 3 * run.moves["seconds"])
    slow = changed(run, moves=run.moves.assign(seconds=took))
    (note,) = waited(slow)
    assert note.startswith("Moves waited: own took ") and "calm" not in note and note in notes(slow)


def test_computing_in_the_opponents_time_is_noted_above_a_tenth_of_the_own_time(tmp_path: Path) -> None:
    run = synthetic(tmp_path, [player("own", 9), player("calm", 9)], 2, plies=6)
    assert pondered(run) == []
    own = run.moves["player"].astype(str) == "own"

    def found(much: float, little: float) -> list[str]:
        used = pd.Series(np.where(own, much, little), dtype="Float64")
        return pondered(changed(run, moves=run.moves.assign(seconds=1.0, pondered_seconds=used)))

    (note,) = found(0.11, 0.09)
    assert plain(note) == ("Computed in the opponent's time, which no limit counts: own for 330 ms per game.")
    assert found(0.09, 0.0) == [] and "calm for 600 ms per game" in plain(" ".join(found(0.11, 0.2)))
    small = run.moves.assign(seconds=0.01, pondered_seconds=pd.Series(np.where(own, 0.01, 0.0), dtype="Float64"))
    assert pondered(changed(run, moves=small)) == []


def test_two_entries_that_play_the_same_moves_are_called_one_player_and_have_no_rating(tmp_path: Path) -> None:
    players = [player("A", 3), player("B", 3, preset="pvs")]
    run = synthetic(tmp_path, players, 10, plies=6)
    half = run.moves[run.moves["game"] % 2 == 0]
    mirrored = half.assign(game=half["game"] + 1)
    moves = pd.concat([half, mirrored]).sort_values(["game", "ply"], kind="stable").reset_index(drop=True)
    alike = changed(run, moves=moves, games=run.games.assign(result=run.games["result"][::2].repeat(2).to_numpy()))
    said = "A and B played the same moves in all 20 games: they are one player."
    assert headline(alike) == [said] and said not in notes(alike)
    shown = TABLES["standings"].text(alike.standings)
    assert shown[["Elo", "95 % interval", "LOS"]].to_numpy().tolist() == [["", "", ""]] * 2
    assert not MISSING_WORD.search(markdown(alike).replace("none", ""))
    assert not {"elo", "convergence"} & {chart.name for chart in charts_of(alike)}
    assert headline(run) != [said]
