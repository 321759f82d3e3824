from __future__ import annotations

from django.contrib import admin

from stichkampf_platform.ratings.models import Gift, Ladder, Rating, Snapshot
from stichkampf_platform.readonly import ReadOnlyAdmin
from stichkampf_platform.tournaments.admin.own import OwnReadOnlyAdmin
from stichkampf_platform.web.figures import DASH, signed


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


class FoundFilter(admin.SimpleListFilter):
    title = "found"
    parameter_name = "found"

    def lookups(self, request, model_admin):
        return [("yes", "beyond luck"), ("no", "within luck")]

    def queryset(self, request, gifts):
        if self.value() is None:
            return gifts
        return gifts.filter(low__gt=0) if self.value() == "yes" else gifts.filter(low__lte=0)


@admin.register(Gift)
class GiftAdmin(OwnReadOnlyAdmin):
    """What the watch for collusion and farming measured, the best proved first."""

    to_tournament = "snapshot__tournament__"
    list_display = ["giver", "taker", "way", "of_a_hundred", "interval", "found", "blocks", "where"]
    list_select_related = ["giver__bot", "taker__bot", "snapshot__ladder", "snapshot__tournament"]
    list_filter = [
        FoundFilter,
        ("snapshot__ladder", admin.RelatedOnlyFieldListFilter),
        ("snapshot__tournament", admin.RelatedOnlyFieldListFilter),
    ]

    def changelist_view(self, request, extra_context=None):
        return super().changelist_view(request, {"title": "Collusion watch", **(extra_context or {})})

    @admin.display(description="points of a hundred", ordering="points")
    def of_a_hundred(self, gift: Gift) -> str:
        return signed(100 * gift.points, 1)

    @admin.display(description="interval", ordering="low")
    def interval(self, gift: Gift) -> str:
        return f"{signed(100 * gift.low, 1)} {DASH} {signed(100 * gift.high, 1)}"

    @admin.display(boolean=True, description="beyond luck")
    def found(self, gift: Gift) -> bool:
        return gift.low > 0

    @admin.display(description="in")
    def where(self, gift: Gift) -> str:
        return str(gift.snapshot)
