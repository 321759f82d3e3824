import pytest
from documents import text_of
from stichkampf.rating import Results, compare
from stichkampf_platform.tournaments.formats import ROUND_FORMATS


def by_number(who, block, hand):
    return -who


def standings(name, set_up, past):
    return [line.entrant for line in ROUND_FORMATS[name].standings(set_up, past)]


def test_a_swiss_is_won_by_who_beats_all_others_not_by_who_met_a_bot_that_always_forfeits(
    competition, play_on
):
    set_up = competition(5, blocks=1, rounds=5)
    past = play_on("swiss", set_up, by_number, forfeiting={4})
    assert standings("swiss", set_up, past) == [0, 1, 2, 3, 4]
    for number in range(5):
        shares = past.shares(number)
        best, *_ = sorted(shares)
        assert shares[best] == 1
        assert all(shares[who] < 1 for who in shares if who != best)
        assert shares.get(4, 0) == 0


def test_where_a_bot_forfeits_who_goes_on_is_decided_as_played(competition, play_on):
    set_up = competition(8, seats=4, blocks=1)
    past = play_on("knock-out", set_up, by_number, forfeiting={0, 5})
    for group in past.groups(0):
        assert {*sorted(group)[:2]} <= past.groups(1)[0]
    assert past.shares(0)[0] == past.shares(0)[5] == 0
    lines = ROUND_FORMATS["knock-out"].standings(set_up, past)
    assert [(line.entrant, line.place) for line in lines][:1] == [(1, 1)]
    # the substitute won the final in the seat of the best, which is out where it forfeited
    assert {line.entrant: line.round_reached for line in lines[-2:]} == {0: 1, 5: 1}
    told = ROUND_FORMATS["knock-out"].outcome(set_up, past)
    assert told == "bot-1 wins the knock-out: who was better forfeited."


@pytest.mark.parametrize("name", ["swiss", "knock-out"])
@pytest.mark.parametrize("forfeiting", [{0}, {3}, {2, 7}, {1, 4, 6}])
def test_a_forfeit_changes_neither_the_rounds_nor_the_order_of_the_others(
    name, forfeiting, competition, play_on
):
    set_up = competition(9, blocks=1, rounds=4 if name == "swiss" else None)
    honest, spoilt = (play_on(name, set_up, luck, forfeiting=who) for who in (set(), forfeiting))
    assert spoilt.rounds == honest.rounds
    before, after = (
        [who for who in standings(name, set_up, past) if who not in forfeiting] for past in (honest, spoilt)
    )
    assert after == before
    for past in (honest, spoilt):
        assert sorted(standings(name, set_up, past)) == [*range(9)]
    kept = spoilt.shares(len(spoilt.rounds) - 1)
    assert all(kept.get(who, 0) == 0 for who in forfeiting)


def test_a_forfeit_of_an_opponent_breaks_no_tie(competition, play_on):
    set_up = competition(8, blocks=1, rounds=4)

    def values(forfeiting):
        past = play_on("swiss", set_up, lambda *_: 0, forfeiting=forfeiting)
        lines = ROUND_FORMATS["swiss"].standings(set_up, past)
        return past.rounds, {line.entrant: line.tie_breaks for line in lines if line.entrant != 7}

    (honest, before), (spoilt, after) = values(()), values({7})
    met = [{who for group in rounds[0] if 7 in group for who in group} for rounds in (honest, spoilt)]
    assert met[0] == met[1]
    assert {tuple(after[who].values()) for who in after} == {tuple(before[who].values()) for who in before}


def test_shares_of_the_others_are_those_of_a_round_without_a_forfeit(competition, play_on):
    for name, set_up in {
        "swiss": competition(9, blocks=1, rounds=1),
        "knock-out": competition(8, blocks=2),
        "round-robin": competition(8, blocks=14),
        "gauntlet": competition(7, blocks=6),
    }.items():
        honest, spoilt = (
            past.shares_in(
                block for blocks in past.blocks_of(0).values() for block in blocks[: set_up.blocks]
            )
            for past in (play_on(name, set_up, luck, forfeiting=who) for who in (set(), {3, 6}))
        )
        assert {who: spoilt[who] for who in spoilt if who not in {3, 6}} == {
            who: honest[who] for who in honest if who not in {3, 6}
        }
        assert spoilt[3] == spoilt[6] == 0


def test_a_forfeit_in_a_regression_test_costs_its_bot_and_gives_the_other_nothing(competition, play_on):
    set_up = competition(2, blocks=32, stopping="decided", rated=False)
    told = ROUND_FORMATS["regression"].outcome
    even = play_on("regression", set_up, lambda who, block, hand: 0)
    assert "50.0%" in told(set_up, even)
    assert "50.0%" in told(set_up, play_on("regression", set_up, lambda *_: 0, forfeiting={1}))
    assert " 0.0%" in told(set_up, play_on("regression", set_up, lambda *_: 0, forfeiting={0}))


def luck(who, block, hand):
    return (who * 7919 + block * 104729 + hand * 15485863 + who * block * 613) % 1009


def test_the_example_for_organisers_is_counted_as_it_says():
    lines = [line.strip("| ").split(" | ") for line in text_of("docs/organisers.md").splitlines()]
    rows = [line for line in lines if len(line) == 5 and line[1].isdigit()]
    assert [row[0] for row in rows] == ["Ada", "Ben", "Cem", "Dua"]
    seen = compare(
        Results.from_rows(
            ("deal", 0, bot, int(score), table, forfeited.startswith("yes"))
            for table, (bot, score, forfeited, *_) in enumerate(rows)
        )
    )
    played, kept = seen.half_point_matrix / 2, seen.kept_matrix / 2
    for place, (_, _, _, beaten, points) in enumerate(rows):
        names = [seen.entrants[other] for other in range(4) if played[place, other]]
        assert (", ".join(names) or "none") == beaten
        assert kept[place].sum() == int(points)
