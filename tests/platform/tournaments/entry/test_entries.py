"""Open entry: authors enter and withdraw bots until the deadline; the start makes entrants of them."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import override
from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused, TooMany
from stichkampf_platform.people.models import Notice
from stichkampf_platform.ratings import announcements
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments.entry import entries, leaving, membership
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running import due_steps

pytestmark = pytest.mark.database

HOUR = timedelta(hours=1)
COLLECTED_AT = timezone.now()
"""By this machine's clock: the database, which has another, is not to be asked before a test runs."""
State = Tournament.State


@pytest.fixture
def cup(make_tournament, house, person):
    """Make a draft of olga's that authors may enter, with two house bots in it."""
    olga = person("olga")

    def make(**fields):
        settings = {"entry": "anybody", "created_by": olga, "name": "Friday cup",
                    "versions": [house["thumb"], house["random"]], **fields}  # fmt: skip
        return make_tournament(**settings)

    return make


@pytest.fixture
def karl(person, submitted):
    return submitted(person("ann"), "karl")


def passed(tournament, **fields):
    """Move times of a tournament into the past."""
    Tournament.objects.filter(pk=tournament.pk).update(**fields)
    tournament.refresh_from_db()


def submitted_before(tournament, *versions):
    """Date versions back to a day before its start."""
    at = tournament.starts_at - timedelta(days=1)
    Version.objects.filter(pk__in=[version.pk for version in versions]).update(created_at=at)


def entered(tournament):
    return [(str(line.entry.bot), line.waits) for line in entries.listed(tournament)]


def playing(tournament):
    return {str(entrant.version) for entrant in tournament.entrants.select_related("version__bot__owner")}


def told(name):
    return list(Notice.objects.filter(person__username=name).order_by("pk").values_list("title", "text"))


def test_all_reasons_against_an_entry_are_told_at_once(cup, karl, person, submitted):
    draft = cup(entry="members")
    ann = karl.bot.owner
    other = submitted(ann, "otto", games=["mue"])
    with pytest.raises(ValidationError) as refused:
        entries.enter(tournament=draft, bot=other.bot, by=ann)
    assert refused.value.messages == [
        "Friday cup is for invited authors and people with its code; ann is not a member.",
        "ann/otto v1 does not play stiche-raten; it plays mue.",
    ]
    told = "ann/karl belongs to ann; bob can enter only bots of their own"
    with pytest.raises(ValidationError, match=told):
        entries.enter(tournament=draft, bot=karl.bot, by=person("bob"))
    assert entered(draft) == []


def test_a_bot_is_entered_once_and_each_author_has_so_many(cup, karl, submitted):
    draft, ann = cup(), karl.bot.owner
    for _ in range(2):
        entries.enter(tournament=draft, bot=karl.bot, by=ann)
    with pytest.raises(ValidationError, match="ann has entered ann/karl; withdraw it first"):
        entries.enter(tournament=draft, bot=submitted(ann, "lena").bot, by=ann)
    assert entered(draft) == [("ann/karl", False)]


def test_who_comes_after_all_places_are_taken_waits_until_another_leaves(cup, person, submitted):
    draft = cup(places=2)
    bots = [submitted(person(name), f"bot-{name}").bot for name in ("ann", "bob", "cleo")]
    for bot in bots:
        entries.enter(tournament=draft, bot=bot, by=bot.owner)
    assert entered(draft)[2] == ("cleo/bot-cleo", True)
    leaving.withdraw(tournament=draft, bot=bots[0], by=bots[0].owner)
    assert entered(draft) == [("bob/bot-bob", False), ("cleo/bot-cleo", False)]
    entries.enter(tournament=draft, bot=bots[0], by=bots[0].owner)
    lifecycle.start(tournament=draft)
    authors = {"ann/bot-ann v1", "bob/bot-bob v1", "cleo/bot-cleo v1"}
    assert playing(draft) & authors == {"bob/bot-bob v1", "cleo/bot-cleo v1"}
    assert told("ann") == [
        ("Friday cup has started", "ann/bot-ann does not play: All 2 places were taken before it.")
    ]


def test_the_reason_not_to_play_is_stored_for_readers_of_every_language(cup, karl, house):
    draft = cup(versions=[house[name] for name in ("thumb", "random", "timid")])
    entries.enter(tournament=draft, bot=karl.bot, by=karl.bot.owner)
    Version.objects.filter(pk=karl.pk).update(state=Version.State.SUSPENDED)
    with override("de"):
        lifecycle.start(tournament=draft)
    entry = draft.entries.get()
    assert entry.left_out == entry.told_left_out == "ann/karl v1 is suspended and cannot play."
    assert entry.left_out_parts["values"]["state"]["template"] == "suspended"
    (sentence,) = Notice.objects.get(person=karl.bot.owner).text_parts["values"].values()
    assert sentence["values"]["reason"] == entry.left_out_parts


def test_after_the_deadline_no_bot_enters_and_until_the_start_each_may_leave(cup, karl):
    draft, ann = cup(starts_at=clock.now() + 2 * HOUR, entry_until=clock.now() + HOUR), karl.bot.owner
    entries.enter(tournament=draft, bot=karl.bot, by=ann)
    passed(draft, entry_until=clock.now() - HOUR)
    with pytest.raises(ValidationError, match=r"Entry ended on .* UTC; now it is"):
        entries.enter(tournament=draft, bot=karl.bot, by=ann)
    leaving.withdraw(tournament=draft, bot=karl.bot, by=ann)
    assert entered(draft) == []


def test_a_tournament_that_has_started_takes_no_more_bots(cup, karl):
    draft, ann = cup(), karl.bot.owner
    entries.enter(tournament=draft, bot=karl.bot, by=ann)
    lifecycle.start(tournament=draft)
    with pytest.raises(ValidationError, match="Friday cup is running; bots enter before the start"):
        entries.enter(tournament=draft, bot=karl.bot, by=ann)
    assert "ann/karl v1" in playing(draft)


def test_the_newest_version_at_the_deadline_plays_or_the_one_that_was_chosen(cup, karl, person, submitted):
    draft, ann, bob = cup(starts_at=clock.now() + 2 * HOUR), karl.bot.owner, person("bob")
    chosen = submitted(bob, "rolf")
    entries.enter(tournament=draft, bot=karl.bot, by=ann)
    entries.enter(tournament=draft, bot=chosen.bot, by=bob, version=chosen)
    submitted(ann, "karl")
    submitted(bob, "rolf")
    late = submitted(ann, "karl")
    Version.objects.filter(pk=late.pk).update(created_at=clock.now() + HOUR)
    passed(draft, entry_until=clock.now() + HOUR / 2)
    lifecycle.start(tournament=draft)
    assert {"ann/karl v2", "bob/rolf v1"} <= playing(draft)


def test_a_start_waits_for_validations_of_the_deadline_and_not_for_ever(cup, karl):
    draft, ann = cup(starts_at=clock.now() + HOUR), karl.bot.owner
    entries.enter(tournament=draft, bot=karl.bot, by=ann)
    trying = karl.bot.versions.create(number=2, digest=f"{9:064}", state=Version.State.VALIDATING)
    submitted_before(draft, trying, karl)
    passed(draft, starts_at=clock.now() - timedelta(seconds=1))
    assert due_steps.start_due() == 0
    passed(draft, starts_at=clock.now() - HOUR / 3)
    assert due_steps.start_due() == 1
    assert "ann/karl v1" in playing(draft)


def test_a_validation_that_ends_well_while_the_start_waits_counts(cup, karl):
    draft, ann = cup(starts_at=clock.now() + HOUR), karl.bot.owner
    entries.enter(tournament=draft, bot=karl.bot, by=ann)
    trying = karl.bot.versions.create(number=2, digest=f"{9:064}", state=Version.State.VALIDATING)
    submitted_before(draft, trying)
    passed(draft, starts_at=clock.now() - timedelta(seconds=1))
    assert due_steps.start_due() == 0
    Version.objects.filter(pk=trying.pk).update(state=Version.State.APPROVED, games=["stiche-raten"])
    assert due_steps.start_due() == 1
    assert "ann/karl v2" in playing(draft)


def test_authors_are_told_of_start_and_result_once(cup, karl, play_out):
    draft, ann = cup(blocks=2), karl.bot.owner
    entries.enter(tournament=draft, bot=karl.bot, by=ann)
    played = play_out(draft)
    assert announcements.tell_results() == 0  # before its standings are final
    ratings.publish(ladder=played.ladder, tournament=played)
    assert [announcements.tell_results() for _ in range(2)] == [1, 0]
    assert [title for title, _ in told("ann")] == ["Friday cup has started", "Friday cup is over"]
    assert told("ann")[0][1] == "ann/karl v1 plays."
    assert " of 3." in told("ann")[1][1]


def test_what_repeats_opens_the_next_with_the_same_settings(cup, karl):
    at = clock.now() + HOUR
    first = cup(starts_at=at, entry_until=at - HOUR / 2, repeats="weekly", places=7, entry="members")
    ann = karl.bot.owner
    membership.set_invited(tournament=first, people=[ann])
    entries.enter(tournament=first, bot=karl.bot, by=ann)
    submitted_before(first, karl)
    passed(first, starts_at=at - 2 * HOUR, entry_until=at - 3 * HOUR)
    assert [due_steps.start_due() for _ in range(2)] == [1, 0]
    following = Tournament.objects.get(state=State.DRAFT)
    assert (following.series, following.places, following.repeats) == (first, 7, "weekly")
    assert following.starts_at == first.starts_at + timedelta(weeks=1)
    assert following.entry_until == first.entry_until + timedelta(weeks=1)
    assert following.name == f"Friday cup {following.starts_at:%Y-%m-%d}"
    assert entered(following) == []
    assert playing(following) == playing(first) - {"ann/karl v1"}
    entries.enter(tournament=following, bot=karl.bot, by=ann)


def test_a_series_goes_on_where_too_few_came(cup, karl, house):
    draft = cup(starts_at=clock.now() + HOUR, repeats="daily", versions=[house["thumb"]])
    entries.enter(tournament=draft, bot=karl.bot, by=karl.bot.owner)
    passed(draft, starts_at=clock.now() - timedelta(days=3))
    assert due_steps.start_due() == 0
    draft.refresh_from_db()
    assert draft.state == State.CANCELLED
    assert "Not started" in draft.outcome
    assert Tournament.objects.get(state=State.DRAFT).starts_at > clock.now()
    assert [title for title, _ in told("ann") + told("olga")] == ["Friday cup has not started"] * 2


def test_a_code_makes_members_and_a_wrong_one_does_not(cup, karl, settings):
    draft, ann = cup(entry="members", private=True), karl.bot.owner
    passed(draft, code=membership.new_code())
    settings.RATES = {**settings.RATES, "codes": {"account": (2, 3600)}}
    assert not Tournament.objects.shown_to(ann).exists()
    for wrong, error in (("", RequestRefused), ("k3mf-97pq-wtzh", RequestRefused), ("k3mf", TooMany)):
        with pytest.raises(error):
            membership.join(code=wrong, by=ann)
    settings.RATES = {**settings.RATES, "codes": {}}
    assert membership.join(code=draft.code.upper().replace("-", " "), by=ann) == [draft]
    entries.enter(tournament=draft, bot=karl.bot, by=ann)
    assert Tournament.objects.shown_to(ann).get() == draft
    membership.exclude(member=draft.members.get())
    assert entered(draft) == []
    assert not Tournament.objects.shown_to(ann).exists()


def test_a_clone_has_its_own_code_and_does_not_repeat(cup, person):
    draft = cup(starts_at=clock.now() + HOUR, repeats="weekly", entry="members")
    passed(draft, code=membership.new_code())
    membership.set_invited(tournament=draft, people=[person("ann")])
    copy = rulings.clone(tournament=draft, by=person("otto"))
    assert (copy.repeats, copy.series, copy.starts_at) == ("", None, None)
    assert copy.code not in ("", draft.code)
    assert copy.members.get().person.username == "ann"


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"entry": "organiser", "places": 3}, {"places": "for bots that authors enter"}),
        ({"places": 0, "bots_each": 11}, {"places": "0 places", "bots_each": "10 at most"}),
        ({"repeats": "weekly"}, {"repeats": "give its first start"}),
        ({"format": "ladder", "repeats": "weekly"}, {"entry": "has no open entry", "repeats": "never ends"}),
        ({"entry_until": COLLECTED_AT - HOUR}, {"entry_until": "in the past"}),
        (
            {"starts_at": COLLECTED_AT + 24 * HOUR, "entry_until": COLLECTED_AT + 48 * HOUR},
            {"entry_until": "after the start"},
        ),
    ],
)
def test_wrong_settings_of_entry_are_all_told(cup, fields, wrong):
    with pytest.raises(ValidationError) as refused:
        cup(**fields)
    told = refused.value.message_dict
    assert all(text in " ".join(told[name]) for name, text in wrong.items())
    assert not Tournament.objects.exists()
