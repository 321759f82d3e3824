"""Checks of the programs that an installation consists of."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator

import stichkampf
from celery import current_app
from django.conf import settings
from django.core.mail import get_connection
from redis.exceptions import OutOfMemoryError
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.core.arbiter_client import arbiter, gate
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed
from stichkampf_platform.operations import beat_signs
from stichkampf_platform.operations.doctor.cause import CauseFound
from stichkampf_platform.operations.redis_access import RedisAway, evicts, redis_client

FULL_SHARE = 0.9
ANSWER_SECONDS = 2.0
PROBE = "stichkampf:doctor"


def check_redis() -> Iterator[CauseFound]:
    """Check Redis, and only where it answers who uses it."""
    try:
        with redis_client() as redis:
            memory = redis.info("memory")
    except RedisAway as error:
        yield CauseFound(
            "Redis cannot be reached",
            f"{settings.REDIS_URL.rpartition('@')[2]}: {error}",
            "Correct REDIS_URL, or start Redis.",
        )
        return
    if evicts(memory):
        yield CauseFound(
            "Redis evicts",
            f"maxmemory-policy is {memory['maxmemory_policy']}: a full Redis drops queued work.",
            "Set `maxmemory-policy noeviction`, and use this Redis for nothing else.",
        )
    most = memory["maxmemory"]
    refused = _refused_write()
    no_room = refused is not None and isinstance(refused.__cause__, OutOfMemoryError)
    if no_room or (most and memory["used_memory"] > FULL_SHARE * most):
        yield CauseFound(
            "Redis is full",
            f"{memory['used_memory_human']} of {memory['maxmemory_human']} are used.",
            "Raise maxmemory, and see that workers take the queues: `redis-cli llen matches`.",
        )
        return
    try:
        if refused is not None:
            raise refused
        yield from _beats()
        yield from _workers()
    except RedisAway as error:
        yield CauseFound(
            "Redis refuses a command",
            str(error),
            "Give it what it says it lacks, and the user of REDIS_URL every command (`redis-cli acl setuser"
            " NAME +@all`).",
        )


def check_arbiter() -> Iterator[CauseFound]:
    try:
        status = arbiter().status(seconds=ANSWER_SECONDS)
    except (ArbiterGone, MatchFailed) as error:
        yield CauseFound(
            "the arbiter is away",
            f"{settings.ARBITER_ADDRESS}: {error}",
            "Start `python -m stichkampf_arbiter` as the owner of STICHKAMPF_STATE_DIR, or correct"
            " STICHKAMPF_ARBITER_ADDRESS.",
        )
        return
    if status.sandbox_level in (pb.SANDBOX_LEVEL_DEVELOPMENT, pb.SANDBOX_LEVEL_REFUSED):
        level = pb.SandboxLevel.Name(status.sandbox_level).removeprefix("SANDBOX_LEVEL_").lower()
        yield CauseFound(
            "the sandbox is too weak for strangers' bots",
            f"its level is {level}: {status.sandbox_reason}",
            "Give it what it lacks (docs/sandbox.md); until then only one's own and house bots play.",
        )
    if status.version != stichkampf.__version__:
        yield CauseFound(
            "the arbiter is of another version",
            f"it is {status.version}, this program {stichkampf.__version__}.",
            "Restart it after an upgrade.",
        )


def check_gate() -> Iterator[CauseFound]:
    """Check that remote bots can be reached, where another arbiter than this node's takes them."""
    if settings.GATE_ADDRESS == settings.ARBITER_ADDRESS:
        return
    try:
        gate().status(seconds=ANSWER_SECONDS)
    except (ArbiterGone, MatchFailed) as error:
        yield CauseFound(
            "the gate of remote bots is away",
            f"{settings.GATE_ADDRESS}: {error}",
            "Start the arbiter there, or correct STICHKAMPF_GATE_ADDRESS. Other blocks are played.",
        )


def check_hub() -> Iterator[CauseFound]:
    """Check that people's seats are connected, where the arbiter answers at all."""
    try:
        connected = gate().has_people()
    except (ArbiterGone, MatchFailed):
        return  # as `check_arbiter` and `check_gate` say
    if not connected:
        yield CauseFound(
            "the hub is away",
            f"nobody plays for persons at {settings.GATE_ADDRESS}: nobody can sit down at a table.",
            "Start `python -m stichkampf_platform.play.hub` beside that arbiter.",
        )


def check_mail() -> Iterator[CauseFound]:
    """Sign in at the mail server, without sending."""
    if not settings.EMAIL_HOST:
        return
    try:
        mail = get_connection()
        mail.open()
        mail.close()
    except (OSError, smtplib.SMTPException) as error:
        yield CauseFound(
            "mail is refused",
            f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}: {error}",
            "Correct EMAIL_HOST, EMAIL_PORT, EMAIL_TLS, EMAIL_USER and EMAIL_PASSWORD.",
        )


def _refused_write() -> RedisAway | None:
    """Return what Redis says to a write that it refuses."""
    try:
        with redis_client() as redis:
            redis.set(PROBE, "1", ex=5)
    except RedisAway as error:
        return error
    return None


def _beats() -> Iterator[CauseFound]:
    found = beat_signs.beats()
    installations = beat_signs.installations(found)
    if len(installations) > 1:
        yield CauseFound(
            "two installations on one Redis",
            f"workers with different secret keys sweep: {', '.join(installations)}.",
            "Give each its own Redis, or another number at the end of REDIS_URL; or all the same SECRET_KEY.",
        )
        return
    senders = beat_signs.fresh_senders(found)
    if len(senders) > 1:
        yield CauseFound(
            "two beats",
            f"{', '.join(senders)} send sweeps; everything is looked for twice.",
            "Stop all but one `celery beat`. One that was just restarted shows for a quarter of a minute.",
        )
    if not senders and not _waiting_sweeps():
        yield CauseFound(
            "no beat",
            "no sweep was sent for a quarter of a minute, so nothing new begins.",
            "Start `celery --app stichkampf_platform.celery_app beat`, exactly one.",
        )


def _workers() -> Iterator[CauseFound]:
    with redis_client():
        answers = current_app.control.inspect(timeout=1.0).active_queues() or {}
    taken = {queue["name"] for queues in answers.values() for queue in queues}
    if lacking := sorted(set(settings.QUEUES) - taken):
        yield CauseFound(
            "no worker",
            f"no worker takes the queue{'s' if len(lacking) > 1 else ''} {', '.join(lacking)}.",
            f"Start it: `celery --app stichkampf_platform.celery_app worker --queues {','.join(lacking)}`.",
        )


def _waiting_sweeps() -> int:
    with redis_client() as redis:
        return redis.llen(settings.DEFAULT_QUEUE)
