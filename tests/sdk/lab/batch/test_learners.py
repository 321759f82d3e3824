"""The page for learners trains a bot that plays."""

from __future__ import annotations

import os
import re
import runpy
import subprocess

import numpy as np
import pytest
from documents import ROOT, code_blocks, command_of, fewer, text_of, typed_lines
from stichkampf import new_game
from stichkampf.games import GAMES
from stichkampf.lab.environments import DealEnv
from stichkampf.lab.observations import encoder_of
from terminal import Terminal

TRAINER = ROOT / "var/learners"


def test_the_page_names_every_part_of_every_observation():
    text = re.sub(r"```.*?```", "", text_of("docs/learners.md"), flags=re.DOTALL)
    named = set(re.findall(r"`([^`]+)`", text))
    parts = set()
    for name, game in GAMES.items():
        encoder = encoder_of(name, new_game(name, game.players[0]).table_seats)
        every = [part for word in encoder.words() for part, _ in word]
        every += [part for part, _ in encoder.numbers()]
        parts |= {re.sub(r"\d+", "0", part.split(",")[0]) for part in every}
    assert parts - named == set()


@pytest.mark.machine
@pytest.mark.slow
def test_the_page_trains_a_bot_that_plays(tmp_path):
    """With few deals at once, for a hundredth of a minute in place of 15, and one block in place of 60."""
    first, view, train, bot, _learn, _learned = code_blocks("docs/learners.md", "python")
    small = [("n=256, seed=1, starts=4096", "n=4, seed=1, starts=8"), ("n=256", "n=8, starts=8")]
    for name, text in (("first.py", first), ("view.py", view), ("train.py", train), ("bot.py", bot)):
        for large, little in small:
            text = text.replace(large, little)
        (tmp_path / name).write_text(text)

    terminal = Terminal(tmp_path)
    assert "[" in terminal.type("python first.py")
    (training,) = typed_lines("docs/learners.md", "python train.py")
    terminal.type(f"{command_of(training)} 0.01")
    (duel,) = typed_lines("docs/learners.md", "stichkampf duel stiche-raten bot.py")
    assert "bot.py" in terminal.type(f"{fewer(duel, blocks=1)} -o length=deals:1")


@pytest.mark.machine
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_trainer_of_others_learns_to_beat_random_as_the_page_says(tmp_path):
    """8,000 steps in place of 300,000, and one block in place of 40; 400 deals are scored."""
    assert (TRAINER / "made").exists(), (TRAINER / "failed").read_text()
    for block in code_blocks("docs/learners.md", "python")[-2:]:
        name = block.split("\n", 1)[0].removeprefix("# ")
        (tmp_path / name).write_text(block)
    (training,) = typed_lines("docs/learners.md", "python learn.py")
    command = [TRAINER / "bin/python", *command_of(training).split()[1:], "8000"]
    learned = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
        check=False, timeout=3000,
    )  # fmt: skip
    assert learned.returncode == 0, learned.stderr
    assert "total_timesteps" in learned.stdout
    (duel,) = typed_lines("docs/learners.md", "stichkampf duel stiche-raten learned.py")
    assert "learned" in Terminal(tmp_path).type(f"{fewer(duel, blocks=1)} -o length=deals:1")

    observed = runpy.run_path(str(tmp_path / "learned.py"))
    layers = [observed[name] for name in ("ONE", "TWO", "LAST")]
    rng = np.random.default_rng(1)
    drawn = points_of(lambda seen, legal: rng.choice(legal))
    learned = points_of(lambda seen, legal: legal[scores_of(layers, seen)[legal].argmax()])
    assert (
        learned.mean() - drawn.mean() > 4 * (learned.var() / len(learned) + drawn.var() / len(drawn)) ** 0.5
    )


def scores_of(layers, seen):
    """The network of the page."""
    for weight, bias in layers[:-1]:
        seen = np.tanh(weight @ seen + bias)
    return layers[-1][0] @ seen + layers[-1][1]


def points_of(choose, deals=400):
    """Points of a policy of one seat in deals among random players."""
    environment = DealEnv("stiche-raten")
    points = []
    while len(points) < deals:
        seen, info = environment.reset(seed=None if points else 1)
        over = False
        while not over:
            action = choose(seen, np.flatnonzero(info["action_mask"]))
            seen, reward, over, _, info = environment.step(int(action))
        points.append(reward)
    return np.array(points)
