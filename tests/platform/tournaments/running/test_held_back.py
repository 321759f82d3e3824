"""Rounds with a beat, and results that are held back until they are revealed."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from stichkampf_platform.bots import remote
from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.operations.backups.restore import deal_again
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.organising.actions import ACTIONS
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.running import due_steps, losses, revealing
from stichkampf_platform.tournaments.running.revealing import MOST_HELD, RevealStep

pytestmark = pytest.mark.django_db
SIX = ("thumb", "random", "timid", "bold", "flat", "rival")
HOUR = timedelta(hours=1)


@pytest.fixture
def cup(make_tournament, person, make_organiser):
    """Start a Swiss of six bots in three rounds of two groups, which Olga runs."""

    def make(**settings):
        olga = person("olga")
        make_organiser(olga)
        fields = {"format": "swiss", "rounds": 3, "blocks": 1, "created_by": olga, **settings}
        made = make_tournament(*SIX, name="Evening", **fields)
        lifecycle.start(tournament=made)
        return fresh(made)

    return make


def fresh(tournament):
    return Tournament.objects.get(pk=tournament.pk)


@pytest.fixture
def play(land):
    """Play all that has been drawn, as a worker would."""

    def played(tournament):
        for block in tournament.blocks.filter(over_at=None, played_at=None):
            assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
        due_steps.reveal_due()
        due_steps.advance_tournaments()
        return fresh(tournament)

    return played


def rounds(tournament):
    return len(set(tournament.blocks.values_list("round", flat=True)))


def act(tournament, name):
    ACTIONS[name].act(tournament, tournament.created_by)


@pytest.fixture
def later(monkeypatch):
    """Set the clock on."""

    def by(time):
        at = clock.now() + time
        monkeypatch.setattr(clock, "now", lambda: at)

    return by


def test_a_round_waits_for_a_press_and_the_last_one_ends_the_tournament(cup, play):
    tournament = play(cup(beat="press"))
    assert (rounds(tournament), tournament.waiting_round, tournament.rounds_over) == (1, 1, 1)
    assert tournament.entrants.exclude(points=None).count() == 6, "the table stands while the round waits"
    assert ACTIONS["next-round"].useful(tournament)
    for drawn in (2, 3):
        act(tournament, "next-round")
        due_steps.advance_tournaments()
        assert rounds(tournament) == drawn
        tournament = play(tournament)
    assert tournament.state == Tournament.State.FINISHED


def test_a_press_before_the_round_is_over_or_twice_starts_no_other(cup, play):
    tournament = cup(beat="press")
    with pytest.raises(RequestRefused, match="No round of Evening waits"):
        act(tournament, "next-round")
    tournament = play(tournament)
    act(tournament, "next-round")
    act(tournament, "next-round")
    due_steps.advance_tournaments()
    due_steps.advance_tournaments()
    assert rounds(tournament) == 2


def test_a_round_starts_some_minutes_after_the_one_before(cup, play, later):
    tournament = play(cup(beat="minutes", beat_minutes=10))
    later(timedelta(minutes=9))
    assert rounds(play(tournament)) == 1
    later(timedelta(minutes=2))
    assert rounds(play(tournament)) == 2


def test_rounds_start_at_set_times_and_those_without_a_time_by_a_press(cup, play, later):
    text = f"{clock.now() + HOUR:%Y-%m-%d %H:%M}"
    tournament = play(cup(beat="times", round_times=text))
    assert tournament.next_round_at == datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    assert rounds(tournament) == 1
    later(HOUR)
    due_steps.advance_tournaments()
    tournament = play(tournament)
    assert rounds(tournament) == 2
    later(100 * HOUR)
    assert rounds(play(tournament)) == 2
    act(tournament, "next-round")
    due_steps.advance_tournaments()
    assert rounds(tournament) == 3


def test_a_ruling_while_a_round_waits_is_heeded_before_it_is_drawn(cup, play):
    tournament = play(cup(beat="press"))
    block = tournament.blocks.first()
    rulings.run_again(block=block, by=tournament.created_by, reason="It rained.", fault="machine")
    assert fresh(tournament).waiting_round is None
    tournament = play(tournament)
    assert (rounds(tournament), tournament.waiting_round) == (1, 1)


@pytest.mark.parametrize(
    ("settings", "field", "told"),
    [
        ({"format": "round-robin", "rounds": None, "beat": "press"}, "beat", "choose Swiss"),
        ({"beat": "minutes"}, "beat_minutes", "how many minutes"),
        ({"beat": "minutes", "beat_minutes": 0}, "beat_minutes", "1"),
        ({"beat": "press", "beat_minutes": 5}, "beat_minutes", "Leave it empty"),
        ({"beat": "times"}, "round_times", "such as 2026"),
        ({"beat": "times", "round_times": "tomorrow"}, "round_times", "'tomorrow' is no time"),
        ({"beat": "times", "round_times": "2020-01-01 10:00"}, "round_times", "later times"),
        ({"beat": "times", "round_times": "2999-01-01 10:00"}, "round_times", "hundred years"),
        ({"beat": "times", "round_times": "2030-01-02 10:00, 2030-01-01 10:00"}, "round_times", "order"),
        ({"round_times": "2030-01-02 10:00"}, "round_times", "Leave it empty"),
        ({"reveal": "clock", "reveal_seconds": 1}, "reveal_seconds", "2"),
        ({"beat": "sometimes"}, "beat", "sometimes"),
        ({"format": "ladder", "rounds": None, "reveal": "press"}, "reveal", "never ends"),
    ],
)
def test_wrong_settings_are_refused_with_what_would_be_right(cup, settings, field, told):
    with pytest.raises(ValidationError) as refused:
        cup(**settings)
    assert told in " ".join(refused.value.message_dict[field])
    assert not Tournament.objects.filter(name="Evening").exists()


def test_a_held_back_round_is_revealed_table_by_table_and_the_next_one_waits_for_that(cup, play):
    tournament = play(cup(reveal="press"))
    tables = Table.objects.filter(block__tournament=tournament)
    assert not tournament.blocks.exclude(over_at=None).exists()
    assert tournament.entrants.filter(points=None).count() == 6
    assert rounds(tournament) == 1
    order = []
    for left in range(tables.count(), 0, -1):
        assert revealing.held_tables(tournament).count() == left
        (shown,) = revealing.reveal(tournament=tournament)
        order.append((shown.block.number, shown.lane))
    assert order == sorted(order, key=lambda at: (-at[0], at[1])), "the first group comes last"
    assert not tournament.blocks.filter(over_at=None).exists()
    assert fresh(tournament).progress_counts.blocks_over == 2
    due_steps.advance_tournaments()
    assert rounds(tournament) == 2


def test_a_block_and_a_round_are_revealed_at_once(cup, play):
    tournament = play(cup(reveal="press"))
    act(tournament, "reveal-block")
    assert list(tournament.blocks.exclude(over_at=None).values_list("number", flat=True)) == [1]
    act(tournament, "reveal-all")
    assert not tournament.blocks.filter(over_at=None).exists()
    with pytest.raises(RequestRefused, match="No results of Evening are held back"):
        act(tournament, "reveal-all")


def test_nothing_is_revealed_while_the_round_is_being_played(cup, land):
    tournament = cup(reveal="press")
    block = tournament.blocks.first()
    assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
    with pytest.raises(RequestRefused, match="still being played"):
        revealing.reveal(tournament=tournament)
    assert not ACTIONS["reveal"].useful(tournament)
    assert not Table.objects.exclude(revealed_at=None).exists()


def test_the_clock_reveals_a_table_at_a_time_and_stops_while_it_is_paused(cup, play, later):
    tournament = play(cup(reveal="clock", reveal_seconds=30))
    held = revealing.held_tables(tournament).count()
    lifecycle.pause(tournament=tournament)
    later(timedelta(seconds=31))
    due_steps.reveal_due()
    assert revealing.held_tables(tournament).count() == held
    lifecycle.resume(tournament=tournament)
    due_steps.reveal_due()
    due_steps.reveal_due()
    assert revealing.held_tables(tournament).count() == held - 1
    later(timedelta(seconds=31))
    due_steps.reveal_due()
    assert revealing.held_tables(tournament).count() == held - 2


def test_results_show_by_themselves_after_a_week(cup, play, later):
    tournament = play(cup(reveal="press"))
    later(MOST_HELD)
    due_steps.reveal_due()
    assert not tournament.blocks.filter(over_at=None).exists()


def test_at_the_time_of_the_next_round_all_that_is_held_back_is_revealed(cup, play, later):
    text = f"{clock.now() + HOUR:%Y-%m-%d %H:%M}"
    tournament = play(cup(beat="times", round_times=text, reveal="press"))
    assert rounds(tournament) == 1
    later(HOUR)
    tournament = play(tournament)
    assert rounds(tournament) == 2


def test_the_minutes_to_the_next_round_begin_when_all_is_revealed(cup, play, later):
    tournament = play(cup(beat="minutes", beat_minutes=10, reveal="press"))
    later(HOUR)
    tournament = play(tournament)
    act(tournament, "reveal-all")
    due_steps.advance_tournaments()
    assert rounds(tournament) == 1
    later(timedelta(minutes=10))
    due_steps.advance_tournaments()
    assert rounds(tournament) == 2


def test_who_has_seen_a_table_cannot_make_its_block_void(cup, play):
    tournament = play(cup(reveal="press"))
    (shown,) = revealing.reveal(tournament=tournament)
    with pytest.raises(RequestRefused, match="have been seen"):
        rulings.rule("again", on=shown.block, by=tournament.created_by, reason="My bot lost.")
    other = tournament.blocks.exclude(pk=shown.block_id).get()
    rulings.rule("again", on=other, by=tournament.created_by, reason="It rained.")


def test_cancelling_loses_nothing_that_was_played_and_shows_it(cup, play):
    tournament = play(cup(reveal="press"))
    assert losses.by_cancelling([tournament]).blocks == 0
    lifecycle.cancel(tournament=tournament)
    assert not tournament.blocks.filter(over_at=None).exists()
    assert not Table.objects.filter(state=Table.State.VOID).exists()


def test_disqualifying_reveals_nothing_of_what_was_played(cup, land):
    tournament = cup(reveal="press")
    first, second = tournament.blocks.all()
    assert all(land(each) for each in leases.take(block_id=second.pk, owner="w1"))
    table, *others = leases.take(block_id=first.pk, owner="w1")
    assert land(table)
    for block in (first, second):
        entrant = block.tables.first().seats.first().entrant
        rulings.disqualify(entrant=entrant, reason="It cheated.", by=tournament.created_by)
    assert not tournament.blocks.exclude(over_at=None).exists()
    assert {each.state for each in second.tables.all()} == {"done"}
    assert {each.pk for each in first.tables.filter(state="void")} == {each.pk for each in others}
    act(tournament, "reveal-all")
    assert not tournament.blocks.filter(over_at=None).exists()


def test_a_restore_deals_nothing_again_that_was_played(cup, play):
    play(cup(reveal="press"))
    assert deal_again() == 0


def test_a_remote_bot_plays_no_tournament_whose_results_are_held_back(make_tournament, house, person):
    submission, _ = remote.create_remote_version(owner=person("rita"), slug="ferne", games=["stiche-raten"])
    Version.objects.filter(pk=submission.version_id).update(state=Version.State.APPROVED)
    version = Version.objects.get(pk=submission.version_id)
    version.bot.may_be_entered = True
    version.bot.save()
    with pytest.raises(ValidationError, match="knows the results that it plays"):
        make_tournament(versions=[version, house["thumb"], house["random"]], move_seconds=5, reveal="press")


def test_all_steps_are_actions():
    assert {f"reveal-{step}".removesuffix("-table") for step in RevealStep} <= set(ACTIONS)


def test_output_elsewhere_waits_for_the_reveal(cup, play, make_tournament, land):
    tournament = play(cup(reveal="press"))
    other = make_tournament(*SIX[:3], name="Other", blocks=1)
    lifecycle.start(tournament=other)
    tables = leases.take(block_id=other.blocks.get().pk, owner="w1")
    assert all(land(table) for table in tables)
    keys = [table.pk for table in tables]
    assert record_files.held_back_seats(keys)
    act(tournament, "reveal-all")
    assert not record_files.held_back_seats(keys)
