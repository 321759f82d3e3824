"""Actions on bots and versions: those of their authors, and those of staff."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.bots import queries, services
from stichkampf_platform.bots.models import SuspendedFor
from stichkampf_platform.core.actions import Action, Need
from stichkampf_platform.people.sentences import Sentence

NOT_ACCEPTED = Sentence("Not accepted by staff.")
BY_STAFF = Sentence("By staff.")
CONSENT = {"accepted": Need(bool, "Whether others may do so.")}


def _consent(field: str, meaning: str, refused: tuple[Any, Any], given: tuple[Any, Any]) -> Action:
    """Return the row of what an author lets others do with a bot, or not.

    :param refused: the sentence that says so while it is, and the words of the button that changes it.
    """
    return Action(
        lambda bot: (given if getattr(bot, field) else refused)[1],
        lambda accepted: (given if accepted else refused)[0], meaning,
        lambda bot, by, accepted: services.consent(bot=bot, by=by, field=field, accepted=accepted),
        lambda bot: not getattr(bot, field), needs=CONSENT,
    )  # fmt: skip


CONSENTS = {
    "challenges": _consent(
        "accepts_challenges", "say if other authors may challenge your bot",
        (gettext_lazy("Other authors cannot challenge this bot."), gettext_lazy("Accept challenges")),
        (gettext_lazy("Other authors may challenge this bot."), gettext_lazy("Accept no challenges")),
    ),
    "entries": _consent(
        "may_be_entered", "say if organisers may enter your bot in their tournaments; you may always",
        (gettext_lazy("Organisers cannot enter this bot in their tournaments; you can."),
         gettext_lazy("Let organisers enter it")),
        (gettext_lazy("Organisers may enter this bot in their tournaments."),
         gettext_lazy("Enter it only myself")),
    ),
}  # fmt: skip
AUTHOR_ACTIONS = {
    "rank": Action(
        lambda version: _("Rank version {number} now").format(number=version.number),
        gettext_lazy("{on} represents {on.bot.name} in the rankings now."),
        "make a version hold its bot's position in the rankings before it has 20 blocks of its own",
        lambda version, by: services.put_forward(version=version, by=by), queries.may_put_forward,
    )
}  # fmt: skip

VERSION_ACTIONS = {
    "approve": Action(
        gettext_lazy("Approve: let it be validated, or lift a suspension"), "Approved.",
        "let it be validated, or lift a suspension",
        lambda version, by: services.approve(version=version, staff=by),
    ),
    "reject": Action(
        gettext_lazy("Reject"), "Rejected.", "reject it",
        lambda version, by: services.reject(version=version, reason=NOT_ACCEPTED),
    ),
    "suspend": Action(
        gettext_lazy("Suspend"), "Suspended.", "let it play no more",
        lambda version, by: services.suspend(version=version, reason=BY_STAFF, cause=SuspendedFor.STAFF),
        undone_by="approve",
    ),
}  # fmt: skip
