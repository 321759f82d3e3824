"""Keep the arbiter's list of admitted remote bots and our list of connected ones in sync."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.core.cache import cache
from stichkampf.plain_text import plain_line
from stichkampf.wire.agreed import remote_bots_sha256

from stichkampf_platform.bots.models import RemoteAccess, Submission, Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.machines.failures import each_by_itself

ADDRESS_KEY = "remote-address"
REASON_CHARACTERS = 900

logger = logging.getLogger(__name__)


def remote_address() -> str | None:
    """Return the address for remote bots that the arbiter last gave; empty if it takes none, None before."""
    return cache.get(ADDRESS_KEY)


def connect_command() -> str:
    """Return the command that connects a bot; the token is in the environment or a file."""
    return f"stichkampf connect bot.py --server {remote_address() or 'HOST:PORT'}"


def admitted() -> dict[str, bytes]:
    """Return the remote bots that may connect: by name, the SHA-256 of their tokens.

    A version whose token was revoked stays, with a digest that no token has: a match that it is entered for
    is then played without it, as with any bot that is absent. One that has never played needs no such place.
    """
    accesses = RemoteAccess.objects.exclude(version__state=Version.State.REJECTED).exclude(
        version__state=Version.State.SUBMITTED, revoked_at__isnull=False
    )
    found: dict[str, bytes] = {}

    def admit_one(access: RemoteAccess) -> None:
        found[access.version.remote_name] = bytes.fromhex(access.token_digest)

    each_by_itself("admission of a remote bot", accesses.select_related("version__bot__owner"), admit_one)
    return found


def out_of_play() -> dict[str, str]:
    """Return why suspended remote bots get no further tables, by name, for the arbiter to tell them."""
    suspended = RemoteAccess.objects.filter(version__state=Version.State.SUSPENDED, revoked_at=None)
    return {
        access.version.remote_name: f"suspended: {plain_line(access.version.reason, REASON_CHARACTERS)}"
        for access in suspended.select_related("version__bot__owner")
    }


def may_have_remote_bots() -> bool:
    """Tell whether there are remote bots, or the arbiter's address for them is not known yet."""
    return RemoteAccess.objects.exists() or remote_address() is None


def watch(arbiter: ArbiterClient) -> None:
    """Sync admitted bots to the arbiter and connected ones from it; newly connected ones wait no longer.

    :raises ArbiterGone: the arbiter does not answer; what was noted grows stale.
    """
    if admit(arbiter):
        _note(arbiter)


def admit(arbiter: ArbiterClient) -> int:
    """Send the arbiter the list of admitted bots where it has another; return how many are admitted.

    :raises ArbiterGone: it cannot be told.
    """
    status = arbiter.status(seconds=1)
    if remote_address() != status.remote_address:
        cache.set(ADDRESS_KEY, status.remote_address, timeout=None)
    bots, reasons = admitted(), out_of_play()
    if status.remote_bots_sha256 != remote_bots_sha256(bots, reasons):
        arbiter.admit(bots, reasons)
        logger.info("the arbiter admits %d remote bots", len(bots))
    return len(bots)


def _note(arbiter: ArbiterClient) -> None:
    there = {name: bot for name, bot in arbiter.remote_bots().items() if not bot.leaving}
    now = clock.now()
    accesses = RemoteAccess.objects.select_related("version__bot__owner")
    present = [access for access in accesses if access.version.remote_name in there]
    come = [access.version_id for access in present if not access.connected]
    for access in present:
        bot = there[access.version.remote_name]
        access.last_seen_at = now
        access.connected_at = now - timedelta(seconds=bot.connected_seconds)
        access.latency_seconds = bot.latency_seconds
        access.tables = bot.tables

    def save(access: RemoteAccess) -> None:
        access.save(update_fields=["last_seen_at", "connected_at", "latency_seconds", "tables"])

    each_by_itself("sign of life of a remote bot", present, save)
    gone = accesses.filter(connected_at__isnull=False).exclude(pk__in=[access.pk for access in present])
    gone.update(connected_at=None, latency_seconds=None, tables=0)
    Submission.objects.filter(version__in=come, finished_at=None, lease_owner="").update(lease_until=None)
