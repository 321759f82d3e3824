"""Continuations of a decision, which tell what would have come of it: asked for and played."""

from __future__ import annotations

import time
from functools import partial

import stichkampf
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from stichkampf.analysis import continuations, decision_of
from stichkampf.bots.registry import house_bot

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.marks import work_queue
from stichkampf_platform.marks.models import StoredContinuations
from stichkampf_platform.marks.queries import waiting_continuations
from stichkampf_platform.marks.services import BacklogFull
from stichkampf_platform.people import rates
from stichkampf_platform.people.models import User
from stichkampf_platform.people.network_addresses import counted
from stichkampf_platform.tournaments.records import record_files

PLAYERS = ("glimpse", "worrier", "gambler", "rival", "flat", "random")
"""The house bots that play on. Those that go by rules would play alike each time, `search` takes minutes."""
NUMBER = 100


class WrongContinuations(RequestRefused):
    """A request for continuations of an action that was not possible, or by a bot that does not play them."""


def request_continuations(
    *, table_id: int, decision: int, bot: str, action: str, by: User, address: str = ""
) -> StoredContinuations:
    """Have continuations of a decision played, unless they are played or asked for already.

    :param decision: its number among all decisions of the match, from 1.
    :param bot: one of `PLAYERS`.
    :param action: with which they begin, in the words of the record.
    :raises NotShown: its block is not over yet, or there is no such match.
    :raises RecordUnreadable: its record is missing or was deleted.
    :raises StichkampfError: the match has no such decision.
    :raises WrongContinuations: the action was not possible there, or the bot does not play continuations.
    :raises TooMany: the person or address asked too often.
    :raises BacklogFull: too many wait already.
    """
    if bot not in PLAYERS:
        raise WrongContinuations(
            _("{bot!r:.40} plays no continuations; these do: {bots}.").format(
                bot=bot, bots=", ".join(PLAYERS)
            )
        )
    legal = decision_of(record_files.record(table_id, by), decision).legal
    if action not in legal:
        raise WrongContinuations(
            _("{action!r:.60} was not possible at decision {decision}; possible: {legal}.").format(
                action=action, decision=decision, legal=", ".join(legal)
            )
        )
    name = f"{bot} v{house_bot(bot).version}"
    with transaction.atomic():
        same = {"table_id": table_id, "decision": decision, "action": action, "bot": name}
        there = StoredContinuations.objects.filter(**same).first()
        if there and there.state != StoredContinuations.State.FAILED:
            return there
        rates.count("continuations", account=str(by.pk), address=counted(by, address))
        if waiting_continuations().count() >= settings.MARKS_BACKLOG:
            raise BacklogFull(
                _("{number} continuations wait already, as many as may wait. Try again later.").format(
                    number=settings.MARKS_BACKLOG
                )
            )
        asked, _made = StoredContinuations.objects.update_or_create(
            **same, defaults=work_queue.waits_from_now(by)
        )
    enqueue("stichkampf_platform.marks.tasks.play_continuations", asked.pk)
    return asked


def play(*, continuations_id: int) -> bool:
    """Play continuations that wait, and tell whether they were played now.

    A worker that dies leaves its lease behind; after `work_queue.MOST_ATTEMPTS` of them they have failed.
    """
    asked = work_queue.take(StoredContinuations, continuations_id)
    if asked is None:
        return False
    started = time.process_time()
    play_on = partial(
        continuations, decision=asked.decision, bot=asked.bot, action=asked.action, number=NUMBER
    )
    with work_queue.unless_away(asked):
        found = work_queue.worked_out(asked, play_on)
        if found is None:
            return False
        played = {
            "state": StoredContinuations.State.MADE,
            "lease_until": None,
            "made_at": clock.now(),
            "engine": stichkampf.__version__,
            "seconds": time.process_time() - started,
            "outcomes": list(found.outcomes.items()),
        }
        waiting = StoredContinuations.objects.filter(pk=asked.pk, state=StoredContinuations.State.WAITING)
        return bool(waiting.update(**played))
