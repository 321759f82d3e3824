"""The examples of the documents about ties, rests, forfeits and empty places: played, and read there."""

import re
from itertools import chain

import pytest
from django.utils.translation import override
from documents import text_of, words_of
from knock_out_cup import Cup
from stichkampf.rating import Results, compare, rate
from stichkampf_platform.people.sentences import told
from stichkampf_platform.tournaments.formats import ROUND_FORMATS
from stichkampf_platform.tournaments.formats.competition import Past

DOCUMENT = text_of("docs/organisers.md")
SWISS = ROUND_FORMATS["swiss"]
SITE = "docs/tournaments.md"
GERMAN = "docs/de/tournaments.md"


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


@pytest.mark.parametrize(
    ("document", "won", "lost", "beats"),
    [(SITE, "Round {}: (.*?[.])", r"(\w+) beats (\w+)", "Ann stands before Dot"),
     (GERMAN, "Runde {}: (.*?[.])", r"(\w+) schlägt (\w+)", "Ann vor Dot")],
)  # fmt: skip
def test_the_rounds_that_the_site_tells_give_its_order(competition, document, won, lost, beats):
    text = words_of(document)
    names = ["Ann", "Bob", "Cid", "Dot"]
    rounds = [
        [{names.index(one): 100, names.index(other): 0} for one, other in re.findall(lost, told)]
        for told in (re.search(won.format(number), text)[1] for number in (1, 2))
    ]
    assert [len(tables) for tables in rounds] == [2, 2]
    lines = SWISS.standings(competition(4, seats=2, rounds=2), past_of(rounds))
    order = [names[line.entrant] for line in lines]
    points = {names[line.entrant]: line.points for line in lines}
    assert points["Ann"] == points["Dot"] == 1
    assert order.index("Dot") == order.index("Ann") + 1
    assert beats in text


@pytest.mark.parametrize(
    ("document", "sentence"),
    [(SITE, "Eva takes (.*?)% in round 1, rests in round 2 and takes (.*?)% in round 3. Her mean is (.*?)%, "
            "so the rest is worth ½ point, and she has (.*?) points"),
     (GERMAN, "Eva holt (.*?) % in Runde 1, hat Pause in Runde 2 und holt (.*?) % in Runde 3. Ihr Mittel ist "
              "(.*?) %, also gilt die Pause ½ Punkt, und sie hat (.*?) Punkte")],
)  # fmt: skip
def test_the_rest_that_the_site_tells_is_worth_what_it_says(competition, document, sentence):
    first, last, mean, points = (
        float(number.replace(",", ".")) for number in re.search(sentence, words_of(document)).groups()
    )
    past = past_of([[{0: first, 1: 100 - first}], [{1: 50, 2: 50}], [{0: last, 1: 100 - last}]])
    asked = competition(3, seats=2, rounds=3)
    assert SWISS.rest_worth(asked, past, 0) == pytest.approx(mean / 100) == pytest.approx(0.5)
    assert {line.entrant: line.points for line in SWISS.standings(asked, past)}[0] == points


@pytest.mark.parametrize(
    ("language", "document"), [("en", "docs/organisers.md"), ("en", SITE), ("de", GERMAN)]
)
def test_a_final_of_the_example_is_won_after_two_further_blocks(language, document):
    cup = Cup(2, 2, lambda who, block, hand: int(who == 0 and block == 3), names={0: "Ann", 1: "Bob"})
    cup.finish()
    with override(language):
        assert told(cup.outcome) in words_of(document)


@pytest.mark.parametrize(
    ("document", "sentence"),
    [(SITE, r"(\w+) crashes at a table with (\w+) and (\w+)"),
     (GERMAN, r"(\w+) stürzt an einem Tisch mit (\w+) und (\w+) ab")],
)  # fmt: skip
def test_who_crashes_in_the_example_keeps_nothing_and_no_other_gets_it(document, sentence):
    crashed, *others = re.search(sentence, words_of(document)).groups()
    scores = {crashed: 7, others[0]: 9, others[1]: 4}

    def seen(forfeits):
        rows = [("deal", 0, bot, scores[bot], table, bot in forfeits) for table, bot in enumerate(scores)]
        found = compare(Results.from_rows(rows))
        return dict(zip(found.entrants, found.kept_matrix.sum(axis=1) / 2, strict=True))

    honest, spoilt = seen(()), seen({crashed})
    assert honest[crashed] == 1
    assert spoilt == {**honest, crashed: 0}


@pytest.mark.parametrize(
    ("document", "sentence"),
    [("docs/organisers.md", r"(\w+) is strong, but fails whenever (\w+) sits at its table"),
     (SITE, r"(\w+) is strong, but fails whenever (\w+) sits at its table"),
     (GERMAN, r"(\w+) ist stark, fällt aber immer aus, wenn (\w+) mit am Tisch sitzt")],
)  # fmt: skip
def test_the_rival_of_the_example_is_rated_as_one_that_has_beaten_a_substitute(document, sentence):
    cid, ben = re.search(sentence, words_of(document)).groups()
    skill = {cid: 9, ben: 2, "Ann": 3, "Dot": 2}
    blocks = [tuple(skill), (cid, "Ann", "Dot"), (ben, "Ann", "Dot")] * 8

    def elo(name_of_the_substitute, *, forfeits=True):
        rows = []
        for number, bots in enumerate(blocks):
            for bot in bots:
                fails = bot == cid and ben in bots
                name = name_of_the_substitute if fails else bot
                score = (0 if fails else skill[bot]) + number * 7 % 5 * (bot in ("Ann", ben))
                rows.append((number, 0, name, score, (number, bot), forfeits and fails and name == cid))
        ratings = {each.entrant: each.elo for each in rate(Results.from_rows(rows)).ratings}
        return {bot: ratings[bot] - ratings["Ann"] for bot in (ben, "Dot")}

    as_one_bot = elo(cid, forfeits=False)
    assert as_one_bot[ben] > elo(cid)[ben] + 50
    assert elo(cid) == pytest.approx(elo("the substitute"), abs=0.01)


@pytest.mark.parametrize(
    ("document", "sentence"),
    [(SITE, r"(\w+) bots, (\w+) in the final. Ann is disqualified .* Eva was the best of those that went "
            "out: the final is played again with Eva"),
     (GERMAN, r"(\w+) Bots, (\w+) im Finale. Ann wird im Finale ausgeschlossen, und Eva war die Beste derer, "
              "die ausgeschieden sind: Das Finale wird mit Eva noch einmal gespielt")],
)  # fmt: skip
def test_the_empty_place_that_the_site_tells_of_is_filled_as_it_says(document, sentence):
    numbers = {"eight": 8, "acht": 8, "four": 4, "vier": 4}
    bots, seats = (numbers[word] for word in re.search(sentence, words_of(document)).groups())
    cup = Cup(bots, seats, lambda who, block, hand: -who, seeded=True)
    cup.round()
    ann, *others = sorted(cup.state.alive)
    assert len(others) == seats - 1
    eva = cup.state.gone[0][0]
    cup.draw()
    cup.leave(ann)
    cup.draw()
    assert cup.rounds[1][-1] == {eva, *others}


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
