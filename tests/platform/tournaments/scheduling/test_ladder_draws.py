from datetime import timedelta

import pytest
from django.db.models import Q
from stichkampf.limits import NEWCOMER_BLOCKS_A_DAY
from stichkampf_platform.bots.models import RemoteAccess, Version
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.core import clock
from stichkampf_platform.people.network_addresses import remember
from stichkampf_platform.ratings.services import publish
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Entrant, Seat, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.scheduling import ladder_draws, ladder_field, rounds
from stichkampf_platform.tournaments.scheduling.ladder_field import DAY, field_of, left_out, reason_to_wait
from stichkampf_platform.tournaments.scheduling.strength import VersionStrength

pytestmark = pytest.mark.queries

BOTS = ("thumb", "random", "timid", "bold", "flat", "rival")


@pytest.fixture
def ladder(make_tournament):
    tournament = make_tournament(*BOTS, format="ladder", blocks=4)
    lifecycle.start(tournament=tournament)
    return tournament


def play_one(tournament, land):
    block = tournament.blocks.filter(over_at=None).first()
    for table in leases.take(block_id=block.pk, owner="w1"):
        assert land(table)


@pytest.mark.slow
def test_a_ladder_keeps_blocks_ready_and_never_ends(ladder, land):
    for played in range(1, 7):
        play_one(ladder, land)
        assert due_steps.advance_tournaments() == 0
        assert due_steps.advance_tournaments() == 0
        assert ladder.blocks.filter(over_at=None).count() == 4
        assert ladder.blocks.count() == 4 + played
    ladder.refresh_from_db()
    assert ladder.state == Tournament.State.RUNNING


def test_a_new_version_enters_by_itself_and_is_drawn_at_once(ladder, land, person, submitted):
    karl = submitted(person())
    play_one(ladder, land)
    due_steps.advance_tournaments()
    entrant = Entrant.objects.get(tournament=ladder, version=karl)
    assert entrant.number == ladder.entrants.count() - 1
    assert entrant.seats.filter(table__lane=0).count() == 1


@pytest.mark.slow
def test_suspended_and_disqualified_versions_are_drawn_no_more(ladder, land, house):
    house["thumb"].state = "suspended"
    house["thumb"].save()
    rulings.disqualify(entrant=ladder.entrants.get(version=house["bold"]), reason="It phoned home.")
    before = set(ladder.blocks.values_list("pk", flat=True))
    for _ in range(6):
        due_steps.advance_tournaments()
        play_one(ladder, land)
    due_steps.advance_tournaments()
    seated = {
        str(seat.entrant.version.house)
        for block in ladder.blocks.exclude(pk__in=before)
        for table in block.tables.all()
        for seat in table.seats.all()
    }
    assert seated
    assert not seated & {"thumb", "bold"}


def test_a_paused_ladder_draws_nothing(ladder, land):
    play_one(ladder, land)
    lifecycle.pause(tournament=ladder)
    due_steps.advance_tournaments()
    assert ladder.blocks.count() == 4
    lifecycle.resume(tournament=ladder)
    due_steps.advance_tournaments()
    assert ladder.blocks.count() == 5


@pytest.fixture
def karl(person):
    """A remote version that may play, connected now."""
    submission, _ = create_remote_version(owner=person(), slug="karl", games=["stiche-raten"])
    submission.version.state = Version.State.APPROVED
    submission.version.save()
    come()
    return submission.version


def come():
    RemoteAccess.objects.update(connected_at=clock.now(), last_seen_at=clock.now())


def go():
    RemoteAccess.objects.update(connected_at=None)


def blocks_of(version):
    return version.entries.get().seats.values_list("table__block", flat=True)


def play_on(ladder, land, times=4):
    for _ in range(times):
        play_one(ladder, land)
        due_steps.advance_tournaments()


def test_a_connected_remote_version_is_drawn_and_sits_once_at_two_tables(ladder, land, karl):
    play_on(ladder, land)
    block = ladder.blocks.get(pk=blocks_of(karl)[0])
    assert block.dealt_once
    seats = [list(table.seats.values_list("entrant", flat=True)) for table in block.tables.all()]
    assert [len(table) for table in seats] == [3, 3]
    assert len({*seats[0], *seats[1]}) == 6


@pytest.mark.slow
def test_a_remote_version_is_rated_against_holders_of_the_same_hand(ladder, land, karl):
    while not ladder.blocks.filter(dealt_once=True, over_at__isnull=False).exists():
        come()
        play_on(ladder, land, times=1)
    block = ladder.blocks.filter(dealt_once=True, over_at__isnull=False).first()
    snapshot = publish(ladder=ladder.ladder)
    rating = snapshot.ratings.get(version=karl)
    played = ladder.blocks.filter(dealt_once=True, over_at__isnull=False, pk__in=blocks_of(karl)).count()
    assert (rating.blocks, rating.comparisons) == (played, played)
    mine = Seat.objects.get(table__block=block, entrant__version=karl)
    other = Seat.objects.exclude(pk=mine.pk).get(table__block=block, number=mine.number)
    met = snapshot.pairings.filter(Q(first=karl) | Q(second=karl))
    version = other.entrant.version
    assert met.get(Q(first=version) | Q(second=version)).comparisons >= 1
    assert sum(pair.comparisons for pair in met) == played


@pytest.mark.slow
def test_blocks_not_begun_are_withdrawn_when_a_remote_version_disconnects(ladder, land, karl):
    Tournament.objects.filter(pk=ladder.pk).update(blocks_planned=16)
    waiting = ladder.blocks.filter(dealt_once=True, over_at=None)
    while waiting.count() < 2:
        come()
        play_on(ladder, land, times=1)
    begun = waiting.first()
    tables = leases.take(block_id=begun.pk, owner="w1")
    go()
    due_steps.advance_tournaments()
    assert list(waiting) == [begun]
    assert ladder.blocks.filter(over_at=None).count() == 16
    come()
    for table in tables:
        assert land(table)
    due_steps.advance_tournaments()
    play_on(ladder, land, times=3)
    assert waiting.exclude(pk=begun.pk).exists()


def test_a_remote_version_last_seen_long_ago_is_not_drawn(ladder, land, karl):
    RemoteAccess.objects.update(last_seen_at=clock.now() - timedelta(minutes=1))
    play_on(ladder, land)
    assert not ladder.blocks.filter(dealt_once=True).exists()
    assert left_out(karl, ladder) == "it is not connected"


def test_a_ladder_with_quick_moves_leaves_remote_versions_out_with_a_reason(make_tournament, land, karl):
    quick = make_tournament(*BOTS, format="ladder", blocks=4, move_seconds=0.3, name="Quick")
    lifecycle.start(tournament=quick)
    play_on(quick, land)
    assert not quick.blocks.filter(dealt_once=True).exists()
    assert "a move takes 0.3 seconds there, and remote bots need 1 or more" in left_out(karl, quick)


def drawn_after(ladder, land, blocks=6):
    """The versions in the next blocks that are drawn."""
    before = set(ladder.blocks.values_list("pk", flat=True))
    for _ in range(blocks):
        play_one(ladder, land)
        due_steps.advance_tournaments()
    new = ladder.blocks.exclude(pk__in=before)
    return set(Version.objects.filter(entries__seats__table__block__in=new))


def newest_alone(entrants, tournament, _strength):
    """Return the newest version of each bot if it can play now, as it was once."""
    newest = {entrant.version.bot_id: entrant for entrant in entrants.order_by("version__number")}
    return [entrant for entrant in newest.values() if not left_out(entrant.version, tournament)]


@pytest.mark.parametrize("is_defended", [True, False])
def test_a_remote_version_that_is_away_keeps_no_older_one_out_of_the_draw(
    ladder, karl, submitted, monkeypatch, is_defended
):
    """The newest version, never connected again, left the lucky one before it ranked for ever."""
    lucky, away = submitted(karl.bot.owner, karl.bot.slug), karl
    ranked = {lucky.pk: VersionStrength(1700.0, settled=True, ranked=True)}
    Version.objects.filter(pk=away.pk).update(number=3)
    go()
    ladder_draws._enter(ladder)
    for version in (lucky, away):
        ladder.entrants.get_or_create(version=version, defaults={"number": 90 + version.pk})
    if not is_defended:
        monkeypatch.setattr(ladder_field, "drawn_of_each_bot", newest_alone)
    assert (lucky.pk in drawable(ladder)) is is_defended
    assert (lucky.pk in drawable(ladder, ranked)) is is_defended
    come()
    assert away.pk in drawable(ladder)
    assert lucky.pk not in drawable(ladder)


@pytest.mark.parametrize("is_defended", [True, False])
def test_the_version_that_holds_the_rank_is_drawn_until_a_newer_one_has_it(
    ladder, person, submitted, monkeypatch, is_defended
):
    if not is_defended:
        monkeypatch.setattr(ladder_field, "drawn_of_each_bot", newest_alone)
    ann = person()
    old, new = submitted(ann), submitted(ann)
    ladder_draws._enter(ladder)
    ladder.entrants.get_or_create(version=old, defaults={"number": 90})
    ranked = VersionStrength(1700.0, settled=True, ranked=True)
    drawn = drawable(ladder, {old.pk: ranked})
    assert (old.pk in drawn, new.pk in drawn) == (is_defended, True)
    assert old.pk not in drawable(ladder, {old.pk: VersionStrength(1700.0, settled=True)})


def drawable(ladder, strength=None):
    """Return the ids of the versions of a ladder's field."""
    numbers = field_of(ladder, strength or {}).candidates.keys()
    return set(ladder.entrants.filter(number__in=numbers).values_list("version", flat=True))


@pytest.mark.slow
def test_of_a_bot_only_the_newest_version_that_may_play_is_drawn(ladder, land, person, submitted):
    ann = person()
    old = submitted(ann)
    assert old in drawn_after(ladder, land)
    new = submitted(ann)
    rejected = submitted(ann, state=Version.State.REJECTED)
    drawn = drawn_after(ladder, land)
    assert new in drawn
    assert not {old, rejected} & drawn
    assert reason_to_wait(old, ladder) == (
        "only the newest version of a bot and the one that holds its rank are drawn"
    )
    assert reason_to_wait(rejected, ladder) == ""
    Version.objects.filter(pk=new.pk).update(state=Version.State.SUSPENDED)
    drawn = drawn_after(ladder, land)
    assert old in drawn
    assert new not in drawn


@pytest.fixture
def have_played(ladder, house):
    """Let a version have been drawn for a number of blocks of the ladder, which were over at some time."""

    def play(version, blocks, over_at=None):
        number = ladder.entrants.count()
        mine, _ = ladder.entrants.get_or_create(version=version, defaults={"number": number})
        others = list(ladder.entrants.filter(version__in=[house["thumb"], house["random"]]))
        first = rounds.next_number(ladder)
        planned = [rounds.PlannedBlock(first + n, 0, [[mine, *others]]) for n in range(blocks)]
        made = rounds.add_blocks(ladder, planned)
        ladder.blocks.filter(pk__in=[block.pk for block in made]).update(over_at=over_at or clock.now())

    return play


def old_hand(author):
    author.date_joined = clock.now() - 2 * DAY
    author.save()
    return author


def test_an_author_s_new_versions_wait_once_they_had_their_blocks_of_a_day(
    ladder, person, submitted, have_played
):
    ann = old_hand(person())
    for number in range(3):
        have_played(submitted(ann, slug=f"bot-{number}"), 20)
    fourth, settled = submitted(ann, slug="fourth"), ann.bots.get(slug="bot-0").versions.get()
    bob = submitted(old_hand(person("bob")), slug="bob")
    Tournament.objects.filter(pk=ladder.pk).update(blocks_planned=30)
    ladder.refresh_from_db()
    ladder_draws.top_up(ladder)
    waiting = ladder.blocks.filter(over_at=None, tables__seats__entrant__version=fourth)
    assert not waiting.exists()
    for drawn in (settled, bob):
        assert ladder.blocks.filter(over_at=None, tables__seats__entrant__version=drawn).exists()
        assert reason_to_wait(drawn, ladder) == ""
    assert f"{NEWCOMER_BLOCKS_A_DAY} blocks a day" in reason_to_wait(fourth, ladder)
    ladder.blocks.exclude(over_at=None).update(over_at=clock.now() - DAY - timedelta(minutes=1))
    assert reason_to_wait(fourth, ladder) == ""
    Tournament.objects.filter(pk=ladder.pk).update(blocks_planned=34)
    ladder.refresh_from_db()
    ladder_draws.top_up(ladder)
    assert waiting.exists()


def test_blocks_of_versions_that_a_newer_one_replaced_count_for_the_day(
    ladder, person, submitted, have_played
):
    ann = old_hand(person())
    for _ in range(6):
        have_played(submitted(ann), 10)
    assert field_of(ladder, {}).newcomer_blocks["ann"] == NEWCOMER_BLOCKS_A_DAY


def test_blocks_of_a_version_with_twenty_do_not_count_for_the_day(ladder, person, submitted, have_played):
    karl = submitted(old_hand(person()))
    have_played(karl, 15, over_at=clock.now() - 2 * DAY)
    have_played(karl, 30)
    assert field_of(ladder, {}).newcomer_blocks["ann"] == 5


@pytest.mark.slow
def test_a_second_new_bot_waits_for_the_first_and_the_page_says_so(ladder, client, person, submitted):
    ann = old_hand(person())
    first, second = submitted(ann, slug="first"), submitted(ann, slug="second")
    Tournament.objects.filter(pk=ladder.pk).update(blocks_planned=12)
    ladder.refresh_from_db()
    ladder_draws.top_up(ladder)
    drawn = set(Version.objects.filter(entries__seats__table__block__tournament=ladder))
    assert first in drawn
    assert second not in drawn
    client.force_login(ann)
    assert "another new bot" not in client.get("/bots/ann/first/").content.decode()
    said = client.get("/bots/ann/second/").content.decode()
    assert "another new bot of its author plays its first 20 blocks first" in said
    client.force_login(person("bob"))
    assert "On the ladders now" not in client.get("/bots/ann/second/").content.decode()


def test_new_bots_of_young_accounts_come_after_those_of_older_ones(ladder, person, submitted):
    young = submitted(person(), slug="young")
    old = submitted(old_hand(person("bob")), slug="old")
    Tournament.objects.filter(pk=ladder.pk).update(blocks_planned=24)
    ladder.refresh_from_db()
    ladder_draws.top_up(ladder)
    blocks = ladder.blocks.filter(over_at=None)
    of_old = blocks.filter(tables__seats__entrant__version=old).distinct().count()
    of_young = blocks.filter(tables__seats__entrant__version=young).distinct().count()
    assert of_old >= 15 > of_young
    assert "less than a day old" in reason_to_wait(young, ladder)
    assert reason_to_wait(old, ladder) == ""


def test_accounts_that_signed_up_from_one_address_share_one_author_s_turns(ladder, person, submitted):
    together = []
    for number in range(6):
        one = old_hand(person(f"one-{number}"))
        remember(person=one, address="192.0.2.7", signed_up=True, named=True)
        together.append(submitted(one, slug=f"bot-{number}"))
    bob = submitted(old_hand(person("bob")), slug="bob")
    groups = {candidate.author: candidate.group for candidate in field_of(ladder, {}).candidates.values()}
    assert groups == {None: ""}
    Tournament.objects.filter(pk=ladder.pk).update(blocks_planned=28)
    ladder.refresh_from_db()
    ladder_draws.top_up(ladder)
    blocks = ladder.blocks.filter(over_at=None)
    of_bob = blocks.filter(tables__seats__entrant__version=bob).distinct().count()
    of_others = [blocks.filter(tables__seats__entrant__version=v).distinct().count() for v in together]
    assert of_bob > 1.5 * max(of_others)
    groups = {candidate.author: candidate.group for candidate in field_of(ladder, {}).candidates.values()}
    assert len({groups[f"one-{number}"] for number in range(6)}) == 1
    assert groups["bob"] != groups["one-0"]


@pytest.mark.slow
def test_a_suspected_pair_of_a_small_ladder_plays_blocks_without_each_other_too(
    make_tournament, house, person, submitted
):
    Version.objects.filter(pk__in=[version.pk for version in house.values()]).update(state="suspended")
    names = ("ann", "ben", "cid", "dora", "emil")
    people = [
        person(name, date_joined=clock.now() - timedelta(days=30 + number))
        for number, name in enumerate(names)
    ]
    versions = [submitted(one, slug=f"{one.username}s") for one in people]
    for number, version in enumerate(versions):
        version.digest = f"{number + 1:064}"
        version.save()
    ladder = make_tournament(versions=versions, format="ladder", blocks=40, seats=4)
    lifecycle.start(tournament=ladder)

    def meetings():
        """Return the blocks with the first two, of the newest forty."""
        lanes = [block.tables.get(lane=0) for block in ladder.blocks.order_by("-number")[:40]]
        pair = {versions[0].pk, versions[1].pk}
        ladder.blocks.update(over_at=clock.now())
        return sum(pair <= set(table.seats.values_list("entrant__version", flat=True)) for table in lanes)

    assert meetings() > 20
    assert ladder_draws.top_up(ladder) == 40
    assert meetings() > 20
    for one in people[:2]:
        remember(person=one, address="192.0.2.7", signed_up=True)
    assert ladder_draws.top_up(ladder) == 40
    assert 5 <= meetings() < 20
