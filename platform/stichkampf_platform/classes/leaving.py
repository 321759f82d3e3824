"""The deletion of an account by its person: results stay under a pseudonym, all that is personal goes."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from stichkampf_platform.bots.models import Bot, Submission, Version
from stichkampf_platform.classes.closing import close_accounts
from stichkampf_platform.classes.models import ClosedAccount
from stichkampf_platform.classes.pseudonyms import free_pseudonyms
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.people.access import audit
from stichkampf_platform.people.models import AuditAction, NoticeChoice, User
from stichkampf_platform.people.services import lock
from stichkampf_platform.tournaments.models import PLAYING, CoOrganiser, Membership, Result, Tournament

REASON = "Its author has deleted the account."

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class AccountDeletionCounts:
    """Counts of what goes with an account, and of what stays.

    :ivar bots: which are retired; their names stay in addresses and records.
    :ivar archives: of code, which go.
    :ivar submissions: whose logs and file names go.
    :ivar results: which stay, since others played them too.
    :ivar playing: the bots' running tournaments, played to the end without a change.
    """

    bots: int
    archives: int
    submissions: int
    results: int
    playing: int


def losses(person: User) -> AccountDeletionCounts:
    """Count what goes and what stays."""
    return AccountDeletionCounts(
        bots=Bot.objects.filter(owner=person).count(),
        archives=Version.objects.filter(bot__owner=person).exclude(archive="").count(),
        submissions=Submission.objects.filter(version__bot__owner=person).count(),
        results=Result.objects.filter(seat__entrant__version__bot__owner=person).count(),
        playing=Tournament.objects.filter(
            entrants__version__bot__owner=person, state__in=PLAYING, experiment=False
        )
        .distinct()
        .count(),
    )


def reasons_to_stay(person: User) -> list[str]:
    """List what has to be settled before; empty where the account may be deleted."""
    reasons = []
    unfinished = Tournament.objects.filter(
        created_by=person, state__in=(Tournament.State.DRAFT, *PLAYING), experiment=False
    )
    if names := ", ".join(unfinished.values_list("name", flat=True)[:5]):
        reasons.append(
            _("You run tournaments that are not over: {names}. Cancel or delete them.").format(names=names)
        )
    if names := ", ".join(person.classes.filter(ended_at=None).values_list("name", flat=True)[:5]):
        reasons.append(_("You teach classes that have not ended: {names}. End them.").format(names=names))
    if made := person.pupils.filter(made_here=True).select_related("school_class").first():
        told = _("The class {name} made this account; your teacher deletes it by ending the class.")
        reasons.append(told.format(name=made.school_class))
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=person.pk)
    if person.is_superuser and not others.exists():
        reasons.append(_("You are the only administrator; make another one."))
    return reasons


@transaction.atomic
def delete_account(*, person: User) -> None:
    """Delete a person's account for good.

    Bots are retired. Running tournaments are played to the end with their versions as they are; then the code
    goes, and the account gets its pseudonym. Match records that exist keep the names in them.

    :raises RequestRefused: something has to be settled before.
    """
    lock(person)
    if reasons := reasons_to_stay(person):
        raise RequestRefused(" ".join(reasons))
    audit.note(AuditAction.ACCOUNT_DELETED, person=person)
    close_accounts([person.pk], reason=REASON)
    (pseudonym,) = free_pseudonyms(1)
    ClosedAccount.objects.filter(person=person).update(pseudonym=pseudonym)
    NoticeChoice.objects.filter(person=person).delete()
    Membership.objects.filter(person=person).delete()
    CoOrganiser.objects.filter(person=person).delete()
    person.pupils.all().delete()
    person.groups.clear()
    person.user_permissions.clear()
    User.objects.filter(pk=person.pk).update(is_staff=False, is_superuser=False, shares_address=False)
    transaction.on_commit(lambda: enqueue("stichkampf_platform.classes.tasks.delete_leftovers"))
    logger.info("account %s was deleted by its person", person.pk)
