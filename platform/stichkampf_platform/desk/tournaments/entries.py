from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from stichkampf_platform.desk.tournaments.filters import TournamentFilter
from stichkampf_platform.desk.tournaments.own import OwnReadOnlyAdmin
from stichkampf_platform.tournaments.models import Entry, Membership
from stichkampf_platform.tournaments.organising.actions import ENTRY_ACTIONS, MEMBER_ACTIONS


@admin.register(Entry)
class EntryAdmin(OwnReadOnlyAdmin):
    to_tournament = "tournament__"
    list_display = ["bot", "version", "in_tournament", "entered_at", "shown_left_out"]
    fields = ["tournament", "bot", "version", "entered_at", "shown_left_out"]
    list_select_related = ["bot__owner", "version__bot__owner", "tournament"]
    list_filter = ["tournament__state", TournamentFilter]
    list_per_page = 50
    search_fields = ["bot__slug", "bot__owner__username", "tournament__name"]
    rows = ENTRY_ACTIONS

    @admin.display(description=gettext_lazy("left out"))
    def shown_left_out(self, entry: Entry) -> str:
        return entry.told_left_out


@admin.register(Membership)
class MembershipAdmin(OwnReadOnlyAdmin):
    to_tournament = "tournament__"
    list_display = ["person", "in_tournament", "by_code", "joined_at"]
    fields = ["tournament", "person", "by_code", "joined_at"]
    list_select_related = ["person", "tournament"]
    list_filter = ["tournament__state", TournamentFilter]
    list_per_page = 50
    search_fields = ["person__username", "tournament__name"]
    rows = MEMBER_ACTIONS
