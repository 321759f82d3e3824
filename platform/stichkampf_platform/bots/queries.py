from __future__ import annotations

from django.db.models import Q, QuerySet
from django.utils import timezone

from stichkampf_platform.bots.models import Bot, Submission, Version


def visible_bots() -> QuerySet[Bot]:
    """The bots that everybody may see: those with a version that has been let play."""
    shown = [Version.State.APPROVED, Version.State.SUSPENDED]
    return Bot.objects.filter(versions__state__in=shown).distinct().select_related("owner", "ranked_version")


def bots_for(person) -> QuerySet[Bot]:  # type: ignore[no-untyped-def]
    """The bots that this person may see: the visible ones and the own."""
    if person.is_staff:
        return Bot.objects.select_related("owner", "ranked_version")
    own = Q(owner_id=person.pk) if person.is_authenticated else Q(pk=None)
    return Bot.objects.filter(own | Q(pk__in=visible_bots().values("pk"))).select_related(
        "owner", "ranked_version"
    )


def versions_for(person, bot: Bot) -> QuerySet[Version]:  # type: ignore[no-untyped-def]
    """The versions of a bot that this person may see; others see only what has been let play."""
    if person.is_staff or bot.owner_id == person.pk:
        return bot.versions.all()
    return bot.versions.filter(state__in=[Version.State.APPROVED, Version.State.SUSPENDED])


def submissions_for(person) -> QuerySet[Submission]:  # type: ignore[no-untyped-def]
    """The submissions whose log this person may read: the own, or all for staff."""
    submissions = Submission.objects.select_related("version__bot__owner")
    return submissions if person.is_staff else submissions.filter(version__bot__owner_id=person.pk)


def playable_versions(game: str) -> list[Version]:
    """The approved versions that play a game, by bot and number."""
    approved = Version.objects.filter(state=Version.State.APPROVED).select_related("bot__owner")
    return [version for version in approved if game in version.games]


def due_submissions() -> QuerySet[Submission]:
    """Submissions that are to be validated and in nobody's hands, oldest first."""
    free = Q(lease_until=None) | Q(lease_until__lt=timezone.now())
    return Submission.objects.filter(free, finished_at=None).order_by("created_at")
