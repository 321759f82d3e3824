"""A ladder is shared by authors: accounts and versions without number do not keep honest newcomers waiting.

The platform's own draw, 1,500 blocks of four; twelve bots have many blocks, and six of these are the house's.
"""

from dataclasses import replace

import pytest
from stichkampf.limits import NEWCOMER_BLOCKS_A_DAY
from stichkampf_platform.tournaments.formats import ladder_turns
from stichkampf_platform.tournaments.formats.ladder import RecentBlocks, draw
from stichkampf_platform.tournaments.formats.ladder_turns import (
    NEW_BELOW,
    RELATED_MEET_EVERY,
    Candidate,
    in_the_draw,
)

pytestmark = pytest.mark.slow

OLD, BLOCKS, DRAWN_AT_ONCE = 12, 1500, 20
HONEST = {f"honest-{number}": Candidate(f"honest-{number}") for number in range(3)}


def season(newcomers, *, days=1):
    """Draw blocks, over some days: after how many each newcomer had twenty; the author of each seat."""
    candidates = {
        number: Candidate(None if number < 6 else f"old-{number}", played=40, elo=1450 + 10 * number)
        for number in range(OLD)
    }
    names = dict(enumerate(newcomers, start=OLD))
    candidates.update({number: newcomers[name] for number, name in names.items()})
    lately, settled, seats = RecentBlocks(), {}, []
    spent = []
    for first in range(0, BLOCKS, DRAWN_AT_ONCE):
        for number, group in enumerate(
            draw(candidates, lately, size=4, first=first, blocks=DRAWN_AT_ONCE), start=first
        ):
            lately.add(group)
            for entrant in group:
                candidate = candidates[entrant]
                if candidate.new and candidate.author:
                    spent.append((number, candidate.author))
                candidates[entrant] = replace(candidate, played=candidate.played + 1, last=number)
                if candidates[entrant].played == NEW_BELOW:
                    settled[names[entrant]] = number + 1
                seats.append(candidate.author)
        lately.newcomer_blocks.clear()
        lately.newcomer_blocks.update(author for number, author in spent if number > first - BLOCKS / days)
    return settled, seats


def accounts(how_many, bots, **fields):
    return {
        f"account-{account}-{bot}": Candidate(f"account-{account}", **fields)
        for account in range(how_many)
        for bot in range(bots)
    }


@pytest.fixture(scope="module")
def alone():
    """Return the block after which three newcomers alone have twenty blocks each."""
    settled, _ = season(HONEST)
    return max(settled[name] for name in HONEST)


def honest_of(newcomers, **more):
    settled, _ = season({**newcomers, **HONEST}, **more)
    assert set(HONEST) <= set(settled), "an honest newcomer never got its twenty blocks"
    return max(settled[name] for name in HONEST)


def test_three_newcomers_alone_are_settled_after_their_share_of_the_turns(alone):
    assert alone <= 27 * len(HONEST) + 4


def test_ten_accounts_a_day_younger_hardly_keep_three_newcomers_waiting(alone):
    assert honest_of(accounts(10, 30, young=True)) <= 2 * alone


@pytest.mark.parametrize("days", [1, 50])
def test_ten_accounts_of_the_same_age_take_no_more_than_their_share_of_authors(alone, days):
    # with 50 days nothing of the daily limit is felt
    assert honest_of(accounts(10, 30), days=days) <= 4.5 * alone


def test_ten_accounts_of_one_address_share_the_turns_of_one_author(alone):
    assert honest_of(accounts(10, 30, group="an address")) <= 1.5 * alone


@pytest.mark.parametrize("is_told", [True, False], ids=["default", "without groups"])
def test_thirty_accounts_of_one_network_have_two_authors_seats_at_most_and_rarely_meet(is_told):
    _, seats = season({**accounts(30, 1, group="a network" if is_told else None), **HONEST})
    of_network = [author is not None and author.startswith("account") for author in seats]
    honest = {f"old-{number}" for number in range(6, OLD)} | set(HONEST)
    share_of_an_author = sum(author in honest for author in seats) / len(honest)
    assert (sum(of_network) <= 2 * share_of_an_author) is is_told
    tables = [sum(of_network[first : first + 4]) for first in range(0, len(seats), 4)]
    assert (sum(there >= 2 for there in tables) <= len(tables) / RELATED_MEET_EVERY) is is_told


@pytest.mark.parametrize("is_spared", [True, False], ids=["default", "without first seats"])
def test_six_people_of_one_home_are_settled_in_twice_the_time_of_six_strangers(is_spared, monkeypatch):
    if not is_spared:
        monkeypatch.setattr(ladder_turns, "FIRST_SEATS", 0)
    together, _ = season(accounts(6, 1, group="a home"))
    strangers, _ = season(accounts(6, 1))
    assert len(together) == len(strangers) == 6
    assert (max(together.values()) <= 2 * max(strangers.values())) is is_spared


@pytest.mark.parametrize("others", [0, 1, 2])
def test_a_class_behind_one_address_gets_its_tables_where_hardly_anybody_else_is(others):
    candidates = {number: Candidate(f"pupil-{number}", "school") for number in range(8)}
    candidates |= {8 + number: Candidate(f"other-{number}", f"home {number}") for number in range(others)}
    groups = draw(candidates, RecentBlocks(), size=4, first=1, blocks=40)
    assert len(groups) == 40


def test_one_account_with_thirty_bots_has_no_more_than_an_authors_share_of_the_seats():
    _, seats = season({**accounts(1, 30), **HONEST})
    assert seats.count("account-0") <= 1.5 * len(seats) / (OLD + 1 + len(HONEST))


def test_each_author_has_one_newcomer_in_the_draw_the_one_with_most_blocks():
    candidates = {
        0: Candidate("ann"),
        1: Candidate("ann", played=3),
        2: Candidate("ann", played=NEW_BELOW),
        3: Candidate("bob"),
    }
    assert list(in_the_draw(candidates, {})) == [1, 2, 3]
    candidates[1] = replace(candidates[1], played=NEW_BELOW)
    assert list(in_the_draw(candidates, {})) == [0, 1, 2, 3]


def test_bots_of_the_house_fill_up_as_many_as_there_are():
    candidates = {number: Candidate(None) for number in range(5)}
    assert in_the_draw(candidates, {}) == candidates


def test_newcomers_of_an_author_wait_once_it_has_had_its_blocks_of_a_day():
    candidates = {0: Candidate("ann", played=5), 1: Candidate("ann", played=NEW_BELOW), 2: Candidate("bob")}
    assert list(in_the_draw(candidates, {"ann": NEWCOMER_BLOCKS_A_DAY - 1})) == [0, 1, 2]
    assert list(in_the_draw(candidates, {"ann": NEWCOMER_BLOCKS_A_DAY})) == [1, 2]


def test_the_limit_of_a_day_holds_within_one_draw():
    candidates = {number: Candidate(None, played=40) for number in range(6)}
    candidates |= {number: Candidate("ann") for number in range(6, 40)}
    groups = draw(candidates, RecentBlocks(), size=4, first=0, blocks=400)
    newcomers = [entrant for group in groups for entrant in group if entrant >= 6]
    first_blocks = sum(min(newcomers.count(number), NEW_BELOW) for number in range(6, 40))
    assert first_blocks == NEWCOMER_BLOCKS_A_DAY


def test_the_same_past_gives_the_same_draw():
    newcomers = {**accounts(4, 3), **HONEST}
    assert season(newcomers) == season(newcomers)
