"""Forfeits of a tournament in words, for the table of its results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from django.db.models import Count, Q
from django.utils.translation import ngettext

from stichkampf_platform.core.number_formats import plain
from stichkampf_platform.people.fault_texts import said
from stichkampf_platform.tournaments.models import Fault, Tournament
from stichkampf_platform.tournaments.queries import shown_results
from stichkampf_platform.tournaments.shown import Viewer


def forfeits_in_words(tournament: Tournament, entrants: Collection[int], person: Viewer) -> dict[int, str]:
    """Return by the id of an entrant how many of its matches it forfeited, and why; none without any."""
    block = {"seat__table__block__tournament": tournament, "seat__table__block__replaced_by": None}
    counted = shown_results(person).filter(seat__entrant__in=entrants, **block)
    totals = (
        counted.order_by()
        .values_list("seat__entrant")
        .annotate(matches=Count("pk"), forfeited=Count("pk", filter=Q(forfeited=True)))
    )
    lost = {entrant: (matches, forfeited) for entrant, matches, forfeited in totals if forfeited}
    kinds: dict[int, dict[str, int]] = defaultdict(dict)
    forfeited = counted.filter(forfeited=True, seat__entrant__in=list(lost))
    found = Fault.objects.filter(result__in=forfeited).order_by("kind")
    by_kind = found.values_list("result__seat__entrant", "kind").annotate(faults=Count("pk"))
    for entrant, kind, faults in by_kind:
        kinds[entrant][kind] = faults
    return {
        entrant: ngettext(
            "forfeited {forfeited} of {matches} match: {reason}",
            "forfeited {forfeited} of {matches} matches: {reason}",
            matches,
        ).format(
            forfeited=plain(number),
            matches=plain(matches),
            reason=said(max(kinds[entrant], key=kinds[entrant].__getitem__, default="")),
        )
        for entrant, (matches, number) in lost.items()
    }
