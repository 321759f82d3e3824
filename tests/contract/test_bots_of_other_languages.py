"""The bots of `examples`, made from the proto files alone with gRPC's own libraries, play on today's wire.

`deploy/setup.sh --for-long-tests` builds them.
"""

import asyncio
import os
import signal
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from documents import typed_lines
from remote_gateway_harness import NAMES, token_of
from stichkampf.games import GAMES
from stichkampf.local_play.validation import short_options
from stichkampf.packaging.archive import pack
from support import wait_until_async

EXAMPLES = Path(__file__).parents[2] / "examples"
HOME = {
    "javascript": ["node", str(EXAMPLES / "javascript/build/bot.js")],
    "cpp": [str(EXAMPLES / "cpp/build/bot")],
}
AT_HOME = {
    "javascript": typed_lines("examples/javascript/README.md", "node build/bot.js"),
    "cpp": typed_lines("examples/cpp/README.md", "build/bot"),
}
"""The lines that start it on its author's machine."""
ARCHIVES = {"javascript": EXAMPLES / "javascript/build", "cpp": EXAMPLES / "cpp/build/static"}


@pytest.mark.parametrize("language", ARCHIVES)
def test_it_could_be_built(language):
    failed = EXAMPLES / language / "build" / "failed"
    assert not failed.exists(), f"examples/{language} could not be built:\n{failed.read_text()}"
    assert Path(HOME[language][-1]).exists(), (
        f"examples/{language} is not built: sh deploy/setup.sh --for-long-tests"
    )


@asynccontextmanager
async def running(language, *words, **environment):
    bot = await asyncio.create_subprocess_exec(
        *HOME[language],
        *map(str, words),
        env={"PATH": os.environ["PATH"], **environment},
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield bot
    finally:
        if bot.returncode is None:
            bot.kill()
        await bot.communicate()


def test_the_tests_of_the_javascript_example_pass():
    (line,) = typed_lines("examples/javascript/README.md", "npm test")
    done = subprocess.run(
        line.split(), cwd=EXAMPLES / "javascript", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", HOME)
async def test_it_plays_a_whole_match_of_every_game_without_a_fault(harness, language, game):
    seats = min(GAMES[game].players)
    async with running(language, STICHKAMPF_SOCKET=harness.address.removeprefix("unix:")):
        match = await harness.start_match(game=game, options=short_options(game, seats), seats=seats)
        await asyncio.wait_for(harness.over.wait(), 120)
    assert (match.over, match.faults) == (True, [])


@pytest.mark.parametrize("language", ARCHIVES)
def test_it_plays_in_the_sandbox(arbiter, language):
    arbiter.start_hosted(language, arbiter.upload(pack(ARCHIVES[language])))
    record, reports = arbiter.finished(language)
    assert record["faults"] == [], reports[0]
    own = [move for deal in record["deals"] for move in deal["moves"] if move[0] == 0]
    assert own[0][1] == "bid 0"


@pytest.mark.parametrize("language", HOME)
async def test_it_plays_from_its_authors_machine(remote_harness, tmp_path, language):
    token = tmp_path / "token"
    token.write_text(token_of(NAMES[0]) + "\n")
    remote_harness.admit(*NAMES)
    (line,) = AT_HOME[language]
    meant = {"127.0.0.1:8001": remote_harness.gateway.address, "token": token}
    words = [meant.get(word, word) for word in line.split()]
    async with running(language, *words[len(HOME[language]) :]) as bot, remote_harness.others():
        await wait_until_async(lambda: len(remote_harness.bots.connected) == 3)
        record = await remote_harness.record(remote_harness.start())
        assert record["faults"] == []
        if language == "javascript":
            bot.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(bot.wait(), 60) == 0
