"""Notices: messages to people, stored for page and API, and mailed once if there is an address."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.utils import translation
from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.page_addresses import in_language, localized
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.people.fault_texts import name as fault_name
from stichkampf_platform.people.models import Notice, NoticeKind, NoticeWay, User
from stichkampf_platform.people.notice_choices import ending_token, ways_of
from stichkampf_platform.people.sentences import parts_of

NEXT_TRY = timedelta(minutes=5)
"""So long has a worker for one mail; then, or when it failed, another may try."""
TITLE_CHARACTERS = 200
GIVE_UP = timedelta(days=2)

logger = logging.getLogger(__name__)


class Evidence(TypedDict):
    """One match that a notice is about.

    `match` is its name in words, `address` the page with the first fault, `faults` how many of each kind,
    `stderr` the end of what the bot wrote to standard error; where `stderr_waits`, that may be read only
    later, on the page of the bot.
    """

    match: str
    address: str
    faults: dict[str, int]
    forfeited: bool
    stderr: str
    stderr_waits: bool


@transaction.atomic
def tell(
    *,
    person: User,
    title: str,
    text: str,
    kind: str = NoticeKind.CONDUCT,
    once: str = "",
    address: str = "",
    evidence: Sequence[Evidence] = (),
) -> Notice | None:
    """Tell a person something, in the way that they have chosen for its kind; None if they want it in none.

    :param title: like `text`, in their language if it is a `Sentence`.
    :param once: what it tells, such as `validated 17`: the same is told to a person once.
    :param address: of the page that it is about, in any language, such as `/bots/karl/v/3/`.
    """
    way = ways_of(person)[kind]
    if way == NoticeWay.OFF:
        return None
    mail_to = person.email if way == NoticeWay.MAIL else ""
    fields = {
        "person": person,
        "kind": kind,
        "title": title[:TITLE_CHARACTERS],
        "text": text,
        "title_parts": parts_of(title),
        "text_parts": parts_of(text),
        "address": in_language(address, settings.LANGUAGE_CODE),
        "evidence": list(evidence),
        "mail_to": mail_to,
        "mail_due_at": clock.now() if mail_to else None,
    }
    if once:
        notice, made = Notice.objects.get_or_create(person=person, once=once, defaults=fields)
    else:
        notice, made = Notice.objects.create(**fields), True
    if made and mail_to:
        transaction.on_commit(lambda: _enqueue_mail(notice))
    return notice


def mail(*, notice_id: int) -> bool:
    """Mail a notice, unless that was done or somebody else does; whether it was mailed now.

    A worker that dies between sending and noting it lets the mail go out again, under the same Message-ID.

    :raises OSError: the mail server did not take it; it is due again in some minutes, unless that has gone on
        for `GIVE_UP`.
    """
    now = clock.now()
    mine = Notice.objects.filter(pk=notice_id, mail_due_at__lte=now)
    if not mine.update(mail_due_at=now + NEXT_TRY):
        return False
    notice = Notice.objects.select_related("person").get(pk=notice_id)
    if ways_of(notice.person)[notice.kind] != NoticeWay.MAIL:  # chosen since
        Notice.objects.filter(pk=notice.pk).update(mail_due_at=None)
        return False
    try:
        _message(notice).send()
    except OSError:
        if notice.created_at < now - GIVE_UP:
            Notice.objects.filter(pk=notice.pk).update(mail_due_at=None)
            logger.error(
                "notice %s could not be mailed for %s; it stands on the page only", notice.pk, GIVE_UP
            )
        raise
    Notice.objects.filter(pk=notice.pk).update(mailed_at=clock.now(), mail_due_at=None)
    return True


def due_mails() -> QuerySet[Notice]:
    """Return the notices that are to be mailed and that no worker has leased, oldest first."""
    return Notice.objects.filter(mail_due_at__lte=clock.now()).order_by("mail_due_at")


def _message(notice: Notice) -> EmailMessage:
    """Write the mail, in the language of its person."""
    site = settings.SITE_ADDRESS.rstrip("/")
    end_address = f"/notices/off/{ending_token(notice.person, notice.kind)}/"
    with translation.override(notice.person.language):
        text = "\n".join(_paragraphs(notice, site, localized(end_address)))
        subject = f"Stichkampf: {notice.told_title}"
    host = urlsplit(site).hostname or "localhost"
    return EmailMessage(
        subject=subject,
        body=text,
        to=[notice.mail_to],
        headers={
            "Message-ID": f"<notice-{notice.pk}-{notice.created_at:%Y%m%d%H%M%S}@{host}>",
            "List-Unsubscribe": f"<{site}{end_address}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    )


def _paragraphs(notice: Notice, site: str, no_more: str) -> Iterator[str]:
    """Yield the texts of a mail, each on a line of its own.

    :param no_more: where mails of its kind are ended.
    """
    yield _("Hello %(name)s,") % {"name": notice.person.username}
    yield from ("", notice.told_text)
    if notice.address:
        yield from ("", f"{site}{localized(notice.address)}")
    for match in notice.evidence:
        forfeited = f" {_('· forfeited')}" if match.get("forfeited") else ""
        yield from ("", f"{match['match']}{forfeited}:")
        yield ", ".join(f"{fault_name(kind)} ({count})" for kind, count in match["faults"].items())
        yield f"{site}{localized(match['address'])}"
        if match.get("stderr"):
            yield from (_("Standard error output:"), match["stderr"])
        elif match.get("stderr_waits"):
            yield _(
                "Its standard error output appears on its page when all blocks that it was playing are over."
            )
    own = {"site": site, "address": notice.get_absolute_url()}
    yield from ("", _("You can also read this notice at %(site)s%(address)s.") % own)
    yield _("To get no more mails of this kind: %(site)s%(no_more)s") % {"site": site, "no_more": no_more}
    yield ""


def _enqueue_mail(notice: Notice) -> None:
    enqueue("stichkampf_platform.people.tasks.mail_notice", notice.pk)
