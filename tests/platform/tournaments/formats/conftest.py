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
    """Play round after round to the end; `strength` gives an entrant's score in a block. The past."""

    def play(name, competition, strength):
        rounds, rows = [], []
        while plan := ROUND_FORMATS[name].next_round(competition, _past(rounds, rows)):
            first = sum(map(len, rounds))
            for block, tables in enumerate(plan, start=first):
                for lane, table in enumerate(tables):
                    rows += [
                        (block, hand, who, strength(who, block, hand), (block, lane), False)
                        for hand, who in enumerate(table)
                    ]
            rounds.append(tuple(frozenset(who for table in tables for who in table) for tables in plan))
            assert len(rounds) < 100
        return _past(rounds, rows)

    return play


def _past(rounds, rows):
    return Past(tuple(rounds), compare(Results.from_rows(rows)) if rows else None)
