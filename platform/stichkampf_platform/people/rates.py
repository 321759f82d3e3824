"""Rate limits for accounts and addresses, on actions that cost the platform something; pages and API alike.

Counted in the database, in a row for each scope, account or address, and span of time, by a statement that
adds 1. So the limit holds however many requests come at once, and what is refused later in the same
transaction is not counted. Spans end at the same time for all; around that moment twice the rate is possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext_lazy

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import TooMany
from stichkampf_platform.people.models import RateCount
from stichkampf_platform.people.network_addresses import keyed_digest

NAMES = {
    "sign-up": gettext_lazy("accounts from this address"),
    "tokens": "tokens",
    "submissions": "submissions",
    "challenges": gettext_lazy("blocks of challenges"),
    "comparisons": gettext_lazy("blocks of comparisons"),
    "counterfactuals": gettext_lazy("counterfactual blocks"),
    "passwords": gettext_lazy("wrong passwords"),
    "second factors": gettext_lazy("wrong codes"),
    "passkeys": gettext_lazy("wrong passkeys"),
    "mails": gettext_lazy("mails requested"),
    "codes": "wrong codes",
    "protests": gettext_lazy("protests"),
    "announcements": gettext_lazy("announcements"),
    "marks": "matches to mark",
    "continuations": gettext_lazy("continuations"),
    "tables": gettext_lazy("tables"),
    "same hands": gettext_lazy("matches of bots with hands of persons"),
    "name reports": gettext_lazy("reports of names"),
    "guests of a day": gettext_lazy(
        "guests of one address at the deal of a day; with an account you can play"
    ),
}
"""By scope, of what there are too many."""


@dataclass(frozen=True)
class Allowance:
    """The rest of what may be done in a span of time, and the end of that span."""

    most: int
    left: int
    ends_at: datetime


def allowance(scope: str, **who: str) -> Allowance | None:
    """Return what is left of a scope, by the limit that leaves least; None without a limit."""
    limits = []
    for kind, (most, seconds) in settings.RATES[scope].items():
        if who.get(kind):
            ends_at = _end_of_span(seconds)
            times = _rows(scope, f"{kind} {who[kind]}", ends_at).values_list("times", flat=True).first()
            limits.append(Allowance(most, max(0, most - (times or 0)), ends_at))
    return min(limits, key=lambda each: each.left, default=None)


@transaction.atomic
def count(scope: str, *, times: int = 1, **who: str) -> None:
    """Count one more, or several. Call it first in the transaction that does what is counted.

    :param scope: one of `settings.RATES`, which says how often for each kind of `who`.
    :param who: who does it, by kind, such as `address="192.0.2.1"`; an empty one is not counted.
    :raises TooMany: one of them has done it as often as it may. Nothing is counted then.
    """
    for kind, (most, seconds) in settings.RATES[scope].items():
        if not who.get(kind):
            continue
        ends_at = _end_of_span(seconds)
        if _add(scope, f"{kind} {who[kind]}", ends_at, times) > most:
            raise TooMany(NAMES[scope], max(1, ceil((ends_at - clock.now()).total_seconds())))


def take_back(scope: str, **who: str) -> None:
    """Count one less, of what turned out to be harmless."""
    for kind, (_, seconds) in settings.RATES[scope].items():
        if who.get(kind):
            rows = _rows(scope, f"{kind} {who[kind]}", _end_of_span(seconds))
            rows.filter(times__gt=0).update(times=F("times") - 1)


def forget_old() -> None:
    """Delete the counts of spans that are over."""
    RateCount.objects.filter(ends_at__lt=clock.now()).delete()


def _add(scope: str, who: str, ends_at: datetime, times: int) -> int:
    """Add to a count and return the new one. The row stays locked until the transaction ends."""
    rows = _rows(scope, who, ends_at)
    if not rows.update(times=F("times") + times):
        fresh = RateCount(scope=scope, who=keyed_digest(who), ends_at=ends_at)
        RateCount.objects.bulk_create([fresh], ignore_conflicts=True)
        rows.update(times=F("times") + times)
    return rows.values_list("times", flat=True).get()


def _rows(scope: str, who: str, ends_at: datetime) -> QuerySet[RateCount]:
    return RateCount.objects.filter(scope=scope, who=keyed_digest(who), ends_at=ends_at)


def _end_of_span(seconds: int) -> datetime:
    now = clock.now().timestamp()
    return datetime.fromtimestamp((now // seconds + 1) * seconds, UTC)
