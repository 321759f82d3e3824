"""Members of tournaments: people who were invited, and those who gave the code."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.utils.text import slugify
from django.utils.translation import gettext as _

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people import rates
from stichkampf_platform.people.models import HOUSE, User
from stichkampf_platform.people.network_addresses import counted
from stichkampf_platform.tournaments.models import Membership, Tournament

CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""No two that are taken for each other on paper."""
CODE_GROUPS, GROUP_LETTERS = 3, 4
NAMES_AT_MOST = 1000
SLUG_LENGTH, SECRET_LETTERS = 60, 10


def new_code() -> str:
    """Return a code that cannot be guessed, such as `k3mf-97pq-wtzh`."""
    groups = ("".join(secrets.choice(CODE_LETTERS) for _ in range(GROUP_LETTERS)) for _ in range(CODE_GROUPS))
    return "-".join(groups)


def as_code(text: str) -> str:
    """Return a code as it is kept, however it was typed."""
    letters = [letter for letter in text.lower() if letter in CODE_LETTERS][: CODE_GROUPS * GROUP_LETTERS]
    groups = range(0, len(letters), GROUP_LETTERS)
    return "-".join("".join(letters[first : first + GROUP_LETTERS]) for first in groups)


def secret_slug(slug: str) -> str:
    """Return a name for the address of a private tournament that cannot be guessed, and that no other has."""
    letters = "".join(secrets.choice(CODE_LETTERS) for _ in range(SECRET_LETTERS))
    return f"{slug[: SLUG_LENGTH - SECRET_LETTERS - 1].strip('-')}-{letters}"


def slug_from(name: str, length: int = SLUG_LENGTH) -> str:
    """Return the word of a name in addresses, or a random one where a name has no letter for them."""
    return slugify(name)[:length].strip("-") or secret_slug("tournament")[:length]


def people_listed(text: str) -> list[User]:
    """Return the people of a list: names, on lines of their own or after commas.

    :raises RequestRefused: naming every name that no account has.
    """
    names = list(dict.fromkeys(name for line in text.splitlines() for name in line.replace(",", " ").split()))
    if len(names) > NAMES_AT_MOST:
        told = _("%(names)s names are too many; at most %(most)s can be invited by name")
        raise RequestRefused(told % {"names": f"{len(names):,}", "most": f"{NAMES_AT_MOST:,}"})
    people = {person.username: person for person in User.objects.filter(username__in=names, is_active=True)}
    unknown = [name for name in names if name not in people or name == HOUSE]
    if unknown:
        shown = ", ".join(repr(name[:40]) for name in unknown[:20])
        if len(unknown) > 20:
            shown = _("%(names)s and %(count)s more") % {"names": shown, "count": len(unknown) - 20}
        told = _("no account is called %(names)s; write the names of accounts, such as ann")
        raise RequestRefused(told % {"names": shown})
    return [people[name] for name in names]


@transaction.atomic
def set_invited(*, tournament: Tournament, people: Iterable[User]) -> None:
    """Invite these people; take back the invitations of others. Those who came with the code stay."""
    invited = {person.pk for person in people}
    tournament.members.filter(by_code=False).exclude(person__in=invited).delete()
    fresh = [Membership(tournament=tournament, person_id=pk) for pk in sorted(invited)]
    Membership.objects.bulk_create(fresh, ignore_conflicts=True)


def vouched_for(tournaments: Iterable[Tournament]) -> set[int]:
    """Return the ids of the people whom the organisers of these private tournaments invited by name.

    They are known to be people of their own, also where they share an address or came in the same hour.
    """
    invited = Membership.objects.filter(tournament__in=tournaments, tournament__private=True, by_code=False)
    return set(invited.values_list("person", flat=True))


def join(
    *,
    code: str,
    by: User,
    address: str = "",
    first: Callable[[], object] = lambda: None,
    then: Callable[[], object] = lambda: None,
) -> list[Tournament]:
    """Make a person a member of the tournaments that have this code and are not over; return these.

    :param address: of the network; codes are not to be guessed from there.
    :param first: locks what has to be locked before the tournaments.
    :param then: what the person came for. Where that is refused, nothing is joined.
    :raises RequestRefused: no such tournament has the code.
    :raises TooMany: of wrong codes.
    """
    who = {"account": by.username, "address": counted(by, address)}
    rates.count("codes", **who)
    with transaction.atomic():
        first()
        found = list(with_code(code).select_for_update())  # its end takes the code back
        Membership.objects.bulk_create(
            [Membership(tournament=tournament, person=by, by_code=True) for tournament in found],
            ignore_conflicts=True,
        )
        if not found:
            told = _("No open tournament has the code %(code)r; ask the organiser for the right one.")
            raise RequestRefused(told % {"code": code.strip()[:40]})
        then()
    rates.take_back("codes", **who)
    return found


def with_code(code: str) -> QuerySet[Tournament]:
    """Return the tournaments that have a code, are shown on the site and are not over, newest first."""
    over = [Tournament.State.FINISHED, Tournament.State.CANCELLED]
    kept = as_code(code)
    found = Tournament.objects.filter(code=kept, published=True).exclude(state__in=over)
    return found if kept else found.none()


@transaction.atomic
def exclude(*, member: Membership) -> None:
    """Take a membership back, and entries of this person that have not been played."""
    tournament = Tournament.objects.select_for_update().get(pk=member.tournament_id)
    if tournament.state == Tournament.State.DRAFT:
        tournament.entries.filter(bot__owner=member.person_id).delete()
    Membership.objects.filter(pk=member.pk).delete()
