from __future__ import annotations

from collections import Counter

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from stichkampf_platform.bots.models import (
    RANKABLE_STATES,
    Bot,
    RemoteAccess,
    Submission,
    Version,
    stale_before,
)
from stichkampf_platform.core.machines import lease_times
from stichkampf_platform.people.models import User

SHOWN = (Version.State.APPROVED, Version.State.SUSPENDED, Version.State.STALE)
"""States of the versions that everybody may see: those that were approved once."""


def shown_bots() -> QuerySet[Bot]:
    """Return the bots that everybody may see: those with a version that was approved once."""
    shown = Version.objects.filter(bot=OuterRef("pk"), state__in=SHOWN)
    return Bot.objects.filter(Exists(shown)).select_related("owner", "ranked_version")


def found_bots(words: str = "", game: str = "") -> QuerySet[Bot]:
    """Return those of the shown bots that a search finds, by name.

    :param words: a part of the bot's or of its author's name.
    :param game: that a version of it plays.
    """
    found = shown_bots().order_by("slug", "owner__username")
    if words:
        found = found.filter(
            Q(slug__icontains=words) | Q(name__icontains=words) | Q(owner__username__icontains=words)
        )
    if game:
        playing = Version.objects.filter(state__in=SHOWN, games__icontains=f'"{game}"')
        found = found.filter(pk__in=playing.values("bot"))
    return found


def authors(words: str = "") -> QuerySet[User]:
    """Return the people with a shown bot, by name, with the number of these bots as `bot_count`.

    :param words: a part of the name.
    """
    shown = Q(bots__in=shown_bots().values("pk"))
    found = User.objects.filter(shown).annotate(bot_count=Count("bots", distinct=True)).order_by("username")
    return found.filter(username__icontains=words) if words else found


def bots_for(person) -> QuerySet[Bot]:  # type: ignore[no-untyped-def]
    """Return the bots that a person may see: those shown to all and the own."""
    if person.is_staff:
        return Bot.objects.select_related("owner", "ranked_version")
    own = Q(owner_id=person.pk) if person.is_authenticated else Q(pk=None)
    shown = Version.objects.filter(bot=OuterRef("pk"), state__in=SHOWN)
    return Bot.objects.filter(own | Exists(shown)).select_related("owner", "ranked_version")


def named(bots: QuerySet[Bot], slug: str, author: str = "") -> QuerySet[Bot]:
    """Return the bot of this name among these bots, or none.

    :param author: whose bot it is; without one it is the first bot that ever had the name.
    """
    if author:
        return bots.filter(owner__username=author, slug=slug)
    first = Bot.objects.filter(slug=slug).order_by("pk").values("pk")[:1]
    return bots.filter(pk__in=list(first.values_list("pk", flat=True)))


def own_named(person, slug: str, author: str = "") -> QuerySet[Bot]:  # type: ignore[no-untyped-def]
    """Return the bot of this name that this person may change, or none.

    :param author: whose bot it is; without one it is the person's own bot, and for staff who have none
        of this name the first bot that ever had it.
    """
    own = Bot.objects.filter(owner_id=person.pk)
    if not person.is_staff:
        return named(own, slug, author) if author else own.filter(slug=slug)
    mine = own.filter(slug=slug)
    return mine if not author and mine.exists() else named(Bot.objects.all(), slug, author)


def versions_for(person, bot: Bot) -> QuerySet[Version]:  # type: ignore[no-untyped-def]
    """The versions of a bot that this person may see; others see only approved ones."""
    if person.is_staff or bot.owner_id == person.pk:
        return bot.versions.all()
    return bot.versions.filter(state__in=SHOWN)


def may_put_forward(version: Version | None) -> bool:
    """Tell whether a version could now be ranked for its bot instead of an older one."""
    if version is None or not version.may_play or version.put_forward_at is not None:
        return False
    others = Version.objects.filter(bot=version.bot_id).exclude(pk=version.pk)
    newer = others.filter(state=Version.State.APPROVED, number__gt=version.number)
    return not newer.exists() and others.filter(state__in=RANKABLE_STATES, number__lt=version.number).exists()


def submissions_for(person) -> QuerySet[Submission]:  # type: ignore[no-untyped-def]
    """The submissions whose log this person may read: the own, or all for staff."""
    submissions = Submission.objects.select_related("version__bot__owner")
    return submissions if person.is_staff else submissions.filter(version__bot__owner_id=person.pk)


def playable_versions(game: str) -> list[Version]:
    """The approved versions that play a game, by bot and number."""
    approved = Version.objects.filter(state=Version.State.APPROVED).select_related("bot__owner")
    return [version for version in approved if game in version.games]


def waiting_submissions() -> QuerySet[Submission]:
    """Return the submissions without a verdict, for whatever reason they wait."""
    return Submission.objects.filter(finished_at=None)


def turns() -> list[Submission]:
    """The submissions that wait for a worker, in the order in which it is their turn.

    Authors take turns: first the first of each author, then the second. Of two authors comes first who has
    waited longer for a verdict, so that many submissions of one do not hold up the others.
    """
    there = Q(version__remote=False) | Q(version__access__in=connected())
    last = Submission.objects.filter(submitted_by=OuterRef("submitted_by"), finished_at__isnull=False)
    newest = last.order_by("-finished_at").values("finished_at")[:1]
    waiting = _free().filter(there).annotate(last_verdict=Subquery(newest)).order_by("created_at", "pk")
    if not waiting:
        return []
    before = Counter(_in_hands().values_list("submitted_by", flat=True))
    ordered = []
    for submission in waiting:
        told = submission.last_verdict
        ordered.append((before[submission.submitted_by_id], told.timestamp() if told else 0.0, submission))
        before[submission.submitted_by_id] += 1
    return [submission for *_, submission in sorted(ordered, key=lambda turn: turn[:2])]


def due_submissions() -> list[Submission]:
    """The submissions that a worker may take up now, of each author one, in the order of their turns."""
    waiting = turns()
    if not waiting:
        return []
    busy = set(_in_hands().values_list("submitted_by", flat=True))
    first: dict[int, Submission] = {}
    for submission in waiting:
        if submission.submitted_by_id not in busy:
            first.setdefault(submission.submitted_by_id, submission)
    return list(first.values())


def queue_position(submission: Submission) -> int | None:
    """Return the position of a submission among those that wait for a worker, from 1; None if it does not."""
    waiting = [other.pk for other in turns()]
    return waiting.index(submission.pk) + 1 if submission.pk in waiting else None


def free_submissions() -> QuerySet[Submission]:
    """Return the submissions that are to be validated now and that no worker has leased.

    Of one person one is in hands at a time, so that many slow ones do not keep everybody else waiting.
    """
    return _free().exclude(submitted_by__in=_in_hands().values("submitted_by"))


def _free() -> QuerySet[Submission]:
    # no joins here: PostgreSQL checks these conditions again on a row that another worker has just changed
    return Submission.objects.filter(lease_times.free(), finished_at=None, set_aside_at=None)


def _in_hands() -> QuerySet[Submission]:
    held = Submission.objects.filter(lease_times.held(), finished_at=None)
    return held.exclude(lease_owner="")


def remote_accesses_for(person) -> QuerySet[RemoteAccess]:  # type: ignore[no-untyped-def]
    """The remote versions that this person may see, those that are there first."""
    accesses = RemoteAccess.objects.select_related("version__bot__owner").order_by(
        F("connected_at").asc(nulls_last=True), F("last_seen_at").desc(nulls_last=True), "-pk"
    )
    if person.is_staff:
        return accesses
    own = Q(version__bot__owner_id=person.pk) if person.is_authenticated else Q(pk=None)
    return accesses.filter(own | Q(version__state__in=SHOWN))


def connected() -> QuerySet[RemoteAccess]:
    """Return the remote versions that are connected."""
    return RemoteAccess.objects.filter(connected_at__isnull=False, last_seen_at__gte=stale_before())
