"""Matches of a bot, chosen by what happened in them. Pages and API ask with the same words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import F, FloatField, Max, Q, QuerySet, Value
from django.utils.translation import gettext as _
from stichkampf.faults import FaultKind
from stichkampf.games import game_class
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import bots_for, named
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.models import Fault, Result, Seat
from stichkampf_platform.tournaments.queries import results_of
from stichkampf_platform.tournaments.shown import Viewer

NEWEST, COSTLIEST = "newest", "costliest"
RESULTS = {
    "won": Q(rank=1),
    "lost": Q(rank__gt=1),
    "last": Q(rank=F("seat__table__block__tournament__seats"), rank__gt=1),
}
FAULTS = {
    "any": Q(faults__gt=0),
    **{kind.value: Q(pk__in=Fault.objects.filter(kind=kind.value).values("result")) for kind in FaultKind},
    "forfeited": Q(forfeited=True),
}
VERSION_DIGITS = 8


@dataclass(frozen=True)
class MatchChoice:
    """The wishes of a reader; an empty one chooses all.

    :ivar opponent: a bot at the same table, `thumb` or `house/thumb`.
    :ivar result: one of `RESULTS`.
    :ivar fault: one of `FAULTS`, of the bot itself.
    :ivar order: the newest first, or those with the costliest decisions of the bot, among marked matches.
    """

    game: str = ""
    version: str = ""
    opponent: str = ""
    result: str = ""
    fault: str = ""
    order: str = NEWEST

    @classmethod
    def read(cls, query: Mapping[str, str]) -> MatchChoice:
        """Return the choice of a query; other words in it are left alone.

        :raises StichkampfError: a value that means nothing; the message quotes it.
        """
        choice = cls(**{name: query[name].strip() for name in NAMES if query.get(name, "").strip()})
        for name, possible in POSSIBLE.items():
            given = getattr(choice, name)
            if given and given not in possible:
                raise RequestRefused(
                    _("{name} must be one of {possible}, not {given!r}.").format(
                        name=name, possible=", ".join(possible), given=given[:80]
                    )
                )
        number = choice.version
        if number and whole_number(number, VERSION_DIGITS) is None:
            raise RequestRefused(
                _("version must be a number such as 2, not {given!r}.").format(given=number[:80])
            )
        if choice.game:
            game_class(choice.game)
        return choice

    @property
    def chooses(self) -> bool:
        """True unless it takes all matches."""
        return any(getattr(self, name) for name in NAMES if name != "order") or self.order != NEWEST

    def results(self, bots: Collection[Bot], person: Viewer) -> QuerySet[Result]:
        """Return the results of these bots in the chosen matches of finished blocks that a person may see.

        Each has a `cost`, that of its costliest decision, where they are in that order.

        :raises RequestRefused: there is no such opponent.
        """
        wanted = RESULTS.get(self.result, Q()) & FAULTS.get(self.fault, Q())
        if self.game:
            wanted &= Q(seat__table__block__tournament__game=game_class(self.game).name)
        if self.version:
            wanted &= Q(seat__entrant__version__number=int(self.version))
        if self.opponent:
            rival = self._rival(person)
            met = Seat.objects.filter(entrant__version__bot=rival).values("table")
            wanted &= Q(seat__table__in=met) & ~Q(seat__entrant__version__bot=rival)
        results = results_of(bots, person).filter(wanted)
        if self.order == COSTLIEST:
            cost = Max("seat__judged__marks__points")
            return results.annotate(cost=cost).filter(cost__isnull=False).order_by("-cost", "-pk")
        none = Value(None, output_field=FloatField())
        return results.annotate(cost=none).order_by("-seat__table__block__over_at", "-pk")

    def _rival(self, person: Viewer) -> Bot:
        author, _slash, slug = self.opponent.rpartition("/")
        rival = named(bots_for(person), slug, author).first()
        if rival is None:
            raise RequestRefused(
                _("There is no bot {opponent!r}; an opponent is a name such as house/thumb.").format(
                    opponent=self.opponent[:80]
                )
            )
        return rival


NAMES = ("game", "version", "opponent", "result", "fault", "order")
POSSIBLE = {"result": RESULTS, "fault": FAULTS, "order": (NEWEST, COSTLIEST)}
