"""Likeness of code: which programs of a class are so much alike that their teacher may want to ask.

The tokens of statements are compared, without those of a new project and those that many people have, since
these come from the lesson. A worker does it, after all other work. It proves nothing.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from stichkampf.errors import ArchiveError

from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.python_statements import (
    ALIKE,
    TOKENS_AT_LEAST,
    Statement,
    given_statements,
    share_alike,
    statements_of_archive,
)
from stichkampf_platform.classes.models import CodeLikeness, SchoolClass
from stichkampf_platform.core import clock
from stichkampf_platform.core.machines import failures

BOTS_COMPARED = 3
"""The newest bots of each person."""
SHOWN = 50
COMMON_TO = 4
"""A statement that a third of the people have, and this many at least, comes from the lesson."""

WORK = "comparison of code"
"""The name of the work under which `core.machines.failures` keeps classes that fail."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ComparedProgram:
    """A version, its author, and its statements."""

    version: int
    author: int
    statements: Sequence[Statement]


def compare(*, school_class: SchoolClass) -> int:
    """Compare the code of a class and keep what is much alike, in place of earlier finds; return how many."""
    began = clock.now()
    read = {version: _read(version) for version in _versions(school_class)}
    found = alike([program for program in read.values() if program is not None])
    unread = sorted(str(version) for version, program in read.items() if program is None)
    with transaction.atomic():
        locked = SchoolClass.objects.select_for_update().get(pk=school_class.pk)
        if locked.ended_at is not None:
            return 0
        locked.likenesses.all().delete()
        CodeLikeness.objects.bulk_create(
            CodeLikeness(school_class=locked, one_id=one, other_id=other, share=share)
            for (one, other), share in found.items()
        )
        SchoolClass.objects.filter(pk=locked.pk).update(compared_at=began, not_compared=unread)
    logger.info("class %s: %s pairs of programs are much alike", locked.pk, len(found))
    return len(found)


def alike(programs: Sequence[ComparedProgram]) -> dict[tuple[int, int], float]:
    """Return the pairs of versions of different people that are much alike, the most alike first.

    Of two people the pair that is most alike.
    """
    own = _own_tokens(programs)
    compared = [program for program in programs if program.version in own]
    best: dict[frozenset[int], tuple[float, tuple[int, int]]] = {}
    for one, other in combinations(sorted(compared, key=lambda program: program.version), 2):
        if one.author == other.author:
            continue
        share = share_alike(own[one.version], own[other.version])
        people = frozenset({one.author, other.author})
        if share >= ALIKE and share > best.get(people, (0.0,))[0]:
            best[people] = share, (one.version, other.version)
    ordered = sorted(best.values(), key=lambda found: (-found[0], found[1]))
    return {pair: share for share, pair in ordered[:SHOWN]}


def due_classes() -> QuerySet[SchoolClass]:
    """Return the classes with a program that came since they were last compared."""
    fresh = Version.objects.filter(bot__owner__pupils__school_class=OuterRef("pk")).exclude(archive="")
    newer = Exists(fresh.filter(created_at__gt=OuterRef("compared_at")))
    first = Q(compared_at=None) & Exists(fresh)
    due = SchoolClass.objects.filter(newer | first, ended_at=None)
    return due.order_by(F("compared_at").asc(nulls_first=True))


def _versions(school_class: SchoolClass) -> list[Version]:
    """Return the newest version of the newest bots of each person."""
    versions = (
        Version.objects.filter(
            bot__owner__pupils__school_class=school_class,
            created_at__gte=F("bot__owner__pupils__joined_at"),
        )
        .exclude(archive="")
        .select_related("bot")
        .order_by("-pk")
    )
    taken: Counter[int] = Counter()
    newest: dict[int, Version] = {}
    for version in versions.iterator(chunk_size=500):
        if version.bot_id not in newest and taken[version.bot.owner_id] < BOTS_COMPARED:
            newest[version.bot_id] = version
            taken[version.bot.owner_id] += 1
    return list(newest.values())


def what_is_missing(school_class: SchoolClass) -> str:
    """Say in words what was not compared, or is not yet; empty where nothing is missing."""
    failed = failures.reasons([WORK], school_class)
    if failed:
        return _("Not compared: the comparison fails ({reason}).").format(reason=failed[0])
    if school_class.compared_at is None:
        return _("Not compared yet.")
    if due_classes().filter(pk=school_class.pk).exists():
        return _("The newest programs are not compared yet.")
    if school_class.not_compared:
        names = ", ".join(school_class.not_compared)
        return _("Not compared, because they cannot be read: {names}.").format(names=names)
    return ""


def _read(version: Version) -> ComparedProgram | None:
    """Read a program; None where its archive is damaged or gone.

    :raises StoreAway: no archive can be read at the moment.
    """
    try:
        with version.archive.open() as file:
            return ComparedProgram(version.pk, version.bot.owner_id, statements_of_archive(file.read()))
    except (FileNotFoundError, ArchiveError) as error:
        logger.warning("%s is not compared: %s", version, error)
        return None


def _own_tokens(programs: Sequence[ComparedProgram]) -> dict[int, list[str]]:
    """Return the tokens of each version that has enough of its own."""
    authors: defaultdict[Statement, set[int]] = defaultdict(set)
    for program in programs:
        for statement in program.statements:
            authors[statement].add(program.author)
    many = max(COMMON_TO, len({program.author for program in programs}) / 3)
    common = given_statements() | {statement for statement, people in authors.items() if len(people) >= many}
    own = {
        program.version: [token for each in program.statements if each not in common for token in each]
        for program in programs
    }
    return {version: tokens for version, tokens in own.items() if len(tokens) >= TOKENS_AT_LEAST}
