"""The code of bots of a class, for its teacher, where that was declared when the class was made.

It goes for accounts that the class made and for what they submitted since. Slips and the page where they
submit say so.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import F, QuerySet

from stichkampf_platform.bots.models import Version
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.people.models import User

ZIP_BEGINS = b"PK"
PORTION_BYTES = 1 << 16


def readable(school_class: SchoolClass) -> QuerySet[Version]:
    """Return the versions whose code the teacher of a class may read, by account, bot and number."""
    versions = Version.objects.filter(
        bot__owner__pupils__school_class=school_class,
        bot__owner__pupils__made_here=True,
        created_at__gte=F("bot__owner__pupils__joined_at"),
    ).exclude(archive="")
    if not school_class.code_read or school_class.ended_at is not None:
        return versions.none()
    return versions.select_related("bot__owner").order_by("bot__owner__username", "bot__slug", "number")


def teachers_read(person: User) -> bool:
    """Tell whether a teacher reads the code of what a person submits."""
    return person.pupils.filter(made_here=True, school_class__code_read=True).exists()


def code_file(version: Version) -> tuple[str, Iterator[bytes]]:
    """Return the name of a version's archive in a class, and its content piece by piece.

    :raises FileNotFoundError: the archive is gone.
    """
    file = version.archive.open()
    first = file.read(PORTION_BYTES)
    kind = "zip" if first.startswith(ZIP_BEGINS) else "tar.gz"
    bot = version.bot
    return f"{bot.owner.username}/{bot.slug}-v{version.number}.{kind}", _rest(first, file)


def _rest(first: bytes, file) -> Iterator[bytes]:  # type: ignore[no-untyped-def]
    with file:
        piece = first
        while piece:
            yield piece
            piece = file.read(PORTION_BYTES)
