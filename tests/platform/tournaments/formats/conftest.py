import pytest
from stichkampf.rating import Results, compare
from stichkampf_platform.tournaments.formats import ROUND_FORMATS
from stichkampf_platform.tournaments.formats.competition import Competition, Past


@pytest.fixture
def competition():
    """Set up a competition of some number of entrants, of different authors."""

    def make(entrants=8, **fields):
        settings = {
            "authors": {n: f"author-{n}" for n in range(entrants)}, "game": "stiche-raten", "seats": 4,
            "blocks": 2, **fields,
        }  # fmt: skip
        return Competition(names={n: f"bot-{n}" for n in settings["authors"]}, **settings)

    return make


@pytest.fixture
def play_on():
    """Play round after round to the end, with further blocks; return the past.

    `strength` gives an entrant's score in a block, `changed` rules on the competition before each draw. An
    entrant of `forfeiting` forfeits every hand.
    """

    def play(name, competition, strength, changed=lambda competition, past: competition, forfeiting=()):
        format, rounds, rows = ROUND_FORMATS[name], [], []
        while True:
            competition = changed(competition, _past(rounds, rows))
            past = _past(rounds, rows)
            further = format.further_blocks(competition, past) if rounds else []
            plan = further or format.next_round(competition, past)
            if not plan:
                return past
            for block, tables in enumerate(plan, start=sum(map(len, rounds))):
                for lane, table in enumerate(tables):
                    rows += [
                        (block, hand, who, strength(who, block, hand), (block, lane), who in forfeiting)
                        for hand, who in enumerate(table)
                    ]
            groups = tuple(frozenset(who for table in tables for who in table) for tables in plan)
            if further:
                rounds[-1] += groups
            else:
                rounds.append(groups)
            assert len(rounds) < 100

    return play


def _past(rounds, rows):
    return Past(tuple(rounds), compare(Results.from_rows(rows)) if rows else None)
