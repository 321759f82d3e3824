from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.desk.tournaments.filters import TournamentFilter
from stichkampf_platform.desk.tournaments.own import OwnReadOnlyAdmin, ReasonForm, counted
from stichkampf_platform.tournaments.models import Entrant, Ruling
from stichkampf_platform.tournaments.running import losses

NUMBER = counted("number", "number")


@admin.register(Entrant)
class EntrantAdmin(OwnReadOnlyAdmin):
    to_tournament = "tournament__"
    list_display = ["version", "tournament", NUMBER, "place", "out_at", "out_for"]
    fields = ["tournament", "version", NUMBER, "place", "points", "round_reached", "out_at",
              "out_for", "out_as"]  # fmt: skip
    readonly_fields = [NUMBER]
    list_select_related = ["version__bot__owner", "tournament"]
    list_filter = ["tournament__state", TournamentFilter]
    list_per_page = 50
    search_fields = ["version__bot__slug", "tournament__name"]
    action_form = ReasonForm
    actions = ["disqualify", "withdraw"]

    @admin.action(description=gettext_lazy("Disqualify, for this reason …"), permissions=["conduct"])
    def disqualify(self, request, entrants):
        chosen = list(entrants)
        return self.rule(
            request, Ruling.Kind.DISQUALIFY, {one: one for one in chosen},
            title=_("Disqualify?"), button=_("Disqualify"), done=gettext_lazy("Disqualified: {reason}"),
            warning=_(
                "This cannot be undone, and loses {chosen}: unfinished blocks of theirs become void. "
                "Blocks that are over still count."
            ).format(chosen=losses.by_disqualifying(chosen)),
        )  # fmt: skip

    @admin.action(
        description=gettext_lazy("Withdraw at its author's wish, for this reason …"), permissions=["conduct"]
    )
    def withdraw(self, request, entrants):
        return self.rule(
            request, Ruling.Kind.WITHDRAW, {one: one for one in entrants},
            title=_("Withdraw?"), button=_("Withdraw"), done=gettext_lazy("Withdrawn: {reason}"),
            warning=_(
                "This cannot be undone. They are drawn no more, and play to the end what they have begun."
            ),
        )  # fmt: skip
