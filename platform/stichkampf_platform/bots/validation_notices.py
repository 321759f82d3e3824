"""The end of a validation, told to the owner of the version."""

from __future__ import annotations

from django.utils import translation
from django.utils.translation import gettext as _

from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.people import notices
from stichkampf_platform.people.models import NoticeKind


def tell_verdict(version: Version, *, passed: bool, text: str) -> None:
    """Tell the owner of a version how its validation has ended, once for each end.

    Call it in the transaction that ends the validation.

    :param text: the games that it may play, or the reason why it may not.
    """
    owner = version.bot.owner
    submission = Submission.objects.get(version=version)
    with translation.override(owner.language):
        title = _("{version} may play") if passed else _("{version} is rejected")
        notices.tell(
            person=owner,
            kind=NoticeKind.VALIDATION,
            once=f"validated {submission.pk} {submission.finished_at:%Y-%m-%d %H:%M:%S.%f}",
            title=title.format(version=version),
            text=_("It plays {games}.").format(games=text) if passed else text,
            address=submission.get_absolute_url(),
        )
