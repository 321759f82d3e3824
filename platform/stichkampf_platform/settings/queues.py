"""The queues by purpose. Services queue tasks by their names."""

DEFAULT_QUEUE = "sweep"
QUEUES = {
    DEFAULT_QUEUE: [],  # and every task that is not named here: short, and never behind a long one
    "matches": ["stichkampf_platform.tournaments.tasks.play_block"],
    "experiments": ["stichkampf_platform.tournaments.tasks.play_experiment"],  # never behind rated blocks
    "validation": ["stichkampf_platform.bots.tasks.validate"],
    "ratings": [
        "stichkampf_platform.ratings.tasks.publish_ladder",
        "stichkampf_platform.ratings.tasks.publish_tournament",
        "stichkampf_platform.ratings.tasks.watch_snapshot",
        "stichkampf_platform.ratings.tasks.thin_snapshots",
        "stichkampf_platform.tournaments.tasks.draw_plan",
    ],
    "mail": ["stichkampf_platform.people.tasks.mail_notice"],
    "marks": [
        "stichkampf_platform.marks.tasks.make_marks",
        "stichkampf_platform.marks.tasks.play_continuations",
        "stichkampf_platform.marks.tasks.choose_matches",
        "stichkampf_platform.classes.tasks.compare_code",
    ],
}
"""By queue, the tasks that go through it. `supervisor.worker_programs` says which program takes which."""
