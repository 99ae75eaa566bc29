"""The tiers of tests, in one list: which tests the quick tier leaves to the full one.

A test is quick unless it is named in FULL, is in a file of QUICK that does not name it, or runs under another rule
set than QUICK_RULES.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from arena.rules.variants import VARIANTS, Variant

QUICK_RULES = ("english", "international")
"""Of a test that has a rule set as a parameter, the quick tier runs these."""

FULL = {
    "test_analysis": ("test_ctrl_c_shows_what_there_is",),
    "test_evaluators": ("test_evaluations_are_as_published_without_the_compiler",),
    "test_golden": (
        "test_tables_and_summaries_are_the_same_bytes[match]",
        "test_tables_and_summaries_are_the_same_bytes[tournament]",
        "test_tables_and_summaries_are_the_same_bytes[tuning]",
        "test_games_and_moves_are_the_same_bytes[match]",
        "test_games_and_moves_are_the_same_bytes[tournament]",
        "test_no_further_table_is_written[match]",
        "test_no_further_table_is_written[tournament]",
        "test_the_ratings_of_all_together_are_the_same_bytes",
    ),
    "test_readme": (
        "test_an_experiment_of_an_own_heuristic_is_played",
        "test_python_runs_and_its_evaluations_and_players_do_what_they_are_for",
        "test_the_answer_to_a_wrong_input_is_the_one_shown",
    ),
    "test_switches": ("test_a_thousand_searches_take_no_more_memory_and_one_that_keeps_some_is_seen",),
    "test_tournament": (
        "test_a_killed_run_goes_on_where_it_stopped",
        "test_a_mistake_of_the_arena_stops_the_run_with_its_traceback_and_keeps_finished_games",
        "test_games_that_end_their_process_are_named_when_all_others_are_played",
    ),
    "test_viewer": ("test_the_command_takes_all_or_a_number_of_games",),
}
"""Tests that only the full tier runs, by file: more golden runs than one, READMEs, kills, and what takes long."""

QUICK = {
    "test_cluster": (),
    "test_damage": (),
    "test_doctor": (),
    "test_fuzz": (),
    "test_installed": (),
    "test_kills": (),
    "test_own_network": (),
    "test_seats": (
        "test_a_game_is_played_again_as_often_as_asked",
        "test_all_moves_of_a_game_have_a_time_together",
        "test_an_own_player_in_the_arenas_process_has_its_answers_checked",
        "test_every_chance_in_a_seat_comes_from_the_seed",
        "test_a_player_sits_in_another_process_that_is_kept_from_game_to_game",
    ),
    "test_training": (),
    "test_tuning_patterns": (),
    "test_viewer_browser": (),
    "test_watch_browser": (),
    "test_web_browser": (),
}
"""Files of which only these tests are quick; the others need a browser, a wheel, Dask or a training, or kill
processes."""

TIERS = ("quick", "rest", "full", "slow")


def tier_of(item: pytest.Item) -> str:
    """The tier that a test belongs to: quick, rest (full without quick) or slow."""
    if item.get_closest_marker("slow"):
        return "slow"
    file, names = item.path.stem, {item.name, item.name.partition("[")[0]}
    if names.intersection(FULL.get(file, ())) or names.isdisjoint(QUICK.get(file, names)):
        return "rest"
    parameters = getattr(item, "callspec", None)
    return "rest" if parameters and any(map(_is_of_another_rule_set, parameters.params.values())) else "quick"


def has_quick_tests(file: str) -> bool:
    """Whether the quick tier has tests of a file at all, so that the file is read."""
    return QUICK.get(file) != ()


def _is_of_another_rule_set(value: object) -> bool:
    """Whether a test's parameter is a rule set outside QUICK_RULES, the name of one or a row about one."""
    if isinstance(value, Mapping):
        value = value.get("variant")
    name = value.name if isinstance(value, Variant) else value
    return isinstance(name, str) and name in VARIANTS and name not in QUICK_RULES
