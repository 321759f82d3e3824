"""Two organisers act on one tournament at the same moment, or one presses a button twice."""

import pytest
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ratings import qualification
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings, setting_up

pytestmark = [pytest.mark.database, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

BOTS = ("thumb", "random", "timid", "bold", "flat", "rival")


@pytest.fixture
def olga(person):
    return person("olga")


@pytest.fixture
def cup(make_tournament, submitted, person, olga):
    """A draft of house bots in which ann has entered a bot of hers."""
    made = make_tournament(name="Cup", entry="anybody", created_by=olga)
    made.entries.create(bot=submitted(person("ann")).bot)
    return made


def test_what_is_started_cancelled_and_cloned_at_once_ends_with_its_clones(cup, olga, at_once):
    told = at_once(
        *(lambda: lifecycle.start(tournament=cup), lambda: lifecycle.cancel(tournament=cup)),
        *[lambda: rulings.clone(tournament=cup, by=olga)] * 4,
    )
    cup.refresh_from_db()
    assert (cup.state, told[1:]) == ("cancelled", [None] * 5)
    assert told[0] in (None, "Cup is cancelled: it is not possible to start it.")
    assert not Table.objects.filter(block__tournament=cup, state=Table.State.PENDING).exists()
    assert bool(cup.blocks.count()) == (told[0] is None)
    clones = Tournament.objects.exclude(pk=cup.pk).order_by("slug")
    assert [one.slug for one in clones] == ["cup-2", "cup-3", "cup-4", "cup-5"]
    assert all(one.state == "draft" and one.entrants.count() in (3, cup.entrants.count()) for one in clones)


def test_a_draft_that_is_started_and_deleted_at_once_is_either(cup, at_once):
    started, deleted = at_once(
        lambda: lifecycle.start(tournament=cup), lambda: setting_up.delete(tournament=cup)
    )
    if deleted is None:
        assert started == "Cup does not exist any more."
        assert not Tournament.objects.exists()
    else:
        assert (started, deleted) == (None, "Cup is running: it is not possible to change it.")
        assert cup.blocks.count() == 2


def test_a_form_that_is_sent_twice_makes_one_tournament(house, olga, at_once):
    fields = {"name": "Friday cup", "game": "stiche-raten", "seats": 3, "blocks_planned": 2,
              "entrants": ["thumb", "random", "timid"], "options": {"length": "deals:1"}}  # fmt: skip
    told = at_once(*[lambda: setting_up.from_fields(fields=fields, by=olga)] * 4)
    assert told.count(None) == Tournament.objects.count() == 1
    refused = [reason for reason in told if reason]
    assert all("already exists" in reason or "/tournaments/friday-cup/" in reason for reason in refused)


def test_each_ruling_is_made_once(make_tournament, at_once):
    cup = make_tournament(*BOTS, name="Cup", blocks=4)
    lifecycle.start(tournament=cup)
    out, block = cup.entrants.first(), cup.blocks.last()
    told = at_once(
        *[lambda: rulings.disqualify(entrant=out, reason="asked the dealer")] * 3,
        *[lambda: rulings.run_again(block=block)] * 3,
        *[lambda: rulings.hide(tournament=cup)] * 3,
    )
    assert [told[first : first + 3].count(None) for first in (0, 6)] == [1, 1]
    assert told[3:6].count(None) <= 1  # none where a member of the block was disqualified first
    assert cup.blocks.count() == 4 + told[3:6].count(None)
    assert all(reason is None or "already" in reason or "plays no more" in reason for reason in told)
    unfinished = cup.blocks.filter(over_at=None)
    assert not unfinished.filter(tables__seats__entrant=out).exists()


def test_the_button_of_the_final_makes_one_final(make_tournament, play_out, olga, at_once):
    cup = play_out(make_tournament(*BOTS, name="Cup", blocks=4, created_by=olga))
    ratings.publish(ladder=cup.ladder, tournament=cup)
    told = at_once(*[lambda: qualification.make_final(tournament=cup, by=olga)] * 4)
    assert told.count(None) == cup.finals.count() == 1
    assert set(told) == {None, "The best of Cup play in Cup, knock-out already."}
    assert cup.finals.get().entrants.count() == 6


def test_a_series_goes_on_where_its_next_address_is_taken(make_tournament, olga):
    starts = clock.now()
    cup = make_tournament(name="Cup", created_by=olga)
    Tournament.objects.filter(pk=cup.pk).update(starts_at=starts, repeats="weekly")
    for _ in range(2):
        lifecycle.start(tournament=cup)
        taken = Tournament.objects.get(series=cup)
        Tournament.objects.filter(pk=taken.pk).update(series=None)
        Tournament.objects.filter(pk=cup.pk).update(state="draft")
    lifecycle.start(tournament=Tournament.objects.get(pk=cup.pk))
    assert Tournament.objects.get(series=cup).slug == f"{taken.slug.removesuffix('-2')}-3"


def test_the_address_of_a_private_one_that_repeats_stays_a_secret(make_tournament, olga):
    name = "A tournament with a name as long as names can be for an address"
    cup = make_tournament(name=name, slug="a" * 49 + "-secretword", created_by=olga, private=True)
    Tournament.objects.filter(pk=cup.pk).update(starts_at=clock.now(), repeats="weekly")
    lifecycle.start(tournament=Tournament.objects.get(pk=cup.pk))
    slug = Tournament.objects.get(series=cup).slug
    assert len(slug) <= 60
    assert len(slug.rsplit("-", 1)[1]) == 10


def test_who_acts_on_what_was_deleted_reads_so(cup):
    gone = Tournament.objects.get(pk=cup.pk)
    setting_up.delete(tournament=cup)
    for act in (lifecycle.start, lifecycle.cancel, setting_up.delete):
        with pytest.raises(RequestRefused, match="Cup does not exist any more"):
            act(tournament=gone)
