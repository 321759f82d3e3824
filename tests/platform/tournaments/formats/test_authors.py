"""No rated format ever seats two entrants of one author at a table, with any entrants."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stichkampf_platform.tournaments.formats import FORMATS, ROUND_FORMATS, problems
from stichkampf_platform.tournaments.formats.competition import DECIDED
from stichkampf_platform.tournaments.formats.ladder import RecentBlocks, draw, seated
from stichkampf_platform.tournaments.formats.ladder_turns import Candidate
from support import examples

AUTHORS = st.lists(st.sampled_from([None, *"abcdefgh"]), min_size=4, max_size=14)
MANY = settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])


def twice_at_a_table(authors, tables):
    """The authors that sit twice at one of these tables; copies of one entrant are one side."""
    found = set()
    for table in tables:
        seated = [authors[entrant] for entrant in set(table) if authors[entrant] is not None]
        found |= {author for author in seated if seated.count(author) > 1}
    return found


@pytest.mark.parametrize("name", [name for name in ROUND_FORMATS if name != "regression"])
@pytest.mark.parametrize("game", ["stiche-raten", "sixes-and-sevens"])
@MANY
@given(owners=AUTHORS, seed=st.integers(0, 99))
def test_no_author_sits_twice_at_a_table(competition, play_on, name, game, owners, seed):
    asked = competition(
        authors=dict(enumerate(owners)), game=game, blocks=2, rounds=3 if name == "swiss" else None
    )
    if problems(name, asked):
        return  # refused before anything is played
    tables = []
    planned = ROUND_FORMATS[name].next_round

    def noted(*arguments):
        plan = planned(*arguments)
        tables.extend(table for block in plan for table in block)
        return plan

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ROUND_FORMATS[name], "next_round", noted, raising=False)
        play_on(name, asked, lambda who, block, hand: hash((who, block, hand, seed)) % 7)
    assert tables
    assert twice_at_a_table(asked.authors, tables) == set()


@pytest.mark.parametrize("remote_share", [0, 2])
@MANY
@given(owners=AUTHORS)
def test_no_author_sits_twice_at_a_table_of_the_ladder(remote_share, owners):
    candidates = {
        n: Candidate(author, remote=author is not None and n % 5 < remote_share)
        for n, author in enumerate(owners)
    }
    lately = RecentBlocks()
    for number, group in enumerate(draw(candidates, lately, size=4, first=0, blocks=30)):
        block = seated(group, lately, number=number, seats=4, partners=False)
        assert (
            twice_at_a_table({n: candidate.author for n, candidate in candidates.items()}, block.tables)
            == set()
        )


def test_a_regression_test_seats_one_authors_versions_and_is_never_rated(competition):
    asked = competition(authors={0: "ann", 1: "ann"}, blocks=32, stopping=DECIDED, rated=False)
    assert not problems("regression", asked)
    assert "cannot be rated" in str(problems("regression", replace(asked, rated=True)))


def test_every_format_is_held_to_it():
    assert set(FORMATS) == {"round-robin", "gauntlet", "swiss", "knock-out", "regression", "ladder"}
