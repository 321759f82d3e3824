"""Tuning a real bot finds what was planted in it; `python -m benchmarks.tuning` does it many times."""

from __future__ import annotations

from benchmarks.tuning import PLANTED, tuned

START = {"first": 0.8, "second": 0.2, "third": 0.95}


def test_tuning_a_bot_ends_nearer_to_the_planted_optimum_and_says_so(tmp_path):
    words = ["--steps", "80", "--verdict", "150", "--jobs", "1"]
    told = tuned(START, tmp_path / "planted", "one", words, idle=False)
    assert told["gain"]
    found = told["parameters"]
    assert all(abs(found[name] - PLANTED[name]) < abs(START[name] - PLANTED[name]) / 2 for name in PLANTED)
