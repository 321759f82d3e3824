"""Faults of a bot at its table: every kind, its cost, and the substitute."""

import asyncio
import time

import pytest
from stichkampf.match.record_shape import check_shape
from stichkampf.match.verify import verify
from stichkampf.time_control import TimeControl
from stichkampf.timing.time_accounts import WallAccount
from stichkampf.wire.v1 import bot_pb2

# No answer of these tests is ever late by itself, however busy the machine is.
LONG = TimeControl(move_seconds=600.0, bank_seconds=0.0, cap_seconds=600.0)


def expire(harness):
    """Time out the open question, as the first tick after its limit does."""
    harness.gateway.stream.result().sweep(time.monotonic() + 1.1 * LONG.cap_seconds)


async def play_on(bot, harness):
    """Answer every question until the match is over."""
    over = asyncio.ensure_future(harness.over.wait())
    while not over.done():
        question = asyncio.ensure_future(bot.question())
        await asyncio.wait((question, over), return_when=asyncio.FIRST_COMPLETED)
        if question.done():
            await bot.answer(question.result())
        else:
            bot.call.cancel()
            await asyncio.gather(question, return_exceptions=True)


def checked(match):
    """Verify the record of a finished match and return it."""
    record = match.record([{"bot": "a/test", "version": 1}] * 3)
    check_shape(record)
    verify(record)
    return record


async def test_a_match_without_faults_verifies(harness):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        await play_on(bot, harness)
        assert checked(match)["faults"] == []


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ({"action": "play SA"}, "illegal"),
        ({"action": "sing a song"}, "malformed"),
        ({"action": ""}, "malformed"),
        ({"failure": bot_pb2.Failure(message="line 3: KeyError")}, "crashed"),
        ({"failure": bot_pb2.Failure(message="returned 7", malformed=True)}, "malformed"),
        ({"resignation": bot_pb2.Resignation()}, "resigned"),
    ],
)
async def test_a_bad_answer_is_a_fault_of_its_kind(harness, reply, kind):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        first = await bot.question()
        await bot.answer(first, **reply)
        await play_on(bot, harness)
        fault = checked(match)["faults"][0]
        assert (fault["deal"], fault["move"], fault["kind"]) == (0, 0, kind)


async def test_a_message_to_the_owner_has_only_readable_characters(harness):
    async with harness.bot() as bot:
        await bot.hello()
        await harness.start_match()
        first = await bot.question()
        await bot.answer(first, failure=bot_pb2.Failure(message="line 3:\n\0\u202e \x1b" + "é" * 500))
        await play_on(bot, harness)
        seat = harness.live.seats[bot.tables[first.table][0].start.seat]
        assert seat.complaints == [f"line 3:\n\ufffd\ufffd \ufffd{'é' * 500}"[:300]]


async def test_an_answer_without_anything_is_malformed(harness):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        first = await bot.question()
        empty = bot_pb2.Answer(table=first.table, decision=first.question.decision)
        await bot.call.write(bot_pb2.FromBot(answers=bot_pb2.Answers(answers=[empty])))
        await play_on(bot, harness)
        assert checked(match)["faults"][0]["kind"] == "malformed"


async def test_silence_is_a_timeout(timeless_harness):
    async with timeless_harness.bot() as bot:
        await bot.hello()
        match = await timeless_harness.start_match(control=LONG)
        await bot.question()
        expire(timeless_harness)
        second = await bot.question()
        assert [(fault["move"], fault["kind"]) for fault in match.faults] == [(0, "timeout")]
        assert match.played[0].costs[0] >= LONG.cap_seconds
        await bot.answer(second)
        await play_on(bot, timeless_harness)
        checked(match)


async def test_a_late_answer_is_ignored_and_counted(timeless_harness):
    async with timeless_harness.bot() as bot:
        await bot.hello()
        match = await timeless_harness.start_match(control=LONG)
        first = await bot.question()
        expire(timeless_harness)
        second = await bot.question()
        await bot.answer(first, "bid 1")
        await bot.answer(second)
        await play_on(bot, timeless_harness)
        assert [(fault["move"], fault["kind"]) for fault in checked(match)["faults"]] == [(0, "timeout")]
        assert timeless_harness.gateway.stream.result().stale_answers == 1


async def test_a_second_answer_to_the_same_question_is_ignored_and_counted(harness):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        first = await bot.question()
        legal = first.question.legal
        await bot.answer(first, legal[1])
        await bot.answer(first, legal[0])
        await play_on(bot, harness)
        assert match.played[0].moves[0][1] == legal[1]
        assert harness.gateway.stream.result().stale_answers == 1


async def test_the_third_fault_ends_the_bots_part(harness):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match(options={"length": "deals:10"})
        seat, reasons = None, []
        while seat is None or len([f for f in match.faults if f["seat"] == seat]) < 3:
            update = await bot.question()
            start = bot.tables[update.table][0].start
            seat = start.seat if seat is None else seat
            await bot.answer(update, "play SA" if start.seat == seat else None)
        table = next(number for number, news in bot.tables.items() if news[0].start.seat == seat)
        await play_on(bot, harness)
        reasons = [update.end.reason for update in bot.tables[table] if update.HasField("end")]
        assert reasons == [bot_pb2.TABLE_END_REASON_REPLACED]
        record = checked(match)
        kinds = {fault["kind"] for fault in record["faults"]}
        assert kinds == {"illegal"}
        own = sum(move[0] == seat for deal in record["deals"] for move in deal["moves"])
        assert len(record["faults"]) == own


async def test_resigning_ends_the_bots_part_at_once(harness):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        first = await bot.question()
        seat = bot.tables[first.table][0].start.seat
        await bot.answer(first, resignation=bot_pb2.Resignation())
        await play_on(bot, harness)
        record = checked(match)
        assert {fault["kind"] for fault in record["faults"]} == {"resigned"}
        assert len(record["faults"]) == sum(move[0] == seat for move in record["deals"][0]["moves"])


async def test_a_bot_that_leaves_is_replaced_to_the_end(harness):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        await bot.question()
    await asyncio.wait_for(harness.over.wait(), 10)
    record = checked(match)
    assert {fault["kind"] for fault in record["faults"]} == {"disconnected"}
    assert len(record["faults"]) == sum(len(deal["moves"]) for deal in record["deals"])


async def test_the_loss_of_a_platform_process_is_no_fault(harness):
    harness.loss = None
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        await bot.question()
    await asyncio.wait_for(harness.over.wait(), 10)
    assert harness.broken
    assert match.faults == []


async def test_notes_are_kept_with_the_record_and_cut_to_size(harness):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        first = await bot.question()
        weights = [
            bot_pb2.Weight(action="bid 0", weight=0.5),
            bot_pb2.Weight(action="bid 1", weight=float("nan")),
        ]
        note = bot_pb2.Note(text="\0" + "x" * 300, weights=weights)
        await bot.answer(first, action=first.question.legal[0], note=note)
        await play_on(bot, harness)
        (kept,) = checked(match)["notes"]
        assert (kept["deal"], kept["move"]) == (0, 0)
        assert kept["note"] == {"text": "\ufffd" + "x" * 199, "weights": {"bid 0": 0.5}}


async def test_a_seat_is_told_its_own_cards_only(harness):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        await play_on(bot, harness)
        hands = match.played[0].dealt["hands"]
        for news in bot.tables.values():
            seat = news[0].start.seat
            deals = [event for update in news for event in update.events if event.kind == 1]
            assert [sorted(event.cards) for event in deals] == [sorted(hands[seat])]


async def test_a_bot_without_a_core_has_no_fault_and_its_match_fails(harness, monkeypatch):
    monkeypatch.setattr(WallAccount, "is_over", lambda *question: False)
    monkeypatch.setattr(WallAccount, "was_kept_from_core", lambda *question: True)
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match(
            control=TimeControl(move_seconds=0.2, bank_seconds=0.0, cap_seconds=0.2)
        )
        await bot.question()
        async with asyncio.timeout(60):
            await harness.over.wait()
    assert match.faults == []
    assert len(harness.live.kept_seats) == 1
    assert "a bot was given no core" in harness.broken[0]
