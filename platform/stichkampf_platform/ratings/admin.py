from __future__ import annotations

from django.contrib import admin

from stichkampf_platform.ratings.models import Ladder, Rating, Snapshot
from stichkampf_platform.readonly import ReadOnlyAdmin


@admin.register(Ladder)
class LadderAdmin(ReadOnlyAdmin):
    list_display = ["slug", "game", "seats", "main", "created_at"]
    list_filter = ["game", "main"]


class RatingInline(admin.TabularInline):
    model = Rating
    fields = readonly_fields = [
        "version",
        "elo",
        "plus_minus",
        "blocks",
        "comparisons",
        "rank",
        "provisional",
        "anchor",
    ]
    can_delete = False
    extra = 0

    def has_add_permission(self, request, obj=None) -> bool:
        return False

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("version__bot")


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnlyAdmin):
    list_display = ["ladder", "tournament", "at", "blocks", "tables", "final", "published"]
    list_select_related = ["ladder", "tournament"]
    list_filter = ["ladder", "final"]
    inlines = [RatingInline]
