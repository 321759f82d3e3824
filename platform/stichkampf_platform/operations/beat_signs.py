"""Signs of life of beats, in Redis: who sent the sweeps of the last minute.

Each sweep says which process sent it. So no beat shows, and two beats, and a second installation on the same
Redis, whose key is another.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from time import time

from celery.signals import task_success
from django.utils.crypto import salted_hmac

from stichkampf_platform.operations.redis_access import RedisAway, redis_client

BEATS = "stichkampf:beats"
KEPT_SECONDS = 60.0
FRESH_SECONDS = 15.0
"""A beat that sent nothing for longer is no longer there."""
SWEEP = "stichkampf_platform.tournaments.tasks.sweep"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class BeatSign:
    """A beat, and when it last made somebody sweep.

    :ivar installation: a digest of the secret key of the worker that swept.
    :ivar sender: process and machine of the beat, such as `gen12@host`.
    :ivar seconds: since then.
    """

    installation: str
    sender: str
    seconds: float


def installation() -> str:
    """Return the name of this installation in Redis: the same for all processes with the same secret key."""
    return salted_hmac("stichkampf.installation", "").hexdigest()[:12]


def note_sweep(sender, **_: object) -> None:
    """Note who sent the sweep that has succeeded: one that fails is no sign of life.

    :param sender: the task.
    """
    task = sender
    if task.name != SWEEP or not (origin := task.request.origin):
        return
    now = time()
    try:
        with redis_client() as redis, redis.pipeline() as signs:
            signs.zadd(BEATS, {f"{installation()} {origin}": now})
            signs.zremrangebyscore(BEATS, "-inf", now - KEPT_SECONDS)
            signs.expire(BEATS, int(2 * KEPT_SECONDS))
            signs.execute()
    except RedisAway as error:
        logger.warning("the sign of life of a beat is lost: %s", error)


def beats() -> list[BeatSign]:
    """Return the beats of the last minute, newest sign first; none where Redis does not answer."""
    now = time()
    try:
        with redis_client() as redis:
            found = redis.zrevrange(BEATS, 0, -1, withscores=True)
    except RedisAway:
        return []
    signs = []
    for name, at in found:
        whose, _, sender = name.decode().partition(" ")
        if now - at < KEPT_SECONDS:
            signs.append(BeatSign(whose, sender, max(0.0, now - at)))
    return signs


def seconds_since_beat(found: Iterable[BeatSign]) -> float | None:
    """Return the seconds since the last sweep of this installation; `None` without one in the last minute."""
    return next((sign.seconds for sign in found if sign.installation == installation()), None)


def installations(found: Iterable[BeatSign]) -> list[str]:
    """Return whose beats are there now; several use one Redis by mistake."""
    return sorted({sign.installation for sign in found if sign.seconds < FRESH_SECONDS})


def fresh_senders(found: Iterable[BeatSign]) -> list[str]:
    """Return which beats of this installation there are now; one is right."""
    ours = (sign for sign in found if sign.installation == installation())
    return sorted({sign.sender for sign in ours if sign.seconds < FRESH_SECONDS})


def connect() -> None:
    """Note every sweep that a worker of this process ends well."""
    task_success.connect(note_sweep, weak=False)
