"""Bots that are away: the organiser is told before the start, and waits or starts without them."""

import re
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse
from documents import words_of
from stichkampf_platform.bots.models import Bot, RemoteAccess, Version
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.core import clock
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.entry.absence import Absent, absences
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running import due_steps, voiding

SWITCHED_OFF = {
    "docs/organisers.md": r"in a round robin of twelve blocks Dot's computer is switched off after block "
    r"(\d+). In block (\d+) the substitute plays for Dot; from block (\d+) on the others play without Dot, ",
    "docs/tournaments.md": r"Dot's computer is switched off after block (\d+). In block (\d+) the substitute "
    r"plays for Dot. From block (\d+) on the others play without Dot",
    "docs/de/tournaments.md": r"Dots Rechner wird nach Block (\d+) ausgeschaltet. In Block (\d+) spielt der "
    r"Ersatz für Dot. Ab Block (\d+) spielen die anderen ohne Dot",
}
HOSTED = ("thumb", "random", "timid", "bold", "flat", "glimpse")


@pytest.fixture
def fern(person):
    """A remote version that may play and is not connected."""
    submission, _ = create_remote_version(owner=person("ann"), slug="fern", games=["stiche-raten"])
    Version.objects.filter(pk=submission.version_id).update(state=Version.State.APPROVED)
    return Version.objects.get(pk=submission.version_id)


@pytest.fixture
def draft(make_tournament, house, fern):
    return make_tournament(versions=[fern, *(house[name] for name in HOSTED)], blocks=2)


@pytest.fixture
def submitted(person):
    bot = Bot.objects.create(owner=person("bob"), slug="karl")
    state = Version.State.APPROVED
    return bot.versions.create(number=1, digest="1" * 64, games=["stiche-raten"], state=state)


@pytest.fixture
def play(land, played_record):
    """Play the blocks that are not over; a version faults at every move."""

    def play(tournament, faulting):
        for block in tournament.blocks.filter(over_at=None):
            for table in leases.take(block_id=block.pk, owner="w1"):
                seats = {seat.number for seat in table.seats.all() if seat.entrant.version == faulting}
                assert land(table, played_record(table, faulting=seats))
        due_steps.advance_tournaments()

    return play


def come_back():
    RemoteAccess.objects.update(connected_at=clock.now(), last_seen_at=clock.now())


def names(tournament):
    return [(entrant.number, entrant.version.bot.slug) for entrant in tournament.entrants.all()]


def test_a_start_with_a_bot_that_is_away_names_it_and_changes_nothing(draft):
    assert absences(draft) == ["ann/fern v1 is not connected."]
    with pytest.raises(Absent) as refused:
        lifecycle.start(tournament=draft)
    assert str(refused.value) == "ann/fern v1 is not connected. Wait for it, or start without it."
    assert f'the desk says so: "{refused.value}"' in words_of("docs/organisers.md")
    draft.refresh_from_db()
    assert draft.state == Tournament.State.DRAFT
    assert len(names(draft)) == 7
    come_back()
    lifecycle.start(tournament=draft)
    assert len(names(draft)) == 7


def test_started_without_it_the_others_play_and_are_numbered_again(draft):
    lifecycle.start(tournament=draft, without_absent=True)
    assert names(draft) == list(enumerate(HOSTED))
    assert draft.blocks.count() == 2


def test_an_archive_that_is_gone_is_named_too(draft, submitted):
    submitted.archive.save("karl.zip", ContentFile(b"an archive"))
    come_back()
    draft.entrants.create(version=submitted, number=7)
    assert absences(draft) == []
    submitted.archive.storage.delete(submitted.archive.name)
    assert absences(draft) == ["The archive of bob/karl v1 is gone."]


@pytest.mark.parametrize(
    ("state", "told"),
    [("suspended", "bob/karl v1 is suspended."), ("stale", "bob/karl v1 is to be validated again.")],
)
@pytest.mark.parametrize("by_clock", [False, True])
def test_a_chosen_bot_that_may_not_play_now_is_waited_for_or_left_out(
    make_tournament, house, submitted, monkeypatch, state, told, by_clock
):
    now = clock.now()
    cup = make_tournament(versions=[submitted, *(house[name] for name in HOSTED)], blocks=2)
    Version.objects.filter(pk=submitted.pk).update(state=state)
    assert absences(cup) == [told]
    if by_clock:
        Tournament.objects.filter(pk=cup.pk).update(starts_at=now)
        assert due_steps.start_due() == 0
        cup.refresh_from_db()
        assert (cup.state, cup.outcome, cup.starts_at) == (Tournament.State.DRAFT, "", now), "it waits"
        monkeypatch.setattr(clock, "now", lambda: now + timedelta(minutes=6))
        assert due_steps.start_due() == 1
    else:
        with pytest.raises(Absent, match="Wait for it, or start without it"):
            lifecycle.start(tournament=cup)
        lifecycle.start(tournament=cup, without_absent=True)
    assert names(cup) == list(enumerate(HOSTED))


def test_a_start_by_the_clock_waits_five_minutes_and_then_leaves_it_out(draft, monkeypatch):
    assert "waits five minutes for a bot that is away" in words_of("docs/organisers.md")
    now = clock.now()
    Tournament.objects.filter(pk=draft.pk).update(starts_at=now - timedelta(seconds=1))
    assert due_steps.start_due() == 0
    draft.refresh_from_db()
    assert (draft.state, draft.outcome) == (Tournament.State.DRAFT, "")
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(minutes=6))
    assert due_steps.start_due() == 1
    assert names(draft) == list(enumerate(HOSTED))


def test_the_administration_tells_it_before_the_start_and_asks(admin_client, draft):
    page = reverse("admin:tournaments_tournament_change", args=[draft.pk])
    text = re.sub(r"\s+", " ", admin_client.get(page).content.decode())
    assert "ann/fern v1 is not connected. Wait for it, or start without it." in text
    start = {"action": "start", "_selected_action": draft.pk, "index": "0"}
    listed = reverse("admin:tournaments_tournament_changelist")
    asked = admin_client.post(listed, start).content.decode()
    assert "Start without those that are away?" in asked
    draft.refresh_from_db()
    assert draft.state == Tournament.State.DRAFT
    admin_client.post(listed, {**start, "confirmed": "yes"})
    draft.refresh_from_db()
    assert draft.state == Tournament.State.RUNNING
    assert names(draft) == list(enumerate(HOSTED))


def test_a_ladder_starts_with_bots_that_are_away(make_tournament, house, fern):
    ladder = make_tournament(
        versions=[fern, *(house[name] for name in HOSTED)], name="A ladder", format="ladder", blocks=4
    )
    assert absences(ladder) == []
    lifecycle.start(tournament=ladder)


def cup_of(make_tournament, house, away):
    versions = [away, *(house[name] for name in HOSTED[:5])]
    cup = make_tournament(versions=versions, format="swiss", rounds=3, blocks=1, seats=3)
    lifecycle.start(tournament=cup)
    return cup


def test_it_is_left_out_from_the_round_after_its_first_forfeited_block(
    make_tournament, house, submitted, play
):
    cup = cup_of(make_tournament, house, submitted)
    Version.objects.filter(pk=submitted.pk).update(state=Version.State.SUSPENDED)
    play(cup, submitted)
    entrant = cup.entrants.get(version=submitted)
    assert (entrant.out_as, entrant.told_out) == ("away", "bob/karl v1 is suspended.")
    second = cup.blocks.filter(round=1)
    assert second.exists()
    assert not second.filter(tables__seats__entrant=entrant).exists()
    play(cup, submitted)
    play(cup, submitted)
    cup.refresh_from_db()
    assert cup.state == Tournament.State.FINISHED
    places = cup.entrants.exclude(pk=entrant.pk).values_list("place", flat=True)
    assert None not in places
    assert ruled(cup) == [("away", "platform", "bob/karl v1 is suspended.")]


def test_one_that_forfeited_and_is_there_plays_on(make_tournament, house, submitted, play):
    cup = cup_of(make_tournament, house, submitted)
    play(cup, submitted)
    assert cup.entrants.get(version=submitted).out_at is None
    assert cup.blocks.filter(round=1, tables__seats__entrant__version=submitted).exists()


def test_a_table_of_results_says_in_words_what_was_forfeited(client, make_tournament, house, submitted, play):
    cup = cup_of(make_tournament, house, submitted)
    play(cup, submitted)
    ratings.publish(ladder=Tournament.objects.get(pk=cup.pk).ladder, tournament=cup)
    page = re.sub(r"\s+", " ", client.get(cup.get_absolute_url()).content.decode())
    assert "forfeited 3 of 3 matches: it had no answer when its time was up" in page
    assert "What was played stands for everybody else" in page
    assert "1,000.0‰" not in page


def test_no_places_stand_where_nothing_was_compared(make_tournament, house):
    cup = make_tournament(
        versions=[house[name] for name in HOSTED], format="swiss", rounds=2, blocks=1, seats=3
    )
    lifecycle.start(tournament=cup)
    for block in cup.blocks.all():
        voiding.void(block.tables.all())
    cup.blocks.update(over_at=clock.now())
    due_steps.advance_tournaments()
    assert cup.blocks.filter(round=1).exists()
    assert not cup.entrants.exclude(place=None).exists()


@pytest.fixture
def play_block(land, played_record):
    """Play a block in which a version faults at every move, as a worker does."""

    def play_block(block, faulting):
        for table in leases.take(block_id=block.pk, owner="w1"):
            seats = {seat.number for seat in table.seats.all() if seat.entrant.version == faulting}
            assert land(table, played_record(table, faulting=seats))
        due_steps.leave_out_absent(block_id=block.pk)
        due_steps.advance_tournaments()

    return play_block


def finished(tournament, play_block, faulting):
    while block := tournament.blocks.filter(over_at=None).first():
        play_block(block, faulting)
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED
    return tournament


def ruled(tournament):
    return [(each.kind, each.role, each.told_reason) for each in tournament.rulings.all()]


def played_with(tournament, version):
    """Return by block whether a version sits in it, of the blocks that were played."""
    played = tournament.blocks.filter(tables__state="done").distinct()
    return [version.pk in block.participations.values_list("entrant__version", flat=True) for block in played]


@pytest.mark.parametrize("format", ["round-robin", "gauntlet"])
def test_a_format_without_rounds_deals_its_blocks_among_the_others(
    make_tournament, house, submitted, play_block, format
):
    field = [house["thumb"], submitted, *(house[name] for name in HOSTED[1:])]
    cup = make_tournament(versions=field, format=format, blocks=12, seats=3)
    lifecycle.start(tournament=cup)
    Version.objects.filter(pk=submitted.pk).update(state=Version.State.SUSPENDED)
    first = cup.blocks.filter(participations__entrant__version=submitted).first()
    play_block(first, submitted)
    entrant = cup.entrants.get(version=submitted)
    assert (entrant.out_as, entrant.told_out) == ("away", "bob/karl v1 is suspended.")
    finished(cup, play_block, submitted)
    assert sum(played_with(cup, submitted)) == 1
    assert len(played_with(cup, submitted)) == 12, "as many as planned"
    assert ruled(cup) == [("away", "platform", "bob/karl v1 is suspended.")]


def test_a_remote_bot_that_goes_away_leaves_the_others_their_blocks(make_tournament, house, fern, play_block):
    come_back()
    field = [fern, *(house[name] for name in HOSTED[:5])]
    cup = make_tournament(versions=field, blocks=6, seats=3, rated=False, move_seconds=5)
    lifecycle.start(tournament=cup)
    assert all(block.dealt_once for block in cup.blocks.all())
    RemoteAccess.objects.update(connected_at=None)
    play_block(cup.blocks.first(), fern)
    finished(cup, play_block, fern)
    assert played_with(cup, fern) == [True, *[False] * 5]
    assert ruled(cup) == [("away", "platform", "ann/fern v1 is not connected.")]
    ratings.publish(ladder=cup.ladder, tournament=cup)
    ranked = {line.version.bot.slug for line in cup.ladder.snapshots.latest().ratings.all()}
    assert {*HOSTED[:5]} <= ranked


def test_a_remote_bot_that_was_away_for_one_block_alone_plays_all_others(
    client, make_tournament, house, fern, play_block, land, played_record
):
    come_back()
    field = [fern, *(house[name] for name in HOSTED[:5])]
    cup = make_tournament(versions=field, blocks=4, seats=3, rated=False, move_seconds=5)
    lifecycle.start(tournament=cup)
    first, second, *_ = cup.blocks.all()
    play_block(first, None)
    RemoteAccess.objects.update(connected_at=None)
    for table in leases.take(block_id=second.pk, owner="w1"):
        seats = {seat.number for seat in table.seats.all() if seat.entrant.version == fern}
        assert land(table, played_record(table, faulting=seats))
    come_back()
    due_steps.leave_out_absent(block_id=second.pk)
    finished(cup, play_block, None)
    assert played_with(cup, fern) == [True] * 4
    assert not ruled(cup)
    ratings.publish(ladder=cup.ladder, tournament=cup)
    assert fern.pk in {line.version_id for line in cup.ladder.snapshots.latest().ratings.all()}
    assert "forfeited 1 of 4 matches" in client.get(cup.get_absolute_url()).content.decode()


@pytest.mark.parametrize("document", SWITCHED_OFF)
def test_dot_of_the_example_is_left_out_as_it_says(make_tournament, house, fern, play_block, document):
    told = re.search(SWITCHED_OFF[document], words_of(document))
    last, forfeited, without = map(int, told.groups())
    come_back()
    field = [fern, *(house[name] for name in HOSTED[:5])]
    cup = make_tournament(versions=field, blocks=12, seats=3, rated=False, move_seconds=5)
    lifecycle.start(tournament=cup)
    blocks = iter(cup.blocks.all())
    for _ in range(last):
        play_block(next(blocks), None)
    RemoteAccess.objects.update(connected_at=None)
    for _ in range(last, forfeited):
        play_block(next(blocks), fern)
    finished(cup, play_block, fern)
    assert played_with(cup, fern) == [*[True] * (without - 1), *[False] * (12 - without + 1)]


def test_who_is_disqualified_until_decided_is_drawn_no_more(make_tournament, house, submitted, play_block):
    field = [submitted, *(house[name] for name in HOSTED[:4])]
    cup = make_tournament(versions=field, blocks=17, seats=3, stopping="decided")
    lifecycle.start(tournament=cup)
    rulings.disqualify(entrant=cup.entrants.get(version=submitted), reason="It talks.")
    finished(cup, play_block, None)
    assert not any(played_with(cup, submitted))


def test_a_bot_that_is_away_and_was_not_faulting_stays(make_tournament, house, submitted, play_block):
    field = [submitted, *(house[name] for name in HOSTED[:4])]
    cup = make_tournament(versions=field, blocks=4, seats=3)
    lifecycle.start(tournament=cup)
    Version.objects.filter(pk=submitted.pk).update(state=Version.State.SUSPENDED)
    finished(cup, play_block, None)
    assert cup.entrants.get(version=submitted).out_at is None
    assert ruled(cup) == []
