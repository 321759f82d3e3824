"""Attacks on the sandbox at the level of gVisor: what gets through there, and what is looked at otherwise.

With `STICHKAMPF_RUNSC` set the tests of `tests/arbiter/sandbox` attack sandboxes of gVisor.
"""

from __future__ import annotations

BY_ITS_OWN_KERNEL = {
    "test_a_bot_does_not_read": ["the machine's devices"],
    "test_a_bot_has_five_harmless_devices": [],
    "test_a_bot_changes_no_setting_of_the_kernel": [],
    "test_a_bot_cannot_hide_memory_in_extended_attributes": [],
    "test_a_bot_is_refused": [
        "memfd", "inotify", "io_uring", "System V memory", "netlink", "a larger pipe",
        "a barrier for all processors", "a barrier for all that want one",
    ],
    "test_a_bot_makes_no_namespace": [],
    "test_a_bot_types_nothing_into_a_terminal": [],
    "test_a_bot_sends_no_datagram_to_the_machine": [],
    "test_a_bot_opens_no_socket_of_another_family": ["netlink", "packet"],
    "test_a_bot_is_given_no_descriptor_of_a_process_whose_number_counts_all_processes": [
        "of a new process", "with a message",
    ],
    "test_no_inode_of_a_sandbox_is_an_inode_of_another": [],
    "test_a_bot_does_not_set_the_times_of_devices": [],
    "test_a_bot_does_not_learn": [
        "the number of processes", "space of file systems", "identities of mounts",
        "memory of socket filters", "which pages are in memory", "the same count by another way",
    ],
    "test_page_faults_do_not_tell_whether_large_pages_are_left": [],
    "test_a_bot_reads_no_counter_of_the_machine": [
        "loadavg", "meminfo", "stat", "uptime", "self/mountinfo", "self/stat", "cmdline", "cpuinfo",
    ],
    "test_two_bots_cannot_talk_through_a_lock_on_a_file_that_both_see": ["lockf"],
    "test_a_bot_starts_a_limited_number_of_threads": [],
    "test_a_bot_hides_no_memory_in_files_without_a_name": [],
}  # fmt: skip
"""Attacks that get through in gVisor, by their cases: to its own kernel, or within the room that this has."""
SEEN_FROM_OUTSIDE = {
    "test_a_bot_sees_nothing_of_the_project_the_platform_or_people": "it has a /sys of its own kernel",
    "test_a_bot_does_not_reach_the_socket_of_another": "the machine sees no mounts of it",
    "test_a_bot_does_not_read_the_archive_of_another": "the machine sees no mounts of it",
    "test_every_bot_has_a_uid_of_its_own": "to the machine it is gVisor's process",
    "test_a_daemon_does_not_outlive_its_bot": "the same",
    "test_a_bot_that_ignores_every_signal_is_killed_with_all_its_processes": "the same",
    "test_a_kill_during_a_fork_bomb_leaves_nothing": "the same",
    "test_a_storm_of_signals_at_the_process_that_holds_a_sandbox_changes_nothing": "the same",
    "test_a_stopped_sandbox_is_killed_as_well": "the same",
    "test_a_sandbox_whose_outer_process_is_killed_is_reported_and_gone": "the same",
    "test_a_bot_holds_no_capability_and_can_gain_none": "the same",
    "test_nothing_is_left_of_a_bot": "the same",
    "test_cpu_time_is_seen_while_a_bot_runs_and_ends_with_the_report": "its own clock counts waiting, too",
    "test_a_bot_does_not_become_root": "its uid inside is that outside",
    "test_two_processes_of_a_bot_see_the_same_surroundings": "its uid inside is that outside",
    "test_an_honest_bot_can_use[its own name]": "its uid inside is that outside",
    "test_a_bot_starts_a_limited_number_of_processes": "its kernel has room",
    "test_a_bot_that_takes_too_much_memory_is_ended": "its kernel has room",
    "test_a_bot_cannot_fill_memory_with_empty_files": "its kernel has room",
    "test_files_in_memory_count_as_memory": "its kernel has room",
    "test_a_bot_that_fills_its_memory_and_reads_its_files_again_and_again_is_ended": "its kernel has room",
    "test_a_bot_makes_no_32_bit_call": "its own kernel refuses it, and ends nothing",
    "test_a_program_that_is_not_there_is_reported_in_words": "gVisor has words of its own",
    "test_the_inode_that_all_event_descriptors_share_cannot_be_changed": "its own kernel's",
    "test_a_bot_changes_nothing_of_the_files_that_it_sees[/dev/null-times]": "its own kernel's",
    "test_a_bot_gives_the_kernel_no_advice_that_others_could_notice[merge]": "its own kernel takes it",
    "test_memory_that_tells_of_the_whole_machine_cannot_be_taken": "its own kernel's",
    "test_numbers_of_files_are_the_same_in_every_sandbox": "counted by its own kernel",
    "test_no_call_tells_the_number_of_a_pipe_or_a_socket": "counted by its own kernel",
    "test_no_other_thread_has_the_kernel_answer": "the same",
    "test_wrong_arguments_answer_with_the_kernels_errors": "its own kernel's",
    "test_a_sandbox_asks_so_often_and_no_more": "its own kernel answers",
    "test_who_asks_all_the_time_can_be_frozen_thawed_and_killed": "its own kernel answers",
    "test_the_end_of_what_answers_ends_the_launcher_and_charges_no_bot": "its own kernel answers",
    "test_two_sandboxes_have_no_object_in_common_and_make_no_call_that_no_row_names": "the same",
    "test_marks_in_the_page_cache_are_found_as_often_as_marks_never_left": "takes minutes",
}
"""Tests of what gVisor has otherwise, and why; `test_gvisor.py` looks at ends, rests and memory."""

BEYOND_ITS_ROOM = ("descriptors", "memory")
"""Units of the audit that end their own sandbox there, alone or with others: what gVisor's kernel keeps for
them, such as pipes and descriptors on the way, counts as memory of the bot."""


def leaves_out(test: str) -> bool:
    """Tell whether a test looks at what gVisor has otherwise, or at a sandbox that lacks a protection."""
    return "without" in test or test in SEEN_FROM_OUTSIDE or test.partition("[")[0] in SEEN_FROM_OUTSIDE


def gets_through(test: str) -> bool:
    """Tell whether an attack gets through in gVisor, though to nothing of the machine's."""
    name, _, case = test.removesuffix("]").partition("[")
    cases = BY_ITS_OWN_KERNEL.get(name)
    return cases is not None and (not cases or case.removeprefix("default-") in cases)
