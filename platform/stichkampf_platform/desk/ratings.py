from __future__ import annotations

from django.contrib import admin
from django.db.models import Q
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from stichkampf.rating.table import PROVISIONAL_BLOCKS

from stichkampf_platform.core.number_formats import DASH, plain, signed, ungrouped
from stichkampf_platform.desk.site import NothingAdded, ReadOnlyAdmin
from stichkampf_platform.desk.tournaments.filters import GameFilter
from stichkampf_platform.desk.tournaments.own import OwnReadOnlyAdmin
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings.models import CollusionSignal, Rating, Snapshot
from stichkampf_platform.tournaments.queries import shown_ladders
from stichkampf_platform.tournaments.titles import game_title


@admin.register(Ladder)
class LadderAdmin(ReadOnlyAdmin):
    list_display = ["slug", "game_of_ladder", "seats", "main", "created_at"]
    list_filter = [GameFilter, "main"]

    @admin.display(description=gettext_lazy("game"), ordering="game")
    def game_of_ladder(self, ladder: Ladder) -> str:
        return game_title(ladder.game)

    def get_queryset(self, request):
        return super().get_queryset(request).filter(pk__in=shown_ladders(request.user).values("pk"))


class RatingInline(NothingAdded, admin.TabularInline):
    model = Rating
    fields = readonly_fields = [
        "version",
        "shown_elo",
        "interval",
        "blocks",
        "comparisons",
        "rank",
        "provisional",
        "anchor",
    ]
    can_delete = False
    extra = 0

    @admin.display(description="Elo")
    def shown_elo(self, rating: Rating) -> str:
        return ungrouped(rating.elo)

    @admin.display(description="95%")
    def interval(self, rating: Rating) -> str:
        """Write half the width of the interval, or what a rank still needs: before it means nothing."""
        to_go = PROVISIONAL_BLOCKS - rating.blocks
        if to_go > 0:
            return ngettext("%(number)s block to go", "%(number)s blocks to go", to_go) % {"number": to_go}
        return DASH if rating.plus_minus is None else f"±{rating.plus_minus:.0f}"

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("version__bot__owner")


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnlyAdmin):
    list_display = ["ladder", "tournament", "at", "blocks", "tables", "final", "published"]
    list_select_related = ["ladder", "tournament"]
    list_filter = [("ladder", admin.RelatedOnlyFieldListFilter), "final"]
    inlines = [RatingInline]

    def get_queryset(self, request):
        shown = super().get_queryset(request)
        return shown.filter(ladder__in=shown_ladders(request.user).values("pk"))


class StateFilter(admin.SimpleListFilter):
    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request, model_admin):
        return CollusionSignal.State.choices

    def queryset(self, request, signals):
        chosen = {
            CollusionSignal.State.REPORTED: Q(reported_at__isnull=False),
            CollusionSignal.State.WATCHED: Q(reported_at=None, low__isnull=False),
            CollusionSignal.State.NOT_MEASURABLE: Q(reported_at=None, low=None),
        }
        return signals.filter(chosen[self.value()]) if self.value() in chosen else signals


@admin.register(CollusionSignal)
class CollusionSignalAdmin(OwnReadOnlyAdmin):
    """Measurements of the watch for collusion and farming, the best proved first."""

    to_tournament = "snapshot__tournament__"
    list_display = [
        "giver",
        "taker",
        "way",
        "shown_state",
        "of_a_hundred",
        "interval",
        "of_style",
        "blocks",
        "apart",
        "where",
    ]
    list_select_related = [
        "giver__bot__owner",
        "taker__bot__owner",
        "snapshot__ladder",
        "snapshot__tournament",
    ]
    list_filter = [
        StateFilter,
        ("snapshot__ladder", admin.RelatedOnlyFieldListFilter),
        ("snapshot__tournament", admin.RelatedOnlyFieldListFilter),
    ]

    def changelist_view(self, request, extra_context=None):
        return super().changelist_view(request, {"title": _("Collusion watch"), **(extra_context or {})})

    @admin.display(description=gettext_lazy("state"), ordering="reported_at")
    def shown_state(self, signal: CollusionSignal) -> str:
        if not signal.reported_at:
            return signal.state
        day = date_format(signal.reported_at, "SHORT_DATE_FORMAT")
        return _("{state} since {day}").format(state=signal.state, day=day)

    @admin.display(description=gettext_lazy("percentage points"), ordering="points")
    def of_a_hundred(self, signal: CollusionSignal) -> str:
        return DASH if signal.points is None else signed(100 * signal.points, 1)

    @admin.display(description=gettext_lazy("interval"), ordering="low")
    def interval(self, signal: CollusionSignal) -> str:
        if signal.low is None or signal.high is None:
            return DASH
        return f"{signed(100 * signal.low, 1)} {DASH} {signed(100 * signal.high, 1)}"

    @admin.display(description=gettext_lazy("explained by style"), ordering="style")
    def of_style(self, signal: CollusionSignal) -> str:
        return DASH if signal.low is None else plain(100 * signal.style, 1)

    @admin.display(description=gettext_lazy("in"))
    def where(self, signal: CollusionSignal) -> str:
        return str(signal.snapshot)
