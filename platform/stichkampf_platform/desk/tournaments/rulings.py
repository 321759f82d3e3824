from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from stichkampf_platform.desk.tournaments.filters import TournamentFilter
from stichkampf_platform.desk.tournaments.own import OwnReadOnlyAdmin
from stichkampf_platform.tournaments.entry import protests
from stichkampf_platform.tournaments.models import Ruling
from stichkampf_platform.tournaments.organising.actions import PROTEST_ACTIONS


@admin.register(Ruling)
class RulingAdmin(OwnReadOnlyAdmin):
    """The list of rulings and protests; what stands there stays, but superusers delete an abusive protest."""

    to_tournament = "tournament__"
    list_display = ["kind", "in_tournament", "made_at", "role", "shown_round", "shown_text", "answered_at"]
    fields = ["tournament", "kind", "made_at", "role", "by", "fault", "version", "block", "table",
              "shown_round", "shown_text", "answer", "answer_role", "answered_at"]  # fmt: skip
    list_select_related = ["tournament"]
    list_filter = ["kind", TournamentFilter]
    list_per_page = 50
    search_fields = ["tournament__name"]
    rows = PROTEST_ACTIONS

    def get_queryset(self, request):
        return protests.with_waits(super().get_queryset(request), None)

    @admin.display(description=gettext_lazy("reason"))
    def shown_text(self, ruling: Ruling) -> str:
        return "…" if ruling.waits else ruling.told_reason

    @admin.display(description=gettext_lazy("round"))
    def shown_round(self, ruling: Ruling) -> int | None:
        return None if ruling.round is None else ruling.round + 1

    def has_delete_permission(self, request, obj=None) -> bool:
        return request.user.is_superuser and obj is not None and obj.kind == Ruling.Kind.PROTEST
