"""The control service of a real arbiter process, with house bots at the tables."""

import json
import os
import signal
import socket
import subprocess
import sys

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from stichkampf.bots.practice import entrant, play_match
from stichkampf.bots.registry import house_bots
from stichkampf.games import new_game
from stichkampf.match.verify import verify
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import bot_pb2

SEED = bytes(range(32))


def house(*names):
    versions = {name: bot.version for name, bot in house_bots().items()}
    return [pb.Seat(bot=f"house/{name}", version=versions.get(name, 1), house=name) for name in names]


def request(key, **fields):
    defaults = {
        "game": "stiche-raten",
        "seats": house("thumb", "random", "bold"),
        "seed": SEED,
        "options_json": '{"length": "deals:2"}',
    }
    if "deals_json" in fields:
        del defaults["seed"]
    return pb.StartMatchRequest(idempotency_key=key, **{**defaults, **fields})


def played(arbiter, key, **fields):
    arbiter.stub.StartMatch(request(key, **fields))
    (status,) = arbiter.wait_over(key)
    assert status.state == pb.MATCH_STATE_FINISHED, status.reason
    return json.loads(arbiter.stub.FetchRecord(pb.FetchRecordRequest(match=key)).record_json)


@pytest.mark.parametrize("game", ["stiche-raten", "sticheln"])
def test_a_match_of_house_bots_equals_the_one_played_without_a_network(arbiter, game):
    names, options = ("thumb", "random", "glimpse"), {"length": "deals:2"}
    fields = {"game": game, "seats": house(*names), "options_json": json.dumps(options)}
    record = played(arbiter, f"same-{game}", **fields)
    verify(record)
    local = play_match(new_game(game, 3, options), [*map(entrant, names)], SEED).record
    assert {field: record[field] for field in ("options", "deals", "faults", "scores", "ranks")} == {
        field: local[field] for field in ("options", "deals", "faults", "scores", "ranks")
    }


def test_the_record_names_the_clock_and_the_sandbox(arbiter):
    control = bot_pb2.TimeControl(move_seconds=1.5, bank_seconds=4, cap_seconds=3)
    record = played(arbiter, "clock", time_control=control)
    assert record["time_control"] == {
        "move_seconds": 1.5,
        "bank_seconds": 4.0,
        "cap_seconds": 3.0,
        "charged": ["wall"] * 3,
    }
    assert record["sandbox"] in {"gvisor", "hosted", "development", "refused"}
    costs = [cost for deal in record["costs"] for cost in deal]
    assert len(costs) == sum(len(deal["moves"]) for deal in record["deals"])
    assert all(0 <= cost < 1.5 for cost in costs)


def test_the_deals_of_a_record_can_be_played_again(arbiter):
    first = played(arbiter, "first")
    again = played(
        arbiter, "again", deals_json=json.dumps(first["deals"]), seats=house("random", "bold", "timid")
    )
    assert [deal["hands"] for deal in again["deals"]] == [deal["hands"] for deal in first["deals"]]


def test_a_second_start_of_the_same_key_is_the_same_match(arbiter):
    first = arbiter.stub.StartMatch(request("twice"))
    second = arbiter.stub.StartMatch(request("twice"))
    assert (first.started, second.started) == (True, False)
    arbiter.wait_over("twice")
    assert arbiter.stub.StartMatch(request("twice")).match.state == pb.MATCH_STATE_FINISHED


def test_a_match_stays_the_same_when_other_tables_of_its_block_are_over(arbiter):
    arbiter.stub.StartMatch(request("left", block="a block", block_tables=4))
    assert not arbiter.stub.StartMatch(request("left", block="a block", block_tables=3)).started
    arbiter.wait_over("left")


def test_the_key_of_another_match_is_refused(arbiter):
    arbiter.stub.StartMatch(request("taken"))
    with pytest.raises(grpc.RpcError) as refused:
        arbiter.stub.StartMatch(request("taken", lane="other"))
    assert refused.value.code() is grpc.StatusCode.ALREADY_EXISTS


def test_an_acknowledged_match_is_forgotten(arbiter):
    played(arbiter, "forgotten")
    arbiter.stub.AcknowledgeRecord(pb.AcknowledgeRecordRequest(match="forgotten"))
    arbiter.stub.AcknowledgeRecord(pb.AcknowledgeRecordRequest(match="forgotten"))
    with pytest.raises(grpc.RpcError) as unknown:
        arbiter.stub.FetchRecord(pb.FetchRecordRequest(match="forgotten"))
    assert unknown.value.code() is grpc.StatusCode.NOT_FOUND


def test_a_long_match_can_be_cancelled(arbiter):
    arbiter.stub.StartMatch(request("long", options_json='{"length": "deals:10000"}'))
    cancelled = arbiter.stub.CancelMatch(pb.CancelMatchRequest(match="long")).match
    assert cancelled.state == pb.MATCH_STATE_CANCELLED
    assert arbiter.wait_over("long")[0].state == pb.MATCH_STATE_CANCELLED
    with pytest.raises(grpc.RpcError) as refused:
        arbiter.stub.FetchRecord(pb.FetchRecordRequest(match="long"))
    assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert "it is cancelled" in refused.value.details()


def test_progress_is_watched_from_a_revision_on(arbiter):
    arbiter.stub.StartMatch(request("watched", options_json='{"length": "deals:10000"}'))
    revisions, deals = [], []
    watching = arbiter.stub.WatchMatches(pb.WatchMatchesRequest(matches=["watched"]))
    for news in watching:
        revisions.append(news.match.revision)
        deals.append(news.match.deals)
        if deals[-1] >= 3:
            break
    watching.cancel()
    assert revisions == sorted(set(revisions))
    assert deals == sorted(deals)
    later = arbiter.stub.WatchMatches(
        pb.WatchMatchesRequest(matches=["watched"], after_revision=revisions[-1])
    )
    assert next(later).match.revision > revisions[-1]
    later.cancel()
    arbiter.stub.CancelMatch(pb.CancelMatchRequest(match="watched"))


def test_matches_are_collected_with_their_records_as_they_end(arbiter):
    endless = request("endless", game="sticheln", options_json='{"length": "deals:10000"}')
    for one in (request("short"), request("short-too"), endless):
        arbiter.stub.StartMatch(one)
    arbiter.wait_over("short", "short-too")
    keys = ["short", "endless", "short-too"]
    found = arbiter.stub.CollectMatches(pb.CollectMatchesRequest(matches=keys, seconds=60)).matches
    assert [one.match.match for one in found] == ["short", "short-too"]
    for one in found:
        verify(json.loads(one.record_json))
        assert one == arbiter.stub.FetchRecord(pb.FetchRecordRequest(match=one.match.match))
    assert not arbiter.stub.CollectMatches(pb.CollectMatchesRequest(matches=["endless"], seconds=0.2)).matches
    waiting = arbiter.stub.CollectMatches.future(pb.CollectMatchesRequest(matches=["endless"], seconds=60))
    arbiter.stub.CancelMatch(pb.CancelMatchRequest(match="endless"))
    (cancelled,) = waiting.result().matches
    assert (cancelled.match.state, cancelled.record_json) == (pb.MATCH_STATE_CANCELLED, "")


@pytest.mark.parametrize(
    ("keys", "seconds", "code", "words"),
    [
        ([], 1, grpc.StatusCode.INVALID_ARGUMENT, "name 1 to 1000 matches, not 0"),
        (["nowhere"], 1, grpc.StatusCode.NOT_FOUND, "knows no match 'nowhere'"),
        (["to-collect"], 61, grpc.StatusCode.INVALID_ARGUMENT, "wait 0 to 60 seconds, not 61"),
        (["to-collect"], float("nan"), grpc.StatusCode.INVALID_ARGUMENT, "not nan"),
    ],
)
def test_what_cannot_be_collected_is_refused(arbiter, keys, seconds, code, words):
    arbiter.stub.StartMatch(request("to-collect"))
    with pytest.raises(grpc.RpcError) as refused:
        arbiter.stub.CollectMatches(pb.CollectMatchesRequest(matches=keys, seconds=seconds))
    assert refused.value.code() is code
    assert words in refused.value.details()


def test_many_tables_at_once_each_end_once(arbiter):
    keys = [f"many-{number}" for number in range(40)]
    for key in keys:
        arbiter.stub.StartMatch(request(key))
    statuses = arbiter.wait_over(*keys)
    assert {status.state for status in statuses} == {pb.MATCH_STATE_FINISHED}
    records = {arbiter.stub.FetchRecord(pb.FetchRecordRequest(match=key)).match.scores[0] for key in keys}
    assert len(records) == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"game": "skat"}, "no game is called 'skat'"),
        ({"seats": house("thumb")}, "seats"),
        ({"seats": house("thumb", "thumb", "unknown")}, "no house bot is called 'unknown'"),
        ({"seats": [*house("thumb", "thumb"), pb.Seat(bot="x")]}, "seats[2] names no program"),
        ({"seats": [*house("thumb", "thumb"), pb.Seat(house="bold")]}, "seats[2] needs a bot name"),
        ({"seats": [*house("thumb", "thumb"), pb.Seat(bot="x", archive_sha256="abc")]}, "64 lower-case"),
        ({"options_json": '{"length": "deals:0"}'}, "length cannot be"),
        ({"options_json": "[]"}, "must be a JSON object"),
        ({"options_json": "{"}, "not JSON"),
        ({"seed": b"short"}, "32 bytes"),
        ({"deals_json": "7"}, "list of deals"),
        ({"lane": "x" * 101}, "at most 100"),
        (
            {"time_control": bot_pb2.TimeControl(move_seconds=-1, cap_seconds=1)},
            "move_seconds must lie between",
        ),
        (
            {"time_control": bot_pb2.TimeControl(move_seconds=2, cap_seconds=1)},
            "less than the time for a move",
        ),
    ],
)
def test_an_impossible_match_is_refused_with_the_reason(arbiter, fields, words):
    with pytest.raises(grpc.RpcError) as refused:
        arbiter.stub.StartMatch(request("impossible", **fields))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert words in refused.value.details()


@pytest.mark.parametrize("key", ["", "two words", "x" * 201])
def test_a_bad_key_is_refused(arbiter, key):
    with pytest.raises(grpc.RpcError) as refused:
        arbiter.stub.StartMatch(request(key))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_the_status_lists_the_house_bots(arbiter):
    status = arbiter.status()
    assert {"thumb", "random"} <= {bot.name for bot in status.house_bots}
    assert (status.wire_version, status.draining) == (1, False)


def house_process(arbiter):
    """Return the id of the process of the house bots, once it has played."""
    arbiter.wait_over(arbiter.stub.StartMatch(request("before")).match.match)
    arbiter.stub.AcknowledgeRecord(pb.AcknowledgeRecordRequest(match="before"))
    children = subprocess.run(
        ["pgrep", "-P", str(arbiter.process.pid), "-f", "stichkampf.house"],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(children.stdout)


def test_a_house_process_that_hangs_is_ended_and_its_match_fails_through_the_platform(arbiter):
    os.kill(house_process(arbiter), signal.SIGSTOP)
    control = bot_pb2.TimeControl(move_seconds=0.2, bank_seconds=0, cap_seconds=0.2)
    arbiter.stub.StartMatch(request("hung", time_control=control))
    (status,) = arbiter.wait_over("hung")
    assert (status.state, status.reason) == (pb.MATCH_STATE_FAILED, "a process of the platform ended")
    arbiter.stub.AcknowledgeRecord(pb.AcknowledgeRecordRequest(match="hung"))
    assert played(arbiter, "hung")["faults"] == []


def test_the_house_process_is_listed_and_restarted_after_its_end(arbiter):
    process = house_process(arbiter)
    (found,) = [bot for bot in arbiter.stub.ListBots(pb.ListBotsRequest()).bots if bot.program == "house"]
    assert found.agent.startswith("stichkampf/")
    os.kill(process, signal.SIGKILL)
    arbiter.stub.StartMatch(request("after"))
    (status,) = arbiter.wait_over("after")
    if status.state == pb.MATCH_STATE_FAILED:
        # It sat down before the loss was noticed: a failure of the platform, so the same key may start again.
        assert "process of the platform" in status.reason
        arbiter.stub.AcknowledgeRecord(pb.AcknowledgeRecordRequest(match="after"))
    assert played(arbiter, "after")["faults"] == []


def test_health_and_reflection_answer(arbiter):
    health = health_pb2_grpc.HealthStub(arbiter.channel).Check(health_pb2.HealthCheckRequest())
    assert health.status == health_pb2.HealthCheckResponse.SERVING
    asking = reflection_pb2_grpc.ServerReflectionStub(arbiter.channel).ServerReflectionInfo(
        iter([reflection_pb2.ServerReflectionRequest(list_services="")])
    )
    names = {service.name for service in next(asking).list_services_response.service}
    assert "stichkampf.wire.v1.Arbiter" in names


def test_a_second_arbiter_on_the_same_socket_is_refused(arbiter):
    environment = {
        **os.environ,
        "STICHKAMPF_ARBITER_ADDRESS": f"unix:{arbiter.socket}",
        "STICHKAMPF_STATE_DIR": str(arbiter.folder),
    }
    second = subprocess.run(
        [sys.executable, "-m", "stichkampf_arbiter"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert second.returncode == 1
    assert "another arbiter listens on" in second.stderr
    assert arbiter.status().process_id


def test_after_a_kill_the_same_match_can_be_started_again(mortal_arbiter):
    arbiter = mortal_arbiter
    arbiter.stub.StartMatch(request("again", options_json='{"length": "deals:10000"}'))
    before = arbiter.status().process_id
    arbiter.kill()
    arbiter.start()
    assert arbiter.status().process_id != before
    with pytest.raises(grpc.RpcError) as unknown:
        arbiter.stub.CancelMatch(pb.CancelMatchRequest(match="again"))
    assert unknown.value.code() is grpc.StatusCode.NOT_FOUND
    assert played(arbiter, "again")["faults"] == []


def test_on_a_stop_signal_matches_end_and_nothing_is_left(mortal_arbiter):
    arbiter = mortal_arbiter
    arbiter.stub.StartMatch(request("endless", options_json='{"length": "deals:10000"}'))
    group = subprocess.run(
        ["pgrep", "-P", str(arbiter.process.pid)], capture_output=True, text=True, check=True
    )
    children = [int(word) for word in group.stdout.split()]
    assert children
    assert arbiter.stop() == 0
    assert not any(os.path.exists(f"/proc/{child}") for child in children)
    assert not (arbiter.folder / "bots").exists()
    with socket.socket(socket.AF_UNIX) as client, pytest.raises(OSError, match=r"refused|No such file"):
        client.connect(str(arbiter.socket))
