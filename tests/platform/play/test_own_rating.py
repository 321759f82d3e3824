"""A person's own rating: by matches alone with house bots, private, exported, and gone with the account."""

import pytest
from stichkampf.bots.practice import entrant, play_match
from stichkampf.games import GAMES
from stichkampf_platform.classes.own_data import own_data
from stichkampf_platform.play import absence, matches, own_rating, services, tasks
from stichkampf_platform.play.models import OwnResult, PlayedState, PlayedTable
from support import wait_until

GAME = "sixes-and-sevens"
KNOWN = {"thumb": 1500.0, "bold": 1400.0}


def stored(account, *, helped=False, faults=(), seats=None, number=0, options=None, **more):
    """Store a match that is over as a table has it, and count it."""
    ladder = GAMES[GAME].main_ladder
    rules = GAMES[GAME](ladder.seats, dict(options or ladder.options))
    bots = [entrant("thumb"), *[entrant("gentle")] * (rules.seats - 1)]
    record = play_match(rules, bots, bytes([number] * 32)).record
    table = PlayedTable.objects.create(
        public_id=f"t{number}", game_name=GAME, options=rules.options, seats_count=rules.seats,
        seed=bytes([number] * 32), state=PlayedState.OVER, record=record, **more,
    )  # fmt: skip
    for seat in range(rules.seats):
        person = seat in (seats or [0])
        table.seats.create(
            number=seat, person=person, account=account if seat == 0 else None,
            house="" if person else "gentle", helped=person and helped,
        )  # fmt: skip
    own_rating.count(table, record | {"faults": list(faults)})
    return table


@pytest.mark.django_db
def test_a_match_is_compared_with_house_bots_on_the_same_hands(person):
    ada = person("ada")
    table = stored(ada)
    assert own_rating.own_rating(ada, GAME, KNOWN) is None
    tasks.compare_hands(table.own_result.pk)
    result = OwnResult.objects.get()
    # thumb in the same seat against the same bots on the same cards makes the same of them
    assert result.house_scores["thumb"] == result.points == table.record["scores"][0]
    assert len(result.house_scores) > 5
    rating = own_rating.own_rating(ada, GAME, KNOWN)
    assert (rating.matches, rating.comparisons, rating.provisional) == (1, 2, True)


@pytest.mark.django_db
def test_what_is_not_ones_own_is_lost_and_practice_does_not_count(person):
    ada = person("ada")
    stored(ada, helped=True, number=1)
    stored(ada, faults=[{"seat": 0, "kind": "resigned"}], number=2)
    for result in OwnResult.objects.all():
        own_rating.compare(result)
    assert not OwnResult.objects.filter(kept=True).exists()
    assert own_rating.own_rating(ada, GAME, KNOWN).elo < 1400
    stored(ada, practice=True, number=3)
    stored(ada, seats=[0, 1], number=4)
    stored(None, number=5)
    assert OwnResult.objects.count() == 2


def test_a_table_that_lands_counts_once_and_a_lost_message_is_made_up_for(parts, person, monkeypatch):
    ada, ladder = person("ada"), GAMES[GAME].main_ladder
    key = services.start_table(
        game=GAME, seats=ladder.seats, seat=0, options=ladder.options, opponents="gentle", account=ada
    )
    wait_until(lambda: services.feed(key).question, goal="a question")
    services.leave(key)
    monkeypatch.setattr(absence, "PACE_SECONDS", 0)
    table = PlayedTable.objects.get()

    def landed():
        absence.answer_for_absent([table])
        matches.look_after([PlayedTable.objects.get()])
        return PlayedTable.objects.get().state == PlayedState.OVER

    wait_until(landed, goal="the bot plays to the end")
    matches.look_after([PlayedTable.objects.get()])
    result = OwnResult.objects.get()
    assert (result.kept, result.house_scores) == (False, {})
    queued = []
    monkeypatch.setattr(tasks, "LEFT_OVER", -tasks.LEFT_OVER)
    monkeypatch.setattr(tasks, "enqueue_each", lambda task, keys, at_most: queued.extend(keys))
    tasks.sweep_tables()
    assert queued == [result.pk]


@pytest.mark.django_db
def test_only_the_person_sees_it_and_it_goes_with_the_account(client, person):
    ada, bert = person("ada"), person("bert")
    stored(ada)
    client.force_login(ada)
    assert "Your own rating" in client.get("/account/").content.decode()
    assert own_data(ada)["own_results"][0]["table.game_name"] == GAME
    client.force_login(bert)
    assert "Your own rating" not in client.get("/account/").content.decode()
    assert own_data(bert)["own_results"] == []
    services.forget_people([ada.pk])
    assert not OwnResult.objects.exists()
    assert PlayedTable.objects.exists()
