"""The choice of each person: which things to be told of, and whether by mail, too."""

from __future__ import annotations

from typing import Any

from django.core import signing

from stichkampf_platform.people.models import NoticeChoice, NoticeKind, NoticeWay, User

USUAL: dict[str, Any] = {
    str(NoticeKind.CONDUCT): str(NoticeWay.MAIL),
    str(NoticeKind.VALIDATION): str(NoticeWay.SITE),
    str(NoticeKind.TOURNAMENT): str(NoticeWay.MAIL),
    str(NoticeKind.RANK): str(NoticeWay.OFF),
}
"""The way of each kind where a person has chosen none."""
SALT = "stichkampf.notices"


def ways_of(person: User) -> dict[str, Any]:
    """Return the ways of all kinds, chosen or usual."""
    return USUAL | {each.kind: each.way for each in person.notice_choices.all()}


def possible_ways(kind: Any) -> list[str]:
    """Return the ways that a person may choose: of a suspension everybody is told at least on the site."""
    ways: list[str] = NoticeWay.values
    return ways if kind != NoticeKind.CONDUCT else [way for way in ways if way != str(NoticeWay.OFF)]


def choose(*, person: User, kind: str, way: str) -> None:
    """Keep a person's choice; a way that is not possible becomes the nearest one."""
    way = way if way in possible_ways(kind) else str(NoticeWay.SITE)
    NoticeChoice.objects.update_or_create(person=person, kind=kind, defaults={"way": way})


def end_mails(*, person: User, kind: str) -> None:
    """Send no more mails of this kind; what is told on the site stays."""
    if ways_of(person)[kind] == NoticeWay.MAIL:
        choose(person=person, kind=kind, way=str(NoticeWay.SITE))


def ending_token(person: User, kind: str) -> str:
    """Return the words of an address that ends mails of this kind without signing in."""
    return signing.dumps([person.pk, str(kind)], salt=SALT)


def read_ending_token(token: str) -> tuple[User, str] | None:
    """Return whose mails of which kind a token ends; None for one that was not made here."""
    try:
        pk, kind = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return None
    person = User.objects.filter(pk=pk).first()
    return None if person is None else (person, kind)
