"""The pool of hosted processes."""

import time

import pytest
from stichkampf_arbiter.bots.archive_store import ArchiveStore
from stichkampf_arbiter.bots.hosted_pool import ArchiveCopy, HostedBotPool
from stichkampf_arbiter.bots.turns import BlockRegistry
from stichkampf_arbiter.sandbox.contract import SandboxError


async def test_if_no_socket_can_be_opened_no_process_is_taken(tmp_path):
    nowhere = tmp_path / "missing"
    lanes = HostedBotPool(
        None, ArchiveStore(tmp_path / "archives"), nowhere, time.monotonic, most=1, idle_seconds=60
    )
    with pytest.raises(SandboxError, match=f"cannot open the socket {nowhere}"):
        await lanes.take([ArchiveCopy("0" * 64, 0)], "lane", BlockRegistry().join("block", 1))
    await lanes.close()
    assert lanes._living == {}
