"""A node whose clock is wrong takes part like all others: leases, hints and starts go by the database's."""

from datetime import timedelta
from itertools import count

import pytest
from celery.exceptions import Ignore
from django.utils import timezone
from stichkampf_platform.core import clock
from stichkampf_platform.core.machines import expiring_tasks
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.tasks import play_block

TRUE_NOW = timezone.now


@pytest.fixture
def on_node(monkeypatch):
    """Be a node whose own clock is that far off, beside a database whose clock is right."""

    def be(**off):
        monkeypatch.setattr(timezone, "now", lambda: TRUE_NOW() + timedelta(**off))
        monkeypatch.setattr(clock, "_database", clock.SharedClock(TRUE_NOW))

    return be


OFF = pytest.mark.parametrize("off", [{"minutes": 5}, {"minutes": -5}, {"seconds": 12}], ids=str)


@OFF
@pytest.mark.django_db
def test_the_leases_of_a_node_and_of_others_hold(on_node, make_tournament, off):
    tournament = make_tournament(blocks=2)
    lifecycle.start(tournament=tournament)
    first, second = tournament.blocks.order_by("number")
    assert leases.take(block_id=first.pk, owner="right")
    on_node(**off)
    assert leases.take(block_id=first.pk, owner="wrong") == []
    assert len(leases.take(block_id=second.pk, owner="wrong")) == 3
    assert queries.progress(tournament).tables_running == 6
    on_node()
    assert leases.take(block_id=second.pk, owner="third") == []
    ends = Table.objects.filter(lease_owner="wrong").values_list("lease_until", flat=True)
    assert all(timedelta(seconds=5) < end - TRUE_NOW() < timedelta(seconds=15) for end in ends)


@OFF
@pytest.mark.django_db
def test_a_tournament_starts_when_it_is_due(on_node, make_tournament, off):
    tournament = make_tournament(starts_at=TRUE_NOW() + timedelta(seconds=100))
    on_node(**off)
    assert due_steps.start_due() == 0
    tournament.starts_at = TRUE_NOW() - timedelta(seconds=1)
    tournament.save()
    assert due_steps.start_due() == 1


def headers_of_a_message():
    headers = {"expires": (timezone.now() + timedelta(seconds=15)).isoformat()}
    expiring_tasks.date_message(headers=headers)
    assert headers["expires"] is None
    return headers


def is_taken(headers):
    play_block.push_request(**headers)
    try:
        play_block.before_start("an id", (1,), {})
    except Ignore:
        return False
    finally:
        play_block.pop_request()
    return True


@OFF
def test_hints_reach_a_node_and_come_from_it(on_node, off):
    on_node()
    sent = headers_of_a_message()
    on_node(**off)
    assert is_taken(sent)
    sent = headers_of_a_message()
    on_node()
    assert is_taken(sent)


def test_a_hint_that_no_worker_took_in_time_is_dropped(on_node, monkeypatch):
    on_node()
    sent = headers_of_a_message()
    monkeypatch.setattr(clock, "_database", clock.SharedClock(lambda: TRUE_NOW() + timedelta(seconds=16)))
    assert not is_taken(sent)


def test_how_far_a_clock_is_off(on_node):
    on_node(minutes=5)
    assert clock.skew_seconds() == pytest.approx(300, abs=5)


def test_between_two_answers_the_monotonic_clock_counts(monkeypatch):
    asked = count()
    seconds = 1000.0
    monkeypatch.setattr(clock, "monotonic", lambda: seconds)
    start = TRUE_NOW()

    def ask():
        return None if next(asked) else start  # once, then it is away

    shared = clock.SharedClock(ask)
    assert shared.now() == start
    seconds += 19
    assert (shared.now(), next(asked)) == (start + timedelta(seconds=19), 1)
    seconds += 100
    assert shared.now() == start + timedelta(seconds=119)
    assert clock.SharedClock(lambda: None).now() >= start
