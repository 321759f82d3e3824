from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.bots.queries import bots_for, named, versions_for
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.experiments.models import Experiment, ExperimentKind
from stichkampf_platform.people import rates
from stichkampf_platform.tournaments.models import PLAYING


def experiments_for(person) -> QuerySet[Experiment]:  # type: ignore[no-untyped-def]
    """Return the experiments that a person may see: the own, or all for staff. Newest first."""
    experiments = Experiment.objects.select_related(
        "tournament__created_by", "version__bot__owner", "against__bot__owner"
    )
    if person.is_staff:
        return experiments
    return experiments.filter(tournament__created_by_id=person.pk) if person.pk else experiments.none()


def running(person) -> QuerySet[Experiment]:  # type: ignore[no-untyped-def]
    """Return the experiments of a person that are not over."""
    return Experiment.objects.filter(tournament__created_by=person, tournament__state__in=PLAYING)


def allowances(person, version: Version | None = None) -> dict[str, rates.Allowance]:  # type: ignore[no-untyped-def]
    """Return how many blocks of each kind of experiment a person, or one version, may still ask for."""
    named = {"version": str(version.pk)} if version else {}
    found = {
        kind: rates.allowance(f"{kind}s", account=str(person.pk), **named) for kind in ExperimentKind.values
    }
    return {kind: each for kind, each in found.items() if each}


def short_name(version: Version, bot: Bot) -> str:
    """Return the name of a version where a bot is spoken of: its number alone if it is one of that bot."""
    return f"v{version.number}" if version.bot_id == bot.pk else str(version)


def opponent(person, text: str) -> Version:  # type: ignore[no-untyped-def]
    """Return the version that a text names: `bob/otto`, `thumb` or `bob/otto@3`.

    Without a number it is the one that stands for its bot, or else the newest that may play.

    :raises RequestRefused: there is none that this person may see; the message quotes the text.
    """
    name, number = (*text.split("@", 1), "")[:2]
    author, slug = ("", *name.rsplit("/", 1))[-2:]
    bot = named(bots_for(person), slug, author).first()
    if bot is None:
        raise RequestRefused(
            _("There is no bot {name!r}; write AUTHOR/BOT, or BOT for a house bot.").format(name=name)
        )
    if number:
        found = versions_for(person, bot).filter(number=whole_number(number, 8) or 0).first()
        if found is None:
            raise RequestRefused(
                _("{bot} has no version {number!r}; write a number after @, such as {name}@1.").format(
                    bot=bot, number=number, name=name
                )
            )
        return found
    found = _standing_for(bot)
    if found is None:
        raise RequestRefused(_("{bot} has no version that may play.").format(bot=bot))
    return found


def _standing_for(bot: Bot) -> Version | None:
    ranked = bot.ranked_version
    if ranked is not None and ranked.may_play:
        return ranked
    return bot.versions.filter(state=Version.State.APPROVED).order_by("number").last()
