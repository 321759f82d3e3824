"""Strength at equal time: blocks are played once and kept, and both checkouts see the same deals."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from stichkampf import Match, new_game
from stichkampf.games import GAMES

from benchmarks.equal_time import pairings, results
from benchmarks.equal_time.__main__ import peers_simulations
from benchmarks.equal_time.earlier import COMMIT, EarlierPlayer, EarlierSeats
from benchmarks.equal_time.pairings import PAIRINGS, Job, blocks_of, jobs
from benchmarks.equal_time.playing import play_block
from benchmarks.equal_time.report import Lead, goals_of, report, table_of

ROOT = Path(__file__).parents[2]
GAME = "sixes-and-sevens"
SECONDS = 0.0005


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The SDK of the earlier commit, interpreted."""
    folder = tmp_path_factory.mktemp("earlier")
    with tarfile.open(ROOT / "tests" / "fixtures" / "sdk_of_wire_version_1.tar.xz") as archive:
        for member in filter(tarfile.TarInfo.isfile, archive):
            file = folder / member.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(archive.extractfile(member).read())
    return folder


def a_job(pairing, number=0, simulations=20):
    return Job(GAME, pairing, 4, number, SECONDS, simulations)


def a_row(job, points):
    return {
        "game": job.game,
        "pairing": job.pairing,
        "seats": job.seats,
        "block": job.number,
        "points": points,
        "spent": {"search": [30, 3.0, 900], COMMIT: [30, 3.0, 600]},
    }


def run(tmp_path, *options):
    command = [sys.executable, "-m", "benchmarks.equal_time", "--game", GAME, "--pairing", "unguided"]
    file = tmp_path / "results.jsonl"
    done = subprocess.run(
        [*command, "--results", file, "--workers", "1", *options], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout, file.read_text().splitlines()


@pytest.mark.slow
def test_a_run_goes_on_where_it_was_cut_off_and_settings_do_not_mix(tmp_path):
    _, (first,) = run(tmp_path, "--seconds", "0.0004", "--blocks", "1")
    assert json.loads(first)["game"] == GAME
    file = tmp_path / "results.jsonl"
    file.write_text(f"{first}\n{first[: len(first) // 2]}")
    text, lines = run(tmp_path, "--seconds", "0.0004", "--blocks", "2")
    assert lines[0] == first
    assert [json.loads(line)["block"] for line in lines] == [0, 1]
    assert "| At Sixes and Sevens | 4 | 2 of 600 |" in text
    text, other = run(tmp_path, "--seconds", "0.0005", "--report")
    assert "No block is played yet." in text
    assert other == lines


@pytest.fixture
def changed(tmp_path, monkeypatch):
    """Change a source of the SDK; return the games whose blocks do not count then."""
    before = {game: pairings.engines(game) for game in GAMES}
    copytree(pairings.SDK / "stichkampf", tmp_path / "stichkampf", ignore=ignore_patterns("*.so"))
    monkeypatch.setattr(pairings, "SDK", tmp_path)

    def change(source, text):
        file = tmp_path / "stichkampf" / source
        unchanged = file.read_text()
        file.write_text(unchanged + text)
        pairings.engines.cache_clear()
        others = {game for game in GAMES if pairings.engines(game) != before[game]}
        file.write_text(unchanged)
        return others

    yield change
    pairings.engines.cache_clear()


def test_blocks_of_changed_code_do_not_count(changed):
    assert changed("engine/search.py", "\nX = 1\n") == set(GAMES)
    assert changed("games/mue.py", "\nX = 1\n") == {"mue"}
    assert changed("policies/mue.py", "\nX = 1\n") == {"mue"}
    assert changed("policies/tricks/sticheln.py", "\nX = 1\n") == {"sticheln"}
    assert changed("policies/kind_policy.py", "\nX = 1\n") == set(GAMES)
    assert changed("engine/search.py", "\n# said otherwise\n") == set()


@pytest.mark.slow
def test_the_earlier_commit_plays_from_seed_and_moves(checkout):
    row = play_block(a_job("earlier"), checkout)
    assert [len(points) for points in row["points"]] == [4, 4]
    assert set(row["spent"]) == {"search", COMMIT}
    assert all(decisions > 10 for decisions, _, _ in row["spent"].values())
    assert row["seed"] == a_job("earlier").seed.hex()[:16]


@pytest.mark.slow
def test_checkouts_with_other_deals_do_not_play_on(checkout):
    match = Match(new_game(GAME, 4, pairings.OPTIONS[GAME]), seed=bytes(32))
    player = EarlierPlayer(checkout)
    seats = EarlierSeats(player, match, bytes([1]) * 32, SECONDS)
    with pytest.raises(RuntimeError, match=f"at {COMMIT}"):
        seats.think(match, match.to_act()[0])
    player.close()


@pytest.mark.slow
@pytest.mark.parametrize("pairing", ["ismcts", "longer", "levels"])
def test_every_pairing_plays(pairing, checkout):
    row = play_block(a_job(pairing), checkout)
    assert set(row["spent"]) <= set(PAIRINGS[pairing].entrants)
    assert len(table_of([row])) == 2


def test_a_block_gives_every_hand_to_both_entrants():
    first, second = Job("mue", "earlier", 5, 3, SECONDS, 0).block.tables
    assert all({one, other} == {"search", COMMIT} for one, other in zip(first, second, strict=True))


def test_seeds_are_those_of_game_seats_and_number_alone():
    seeds = {job.seed for job in jobs(["mue", "njet"], ["earlier"], SECONDS, 0, 6)}
    assert len(seeds) == sum(sum(blocks_of(game, "earlier", 6).values()) for game in ("mue", "njet"))
    assert seeds == {job.seed for job in jobs(["mue", "njet"], ["ismcts"], SECONDS, 0, 6)}


@pytest.mark.slow
def test_openspiels_simulations_in_the_time_are_counted():
    few, many = peers_simulations(0.003), peers_simulations(0.3)
    assert 0 < few < many


def test_a_missing_file_holds_no_blocks(tmp_path):
    assert results.read(tmp_path / "none.jsonl", SECONDS) == {}


def test_a_report_says_what_is_still_to_be_played():
    wanted = [a_job("earlier", number) for number in range(6)]
    rows = [a_row(job, [[9, 1, 9, 1], [1, 9, 1, 9]]) for job in wanted[:5]]
    text, met = report(rows, ["earlier"], wanted)
    assert "| At Sixes and Sevens | 4 | 5 of 600 |" in text
    assert "3.00 ms, 900 / 3.00 ms, 600" in text
    assert "5 of 6 blocks are played" in text
    assert not met
    assert "missed" not in text  # goals are judged over all games
    assert report(rows, ["earlier"], wanted[:5])[1]


def leads(elo, plus_minus):
    return [Lead(game, 4, elo, plus_minus, 600, 600, "") for game in pairings.OPTIONS]


@pytest.mark.parametrize(
    ("pairing", "elo", "met"),
    [
        ("earlier", 45, 4),
        ("earlier", 25, 3),
        ("earlier", -15, 0),
        ("ismcts", 85, 2),
        ("ismcts", 60, 1),
        ("longer", 55, 2),
        ("longer", 30, 1),
        ("longer", -1, 0),
    ],
)
def test_goals_are_met_or_missed_one_by_one(pairing, elo, met):
    assert sum(goal.met for goal in goals_of(pairing, leads(elo, 20))) == met
