"""The watch on seasons of a ladder that are made of played blocks."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from stichkampf.rating import collusion_evidence

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[3] / "benchmarks" / "collusion"


@pytest.fixture(scope="module")
def benchmark():
    """The modules of the benchmark."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        yield import_module("pool"), import_module("seasons")


@pytest.fixture(scope="module")
def deck(benchmark):
    pool, seasons = benchmark
    return seasons.Deck(pool.Pool.load())


def test_a_season_reports_a_planted_pair_and_no_honest_bots(benchmark, deck):
    _, seasons = benchmark
    planted = deck.season(1500, np.random.default_rng(1), giving=1.0)
    reported = seasons.reported(deck, planted)
    assert set(reported) == {deck.pair}
    assert seasons.together(deck, planted, deck.pair)[reported[deck.pair] - 1] <= 200
    honest = deck.season(1500, np.random.default_rng(2), giving=0.0)
    assert seasons.reported(deck, honest) == {}


def test_a_pair_in_a_field_of_six_is_reported_from_blocks_each_played_once(benchmark, deck):
    pool, seasons = benchmark
    whole = pool.Pool.load()
    six = {deck.names.index(name) for name in ("taker", "giver", "thumb", "worrier", "timid", "bold")}
    gave = (whole.groups == whole.names.index("giver")).any(axis=1)
    spoiled = (whole.groups == whole.names.index("spoiler")).any(axis=1)
    played = [block for block in np.flatnonzero(gave | ~spoiled) if deck.group(block) <= six]
    compared, mates = deck.comparisons(np.random.default_rng(1).permutation(played))
    reported = {
        (gift.giver, gift.taker)
        for gift in seasons.collusion_evidence_among(compared, mates, suspects=[deck.pair])
        if gift.is_reported
    }
    assert reported == {("giver", "taker")}


def test_a_season_is_drawn_by_the_ladder_and_filled_from_the_pool(deck):
    drawn = deck.season(200, np.random.default_rng(3), giving=0.0)
    assert len(drawn) == 200
    assert all(len(deck.group(block)) == 4 for block in drawn)
    played = np.bincount([bot for block in drawn for bot in deck.group(block)], minlength=12)
    assert played.min() > 40
    with_pair, without = deck.worth(deck.season(1000, np.random.default_rng(4), giving=1.0))
    assert with_pair > 100 > without > 0


def test_blocks_compared_beforehand_give_the_same_gifts_as_their_results(benchmark, deck):
    pool, seasons = benchmark
    whole = pool.Pool.load()
    first = pool.Pool(whole.names, whole.groups[:400], whole.arrangement[:400], whole.scores[:400])
    giver, spoiler = whole.names.index("giver"), whole.names.index("spoiler")
    straight = collusion_evidence(deck.results(first, giver, spoiler))
    compared, mates = deck.comparisons(np.arange(400))
    for one, other in zip(straight, seasons.collusion_evidence_among(compared, mates), strict=True):
        assert (deck.names[one.giver], deck.names[one.taker], one.way) == (
            other.giver,
            other.taker,
            other.way,
        )
        assert (one.points, one.low, one.high) == pytest.approx((other.points, other.low, other.high))


def test_blocks_of_the_pool_can_be_replayed_exactly(benchmark):
    pool, _ = benchmark
    whole = pool.Pool.load()
    for number in (0, 3000):
        group = tuple(whole.groups[number].tolist())
        again = pool.played((group, int(whole.arrangement[number]), "collusion"))
        assert again == whole.scores[number].tolist()


def test_the_command_writes_its_page(tmp_path):
    out = tmp_path / "page.md"
    sizes = ["--honest", "2", "--planted", "2", "--blocks", "200", "--processes", "1", "--out", out]
    done = subprocess.run([sys.executable, FOLDER, *sizes], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "missed: giving in 60%: 0.0% of the pairs are reported by its 200th block together" in done.stderr
    assert out.read_text().strip() == done.stdout.strip()
    assert "Without a pair 0 of 2 seasons report anybody." in done.stdout
