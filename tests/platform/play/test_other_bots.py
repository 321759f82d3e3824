"""Ranked bots of authors play a person's hand once its match is over, behind all that is rated."""

import hashlib

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone
from stichkampf import Bot as Player
from stichkampf.bots.practice import Entrant, entrant, play_match
from stichkampf.games import new_game
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.core.errors import RequestRefused, TooMany
from stichkampf_platform.core.models import Node
from stichkampf_platform.play import daily, other_bots
from stichkampf_platform.play.models import DailyEntry, PlayedState, PlayedTable, SameHandState
from stichkampf_platform.settings.base import RATES
from support import archive, wait_until

GAME = "stiche-raten"
SEED = bytes(range(32))
LAST = """
from stichkampf import Bot

class Last(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        return table.legal[-1]
"""
FAULTY = LAST.replace("table.legal[-1]", "1 / 0")
MANIFEST = f'name = "Last"\ngames = ["{GAME}"]\n'


class Last(Player):
    """The same bot here."""

    games = (GAME,)

    def choose(self, table):
        return table.legal[-1]


@pytest.fixture
def over(db):
    return over_at("one")


def over_at(name, **fields):
    game = new_game(GAME, 3, {"length": "deals:2"})
    record = play_match(game, [entrant("thumb")] * 3, SEED).record
    return PlayedTable.objects.create(
        public_id=name, game_name=GAME, options=game.options, seats_count=3, seed=SEED,
        state=PlayedState.OVER, record=record, **fields,
    )  # fmt: skip


@pytest.fixture
def places(db):
    """A node that lives and has a place for a rated block."""
    return Node.objects.create(name="here", seen_at=timezone.now(), places=1)


def kept(version, text):
    content = archive({"bot.py": text, "stichkampf.toml": MANIFEST})
    version.digest = hashlib.sha256(content).hexdigest()
    version.archive.save("bot.zip", ContentFile(content))
    return version


def ended(hand):
    def state():
        other_bots.go_on()
        hand.refresh_from_db()
        return hand.state if not hand.is_open else None

    return wait_until(state, goal="the bot has played the hand")


def test_a_bot_makes_of_a_hand_what_it_makes_of_it_at_home_and_a_faulty_one_is_left_out(
    parts, over, places, submitted, person
):
    good = kept(submitted(person("ann"), slug="last"), LAST)
    faulty = kept(submitted(person("ben"), slug="faulty"), FAULTY)
    other_bots.ask(over, 1, [good.pk, faulty.pk])
    first, second = over.same_hands.all()
    assert ended(first) == SameHandState.OVER
    thumb, last = entrant("thumb"), Entrant("last", Last)
    at_home = play_match(over.game, [thumb, last, thumb], SEED).record["scores"][1]
    assert first.points == at_home
    assert ended(second) == SameHandState.FAILED
    assert second.points is None


def test_nothing_plays_while_the_places_of_what_is_rated_are_taken(parts, over, places, submitted, person):
    other_bots.ask(over, 0, [kept(submitted(person("ann")), LAST).pk])
    Node.objects.update(places=0)
    other_bots.go_on()
    hand = over.same_hands.get()
    assert hand.state == SameHandState.WAITING
    Node.objects.update(places=1)
    assert ended(hand) == SameHandState.OVER


def test_eight_at_most_of_those_whose_owners_agree_are_asked_and_once(over, submitted, person):
    bots = [submitted(person(f"ann{number}")) for number in range(11)]
    bots[0].bot.accepts_challenges = False
    bots[0].bot.save()
    ranked = [version.pk for version in bots]
    other_bots.ask(over, 0, ranked)
    other_bots.ask(over, 0, ranked)
    assert [hand.version_id for hand in over.same_hands.all()] == ranked[1:9]


def test_a_bot_whose_owner_agrees_no_more_does_not_play(over, places, submitted, person):
    version = submitted(person("ann"))
    other_bots.ask(over, 0, [version.pk])
    Bot.objects.update(accepts_challenges=False)
    other_bots.go_on()
    assert over.same_hands.get().state == SameHandState.FAILED


def test_only_open_cards_are_shown_to_other_bots(over, submitted, person):
    ranked = [submitted(person("ann")).pk]
    deal = daily.stored(daily.planned(GAME))
    DailyEntry.objects.create(deal=deal, table=over, browser="x")
    refused = [over, over_at("two", origin="/r/1/3", origin_points=0)]
    PlayedTable.objects.create(public_id="three", game_name=GAME, seats_count=3, seed=SEED)
    refused.append(PlayedTable.objects.get(public_id="three"))
    for table in refused:
        with pytest.raises(RequestRefused, match="No other bot may see these cards yet"):
            other_bots.ask(table, 0, ranked)
    with pytest.raises(RequestRefused, match="No ranked bot"):
        other_bots.ask(over_at("four"), 0, [])


def test_no_more_than_the_stated_number_are_asked_for_in_a_day(db, submitted, person, settings):
    settings.RATES = RATES | {"same hands": {"address": (3, 86_400), "site": (4, 86_400)}}
    ranked = [submitted(person(f"ann{number}")).pk for number in range(2)]
    other_bots.ask(over_at("one"), 0, ranked, address="192.0.2.1")
    with pytest.raises(TooMany):
        other_bots.ask(over_at("two"), 0, ranked, address="192.0.2.1")
    other_bots.ask(over_at("three"), 0, ranked, address="192.0.2.2")
    with pytest.raises(TooMany):
        other_bots.ask(over_at("four"), 0, ranked, address="192.0.2.3")
