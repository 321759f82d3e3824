from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from stichkampf_platform.desk.tournaments.filters import TournamentFilter
from stichkampf_platform.desk.tournaments.own import OwnReadOnlyAdmin, ReasonForm
from stichkampf_platform.tournaments.entry import leaving, membership
from stichkampf_platform.tournaments.models import Entry, Membership


@admin.register(Entry)
class EntryAdmin(OwnReadOnlyAdmin):
    to_tournament = "tournament__"
    list_display = ["bot", "version", "tournament", "entered_at", "shown_left_out"]
    fields = ["tournament", "bot", "version", "entered_at", "shown_left_out"]
    list_select_related = ["bot__owner", "version__bot__owner", "tournament"]
    list_filter = ["tournament__state", TournamentFilter]
    list_per_page = 50
    search_fields = ["bot__slug", "bot__owner__username", "tournament__name"]
    action_form = ReasonForm
    actions = ["withdraw"]

    @admin.display(description=gettext_lazy("left out"))
    def shown_left_out(self, entry: Entry) -> str:
        return entry.told_left_out

    @admin.action(
        description=gettext_lazy("Withdraw before the start, for this reason"), permissions=["conduct"]
    )
    def withdraw(self, request, chosen):
        return self.do_each(
            request,
            list(chosen.select_related("tournament", "bot__owner")),
            gettext_lazy("Withdrawn."),
            lambda entry: leaving.withdraw(
                tournament=entry.tournament,
                bot=entry.bot,
                by=request.user,
                reason=request.POST.get("reason", ""),
            ),
        )


@admin.register(Membership)
class MembershipAdmin(OwnReadOnlyAdmin):
    to_tournament = "tournament__"
    list_display = ["person", "tournament", "by_code", "joined_at"]
    fields = ["tournament", "person", "by_code", "joined_at"]
    list_select_related = ["person", "tournament"]
    list_filter = ["tournament__state", TournamentFilter]
    list_per_page = 50
    search_fields = ["person__username", "tournament__name"]
    actions = ["expel"]

    @admin.action(description=gettext_lazy("Exclude: they see it no longer"), permissions=["conduct"])
    def expel(self, request, chosen):
        return self.do_each(
            request,
            list(chosen.select_related("tournament", "person")),
            gettext_lazy("Excluded."),
            lambda member: membership.exclude(member=member),
        )
