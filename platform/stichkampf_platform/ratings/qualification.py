"""Championships: the best of a tournament that is over enter a knock-out, seeded by their places."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from django.db import transaction
from django.utils.translation import gettext as _

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.models import HOUSE, NoticeKind, User
from stichkampf_platform.people.notices import tell
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.ratings.queries import unsettled_tournaments
from stichkampf_platform.ratings.standings import StandingsRow, standings
from stichkampf_platform.tournaments.entry.draft_checks import check_entrants
from stichkampf_platform.tournaments.entry_models import WhoEnters
from stichkampf_platform.tournaments.formats.groups import listed
from stichkampf_platform.tournaments.formats.knock_out import KnockOut
from stichkampf_platform.tournaments.models import Entrant, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.tournament_locks import saved_unless_taken

logger = logging.getLogger(__name__)

BEST = 8


@transaction.atomic
def make_final(*, tournament: Tournament, by: User, best: int = BEST) -> Tournament:
    """Make the draft of a knock-out of the best entrants, one of each author, with the same settings.

    Entrants that were disqualified are passed over. Where fewer than `best` are ranked, all of them enter.

    :raises RequestRefused: it is not over, its standings are not final, or it has a final already.
    :raises ValidationError: no knock-out is possible with these entrants.
    """
    qualifier = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if qualifier.state != Tournament.State.FINISHED:
        raise RequestRefused(
            _("{name} is {state}: its best are known when it is finished.").format(
                name=qualifier.name, state=qualifier.get_state_display()
            )
        )
    known = qualifier.finals.exclude(state=Tournament.State.CANCELLED).first()
    if known is not None:
        raise RequestRefused(
            _("The best of {name} play in {final} already.").format(name=qualifier.name, final=known)
        )
    if unsettled_tournaments().filter(pk=qualifier.pk).exists():
        raise RequestRefused(
            _("The standings of {name} are not final yet; try again in a minute.").format(name=qualifier.name)
        )
    final = rulings.clone(tournament=qualifier, by=by)
    final.name = _("{name}, knock-out").format(name=qualifier.name[:80])
    final.qualifier = qualifier
    final.format, final.rounds, final.stopping = KnockOut.name, None, Tournament.Stopping.FIXED
    final.entry, final.entry_until, final.places, final.bots_each = WhoEnters.ORGANISER, None, None, 1
    chosen = _best(qualifier, best)
    check_entrants(final, [entrant.version for entrant in chosen])
    numbered = final.slug
    if not qualifier.private:
        final.slug = f"{qualifier.slug[:50].strip('-')}-final"
    if not saved_unless_taken(final):
        final.slug = numbered
        final.save()
    lifecycle.set_entrants(tournament=final, versions=[entrant.version for entrant in chosen])
    logger.info("%s follows from %s", final.slug, qualifier.slug)
    return final


def tell_other_best(qualifier: Tournament, ruling: int) -> None:
    """Tell the organisers of a final that has not started who would enter it now, after a ruling that has
    changed places.
    """
    for final in qualifier.finals.filter(state=Tournament.State.DRAFT):
        entered = [entrant.version for entrant in final.entrants.select_related("version__bot__owner")]
        best = [entrant.version for entrant in _best(qualifier, len(entered))]
        for organiser in final.organisers if best != entered else []:
            tell(
                person=organiser,
                kind=NoticeKind.TOURNAMENT,
                once=f"best {final.pk} {ruling}",
                title=Sentence("{final}: other bots are the best now", final=str(final)),
                text=Sentence(
                    "A ruling has changed the places of {name}. By them these would enter, in this order: "
                    "{names}. The draft is as it was; change its entrants before you start it.",
                    name=str(qualifier), names=listed([str(version) for version in best]),
                ),
                address=f"/admin/tournaments/tournament/{final.pk}/change/",
            )  # fmt: skip


def decided_by_lot(final: Tournament) -> str:
    """Say in a `Sentence` between which bots a lot decided who enters a knock-out; empty where none did."""
    if final.qualifier is None:
        return ""
    entered = set(final.entrants.values_list("version", flat=True))
    rows = list(_one_of_each_author(final.qualifier))
    last = max((row.place or 0 for row in rows if row.entrant.version_id in entered), default=0)
    equal = [row.entrant.version for row in rows if row.place == last]
    lucky = [str(version) for version in equal if version.pk in entered]
    others = [str(version) for version in equal if version.pk not in entered]
    if not others:
        return ""
    return Sentence(
        "{all} shared place {place} of the tournament before: a lot decided that of these {lucky} plays on.",
        all=listed([*lucky, *others]), place=last, lucky=listed(lucky),
    )  # fmt: skip


def _best(tournament: Tournament, best: int) -> list[Entrant]:
    return [row.entrant for row in _one_of_each_author(tournament)][:best]


def _one_of_each_author(tournament: Tournament) -> Iterator[StandingsRow]:
    """Yield the standings without those that are out: of each author but the house one bot."""
    authors: set[str] = set()
    for row in standings(tournament):
        author = row.entrant.version.bot.owner.username
        if row.place is None or row.entrant.out_at is not None or author in authors:
            continue
        if author != HOUSE:
            authors.add(author)
        yield row
