"""For every test: its markers and its turn, how many examples it tries, and stop signals for its programs."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
MACHINE = (
    "arbiter/sandbox",
    "contract",
    "end_to_end",
    "platform/bots/validation",
    "platform/play/test_hidden.py",
    "platform/play/test_tables.py",
    "platform/serving",
    "platform/web/browser",
    "supervisor/test_process_manager.py",
    "supervisor/test_redis.py",
    "supervisor/test_subreaper.py",
)
"""Folders and files whose tests all look at clocks, sockets or processes; `make check` skips their import."""
STARTING = frozenset({"arbiter_process", "broker", "live_server", "site", "worker"})
"""Fixtures that start a server, a sandbox or another program. A test that uses one looks at processes."""
FIRST = (
    "end_to_end/test_platform_on_postgresql.py",
    "end_to_end/test_random_kills.py",
    "end_to_end/test_sandbox_levels.py",
    "end_to_end",
    "platform/web/browser",
    "platform/tournaments/running/test_starved_bot.py",
    "platform/tournaments/running/test_two_nodes.py",
    "contract/test_remote_bots.py",
    "contract/test_sudden_death.py",
    "platform/api/test_wrong_input.py",
    "sdk/engine/test_compiled_equals_interpreted.py",
    "contract",
    "supervisor",
    "arbiter/sandbox",
)
"""Folders and files of the longest tests and groups, which begin first, so that no process ends long after
the others."""
LONG = (
    # what whole platforms show, but for one way through all of it
    "end_to_end/test_bought_ladders.py",
    "end_to_end/test_documented_commands.py",
    "end_to_end/test_download.py",
    "end_to_end/test_every_kind_of_bot.py",
    "end_to_end/test_forfeits.py",
    "end_to_end/test_image.py",
    "end_to_end/test_killed_programs.py",
    "end_to_end/test_lost_machines.py",
    "end_to_end/test_moved_to_postgresql.py",
    "end_to_end/test_organiser.py",
    "end_to_end/test_organisers_cases.py",
    "end_to_end/test_rulings.py",
    "end_to_end/test_platform_on_postgresql.py",
    "end_to_end/test_proxy.py",
    "end_to_end/test_random_kills.py",
    "end_to_end/test_other_browsers.py",
    "end_to_end/test_play.py::test_at_400_percent_in_forced_colours",
    "end_to_end/test_play.py::test_who_has_played_is_put_back_at_a_costly_decision_and_takes_it_again",
    "end_to_end/test_play_every_game.py",
    "end_to_end/test_play_kills.py",
    "end_to_end/test_play_script.py",
    "end_to_end/test_remote_bot.py",
    "end_to_end/test_sandbox_levels.py",
    "end_to_end/test_sleeping_bots.py",
    "end_to_end/test_suspension.py",
    "end_to_end/test_told.py",
    "end_to_end/test_trials_and_notes.py",
    "end_to_end/test_upgrade.py",
    "end_to_end/test_visitors.py",
    "end_to_end/test_without_redis.py",
    "benchmarks/test_tuning.py",
    # what needs npm, Java or a C++ compiler
    "contract/test_bots_of_other_languages.py",
    "contract/test_hosted_lines.py::test_a_compiled_program_without_libraries_plays_its_own_moves",
    "platform/web/browser/test_class.py::test_a_class_hour_goes_by_the_words_of_the_document",
    "platform/web/browser/test_evening.py",
    "platform/web/browser/test_every_page.py",
    "platform/web/browser/test_table_phases.py",
    "sdk/cli/test_new.py::test_a_new_bot_in_another_language_plays_as_it_says_and_passes_its_own_test[cpp]",
    "sdk/test_bots_of_before.py::test_a_program_of_before_in_another_language_plays_without_a_fault",
    # what runs a type checker or looks at imports as lint does
    "architecture/test_imports.py::test_imports_keep_to_the_direction_of_the_architecture",
    "architecture/test_imports.py::test_a_forbidden_import_is_noticed",
    "sdk/cli/test_new.py::test_new_bots_hold_to_strict_types",
    "sdk/test_types_for_authors.py",
    # what needs PyTorch
    "sdk/lab/batch/test_learners.py::test_a_trainer_of_others_learns_to_beat_random_as_the_page_says",
    # what needs Prometheus
    "platform/operations/test_monitoring.py::"
    "test_prometheus_understands_its_configuration_the_rules_and_the_dashboard",
    "platform/operations/test_monitoring.py::"
    "test_a_planted_fault_raises_an_alert_of_one_line_within_three_minutes",
    # what takes seconds, and of whose kind shorter ones are left
    "arbiter/sandbox/cgroups/test_freezer.py::test_frozen_bots_end_with_the_launcher",
    "arbiter/sandbox/isolation/test_sharing_audit.py",
    "arbiter/sandbox/launcher/test_launcher.py::"
    "test_with_the_arbiter_killed_a_stopped_launcher_is_ended_with_every_sandbox",
    "arbiter/sandbox/launcher/test_warm_pool.py",
    "arbiter/sandbox/test_waiting.py::test_a_working_bot_was_kept_from_a_core_while_others_ran",
    "arbiter/sandbox/test_waiting.py::test_sixty_busy_threads_are_stopped_hardly_later_than_one",
    "benchmarks/test_equal_time.py::test_blocks_of_changed_code_do_not_count",
    "benchmarks/test_arbiter_bench.py::test_two_arbiters_play_at_the_same_time",
    "benchmarks/test_equal_time.py::test_a_run_goes_on_where_it_was_cut_off_and_settings_do_not_mix",
    "benchmarks/test_luck.py",
    "benchmarks/test_marks.py",
    "benchmarks/test_mixed_fields.py::test_a_field_is_played_once_and_kept",
    "contract/abuse/test_abuse_by_silence.py",
    "contract/abuse/test_abuse_from_the_sandbox.py",
    "contract/abuse/test_abuse_of_the_remote_gateway.py",
    "contract/test_arbiter.py::test_after_a_kill_the_same_match_can_be_started_again",
    "contract/test_busy_arbiter.py",
    "contract/test_busy_machine.py",
    "contract/test_local_equals_server.py::"
    "test_bots_that_crash_hang_and_print_get_at_home_what_the_server_gives_them",
    "contract/test_local_equals_server.py::test_a_folder_for_temporary_files_may_have_any_name",
    "contract/test_one_voice.py",
    "contract/test_owner_reports.py::test_a_bot_that_imports_for_too_long_times_out",
    "contract/test_remote_arbiter.py",
    "contract/test_remote_bots.py",
    "contract/test_sudden_death.py",
    "platform/api/test_described_answers.py",
    "platform/api/test_numbers.py::test_no_number_in_a_body_is_too_much_for_an_operation",
    "platform/api/test_numbers.py::test_no_number_in_an_address_is_too_much_for_an_operation",
    "platform/api/test_open_data.py::test_a_file_whose_blocks_changed_is_not_read_and_written_again",
    "platform/api/test_wrong_input.py",
    "platform/bots/validation/test_at_home.py",
    "platform/bots/validation/test_matches.py::"
    "test_a_trial_of_many_short_matches_keeps_its_lease_before_every_one",
    "platform/bots/validation/test_run.py::test_a_faulty_bot_is_rejected_and_told_why[hangs]",
    "platform/bots/validation/test_run.py::"
    "test_a_program_in_each_language_that_sandboxes_know_chooses[javascript]",
    "platform/play/test_hidden.py::test_every_answer_holds_what_the_seat_may_know_and_nothing_else[sticheln]",
    "platform/play/test_hidden.py::test_every_answer_holds_what_the_seat_may_know_and_nothing_else[mue]",
    "platform/play/test_hidden.py::test_every_answer_holds_what_the_seat_may_know_and_nothing_else[njet]",
    "platform/play/test_hidden.py::"
    "test_every_answer_holds_what_the_seat_may_know_and_nothing_else[was-sticht]",
    "platform/play/test_hidden.py::test_every_answer_holds_what_the_seat_may_know_and_nothing_else[meinz]",
    "platform/play/test_hidden.py::"
    "test_every_answer_holds_what_the_seat_may_know_and_nothing_else[stiche-raten]",
    "platform/operations/test_backups.py::test_a_restored_installation_has_the_same_ladder_and_other_cards",
    "platform/serving/test_connections.py::test_a_silent_connection_ends_sooner_where_all_are_taken",
    "platform/serving/test_request_slots.py::test_work_that_ends_leaves_no_lock_of_a_library_taken",
    "platform/test_celery.py::test_a_worker_that_takes_no_waiting_task_ends_itself",
    "platform/tournaments/formats/test_ladder.py::"
    "test_of_500_entrants_none_waits_longer_than_its_share_of_the_turns",
    "platform/tournaments/records/test_exports.py",
    "platform/tournaments/running/test_starved_bot.py",
    "platform/tournaments/running/test_two_nodes.py",
    "platform/play/test_tables.py::test_deserted_tables_in_all_rooms_give_some_back",
    "platform/tournaments/test_nothing_early.py::test_a_bots_output_shows_nowhere_while_it_plays_on",
    "platform/tournaments/test_nothing_early.py::"
    "test_all_output_shows_after_the_last_block_that_the_bot_had_begun",
    "platform/tournaments/test_private.py",
    "platform/web/browser/test_administration.py",
    "platform/web/browser/test_class.py",
    "platform/web/browser/test_journeys.py",
    "platform/web/browser/test_passkeys.py",
    "platform/web/browser/test_replay.py::test_every_phase_of_a_game_is_in_one_screen",
    "platform/web/browser/test_replay.py::test_nothing_shifts_while_stepping",
    "platform/web/discovery/test_feeds_and_files.py::test_the_sitemap_leads_to_pages_that_exist",
    "platform/web/test_posted_forms.py",
    "sdk/cli/test_new.py::test_a_new_trained_bot_plays_at_once_and_learns",
    "sdk/engine/test_compiled_equals_interpreted.py",
    "sdk/engine/test_patched_c_code.py::test_rules_that_mypyc_writes_otherwise_are_compiled_all_the_same",
    "sdk/local_play/test_validation.py::test_a_validation_reaches_the_late_and_large_decisions_of_ladders",
    "sdk/test_guides.py",
    "supervisor/test_setup.py",
)
"""Files, tests, and tests with a parameter that `make test-long` runs and `make test` does not."""
GC_THRESHOLDS = (20_000, 20, 20)
ALL_SLOW = re.compile(r"^pytestmark = \[?pytest\.mark\.slow\b", re.MULTILINE)
"""The line of a module whose tests are all slow; `make check` skips its import, which may take seconds."""

# A script's background jobs ignore Ctrl-C and those of nohup a lost terminal, and so would what they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Hundreds of programs are started; each would compile the same modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

for name, examples in (("check", 20), ("suite", 100), ("nightly", 2_000)):
    settings.register_profile(name, max_examples=examples, deadline=None)
settings.load_profile("suite")  # another one: --hypothesis-profile


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    chosen = config.getoption("markexpr")
    for marker, places in (("machine", MACHINE), ("long", LONG)):
        if f"not {marker}" in chosen and collection_path in {HERE / place for place in places}:
            return True
    is_slow = (
        "not slow" in chosen
        and collection_path.suffix == ".py"
        and ALL_SLOW.search(collection_path.read_text())
    )
    return True if is_slow else None


def pytest_collection_finish() -> None:
    """Have the collector of cycles pass over what lives on, and look seldom at the rest."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _leave_out_nightly(config, items)
    machine, long = ({HERE / place for place in places} for places in (MACHINE, LONG))
    for item in items:
        if not machine.isdisjoint(_places(item)) or not STARTING.isdisjoint(_fixtures(item)):
            item.add_marker(pytest.mark.machine)
        if not long.isdisjoint(_places(item)):
            item.add_marker(pytest.mark.long)
    turns = {HERE / place: turn for turn, place in enumerate(FIRST)}
    items.sort(key=lambda item: _turn(item, turns))


def _leave_out_nightly(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked `nightly`, unless the command names the marker."""
    if "nightly" in config.getoption("markexpr"):
        return
    left_out = [item for item in items if item.get_closest_marker("nightly")]
    items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    config.hook.pytest_deselected(items=left_out)


def _fixtures(item: pytest.Item) -> list[str]:
    return getattr(item, "fixturenames", [])


def _places(item: pytest.Item) -> tuple[Path, ...]:
    """Return the test itself, with and without its parameters, its file and the folders above it."""
    names = (item.name, getattr(item, "originalname", item.name))
    return (*(Path(f"{item.path}::{name}") for name in names), item.path, *item.path.parents)


def _turn(item: pytest.Item, turns: dict[Path, int]) -> int:
    """Return the place of the narrowest folder or file in `FIRST`; all others come last."""
    return next((turns[place] for place in _places(item) if place in turns), len(turns))
