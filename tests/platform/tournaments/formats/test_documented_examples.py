"""The examples of docs/organisers.md about ties, rests and empty places: played, and read in the document."""

import re
from itertools import chain

import pytest
from documents import text_of
from knock_out_cup import Cup
from stichkampf.rating import Results, compare
from stichkampf_platform.tournaments.formats import ROUND_FORMATS
from stichkampf_platform.tournaments.formats.competition import Past

DOCUMENT = text_of("docs/organisers.md")
SWISS = ROUND_FORMATS["swiss"]


def section(title):
    return DOCUMENT.split(f"## {title}\n")[1].split("\n## ")[0]


def tables(title):
    """Return the tables of a section: their rows, each a dictionary by the head of the column."""
    found = []
    for text in re.findall(r"(?:^\|.*\n)+", section(title), flags=re.MULTILINE):
        head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def past_of(rounds):
    """Return the past of rounds of tables, each with the share of both entrants in percent."""
    tables = list(chain.from_iterable(rounds))
    rows = [
        (block, hand, who, share > hand if who == min(table) else 0.5, (block, (hand + seat) % 2), False)
        for block, table in enumerate(tables)
        for seat, (who, share) in enumerate(table.items())
        for hand in range(100)
    ]
    groups = tuple(tuple(frozenset(table) for table in tables) for tables in rounds)
    return Past(groups, compare(Results.from_rows(rows)))


def test_the_table_of_tie_breaks_is_what_the_rounds_above_it_give(competition):
    played, standings = tables("Ties")
    names = ["ann", "bob", "cid", "dot"]
    rounds = [
        [
            {names.index(name): int(share) for name, share in re.findall(r"(\w+) (\d+)%", row[column])}
            for column in ("table", "other table")
        ]
        for row in played
    ]
    lines = SWISS.standings(competition(4, seats=2, rounds=len(rounds)), past_of(rounds))

    def shown(value):
        return "\N{EN DASH}" if value is None else f"{value:.2f}"

    assert standings == [
        {
            "place": str(line.place),
            "bot": names[line.entrant],
            "points": shown(line.points),
            "direct": shown(line.tie_breaks["direct"]),
            "Buchholz": shown(line.tie_breaks["buchholz"]),
            "Sonneborn-Berger": shown(line.tie_breaks["sonneborn_berger"]),
        }
        for line in lines
    ]


def test_the_rest_of_the_example_is_worth_the_mean_of_the_other_rounds(competition):
    ((row,),) = tables("Byes and rests")
    first, rest, last = (row[f"round {number}"] for number in (1, 2, 3))
    assert rest == "rests"
    eva, other, third = range(3)
    shares = [int(text.strip("%")) for text in (first, last)]
    with_other = [[{eva: share, other: 100 - share}] for share in shares]
    past = past_of([with_other[0], [{other: 50, third: 50}], with_other[1]])
    asked = competition(3, seats=2, rounds=3)
    (line,) = [line for line in SWISS.standings(asked, past) if line.entrant == eva]
    assert f"{line.points:.2f}" == row["points"]
    assert SWISS.rest_worth(asked, past, eva) == pytest.approx(0.5)
    assert "the rest is worth ½ point" in section("Byes and rests")


def test_a_final_of_the_example_is_won_after_two_further_blocks():
    cup = Cup(2, 2, lambda who, block, hand: int(who == 0 and block == 3), names={0: "Ann", 1: "Bob"})
    cup.finish()
    assert cup.outcome in " ".join(section("Ties").split())


def test_the_empty_place_of_the_example_is_filled_with_the_best_that_went_out():
    names = dict(enumerate(["Ann", "Bob", "Cid", "Dot", "Eva", "Fay", "Gus", "Hal"]))
    # Fay loses a hand to all others, so that Eva is the best of those that go out
    cup = Cup(8, 4, lambda who, block, hand: -who - 9 * (who == 5 and hand == 0), seeded=True)
    cup.round()
    finalists = sorted(cup.state.alive)
    cup.draw()
    cup.leave(finalists[0])
    cup.draw()
    again = " and ".join(", ".join(names[who] for who in sorted(cup.rounds[1][-1])).rsplit(", ", 1))
    assert f"final is {again}." in " ".join(section("When a bot leaves a knock-out").split())
