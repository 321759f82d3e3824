"""The gateway for remote bots."""

import asyncio
import time

import grpc
import pytest
from remote_gateway_harness import NAMES, QUICK, digest_of, open_remote_gateway, token_of
from stichkampf import limits
from stichkampf.connection.reconnect import Ending, ReconnectBackoff
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import bot_pb2
from stichkampf.wire.v1.events_pb2 import EventKind
from stichkampf_arbiter.bots import hosted as hosted_module
from stichkampf_arbiter.bots.remote import admitted_bot
from stichkampf_arbiter.bots.remote import gateway as gateway_module
from stichkampf_arbiter.bots.remote.admission import REFUSALS
from stichkampf_arbiter.bots.remote.gateway import RemoteGateway
from stichkampf_arbiter.bots.remote.settings import ListenError, RemoteSettings
from support import wait_until_async


@pytest.fixture(autouse=True)
def no_pause_between_two_streams(monkeypatch):
    monkeypatch.setattr(gateway_module, "ARRIVAL_SECONDS", 0.0)


@pytest.fixture
async def remote_harness(short_folder):
    async with open_remote_gateway(short_folder) as remote_harness:
        yield remote_harness


def faults(record):
    return {(fault["seat"], fault["kind"]) for fault in record["faults"]}


# Who is let in ----------------------------------------------------------------------------------------------


async def test_an_admitted_bot_is_welcome(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot(tables_at_once=3) as bot:
        assert bot.welcome.message_bytes == limits.MESSAGE_BYTES
        assert bot.welcome.tables_at_once == 3
        assert len(bot.welcome.resume_token) == 16
        ((name, stream),) = remote_harness.bots.connected
        assert (name, stream.charged) == (NAMES[0], "wall")


async def test_bots_are_asked_to_wait_until_the_platform_has_sent_its_list(remote_harness):
    async with remote_harness.bot() as bot:
        assert (await bot.ending())[0] is grpc.StatusCode.UNAVAILABLE
        remote_harness.admit()
    async with remote_harness.bot() as bot:
        assert (await bot.ending())[0] is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize("token", ["guess", token_of(NAMES[0]) + "x", digest_of(token_of(NAMES[0])).hex()])
async def test_an_unknown_token_is_refused(remote_harness, token):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot(token) as bot:
        code, words = await bot.ending()
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert token not in words


async def test_only_a_client_that_guesses_tokens_is_slowed_down(remote_harness, monkeypatch, caplog):
    monkeypatch.setattr(gateway_module, "REFUSAL_PAUSE_SECONDS", 0.1)
    remote_harness.admit(*NAMES)
    codes = []
    for guess in range(REFUSALS + 2):
        async with remote_harness.bot(f"guess-{guess}") as bot:
            codes.append((await bot.ending())[0])
    assert codes[:REFUSALS] == [grpc.StatusCode.UNAUTHENTICATED] * REFUSALS
    assert set(codes[REFUSALS:]) == {grpc.StatusCode.RESOURCE_EXHAUSTED}
    async with remote_harness.bot() as bot:
        assert bot.welcome
    assert "guess" not in caplog.text


async def test_another_method_is_refused(remote_harness):
    remote_harness.admit(*NAMES)
    async with grpc.aio.insecure_channel(remote_harness.gateway.address) as channel:
        call = channel.unary_unary("/stichkampf.wire.v1.Arbiter/GetStatus")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call(b"", timeout=10)
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_second_stream_is_refused_while_the_first_one_lives(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as first, remote_harness.bot(resume_token=bytes(16)) as second:
        code, words = await second.ending()
        assert code is grpc.StatusCode.ALREADY_EXISTS
        assert "already connected" in words
        assert not first.call.done()


async def test_a_stream_with_the_resume_token_replaces_the_first(remote_harness):
    remote_harness.admit(*NAMES)
    async with (
        remote_harness.bot() as first,
        remote_harness.bot(resume_token=first.welcome.resume_token) as second,
    ):
        assert (await first.ending())[0] is grpc.StatusCode.ABORTED
        assert second.welcome.resume_token != first.welcome.resume_token
        assert len(remote_harness.bots.connected) == 1


async def test_a_removed_bot_is_disconnected_and_refused(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot:
        remote_harness.admit(*NAMES[1:])
        assert (await bot.ending())[0] is grpc.StatusCode.UNAUTHENTICATED
    async with remote_harness.bot() as bot:
        assert (await bot.ending())[0] is grpc.StatusCode.UNAUTHENTICATED


async def test_admitting_the_same_set_again_disturbs_no_bot(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot:
        remote_harness.admit(*reversed(NAMES))
        remote_harness.admit(*NAMES, "new/one@1")
        assert [name for name, _ in remote_harness.bots.connected] == [NAMES[0]]
        assert not bot.call.done()


# Tables -----------------------------------------------------------------------------------------------------


async def test_remote_bots_play_a_match(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        entry = remote_harness.start()
        await bot.play_on()
        record = await remote_harness.record(entry)
        assert record["faults"] == []
        assert record["time_control"]["charged"] == ["wall"] * 3


async def test_a_resumed_table_has_its_whole_history_and_the_same_end(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            untroubled = remote_harness.start("untroubled")
            await bot.play_on()
        async with remote_harness.bot() as bot:
            entry = remote_harness.start("troubled")
            await bot.answer(await bot.question())
            before = await bot.question()
            seen = bot.events(before.table)
            began = bot.tables[before.table][0].start
        async with remote_harness.bot() as bot:
            after = await bot.question()
            assert after.table == before.table
            assert after.start == began
            assert list(after.events)[: len(seen)] == seen
            assert after.question.legal == before.question.legal
            assert after.question.decision > before.question.decision
            stale = bot_pb2.Answer(
                table=before.table, decision=before.question.decision, action=before.question.legal[-1]
            )
            await bot.call.write(bot_pb2.FromBot(answers=bot_pb2.Answers(answers=[stale])))
            await bot.answer(after)
            await bot.play_on()
        one, other = await remote_harness.record(untroubled), await remote_harness.record(entry)
        assert other["deals"][0]["moves"] == one["deals"][0]["moves"]
        assert other["faults"] == []
        (report,) = entry.reports
        assert (report.seat, report.stale_answers) == (0, 1)
        assert "the connection was lost" in report.complaints[0]


async def test_time_before_the_loss_and_away_is_charged_but_makes_nothing_late(
    remote_harness,
):
    remote_harness.admit(*NAMES)
    used, away = 1.0, 1.0
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            began = time.monotonic()
            entry = remote_harness.start()
            before = await bot.question()
            await thinking(bot, used)
        most = time.monotonic() - began
        await asyncio.sleep(away)
        async with remote_harness.bot() as bot:
            after = await bot.question()
            # The last sign of life is a ping ago at most.
            assert 20 - most <= after.question.seconds <= 20 - 0.2
            assert before.question.seconds == 20
            await bot.answer(after)
            await bot.play_on()
        record = await remote_harness.record(entry)
        assert away <= first_cost(record) < time.monotonic() - began
        assert record["faults"] == []


async def thinking(bot, seconds):
    """Answer pings and nothing else."""
    reading = asyncio.ensure_future(bot.question())
    await asyncio.wait((reading,), timeout=seconds)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)


async def test_leaving_again_and_again_gains_no_time(remote_harness):
    remote_harness.admit(*NAMES)
    control = bot_pb2.TimeControl(move_seconds=2, bank_seconds=0, cap_seconds=2)
    async with remote_harness.others():
        entry, left = None, []
        while entry is None or not entry.status.faults:
            async with remote_harness.bot() as bot:
                entry = entry or remote_harness.start(control=control)
                update = await bot.question()
                left.append(update.question.seconds)
                await thinking(bot, 1.2)
        assert entry.status.faults[0].kind == "timeout"
    assert left[1] < left[0]
    assert 2 <= len(left) <= 3


async def test_going_silent_before_leaving_gains_no_time(short_folder, monkeypatch):
    """A bot that answers no pings is not known to think, so its silence counts as absence."""
    monkeypatch.setattr("stichkampf.limits.REMOTE_OUTAGES", 99)
    async with open_remote_gateway(short_folder, outage_seconds=5, absence_seconds=1.0) as remote_harness:
        remote_harness.admit(*NAMES)
        async with remote_harness.others():
            entry, returns = None, 0
            while entry is None or not entry.status.faults:
                returns += 1
                assert returns < 10
                async with remote_harness.bot() as bot:
                    bot.mute = True
                    entry = entry or remote_harness.start()
                    reading = asyncio.ensure_future(bot.question())
                    await wait_until_async(lambda: reading.done() or entry.status.faults)  # noqa: B023
                    reading.cancel()
                    await asyncio.gather(reading, return_exceptions=True)
                    await asyncio.sleep(0.4)
            assert faults(await remote_harness.record(entry)) == {(0, "disconnected")}


async def two_questions(bot, remote_harness, used):
    """Return the first questions of two matches, the second begun after the bot has thought for a while."""
    entries = [remote_harness.start("one")]
    first = await bot.question()
    # Not `thinking`: a read that is cancelled swallows what comes next.
    reading = asyncio.ensure_future(bot.question())
    await asyncio.sleep(used)
    entries.append(remote_harness.start("other"))
    return entries, first, await reading


async def play_all(bot, tables):
    """Answer all further questions until this number of tables has ended."""
    seen = [update for updates in bot.tables.values() for update in updates]
    answered, ended = {(update.table, update.question.decision) for update in seen}, set()
    while len(ended) < tables:
        await bot.question()
        for update in [update for updates in bot.tables.values() for update in updates]:
            place = update.table, update.question.decision
            if update.HasField("end"):
                ended.add(update.table)
            elif update.HasField("question") and place not in answered:
                answered.add(place)
                await bot.answer(update)


def first_cost(record):
    first = next(at for at, move in enumerate(record["deals"][0]["moves"]) if move[0] == 0)
    return record["costs"][0][first]


async def test_answering_a_later_question_first_gains_no_time(remote_harness):
    remote_harness.admit(*NAMES)
    used = 1.0
    async with remote_harness.bot() as bot, remote_harness.others():
        began = time.monotonic()
        (one, other), first, second = await two_questions(bot, remote_harness, used)
        await bot.answer(second)
        await bot.answer(first)
        await play_all(bot, 2)
        most = time.monotonic() - began
        assert used - 0.2 <= first_cost(await remote_harness.record(one)) <= most
        assert first_cost(await remote_harness.record(other)) <= most - used


async def test_leaving_between_two_questions_gains_no_time_for_the_first(remote_harness):
    remote_harness.admit(*NAMES)
    used = 1.5
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            began = time.monotonic()
            (one, other), *_ = await two_questions(bot, remote_harness, used)
        most = time.monotonic() - began
        async with remote_harness.bot() as bot:
            while len(bot.tables) < 2:
                await bot.question()
            first, second = (bot.tables[table][-1] for table in sorted(bot.tables))
            # Up to the last sign of life, which was a ping ago at most.
            spent = 20 - first.question.seconds
            assert used - 1.1 <= spent <= most
            assert 20 - second.question.seconds <= most - used
            await bot.answer(second)
            await bot.answer(first)
            await play_all(bot, 2)
        whole = time.monotonic() - began
        assert spent - 0.1 <= first_cost(await remote_harness.record(one)) <= whole
        assert first_cost(await remote_harness.record(other)) <= whole - used


async def test_an_absence_with_an_open_question_costs_bank_but_makes_nothing_late(remote_harness):
    remote_harness.admit(*NAMES)
    control = bot_pb2.TimeControl(move_seconds=1, bank_seconds=5, cap_seconds=6)
    away = 1.5
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            began = time.monotonic()
            entry = remote_harness.start(control=control)
            await bot.question()
        there = time.monotonic() - began
        await asyncio.sleep(away)
        async with remote_harness.bot() as bot:
            after = await bot.question()
            assert 6 - there <= after.question.seconds <= 6
            await bot.answer(after)
            update = await bot.question()
            most = time.monotonic() - began
            assert 6 - (most - 1) <= update.question.seconds <= 6 - (away - 1) + 0.2
            await bot.answer(update)
            await bot.play_on()
        assert (await remote_harness.record(entry))["faults"] == []


async def test_an_absence_is_recorded_and_the_second_one_is_a_timeout(
    remote_harness,
):
    remote_harness.admit(*NAMES)
    control = bot_pb2.TimeControl(move_seconds=5, bank_seconds=60, cap_seconds=60)
    away = 1.5
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            entry = remote_harness.start(control=control)
            await bot.question()
        await asyncio.sleep(away)
        async with remote_harness.bot() as bot:
            await bot.answer(await bot.question())
            await bot.question()
        async with remote_harness.bot() as bot:
            await bot.play_on()
        record = await remote_harness.record(entry)
    mine = own_times(record)
    (first, cost, wall), (second, *_) = mine[0], mine[1]
    assert away <= cost <= wall
    assert [(fault["move"], fault["kind"]) for fault in record["faults"]] == [(second, "timeout")]
    assert first != second


def own_times(record):
    """Return the position, cost and wall-clock time of each decision of seat 0 in the first deal."""
    times = zip(record["deals"][0]["moves"], record["costs"][0], record["wall_times"][0], strict=True)
    return [(at, cost, wall) for at, ((seat, _), cost, wall) in enumerate(times) if seat == 0]


async def test_a_bot_away_while_others_play_has_its_whole_time_on_return(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others() as gate:
        async with remote_harness.bot() as bot:
            entry = remote_harness.start()
            update = await bot.question()
            gate.clear()
            await bot.answer(update)
            await wait_until_async(lambda: 0 not in entry.live.adjudicator.open)
        await wait_until_async(lambda: remote_harness.bots.get(NAMES[0]).waiting == 1)
        assert 0 not in entry.live.adjudicator.open
        gate.set()
        await wait_until_async(lambda: 0 in entry.live.adjudicator.open)
        async with remote_harness.bot() as bot:
            update = await bot.question()
            assert update.question.seconds == 20
            assert bot.tables[update.table][0].start.seat == 0
            assert update.events[0].kind == EventKind.EVENT_KIND_DEAL
            await bot.answer(update)
            await bot.play_on()
            assert (await remote_harness.record(entry))["faults"] == []


async def test_a_bot_that_says_it_does_not_play_the_game_is_replaced(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot(games=["mue"]), remote_harness.others():
        entry = remote_harness.start()
        record = await remote_harness.record(entry)
    assert faults(record) == {(0, "crashed")}
    assert "says that it does not play stiche-raten" in entry.reports[0].complaints[0]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "cannot read .*pem: No such file"),
        ({"certificate.pem": b"x", "key.pem": b"y"}, "or the certificate not its key's"),
    ],
)
async def test_a_listener_with_a_bad_certificate_does_not_start(remote_harness, tmp_path, files, words):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    settings = RemoteSettings(
        listen="127.0.0.1:0", certificate=tmp_path / "certificate.pem", key=tmp_path / "key.pem"
    )
    with pytest.raises(ListenError, match=words):
        await RemoteGateway(settings, remote_harness.bots, time.monotonic).listen()


async def test_an_address_that_is_taken_is_named(remote_harness):
    with pytest.raises(
        ListenError, match=f"cannot listen on {remote_harness.gateway.address} .*is the address taken"
    ):
        await RemoteGateway(
            RemoteSettings(listen=remote_harness.gateway.address), remote_harness.bots, time.monotonic
        ).listen()


async def test_after_the_longest_outage_the_bots_part_is_over(short_folder):
    async with open_remote_gateway(short_folder, outage_seconds=0.3) as remote_harness:
        remote_harness.admit(*NAMES)
        async with remote_harness.others():
            async with remote_harness.bot() as bot:
                entry = remote_harness.start()
                await bot.answer(await bot.question())
                await bot.question()
            record = await remote_harness.record(entry)
    assert faults(record) == {(0, "disconnected")}
    own = sum(move[0] == 0 for move in record["deals"][0]["moves"])
    assert len(record["faults"]) == own - 1


async def test_all_outages_of_a_match_together_are_bounded(short_folder, monkeypatch):
    monkeypatch.setattr("stichkampf.limits.REMOTE_OUTAGES", 99)
    async with open_remote_gateway(short_folder, outage_seconds=20, absence_seconds=2.5) as remote_harness:
        remote_harness.admit(*NAMES)
        async with remote_harness.others():
            entry, returns = None, 0
            while entry is None or not entry.status.faults:
                async with remote_harness.bot() as bot:
                    entry = entry or remote_harness.start()
                    returns += 1
                    reading = asyncio.ensure_future(bot.question())
                    await wait_until_async(lambda: reading.done() or entry.status.faults)  # noqa: B023
                    reading.cancel()
                    await asyncio.gather(reading, return_exceptions=True)
                await asyncio.sleep(1.0)
            record = await remote_harness.record(entry)
    assert faults(record) == {(0, "disconnected")}
    assert 2 <= returns <= 4


async def test_a_removed_bot_is_not_awaited(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        entry = remote_harness.start()
        await bot.question()
        remote_harness.admit(*NAMES[1:])
        record = await remote_harness.record(entry)
    assert faults(record) == {(0, "disconnected")}


async def test_tables_resume_with_a_new_token(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            entry = remote_harness.start()
            await bot.question()
            digests = {name: digest_of(token_of(name)) for name in NAMES}
            remote_harness.bots.admit(digests | {NAMES[0]: digest_of("another")})
            assert (await bot.ending())[0] is grpc.StatusCode.UNAUTHENTICATED
        async with remote_harness.bot("another") as bot:
            await bot.play_on()
        assert (await remote_harness.record(entry))["faults"] == []


async def test_a_half_open_stream_gives_its_tables_to_the_next_one(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others(), remote_harness.bot() as old:
        entry = remote_harness.start()
        await old.question()
        async with remote_harness.bot(resume_token=old.welcome.resume_token) as new:
            await new.play_on()
        assert (await remote_harness.record(entry))["faults"] == []


async def test_a_match_waits_for_a_bot_that_is_not_connected_yet(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others():
        entry = remote_harness.start()
        await wait_until_async(lambda: remote_harness.bots.get(NAMES[0]).waiting == 1)
        assert entry.status.state == pb.MATCH_STATE_WAITING
        async with remote_harness.bot() as bot:
            await bot.play_on()
            assert (await remote_harness.record(entry))["faults"] == []


async def test_a_bot_that_never_comes_is_replaced_from_the_start(short_folder):
    async with open_remote_gateway(short_folder, outage_seconds=0.2) as remote_harness:
        remote_harness.admit(*NAMES)
        async with remote_harness.others():
            record = await remote_harness.record(remote_harness.start())
    assert faults(record) == {(0, "disconnected")}
    assert len(record["faults"]) == sum(move[0] == 0 for move in record["deals"][0]["moves"])


async def test_no_more_tables_are_open_than_the_bot_wants(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot(tables_at_once=1) as bot, remote_harness.others():
        first = remote_harness.start("first")
        question = await bot.question()
        second = remote_harness.start("second")
        for _ in range(20):
            await asyncio.sleep(0)
        assert second.status.state == pb.MATCH_STATE_WAITING
        assert len(remote_harness.bots.connected[0][1].tables) == 1
        await bot.answer(question)
        await bot.play_on()
        await remote_harness.record(first)
        await wait_until_async(lambda: second.status.state == pb.MATCH_STATE_RUNNING)


async def test_a_flood_ends_all_tables_of_the_bot_at_once(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        entry = remote_harness.start()
        question = await bot.question()
        answer = bot_pb2.Answer(table=question.table, decision=99, action="x")
        frame = bot_pb2.FromBot(answers=bot_pb2.Answers(answers=[answer] * 300))
        await bot.call.write(frame)
        assert (await bot.ending())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
        record = await remote_harness.record(entry)
    assert faults(record) == {(0, "malformed")}


async def test_too_many_calls_end_all_tables_of_the_bot_at_once(remote_harness, monkeypatch):
    monkeypatch.setattr(admitted_bot, "MAX_CALLS", 5)
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        entry = remote_harness.start()
        await bot.question()
        for _ in range(5):
            async with remote_harness.bot() as other:
                pass
        assert other.welcome is None
        assert (await bot.ending())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
        record = await remote_harness.record(entry)
    assert faults(record) == {(0, "malformed")}


def test_two_reconnecting_processes_are_never_banned_for_their_calls():
    failed = Ending(grpc.StatusCode.UNAVAILABLE, "", welcomed=False, seconds=0.0)
    backoff = ReconnectBackoff()
    assert sum(backoff.after(failed) for _ in range(admitted_bot.MAX_CALLS // 2)) > admitted_bot.CALLS_SECONDS


async def test_an_overrun_of_twice_the_limit_is_a_timeout(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        entry = remote_harness.start(control=QUICK)
        await bot.question()
        late = await bot.question()
        assert [fault.kind for fault in entry.status.faults] == ["timeout"]
        await bot.answer(late)
        await bot.play_on()
        record = await remote_harness.record(entry)
    assert len(record["faults"]) == 1


async def test_a_question_waits_on_a_silent_connection_but_a_late_answer_is_late(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        bot.mute = True
        entry = remote_harness.start(control=QUICK)
        late = await bot.question()
        asked = time.monotonic()
        while time.monotonic() < asked + 3 * QUICK.move_seconds:
            await asyncio.sleep(0.05)
            assert not entry.status.faults
        await bot.answer(late)
        await wait_until_async(lambda: entry.status.faults)
        assert entry.status.faults[0].kind == "timeout"


async def test_a_draining_arbiter_announces_it_and_admits_only_bots_with_tables(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            entry = remote_harness.start()
            await bot.question()
            remote_harness.bots.connected[0][1].drain(5.0)
            remote_harness.gateway.draining = True
            frame = await asyncio.wait_for(bot.call.read(), 10)
            while not frame.HasField("draining"):
                frame = await asyncio.wait_for(bot.call.read(), 10)
            assert frame.draining.seconds == 5.0
        await wait_until_async(lambda: remote_harness.bots.get(NAMES[0]).waiting == 1)
        async with remote_harness.bot() as bot:
            await bot.play_on()
        assert (await remote_harness.record(entry))["faults"] == []
        async with remote_harness.bot() as bot:
            assert (await bot.ending())[0] is grpc.StatusCode.UNAVAILABLE


async def test_a_match_without_its_archive_fails_with_the_reason(remote_harness):
    remote_harness.admit(*NAMES)
    hosted = pb.Seat(bot="ann/karl", archive_sha256="0" * 64)
    seats = [hosted, *(pb.Seat(bot=name.split("@")[0], version=1, remote=name) for name in NAMES[1:])]
    entry = remote_harness.start(seats=seats)
    await wait_until_async(lambda: entry.status.state == pb.MATCH_STATE_FAILED)
    assert entry.status.reason.endswith("for a bot: No such file or directory")


async def test_an_error_of_the_arbiter_fails_the_match(remote_harness, caplog, monkeypatch):
    """The harness has no launcher, so a hosted bot breaks the start of the match."""
    monkeypatch.setattr(hosted_module, "parts_of_archive", lambda archive: ())
    remote_harness.admit(*NAMES)
    hosted = pb.Seat(bot="ann/karl", archive_sha256="0" * 64)
    seats = [hosted, *(pb.Seat(bot=name.split("@")[0], version=1, remote=name) for name in NAMES[1:])]
    entry = remote_harness.start(seats=seats)
    await wait_until_async(lambda: entry.status.state == pb.MATCH_STATE_FAILED)
    assert "an error of the arbiter: AttributeError" in entry.status.reason
    assert "match m: an error of the arbiter" in caplog.text
