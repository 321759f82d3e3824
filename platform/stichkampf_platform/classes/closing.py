"""The end of a class or an account: personal data is deleted; pseudonyms, results and ratings stay."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.bots.archive_space import delete_archives
from stichkampf_platform.bots.models import (
    Bot,
    LogLine,
    RemoteAccess,
    Submission,
    SuspendedFor,
    TrialMatch,
    Version,
    because,
    suspended,
)
from stichkampf_platform.bots.validation import match_records
from stichkampf_platform.classes.enrolment import (
    choose_ladders,
    has_rights,
    lock,
    reset_password,
    why_no_reset,
)
from stichkampf_platform.classes.initial_passwords import KEY_CHARACTERS
from stichkampf_platform.classes.models import ClosedAccount, Pupil, SchoolClass
from stichkampf_platform.core import clock
from stichkampf_platform.core.actions import Action, Need
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.people.access import open_sessions
from stichkampf_platform.people.access.audit import SUBJECT_CHARACTERS
from stichkampf_platform.people.access.credentials import forget_factors
from stichkampf_platform.people.models import ApiToken, AuditEntry, KnownAddress, NameReport, Notice, User
from stichkampf_platform.people.services import give_up_name
from stichkampf_platform.play.services import forget_people
from stichkampf_platform.tournaments.models import (
    PLAYING,
    Entry,
    Membership,
    Ruling,
    SeatReport,
    Table,
    Tournament,
)
from stichkampf_platform.tournaments.organising import lifecycle

REASON = "Its author's class has ended."
REMOVED = "Its author has left the class."
DELETED_AT_ONCE = 100

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ClassDeletionCounts:
    """Counts of what is deleted when a class ends, and of what stays.

    :ivar accounts: made by the class; their names, passwords, tokens and notices go.
    :ivar guests: people with accounts of their own, who only leave the class.
    :ivar submissions: whose logs and trial matches go.
    :ivar archives: of code.
    :ivar bots: which stay with their results, under the names that say nothing of a person.
    """

    accounts: int
    guests: int
    submissions: int
    archives: int
    bots: int


def losses(school_class: SchoolClass, *, pupil: Pupil | None = None) -> ClassDeletionCounts:
    """Count what ends with a class, or with one person's place in it."""
    pupils = school_class.pupils.filter(pk=pupil.pk) if pupil else school_class.pupils.all()
    made = User.objects.filter(pupils__in=pupils.filter(made_here=True))
    return ClassDeletionCounts(
        accounts=made.count(),
        guests=pupils.filter(made_here=False).count(),
        submissions=Submission.objects.filter(version__bot__owner__in=made).count(),
        archives=Version.objects.filter(bot__owner__in=made).exclude(archive="").count(),
        bots=Bot.objects.filter(owner__in=made).count(),
    )


@transaction.atomic
def end_class(*, school_class: SchoolClass) -> None:
    """End a class: cancel its ladders, close its accounts, and forget who its people were.

    :raises RequestRefused: it has ended already.
    """
    locked = lock(school_class)
    members = list(locked.pupils.values_list("person", "made_here"))
    _lock_accounts([person for person, _made_here in members])
    for ladder in locked.ladders.order_by("pk"):
        if ladder.state in (Tournament.State.DRAFT, *PLAYING):
            lifecycle.cancel(tournament=ladder)
    locked.ladders.update(code="")
    close_accounts([person for person, made_here in members if made_here])
    Membership.objects.filter(by_code=True, tournament__in=locked.ladders.all()).delete()  # on their way in
    guests = [person for person, made_here in members if not made_here]
    _leave(locked, [person for person, _made_here in members], guests=guests)
    locked.likenesses.all().delete()
    SchoolClass.objects.filter(pk=locked.pk).update(ended_at=clock.now(), code="")
    transaction.on_commit(lambda: enqueue("stichkampf_platform.classes.tasks.delete_leftovers"))
    logger.info("class %s has ended, with %s people", locked.pk, len(members))


@transaction.atomic
def remove_person(*, pupil: Pupil) -> None:
    """Take a person out of a class: an account that the class made is closed, a guest leaves.

    Their matches on the class's ladders stay, under the name that says nothing of the person.

    :raises RequestRefused: the class has ended, the person has left it, or the account has rights of its own.
    """
    locked = lock(pupil.school_class)
    found = locked.pupils.select_related("person").filter(pk=pupil.pk).first()
    if found is None:
        raise RequestRefused(_("%(name)s is not in the class any more.") % {"name": pupil.name})
    if found.made_here and has_rights(found.person):
        told = _("%(person)s has rights of their own by now, so only staff can close the account.")
        raise RequestRefused(told % {"person": found.person})
    if found.made_here:
        close_accounts([found.person_id], reason=REMOVED)
    _leave(locked, [found.person_id], guests=[] if found.made_here else [found.person_id])
    locked.likenesses.filter(
        Q(one__bot__owner=found.person_id) | Q(other__bot__owner=found.person_id)
    ).delete()
    transaction.on_commit(lambda: enqueue("stichkampf_platform.classes.tasks.delete_leftovers"))
    logger.info("%s was taken out of class %s", found.person, locked.pk)


def _what_goes(chosen: Collection[SchoolClass]) -> str:
    told = _(
        "This cannot be undone. Deleted are: accounts that the class made ({accounts}), with names of people,"
        " passwords, mail addresses, tokens and notices; archives of their code ({archives}); logs of"
        " submissions ({submissions}), and what their bots wrote in matches; tables of the private ladders"
        " that are not over. Bots ({bots}) play no more and stay with results, ratings and match records,"
        " under names that say nothing of the people; people with accounts of their own ({guests}) keep"
        " them. Save the export first."
    )
    return " ".join(told.format(**vars(losses(one))) for one in chosen if one.ended_at is None)


def _what_goes_with(chosen: Collection[Pupil]) -> str:
    (one,) = chosen
    told = _(
        "{login} came with an account of their own and keeps it, but plays on the private ladders no more."
        " With the code of the class they can come back."
    )
    if one.made_here:
        told = _(
            "This cannot be undone. It closes the account {login}, which the class made: the name of the"
            " person, password, tokens and notices are deleted, and so is the code (archives: {archives};"
            " logs of submissions: {submissions}). Results and ratings stay, under the name that says nothing"
            " of the person."
        )
    return told.format(login=one.person.username, **vars(losses(one.school_class, pupil=one)))


ACTIONS = {
    "end": Action(
        gettext_lazy("End the class and delete"),
        gettext_lazy("The class has ended. What was personal is deleted."),
        "delete what is personal; unless the export is saved, say what would be deleted",
        lambda found, by, saved: end_class(school_class=found),
        lambda found: found.ended_at is None,
        needs={"saved": Need(bool, "You have saved export.zip, or do not need it.", False)},
        question=_what_goes, confirmed_by="saved",
    ),
    "private": Action(
        gettext_lazy("Keep the class off the public ladders"),
        gettext_lazy("Bots of the class play on its private ladders alone."),
        "keep the bots of accounts that the class made off the public ladders",
        lambda found, by: choose_ladders(school_class=found, public=False),
        lambda found: found.ended_at is None and found.public, undone_by="public",
    ),
    "public": Action(
        gettext_lazy("Let the class play on the public ladders, too"),
        gettext_lazy("Bots of the class play on the public ladders, too."),
        "let the bots of the class play on the public ladders, too",
        lambda found, by: choose_ladders(school_class=found, public=True),
        lambda found: found.ended_at is None and not found.public, undone_by="private",
    ),
}  # fmt: skip
PUPIL_ACTIONS = {
    "remove": Action(
        gettext_lazy("Remove from the class"), gettext_lazy("{on.name} is no longer in the class."),
        "take the person out of the class; an account that the class made is closed, for good",
        lambda pupil, by: remove_person(pupil=pupil), question=_what_goes_with,
    ),
    "password": Action(
        gettext_lazy("Make a new slip"), gettext_lazy("{on.name} has a new password."),
        "give the person a new password; the old one ends, and the person is signed out everywhere",
        lambda pupil, by, key: reset_password(pupil=pupil, key=key),
        lambda pupil: not why_no_reset(pupil),
        needs={"key": Need(str, "32 characters of your own.", "", most=KEY_CHARACTERS)},
        adds=True,
    ),
}  # fmt: skip


def _leave(school_class: SchoolClass, people: Collection[int], *, guests: Collection[int]) -> None:
    Membership.objects.filter(tournament__in=school_class.ladders.all(), person__in=people).delete()
    school_class.pupils.filter(person__in=people).delete()
    others = User.objects.filter(pk__in=guests).exclude(Exists(Pupil.objects.filter(person=OuterRef("pk"))))
    others.update(shares_address=False)


def close_accounts(people: Collection[int], *, reason: str = REASON) -> None:
    """Delete all that is personal about accounts but their names. Call it in a transaction.

    Names of accounts and bots, versions, results, ratings and records stay: others played against them. No
    further blocks are drawn for their bots.

    :param reason: why their versions play no more.
    """
    _lock_accounts(people)
    ClosedAccount.objects.bulk_create(
        [ClosedAccount(person_id=person) for person in people], ignore_conflicts=True
    )
    for experiment in Tournament.objects.filter(created_by__in=people, state__in=PLAYING, experiment=True):
        lifecycle.cancel(tournament=experiment)
    Entry.objects.filter(bot__owner__in=people, tournament__state=Tournament.State.DRAFT).delete()
    _close_bots(people, reason)
    Ruling.objects.filter(by__in=people, kind=Ruling.Kind.PROTEST).delete()
    _delete_texts()
    ApiToken.objects.filter(owner__in=people).delete()
    open_sessions.end_all(people)
    forget_factors(people)
    SocialAccount.objects.filter(user__in=people).delete()
    AuditEntry.objects.filter(person__in=people).update(digest="")
    Notice.objects.filter(person__in=people).delete()
    NameReport.objects.filter(person__in=people).delete()
    forget_people(people)
    KnownAddress.objects.filter(person__in=people).delete()
    EmailAddress.objects.filter(user__in=people).delete()
    User.objects.filter(pk__in=people).update(
        password=make_password(None), email="", first_name="", last_name="", last_login=None, is_active=False
    )


def _lock_accounts(people: Collection[int]) -> None:
    """Lock accounts: who submits a bot, or makes a token, does so before this, or is refused after it."""
    list(User.objects.select_for_update(no_key=True).filter(pk__in=people).order_by("pk"))


def _close_bots(people: Collection[int], reason: str) -> None:
    versions = Version.objects.filter(bot__owner__in=people)
    # a validation, and a worker that suspends versions, lock them in this order, and before submissions
    list(versions.select_for_update(of=["self"], no_key=True).order_by("pk").values_list("pk"))
    submissions = Submission.objects.filter(version__in=versions)
    submissions.update(file_name="")
    submissions.filter(finished_at=None).update(finished_at=clock.now())
    waiting = [Version.State.SUBMITTED, Version.State.VALIDATING]
    versions.filter(state__in=waiting).update(state=Version.State.REJECTED)
    versions.update(**because(reason))
    versions.exclude(state=Version.State.REJECTED).update(**suspended(reason, SuspendedFor.CLOSED))
    for access in RemoteAccess.objects.filter(version__in=versions):
        RemoteAccess.objects.filter(pk=access.pk).update(
            token_digest=secrets.token_hex(32), hint="", revoked_at=clock.now()
        )
    Bot.objects.filter(owner__in=people).update(
        name=F("slug"), description="", ranked_version=None, accepts_challenges=False, may_be_entered=False
    )


@transaction.atomic
def _delete_texts() -> None:
    """Delete what programs of closed accounts have written, and the logs of their submissions."""
    submissions = Submission.objects.filter(version__bot__owner__closed__isnull=False)
    with_trials = submissions.filter(Exists(TrialMatch.objects.filter(submission=OuterRef("pk"))))
    each_by_itself("trials of a closed account", with_trials, match_records.forget)
    LogLine.objects.filter(submission__in=submissions).delete()
    SeatReport.objects.filter(seat__entrant__version__bot__owner__closed__isnull=False).delete()


def delete_leftovers() -> int:
    """Delete the code of closed accounts, and what it wrote since; return how many archives.

    Code stays while a table is to be played in which it sits: others sit there, too. So does the name.
    """
    each_by_itself("closed accounts", (_delete_texts, _take_pseudonyms), lambda part: part())
    to_play = Table.objects.filter(state=Table.State.PENDING, seats__entrant__version=OuterRef("pk"))
    free = Version.objects.filter(~Exists(to_play), bot__owner__closed__isnull=False).exclude(archive="")
    return delete_archives(free)


def _take_pseudonyms() -> None:
    """Rename closed accounts that are to, unless a table is to be played: its record would not fit."""
    to_play = Table.objects.filter(
        state=Table.State.PENDING, seats__entrant__version__bot__owner=OuterRef("person")
    )
    due = ClosedAccount.objects.exclude(pseudonym="").filter(~Exists(to_play))
    found = due.select_related("person")
    each_by_itself("pseudonym of a closed account", found, _take_pseudonym, at_most=DELETED_AT_ONCE)


@transaction.atomic
def _take_pseudonym(closed: ClosedAccount) -> None:
    _take_out_of_logs(closed.person.username, closed.pseudonym)
    give_up_name(person=closed.person, pseudonym=closed.pseudonym)
    ClosedAccount.objects.filter(pk=closed.pk).update(pseudonym="")


def _take_out_of_logs(name: str, pseudonym: str) -> None:
    """Put the pseudonym in place of a name where it is a whole word: others may have the same letters."""
    whole = re.compile(rf"(?<![a-z0-9-]){re.escape(name)}(?![a-z0-9-])")
    for entry in AuditEntry.objects.filter(subject__contains=name):
        if whole.search(entry.subject):
            subject = whole.sub(pseudonym, entry.subject)[:SUBJECT_CHARACTERS]
            AuditEntry.objects.filter(pk=entry.pk).update(subject=subject)
    for entry in LogEntry.objects.filter(object_repr__contains=name):
        if whole.search(entry.object_repr):
            LogEntry.objects.filter(pk=entry.pk).update(object_repr=pseudonym, change_message="")
