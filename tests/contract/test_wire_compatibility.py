"""The wire stays compatible: bots of earlier SDKs play against the arbiter of today.

`tests/fixtures/sdk_of_wire_version_1.tar.xz` is `git archive --format=tar 37b1c55 sdk/stichkampf | xz -9e`;
`sdk_of_8c9bc60f.tar.xz` is the same of that commit without the folders that no bot imports. The first speaks
gRPC, the second frames.
"""

import asyncio
import os
import sys
from math import inf
from pathlib import Path

import pytest
from stichkampf.games import GAMES, new_game
from stichkampf.local_play.validation import short_options
from stichkampf.match.table import Table
from stichkampf.wire.events import from_wire
from support import archive, unpacked

SDKS = ("sdk_of_wire_version_1.tar.xz", "sdk_of_8c9bc60f.tar.xz")
# It looks at everything that its tables knew, and searches on them.
BOT = """
from stichkampf import Bot, Note

class Karl(Bot):
    def choose(self, table):
        assert table.hand is not None and table.facts and table.history
        deal = table.deal.determinise(table.seat, table.rng.getrandbits(62))
        deal.playout(table.rng.getrandbits(62))
        return table.legal[0], Note("of an earlier day", {table.legal[0]: 1.0})
"""


@pytest.fixture(scope="module", params=SDKS)
def earlier_sdk(request, tmp_path_factory):
    return unpacked(request.param, tmp_path_factory.mktemp("earlier"))


@pytest.mark.parametrize("game", GAMES)
async def test_a_bot_of_the_earlier_sdk_plays_a_whole_match_without_a_fault(
    harness, earlier_sdk, tmp_path, game
):
    Path(tmp_path, "karl.zip").write_bytes(archive(BOT))
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(earlier_sdk / "sdk"),
        "TMPDIR": str(tmp_path),
    }
    words = ["-m", "stichkampf.client", "--archive", tmp_path / "karl.zip"]
    words += ["--socket", harness.address.removeprefix("unix:")]
    bot = await asyncio.create_subprocess_exec(
        sys.executable, *words, env=environment, stderr=asyncio.subprocess.PIPE
    )
    try:
        seats = 3 if 3 in GAMES[game].players else min(GAMES[game].players)
        options = short_options(game, seats)
        match = await harness.start_match(game=game, options=options, seats=seats)
        await asyncio.wait_for(harness.over.wait(), 120)
    finally:
        bot.kill()
        _, said = await bot.communicate()
    assert match.over
    assert match.faults == [], said.decode()


@pytest.mark.parametrize("game", ["mue", "njet", "was-sticht", "stiche-raten"])
async def test_questions_hold_the_hand_and_the_bank_and_the_start_the_version_of_the_rules(harness, game):
    seats = min(GAMES[game].players)
    async with harness.bot() as bot:
        await bot.hello()
        await harness.start_match(game=game, options=short_options(game, seats), seats=seats)
        rules = new_game(game, seats, short_options(game, seats))
        tables, banks = {}, {}
        asked = 0
        while not harness.over.is_set():
            frame = await asyncio.wait_for(bot.call.read(), 60)
            for update in frame.updates.tables:
                if update.HasField("start"):
                    assert update.start.rules_version == GAMES[game].rules_version
                    tables[update.table] = Table(rules, update.start.seat, bytes(32))
                table = tables[update.table]
                table.follow(from_wire(event) for event in update.events)
                if update.HasField("question"):
                    asked += 1
                    assert list(update.question.hand) == table.hand
                    assert update.HasField("bank_seconds")
                    assert update.bank_seconds <= banks.get(update.table, inf)
                    banks[update.table] = update.bank_seconds
                    legal = update.question.legal
                    await bot.answer(update, legal[7 * asked % len(legal)])
    assert asked > seats
