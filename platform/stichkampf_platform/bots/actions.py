"""Actions of staff on submitted versions."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from stichkampf_platform.bots import services
from stichkampf_platform.bots.models import SuspendedFor
from stichkampf_platform.core.actions import Action
from stichkampf_platform.people.sentences import Sentence

NOT_ACCEPTED = Sentence("Not accepted by staff.")
BY_STAFF = Sentence("By staff.")

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
