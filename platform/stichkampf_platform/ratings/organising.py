"""Actions and files of organisers: those of tournaments, and those that take ratings."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from stichkampf_platform.core.actions import Action, Export, Need
from stichkampf_platform.people.models import User
from stichkampf_platform.ratings import qualification
from stichkampf_platform.ratings.standings import standings_csv
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import actions
from stichkampf_platform.tournaments.records import exports

ACTIONS: dict[str, Action] = {
    **actions.ACTIONS,
    "final": Action(
        gettext_lazy("Knock-out of the best eight"), gettext_lazy("The best have entered a knock-out."),
        "let the best enter a knock-out",
        lambda tournament, by, best: qualification.make_final(tournament=tournament, by=by, best=best),
        actions.in_state(Tournament.State.FINISHED),
        needs={"best": Need(int, "How many enter.", qualification.BEST, least=2, most=1000)},
        adds=True,
    ),
}  # fmt: skip
"""By name, which addresses and commands have too."""

EXPORTS = {
    "standings.csv": Export(
        "text/csv", standings_csv,
        "the standings as the page shows them: place, points with their tie-breaks or round reached, Elo",
    ),
    **exports.EXPORTS,
}  # fmt: skip
"""By file name."""


def possible(tournament: Tournament, by: User) -> dict[str, Action]:
    """Return what somebody who runs a tournament can do with it now, by name."""
    return {
        name: action
        for name, action in ACTIONS.items()
        if action.useful(tournament) and (by.is_superuser or not action.operators)
    }
