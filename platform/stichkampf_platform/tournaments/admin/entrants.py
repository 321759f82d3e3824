from __future__ import annotations

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ActionForm
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.tournaments.admin.filters import TournamentFilter
from stichkampf_platform.tournaments.admin.own import OwnReadOnlyAdmin, counted
from stichkampf_platform.tournaments.models import Entrant
from stichkampf_platform.tournaments.organising import losses, rulings

NUMBER = counted("number", "number")


class ReasonForm(ActionForm):
    reason = forms.CharField(required=False, max_length=300)


@admin.register(Entrant)
class EntrantAdmin(OwnReadOnlyAdmin):
    to_tournament = "tournament__"
    list_display = ["version", "tournament", NUMBER, "place", "disqualified_at", "disqualified_for"]
    fields = ["tournament", "version", NUMBER, "place", "points", "round_reached", "disqualified_at",
              "disqualified_for", "set_aside"]  # fmt: skip
    readonly_fields = [NUMBER]
    list_select_related = ["version__bot__owner", "tournament"]
    list_filter = ["tournament__state", TournamentFilter]
    list_per_page = 50
    search_fields = ["version__bot__slug", "tournament__name"]
    action_form = ReasonForm
    actions = ["disqualify"]

    @admin.action(description=gettext_lazy("Disqualify, for this reason …"), permissions=["conduct"])
    def disqualify(self, request, entrants):
        reason, chosen = request.POST.get("reason", ""), list(entrants)
        asked = reason.strip() and self.ask_first(
            request, chosen, title=_("Disqualify?"), button=_("Disqualify"),
            warning=_(
                "This cannot be undone, and loses {chosen}: unfinished blocks of theirs become void. "
                "Blocks that are over still count. The reason: {reason}"
            ).format(chosen=losses.by_disqualifying(chosen), reason=reason),
        )  # fmt: skip
        return asked or self.do_each(
            request,
            chosen,
            format_lazy(gettext_lazy("Disqualified: {reason}"), reason=reason),
            lambda entrant: rulings.disqualify(entrant=entrant, reason=reason),
        )
