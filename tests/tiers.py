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
    "test_analysis": (
        "test_an_analysis_that_has_ended_keeps_no_thread_and_no_memory",
        "test_ctrl_c_shows_what_there_is",
    ),
    "test_anonymous": (
        "test_no_byte_of_what_is_published_has_a_real_name",
        "test_the_report_without_names_is_that_of_the_run_and_the_same_each_time",
    ),
    "test_articles": ("test_frisian_bars_a_fourth_move_in_a_row_of_the_same_king",),
    "test_bench": (
        "test_a_card_has_games_on_three_terms_suites_and_speed_and_says_where_it_was_measured",
        "test_a_benchmark_is_chosen_by_its_name",
        "test_overhead_is_of_each_part_by_its_own_unit",
        "test_workers_of_each_kind_play_the_same_games",
    ),
    "test_cli": (
        "test_a_game_fits_a_real_terminal_of_50_columns",
        "test_a_mistake_found_in_an_evaluation_is_in_manifest_report_and_exit_code",
        "test_a_plan_keeps_nothing_and_says_what_the_run_can_resolve",
        "test_a_run_without_faulty_players_says_who_they_are_and_decides_the_same_when_resumed",
        "test_commands_about_positions_take_rules_as_a_configuration_has_them",
        "test_the_doctor_and_a_plan_take_a_file_that_tunes_or_trains",
        "test_the_doctor_finds_what_is_wrong_with_the_players_of_a_tuning",
        "test_what_is_printed_fits_a_narrow_terminal",
    ),
    "test_data": (
        "test_a_class_may_say_what_a_man_is_worth_and_its_time_is_measured_where_it_sits",
        "test_a_man_is_worth_what_the_evaluation_loses_with_it",
        "test_a_report_has_positions_and_parquet_if_asked_for",
        "test_the_points_of_a_game_stand_at_the_end_of_its_pdn_and_on_its_page",
        "test_the_points_that_decided_a_game_are_in_its_row",
    ),
    "test_duel": (
        "test_a_test_and_a_set_of_openings_are_in_the_configuration",
        "test_more_than_two_players_meet_all_others_and_names_differ",
    ),
    "test_endgame": (
        "test_a_win_that_a_search_holds_for_certain_is_never_contradicted",
        "test_ctrl_c_stops_the_command_which_resumes",
        "test_english_positions_are_those_that_are_published_and_have_known_values[4]",
        "test_tables_of_other_rules_or_of_other_code_are_not_read",
        "test_tables_say_what_the_definition_says_of_every_position_of_three_pieces",
        "test_tables_say_what_the_definition_says_on_a_small_board",
        "test_the_command_counts_wins_beyond_the_limits_of_moves",
        "test_the_tables_line_ends_after_the_plies_that_they_say",
        "test_values_of_three_pieces_follow_from_those_after_the_moves[international]",
        "test_what_was_killed_is_resumed",
    ),
    "test_evaluators": ("test_evaluations_are_as_published_without_the_compiler",),
    "test_examine": ("test_one_that_crashes_or_hangs_gets_a_line_with_file_and_function",),
    "test_formats": (
        "test_a_plan_prints_the_length_of_a_test_and_of_a_run_until_intervals_are_narrow",
        "test_a_precise_match_is_the_same_for_two_workers_and_after_stops_and_says_why_it_ended",
        "test_a_run_that_is_stopped_plays_the_same_games_as_one_that_is_not",
        "test_adaptive_knows_the_top_three_from_fewer_games_than_a_round_robin",
        "test_nine_of_ten_pilots_hold_what_the_games_of_a_steady_machine_take",
    ),
    "test_game": (
        "test_a_game_is_by_rules_that_are_described_as_in_a_configuration",
        "test_only_captures_count_where_the_rule_is_so",
        "test_points_are_not_counted_where_something_else_decides",
        "test_points_decide_under_any_rules_that_say_so",
    ),
    "test_golden": (
        "test_games_and_moves_are_the_same_bytes[match]",
        "test_games_and_moves_are_the_same_bytes[tournament]",
        "test_no_further_table_is_written[match]",
        "test_no_further_table_is_written[tournament]",
        "test_tables_and_summaries_are_the_same_bytes[match]",
        "test_tables_and_summaries_are_the_same_bytes[tournament]",
        "test_tables_and_summaries_are_the_same_bytes[tuning]",
        "test_the_ratings_of_all_together_are_the_same_bytes",
    ),
    "test_grading": (
        "test_a_configuration_grades_what_it_has_played",
        "test_a_killed_grading_is_resumed_to_the_same_bytes",
        "test_grades_are_the_same_bytes_for_any_workers_and_interruptions",
        "test_no_claim_of_38000_searches_is_false",
        "test_rules_without_tables_are_graded_by_a_judge_alone",
    ),
    "test_hub": ("test_the_command_ends_with_its_input_and_prints_the_protocol_alone",),
    "test_hybrid": (
        "test_a_new_assessment_forgets_what_was_valued_before",
        "test_a_win_within_the_shallow_search_needs_no_simulation",
        "test_an_assessment_is_of_the_game_and_not_of_the_player",
        "test_formation_is_assessed_every_so_many_moves_of_the_game",
        "test_nothing_is_assessed_without_a_monitor_or_a_mix",
        "test_what_it_proves_is_true_although_moves_are_rejected",
    ),
    "test_kernels": (
        "test_a_kernel_that_a_users_kernel_calls_may_be_whatever_numba_compiles",
        "test_a_second_process_compiles_nothing",
        "test_a_users_evaluation_is_compiled_anew_when_a_kernel_in_a_file_beside_it_changes",
        "test_compilation_is_announced_once_and_only_where_there_is_any",
        "test_only_what_python_calls_is_kept_on_disk_and_nothing_that_the_rules_never_reach_is_compiled",
        "test_uncompiled_kernels_search_the_same_tree",
        "test_what_arena_compile_has_compiled_no_game_waits_for",
        "test_what_is_compiled_meanwhile_is_not_announced_and_ends_with_its_context",
    ),
    "test_known_endings": ("test_no_search_claims_a_win_that_the_tables_deny[4-8000]",),
    "test_limits": (
        "test_a_registered_player_conforms[engine-clock-international]",
        "test_a_registered_player_conforms[engine-nodes-international]",
    ),
    "test_live": (
        "test_ctrl_c_ends_a_watch_without_a_word",
        "test_watch_redraws_on_a_terminal_and_ends_with_the_run",
        "test_watch_waits_for_a_run_that_is_not_there_yet",
    ),
    "test_manifest": (
        "test_a_slow_player_is_signed_from_fewer_positions_and_compared_on_those",
        "test_each_time_that_a_run_goes_on_is_recorded_and_a_complete_one_is_left_alone",
        "test_the_hash_is_of_the_configuration_and_of_the_users_files",
    ),
    "test_mcts": (
        "test_a_line_without_progress_is_a_draw",
        "test_it_proves_what_exhaustive_minimax_finds",
        "test_the_number_of_workers_does_not_change_its_games",
    ),
    "test_movegen": ("test_a_man_that_captures_backward_stops_where_it_is_crowned",),
    "test_openings": (
        "test_the_balance_of_openings_is_what_the_search_finds[english-11-man]",
        "test_the_balance_of_openings_is_what_the_search_finds[international-3-ply]",
        "test_the_lines_of_a_set_are_legal_and_lead_to_its_positions[english-11-man]",
    ),
    "test_page": (
        "test_a_mark_says_its_value_under_the_pointer_and_between_arrow_keys",
        "test_a_pdf_has_truetype_fonts_and_the_same_bytes_each_time",
        "test_the_box_above_a_long_table_filters_it",
        "test_the_summary_shows_every_picture",
    ),
    "test_pdn": ("test_a_game_type_with_another_board_is_of_that_board_or_of_none",),
    "test_perft": ("test_rules_on_the_board_of_another_rule_set_have_its_published_counts",),
    "test_place": (
        "test_a_newcomer_at_any_place_of_the_configuration_gets_the_same_games",
        "test_a_newcomer_is_placed_in_a_run_that_says_where_and_can_be_played_again",
        "test_players_of_the_pool_that_are_left_out_and_placed_have_their_elo_again",
        "test_pools_are_listed_with_the_elo_of_their_players",
        "test_the_seed_decides_the_openings_and_no_opponent_has_one_twice",
    ),
    "test_play": (
        "test_a_clock_that_runs_out_while_a_line_is_waited_for_ends_the_game",
        "test_a_whole_game_in_a_terminal",
        "test_ctrl_c_has_a_player_move_now_and_twice_at_the_prompt_leaves",
        "test_ctrl_c_hurries_no_player_in_a_game_that_counts",
        "test_ctrl_c_pauses_a_game_of_players",
        "test_ctrl_c_twice_leaves_a_player_that_does_not_answer",
        "test_leaving_a_game_that_counts_is_asked_for_twice",
        "test_the_board_has_colours_where_the_terminal_has_them",
        "test_the_boards_of_three_published_programs_have_rows_and_columns_at_their_edges",
    ),
    "test_published": (
        "test_a_capture_hop_by_hop_at_one_depth_is_the_tree_of_whole_moves[many]",
        "test_a_win_of_game3_is_worth_the_same_at_any_distance_and_without_hope_it_plays_the_first_move",
        "test_checkers_ai_has_the_value_move_and_nodes_of_its_program_after_each_depth[many]",
        "test_cis300_has_the_value_and_the_move_of_its_program_as_printed_and_repaired[many]",
        "test_game3_has_the_value_move_nodes_and_cutoffs_of_its_program[few]",
        "test_game3_has_the_value_move_nodes_and_cutoffs_of_its_program[many]",
        "test_simplified_has_the_value_move_and_counts_of_its_program[few]",
        "test_simplified_has_the_value_move_and_counts_of_its_program[many]",
        "test_the_errors_of_the_programs_change_moves",
    ),
    "test_rate_pdn": ("test_the_pdn_of_a_run_is_rated_as_the_run",),
    "test_ratings": (
        "test_any_counts_and_repetitions_give_a_finite_table",
        "test_bootstrap_agrees_with_the_sandwich_and_with_its_seed",
        "test_hundreds_of_players_fit",
        "test_intervals_cover_the_truth_about_as_often_as_they_say",
        "test_lopsided_results_on_which_full_newton_steps_overshoot_are_fitted",
        "test_order_of_games_and_names_of_players_do_not_matter",
    ),
    "test_readme": (
        "test_an_experiment_of_an_own_heuristic_is_played",
        "test_python_runs_and_its_evaluations_and_players_do_what_they_are_for",
        "test_the_answer_to_a_wrong_input_is_the_one_shown",
    ),
    "test_record": ("test_a_kill_loses_the_game_under_way_alone",),
    "test_report_sweeps": (
        "test_the_chart_that_answers_is_the_first_and_its_title_the_answer",
        "test_the_interval_of_a_gain_covers_the_truth_in_simulated_tournaments",
    ),
    "test_report_transitivity": ("test_players_on_one_line_stand_out_in_one_tournament_of_twenty",),
    "test_report_words": ("test_every_shipped_configuration_has_four_opening_sentences_at_most",),
    "test_rule_sets": (
        "test_a_run_at_two_limits_is_two_runs_in_each_of_which_players_have_that_limit",
        "test_a_run_by_two_rule_sets_is_two_runs_and_a_joint_page_and_resumes",
        "test_intervals_and_q_hold_as_often_as_they_claim_for_errors_so_distributed",
    ),
    "test_runner": ("test_a_run_that_is_interrupted_is_resumed_by_the_same_call",),
    "test_scaling": (
        "test_a_program_is_sent_the_scaled_time",
        "test_positions_of_a_suite_are_solved_under_scaled_limits",
        "test_processes_of_this_machine_play_with_factors_near_1",
    ),
    "test_search": ("test_moves_that_the_games_history_forbids_are_not_chosen",),
    "test_sitting": ("test_a_pass_has_no_figures_of_squares",),
    "test_store": ("test_what_keeps_runs_is_imported_where_there_is_no_fcntl",),
    "test_submissions": (
        "test_faulty_submissions_are_left_out_each_with_its_reason",
        "test_faulty_submissions_that_forfeit_lose_their_games_and_nothing_else_is_lost",
        "test_in_a_sandbox_submissions_are_tried_in_it_too",
    ),
    "test_suites": (
        "test_answers_are_the_same_for_any_workers_and_interruptions",
        "test_shots_are_made_the_same_from_the_same_seed_by_any_number_of_workers",
        "test_the_number_of_workers_does_not_change_what_is_found",
    ),
    "test_switches": (
        "test_a_thousand_searches_take_no_more_memory_and_one_that_keeps_some_is_seen",
        "test_points_decide_the_finished_games_of_simplified",
    ),
    "test_threads": (
        "test_a_run_of_two_threads_is_diagnosed_planned_for_half_the_cores_played_and_reported",
        "test_no_move_of_a_hundred_games_by_two_threads_is_wrong",
    ),
    "test_tournament": (
        "test_a_killed_run_goes_on_where_it_stopped",
        "test_a_mistake_of_the_arena_stops_the_run_with_its_traceback_and_keeps_finished_games",
        "test_games_that_end_their_process_are_named_when_all_others_are_played",
    ),
    "test_transitivity": (
        "test_openings_that_favour_a_side_leave_no_residual",
        "test_residuals_of_the_true_model_are_standard_normal",
    ),
    "test_tuning_numbers": (
        "test_a_tuning_that_was_stopped_resumes_within_its_step",
        "test_the_number_of_workers_changes_nothing",
    ),
    "test_variants": ("test_a_variant_of_ones_own_follows_the_oracle",),
    "test_viewer": ("test_the_command_takes_all_or_a_number_of_games",),
    "test_volume": (
        "test_a_large_run_has_its_moves_written_when_asked_for_and_says_so",
        "test_a_random_game_takes_less_than_a_kilobyte_and_a_searching_one_less_than_four",
        "test_a_report_in_parts_has_the_tables_of_one_whole",
        "test_a_run_is_reported_while_it_is_played",
        "test_a_sample_is_of_whole_pairs_and_always_the_same",
        "test_volume_measures_ledger_and_report_of_both_kinds_of_players",
    ),
}
"""Tests that only the full tier runs, by file: more golden runs than one, READMEs, kills, and what takes long."""

QUICK = {
    "test_cluster": (),
    "test_damage": ("test_one_damaged_copy_of_the_configuration_costs_nothing",),
    "test_doctor": (),
    "test_dxp": (
        "test_a_program_that_breaks_the_protocol_loses_its_game[gives up]",
        "test_a_program_that_breaks_the_protocol_loses_its_game[sends a wrong length]",
        "test_a_request_has_the_layout_of_the_protocol",
        "test_a_wrong_entry_is_one_line",
        "test_every_move_is_read_as_it_was_written[international]",
        "test_moves_are_read_as_the_protocol_shows_them",
        "test_two_seats_play_each_other_each_at_a_port_of_its_own",
        "test_what_is_not_a_move_is_an_error_of_the_program",
    ),
    "test_engines": (
        "test_a_command_is_looked_for_in_the_folder_of_the_configuration",
        "test_a_mistake_in_an_entry_is_told_in_one_line",
        "test_a_variant_that_the_engine_does_not_play_is_told_in_one_line",
        "test_an_engine_without_a_limit_is_told_in_one_line",
        "test_what_an_engine_says_of_its_search_is_recorded",
    ),
    "test_hub1": (
        "test_a_partner_that_knows_the_rules_plays_games_to_their_end[depth]",
        "test_a_program_that_breaks_the_protocol_loses_its_game[moves nothing]",
        "test_a_program_that_breaks_the_protocol_loses_its_game[refuses positions]",
        "test_a_search_is_asked_for_in_words_of_a_fixed_order",
        "test_a_wrong_entry_is_one_line",
        "test_what_a_program_says_of_its_search_is_recorded_in_men",
    ),
    "test_executor": (
        "test_a_batch_is_left_when_its_time_is_over",
        "test_long_tasks_are_not_handed_out_ahead",
    ),
    "test_fuzz": (),
    "test_installed": (),
    "test_javascript": (
        "test_a_circle_is_refused_with_its_modules",
        "test_a_module_comes_after_all_that_it_imports",
        "test_no_module_of_the_report_imports_one_of_the_page",
        "test_no_two_modules_have_a_function_of_the_same_name",
        "test_the_report_and_the_page_share_modules_and_none_is_left_over",
        "test_what_cannot_be_put_into_one_script_is_refused",
    ),
    "test_kills": (),
    "test_notebook": ("test_it_is_short_and_names_no_machine",),
    "test_own_network": (),
    "test_starters": ("test_the_readme_the_configuration_and_the_folder_have_the_same_programs",),
    "test_services": (
        "test_a_game_is_played_as_often_as_allowed_without_reaching_a_player[own process]",
        "test_a_game_without_reaching_a_player_has_no_result_and_is_played_later[in process]",
        "test_a_language_model_has_a_second_try_and_then_gives_up",
        "test_a_run_stops_when_its_budget_is_spent_and_resumes_with_a_larger_one[in process]",
        "test_nothing_but_games_asks_a_player_that_costs[in process]",
        "test_what_games_used_that_are_played_again_is_in_the_budget[in process]",
    ),
    "test_publish": ("test_paths_are_shortened_to_what_tells_them_apart",),
    "test_recount": (),
    "test_seats": (
        "test_a_game_is_played_again_as_often_as_asked",
        "test_a_player_sits_in_another_process_that_is_kept_from_game_to_game",
        "test_all_moves_of_a_game_have_a_time_together",
        "test_an_own_player_in_the_arenas_process_has_its_answers_checked",
        "test_every_chance_in_a_seat_comes_from_the_seed",
    ),
    "test_training": (),
    "test_tuning": (
        "test_a_broken_configuration_gets_one_line_with_its_place",
        "test_a_column_of_ones_is_the_advantage_of_the_move",
        "test_a_draw_is_half_a_win_and_half_a_loss",
        "test_a_man_is_worth_100_and_keeps_its_sign",
        "test_a_scale_gives_every_column_the_same_typical_share",
        "test_a_step_of_spsa_is_the_gain_times_the_slope",
        "test_an_unknown_result_is_an_error_and_no_draw",
        "test_gains_are_spalls",
        "test_openings_of_the_check_are_never_drawn_for_tuning",
        "test_pairs_are_counted_from_the_first_players_view",
        "test_regression_finds_the_weights_that_made_the_results",
        "test_weights_become_a_vector_and_back",
    ),
    "test_tuning_patterns": (),
    "test_viewer_browser": (),
    "test_watch_browser": (),
    "test_web_browser": (),
    "test_windows": (),
}
"""Files of which only these tests are quick; the others need a browser, Node.js, a wheel, Dask or a training, or
kill processes."""

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
    return (
        isinstance(name, str) and name not in QUICK_RULES and bool({name, name.rpartition("-")[0]} & set(VARIANTS))
    )
