"""The end of a validation, told to the owner of the version."""

from __future__ import annotations

from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.people import notices
from stichkampf_platform.people.models import NoticeKind
from stichkampf_platform.people.sentences import Sentence


def tell_verdict(version: Version, *, passed: bool, text: str) -> None:
    """Tell the owner of a version how its validation has ended, once for each end.

    Call it in the transaction that ends the validation.

    :param text: what it may play, or the reason why it may not.
    """
    submission = Submission.objects.get(version=version)
    name = str(version)
    may_play = Sentence("{version} may play", version=name)
    notices.tell(
        person=version.bot.owner,
        kind=NoticeKind.VALIDATION,
        once=f"validated {submission.pk} {submission.finished_at:%Y-%m-%d %H:%M:%S.%f}",
        title=may_play if passed else Sentence("{version} is rejected", version=name),
        text=text,
        address=submission.get_absolute_url(),
    )
