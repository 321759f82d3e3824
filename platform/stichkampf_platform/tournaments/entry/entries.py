"""Open entry: authors put their bots down for a tournament, until it starts; `leaving` has the way back.

Whatever changes entries locks the tournament first, as its start does. So each entry is made once or refused
with a reason, and no tournament starts with a bot that has left.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models.functions import Now
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.core import clock
from stichkampf_platform.people import sentences
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.entry import announcements
from stichkampf_platform.tournaments.entry.fitness import misfit, newest_fit
from stichkampf_platform.tournaments.entry_models import WhoEnters
from stichkampf_platform.tournaments.models import Entry, Tournament
from stichkampf_platform.tournaments.tournament_locks import hold

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ListedEntry:
    """An entry in the order of the list.

    :ivar place: its place in the list, from 1.
    :ivar waits: all places are taken before it.
    """

    entry: Entry
    place: int
    waits: bool


def listed(tournament: Tournament) -> list[ListedEntry]:
    """Return the entries of a tournament in the order in which they were made."""
    entries = tournament.entries.select_related("bot__owner", "version__bot__owner")
    room = tournament.places
    return [
        ListedEntry(entry, place, waits=room is not None and place > room)
        for place, entry in enumerate(entries, start=1)
    ]


def with_a_place(tournament: Tournament) -> list[Entry]:
    """Return the entries for which there is a place, without those of bots that the organiser chose, too."""
    chosen = set(tournament.entrants.values_list("version__bot_id", flat=True))
    return [each.entry for each in listed(tournament) if not each.waits and each.entry.bot_id not in chosen]


def deadline(tournament: Tournament) -> datetime | None:
    """Return the time until which bots may enter; `None` if the organiser starts it by hand."""
    return tournament.entry_until or tournament.starts_at


def is_open(tournament: Tournament, now: datetime) -> bool:
    """Tell whether bots may enter."""
    until = deadline(tournament)
    return (
        tournament.state == Tournament.State.DRAFT
        and tournament.entry != WhoEnters.ORGANISER
        and (until is None or now < until)
    )


def open_for_entry(person: User | AnonymousUser, most: int) -> list[Tournament]:
    """Return the newest tournaments that somebody sees and that bots may enter now."""
    drafts = Tournament.objects.shown_to(person).filter(state=Tournament.State.DRAFT)
    now = clock.now()
    return list(islice((each for each in drafts if is_open(each, now)), most))


def enter(*, tournament: Tournament, bot: Bot, by: User, version: Version | None = None) -> Entry:
    """Put a bot down for a tournament; a second time changes nothing but the version.

    :param version: one of its versions; `None` for the newest that is approved at the deadline.
    :raises ValidationError: all reasons against it, with what would be right.
    """
    with transaction.atomic():
        locked, now = _locked(tournament)
        known = locked.entries.filter(bot=bot).first()
        problems = [
            *_closed(locked, now),
            *_not_admitted(locked, by),
            *_too_many(locked, bot, by, known),
            *_unfit(locked, bot, version),
        ]
        if problems:
            raise ValidationError(problems)
        fields = {"version": version, "left_out": "", "left_out_parts": None}
        entry, made = Entry.objects.update_or_create(tournament=locked, bot=bot, defaults=fields)
        if made:
            logger.info("%s enters %s", bot, locked.slug)
            if listed(locked)[-1].waits:
                announcements.tell_waiting(locked, entry)
        return entry


def _locked(tournament: Tournament) -> tuple[Tournament, datetime]:
    """Lock a tournament; return it, and the time by the database's clock once it is locked."""
    hold(tournament)
    locked = Tournament.objects.annotate(clock=Now()).select_related("created_by").get(pk=tournament.pk)
    return locked, locked.clock


def _closed(tournament: Tournament, now: datetime) -> list[str]:
    if tournament.state != Tournament.State.DRAFT:
        told = {"tournament": tournament, "state": tournament.get_state_display()}
        return [_("%(tournament)s is %(state)s; bots enter before the start.") % told]
    if tournament.entry == WhoEnters.ORGANISER:
        return [_("The organiser of %(tournament)s chooses the bots that play.") % {"tournament": tournament}]
    until = deadline(tournament)
    if until is not None and now >= until:
        times = {"end": date_format(until, "j F Y, H:i:s"), "now": date_format(now, "H:i:s")}
        return [_("Entry ended on %(end)s UTC; now it is %(now)s UTC.") % times]
    return []


def _not_admitted(tournament: Tournament, by: User) -> list[str]:
    if tournament.entry != WhoEnters.MEMBERS or tournament.is_organised_by(by):
        return []
    if tournament.members.filter(person=by).exists():
        return []
    told = _("%(tournament)s is for invited authors and people with its code; %(person)s is not a member.")
    return [told % {"tournament": tournament, "person": by.username}]


def _too_many(tournament: Tournament, bot: Bot, by: User, known: Entry | None) -> list[str]:
    if bot.owner_id != by.pk:
        told = _("%(bot)s belongs to %(owner)s; %(person)s can enter only bots of their own.")
        return [told % {"bot": bot, "owner": bot.owner.username, "person": by.username}]
    others = tournament.entries.filter(bot__owner=by).select_related("bot__owner")
    if known is not None or len(others) < tournament.bots_each:
        return []
    told = ngettext(
        "Each author enters one bot, and %(person)s has entered %(bots)s; withdraw it first.",
        "Each author enters %(each)s bots, and %(person)s has entered %(bots)s; withdraw one first.",
        tournament.bots_each,
    )
    bots = ", ".join(str(entry.bot) for entry in others)
    return [told % {"each": tournament.bots_each, "person": by.username, "bots": bots}]


def _unfit(tournament: Tournament, bot: Bot, version: Version | None) -> list[str]:
    if version is not None:
        reason = misfit(version, tournament, later=True)
        return [sentences.told(reason)] if reason else []
    versions = list(bot.versions.select_related("bot__owner").order_by("-number"))
    if newest_fit(versions, tournament, later=True):
        return []
    none = _("%(bot)s has no version; submit one first.") % {"bot": bot}
    return [sentences.told(misfit(versions[0], tournament, later=True)) if versions else none]
