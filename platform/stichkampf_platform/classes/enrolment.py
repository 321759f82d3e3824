"""People of a class: accounts from a list of names, slips for them, and people who come with the code.

Whatever changes a class locks it first. A form that is sent twice makes nothing twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from stichkampf_platform.classes.initial_passwords import initial_password, quick_hash, slip_digest
from stichkampf_platform.classes.ladders import start_ladders
from stichkampf_platform.classes.models import Pupil, SchoolClass
from stichkampf_platform.classes.name_lists import NAMES_AT_MOST, ListedName, name_order
from stichkampf_platform.classes.pseudonyms import free_pseudonyms
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people import services as people
from stichkampf_platform.people.models import User
from stichkampf_platform.people.notices import tell
from stichkampf_platform.tournaments.entry import membership
from stichkampf_platform.tournaments.models import Membership, Tournament

CLASSES_AT_MOST = 50
"""Classes of one teacher that have not ended."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Slip:
    """The name and the initial password of a person, to be handed over on paper."""

    pupil: Pupil
    password: str


def create_class(
    *,
    teacher: User,
    name: str,
    games: Sequence[str],
    names: Sequence[ListedName],
    key: str,
    public: bool = True,
    code_read: bool = False,
) -> SchoolClass:
    """Make a class with its ladders and accounts, wholly or not at all; the same key makes it once.

    :param key: that of the form, from which the initial passwords follow.
    :param public: bots of its people play on the public ladders, too.
    :param code_read: the teacher reads the code of bots of accounts that the class makes.
    :raises RequestRefused: the teacher has too many classes.
    :raises ValidationError: the name, or no game.
    """
    made_with = slip_digest(f"of {teacher.pk}", key)
    try:
        with transaction.atomic():
            school_class = SchoolClass(
                teacher=teacher,
                name=name,
                code=membership.new_code(),
                made_with=made_with,
                public=public,
                code_read=code_read,
            )
            school_class.full_clean(validate_unique=False, validate_constraints=False)
            if not games:
                raise ValidationError({"games": [_("Choose a game or more: each gets a ladder.")]})
            school_class.save()
            if SchoolClass.objects.filter(teacher=teacher, ended_at=None).count() > CLASSES_AT_MOST:
                told = _("You have %(most)s classes; end one that is over.")
                raise RequestRefused(told % {"most": CLASSES_AT_MOST})
            start_ladders(school_class, games)
            _make_accounts(school_class, names, key)
    except IntegrityError:
        twin = SchoolClass.objects.filter(made_with=made_with).first()
        if twin is None:  # somebody took one of the new names a moment before
            raise RequestRefused(
                _("Nothing was made: a name was taken meanwhile. Send the form again.")
            ) from None
        return twin
    logger.info("class %s of %s begins with %s people", school_class.pk, teacher, len(names))
    return school_class


@transaction.atomic
def add_people(*, school_class: SchoolClass, names: Sequence[ListedName], key: str) -> None:
    """Make accounts for more people; the same key makes them once.

    :raises RequestRefused: the class has ended, or is full.
    """
    locked = lock(school_class)
    if locked.pupils.filter(slip=slip_digest(locked.pk, key)).exists():
        return
    if locked.pupils.count() + len(names) > NAMES_AT_MOST:
        raise RequestRefused(
            _("Too many people for a class; the limit is {most}.").format(most=NAMES_AT_MOST)
        )
    _make_accounts(locked, names, key)


@transaction.atomic
def choose_ladders(*, school_class: SchoolClass, public: bool) -> None:
    """Let the bots of accounts that a class made play on the public ladders, too, or keep them off.

    What they have played there stays.

    :raises RequestRefused: the class has ended.
    """
    locked = lock(school_class)
    SchoolClass.objects.filter(pk=locked.pk).update(public=public)
    made = locked.pupils.filter(made_here=True).values("person")
    User.objects.filter(pk__in=made).update(off_public_ladders=not public)


def slips(*, school_class: SchoolClass, key: str) -> list[Slip]:
    """Return the slips of a form that has been sent, by name; later ones of the same people replace them."""
    slip = slip_digest(school_class.pk, key)
    pupils = by_name(school_class.pupils.filter(slip=slip).select_related("person"))
    return [Slip(pupil, initial_password(slip, key, pupil.slip_number)) for pupil in pupils]


def by_name(pupils: Iterable[Pupil]) -> list[Pupil]:
    """Sort the people of a class as people sort names."""
    return sorted(pupils, key=lambda pupil: name_order(ListedName(pupil.name, pupil.family_name)))


@transaction.atomic
def reset_password(*, pupil: Pupil, key: str) -> None:
    """Give a person of a class an initial password once more, and tell them.

    :raises RequestRefused: the class did not make the account, or the account may do more than others by now.
    """
    locked = lock(pupil.school_class)
    pupil = locked.pupils.select_related("person").get(pk=pupil.pk)
    if reason := why_no_reset(pupil):
        raise RequestRefused(reason)
    slip = slip_digest(locked.pk, key)
    if pupil.slip == slip:
        return
    Pupil.objects.filter(pk=pupil.pk).update(slip=slip, slip_number=0)
    person = pupil.person
    person.password = quick_hash(initial_password(slip, key, 0))
    person.save(update_fields=["password"])
    with override(person.language):
        text = _("If you had not forgotten the old one, ask your teacher.")
        tell(person=person, title=_("Your teacher has given you a new password"), text=text)
    logger.info("%s has a new password from the teacher of class %s", person, locked.pk)


def why_no_reset(pupil: Pupil) -> str:
    """Return the reason why a teacher cannot give a person a new password; empty for none."""
    person = pupil.person
    if not pupil.made_here:
        told = _("%(person)s came with an account of their own, whose password only they can change.")
        return told % {"person": person}
    if has_rights(person):
        return _("%(person)s has rights of their own by now, so only staff can reset the password."
                 ) % {"person": person}  # fmt: skip
    return ""


def has_rights(person: User) -> bool:
    """Tell whether an account may do more than others."""
    powers = Permission.objects.filter(Q(user=person) | Q(group__user=person))
    return person.is_staff or person.is_superuser or powers.exists()


def join(
    *, code: str, by: User, address: str = "", then: Callable[[], object] = lambda: None
) -> list[Tournament]:
    """Make a person a member of what has this code, tournaments and classes; return the tournaments.

    :param address: of the network.
    :param then: what the person came for. Where that is refused, or a class is full, nothing is joined.
    :raises RequestRefused: nothing has the code.
    :raises TooMany: of wrong codes.
    """

    classes = SchoolClass.objects.filter(code=membership.as_code(code), ended_at=None)

    def lock_classes() -> None:
        if list(classes.select_for_update().order_by("pk")):
            people.lock(by)

    def come() -> None:
        for school_class in classes.all():
            if school_class.teacher_id != by.pk:
                _come(school_class, by)
        then()

    return membership.join(code=code, by=by, address=address, first=lock_classes, then=come)


@transaction.atomic
def _come(school_class: SchoolClass, person: User) -> None:
    locked = lock(school_class)
    if locked.pupils.filter(person=person).exists():
        return
    if locked.pupils.count() >= NAMES_AT_MOST:
        raise RequestRefused(
            _("Too many people for a class; the limit is {most}.").format(most=NAMES_AT_MOST)
        )
    Pupil.objects.create(school_class=locked, person=person, name=person.username, made_here=False)
    Membership.objects.filter(tournament__in=locked.ladders.all(), person=person).update(by_code=False)
    User.objects.filter(pk=person.pk).update(shares_address=True)


def lock(school_class: SchoolClass) -> SchoolClass:
    """Lock a class until the transaction ends, and return it as it is now.

    :raises RequestRefused: it has ended.
    """
    locked = SchoolClass.objects.select_for_update().get(pk=school_class.pk)
    if locked.ended_at is not None:
        raise RequestRefused(_("The class %(name)s has ended.") % {"name": locked.name})
    return locked


def _make_accounts(school_class: SchoolClass, names: Sequence[ListedName], key: str) -> None:
    slip = slip_digest(school_class.pk, key)
    people = User.objects.bulk_create(
        User(
            username=pseudonym,
            password=quick_hash(initial_password(slip, key, number)),
            shares_address=True,
            off_public_ladders=not school_class.public,
            language=get_language() or settings.LANGUAGE_CODE,
        )
        for number, pseudonym in enumerate(free_pseudonyms(len(names)))
    )
    Pupil.objects.bulk_create(
        Pupil(school_class=school_class, person=person, name=listed.name, family_name=listed.family_name,
              made_here=True, slip=slip, slip_number=number)
        for number, (person, listed) in enumerate(zip(people, names, strict=True))
    )  # fmt: skip
    Membership.objects.bulk_create(
        Membership(tournament=ladder, person=person, by_code=False)
        for ladder in school_class.ladders.all()
        for person in people
    )
