"""A node that gives a bot no processor core: no fault, played again alone, set aside, with a warning."""

from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.urls import reverse
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.operations import state_texts
from stichkampf_platform.tournaments.models import Fault, Result, Seat, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import busy_node, play_block

REASON = "the machine is too busy"


class SmallArbiter:
    """Gives bots of these names no core; plays the matches of others."""

    def __init__(self, ended_match, starved):
        self.ended_match, self.starved, self.alone = ended_match, starved, []

    def upload_missing(self, versions):
        list(versions)

    def start(self, *, key, versions, alone, **asked):
        self.alone.append(alone)
        return True

    def collect(self, keys, *, seconds):
        return [self._ended(key) for key in keys]

    def _ended(self, key):
        seats = Seat.objects.filter(table=int(key.split("-")[1]), entrant__version__house__in=self.starved)
        if kept := list(seats.values_list("number", flat=True)):
            failed = pb.MATCH_STATE_FAILED
            status = pb.MatchStatus(match=key, state=failed, reason=REASON, kept_seats=kept)
            return pb.FetchRecordResponse(match=status)
        return self.ended_match(key)

    def acknowledge(self, key):
        pass


@pytest.fixture
def arbiter(ended_match):
    return SmallArbiter(ended_match, starved={"thumb"})


def newest(tournament):
    return tournament.blocks.filter(over_at=None).order_by("number").first()


@pytest.fixture
def tournament(make_tournament, house):
    bots = ("thumb", "random", "timid", "bold", "flat", "glimpse")
    made = make_tournament(versions=[house[name] for name in bots], blocks=20)
    lifecycle.start(tournament=made)
    return made


def with_bot(tournament, name):
    found = tournament.blocks.filter(over_at=None, tables__seats__entrant__version__house=name)
    return found.order_by("number").first()


def test_a_table_whose_bot_got_no_core_is_played_again_alone_without_a_fault(tournament, arbiter):
    block = with_bot(tournament, "thumb")
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 0
    assert not any(arbiter.alone)
    arbiter.alone.clear()
    arbiter.starved = set()
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == block.tables.count()
    assert all(arbiter.alone)
    assert not Fault.objects.exists()
    assert not Result.objects.filter(faults__gt=0).exists()


def test_after_three_times_alone_the_bot_is_set_aside_and_the_others_play_on(tournament, arbiter):
    block = with_bot(tournament, "thumb")
    for _ in range(1 + busy_node.TIMES_ALONE):
        assert not tournament.entrants.filter(out_as="set aside").exists()
        play_block.play_block(block_id=block.pk, arbiter=arbiter)
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.RUNNING
    (out,) = tournament.entrants.filter(out_as="set aside")
    assert out.version.house == "thumb"
    assert "without a fault" in out.out_for
    assert with_bot(tournament, "thumb") is None
    assert play_block.play_block(block_id=newest(tournament).pk, arbiter=arbiter)


def test_the_tournament_pauses_only_if_tables_without_that_bot_fail_too(tournament, arbiter):
    for _ in range(1 + busy_node.TIMES_ALONE):
        play_block.play_block(block_id=with_bot(tournament, "thumb").pk, arbiter=arbiter)
    arbiter.starved = {"random"}
    block = with_bot(tournament, "random")
    for _ in range(1 + busy_node.TIMES_ALONE):
        tournament.refresh_from_db()
        assert tournament.state == Tournament.State.RUNNING
        play_block.play_block(block_id=block.pk, arbiter=arbiter)
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.PAUSED
    assert tournament.entrants.filter(out_as="set aside").count() == 1


def test_the_operator_is_told_that_the_node_is_too_small(
    tournament, arbiter, admin_client, capsys, monkeypatch
):
    status = SimpleNamespace(sandbox_level=pb.SANDBOX_LEVEL_HOSTED, sandbox_reason="")
    monkeypatch.setattr(state_texts, "arbiter", lambda: SimpleNamespace(status=lambda seconds: status))
    call_command("platform_status")
    assert "too small" not in capsys.readouterr().out
    assert "too small" not in admin_client.get(reverse("admin:index")).content.decode()
    play_block.play_block(block_id=with_bot(tournament, "thumb").pk, arbiter=arbiter)
    call_command("platform_status")
    assert "This node is too small: at" in capsys.readouterr().out
    assert "This node is too small: at" in admin_client.get(reverse("admin:index")).content.decode()
