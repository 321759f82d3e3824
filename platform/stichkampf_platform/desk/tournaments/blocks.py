from __future__ import annotations

from dataclasses import replace

from django.contrib import admin
from django.db.models import Q
from django.utils.translation import gettext_lazy
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.desk.tournaments.filters import BlockStateFilter, TournamentFilter, TroubleFilter
from stichkampf_platform.desk.tournaments.own import OwnReadOnlyAdmin, counted
from stichkampf_platform.tournaments.models import Block, Table
from stichkampf_platform.tournaments.organising.actions import BLOCK_ACTIONS

BLOCK, ROUND, TABLE = counted("number", "block"), counted("round", "round"), counted("lane", "table")
NUMBER_DIGITS = 8


class BlockListAdmin(OwnReadOnlyAdmin):
    """Base class of lists that a search finds by the tournament's name or slug and the number of a block."""

    to_block = ""
    """The way to the block, as a query has it, such as `block__`."""
    list_per_page = 50
    search_fields = ["tournament__name"]

    def get_search_results(self, request, rows, search_term):
        """Filter by each word: a number is that of a block, counted from 1, or stands in the name."""
        for word in search_term.replace("\x00", "").split():
            tournament = f"{self.to_block}tournament__"
            wanted = Q(**{f"{tournament}name__icontains": word}) | Q(**{f"{tournament}slug__icontains": word})
            if number := whole_number(word, NUMBER_DIGITS):
                wanted |= Q(**{f"{self.to_block}number": number - 1})
            rows = rows.filter(wanted)
        return rows, False


@admin.register(Block)
class BlockAdmin(BlockListAdmin):
    to_tournament = "tournament__"
    ordering = ["-tournament_id", "number"]
    list_display = ["in_tournament", BLOCK, ROUND, "over_at", "replacement"]
    list_select_related = ["tournament", "replaced_by"]
    list_filter = [BlockStateFilter, TournamentFilter]
    fields = ["tournament", BLOCK, ROUND, "dealt_once", "hinted_at", "over_at", "replaced_by"]
    readonly_fields = [BLOCK, ROUND]
    rows = BLOCK_ACTIONS

    @admin.display(
        description=gettext_lazy("played again as block"), ordering="replaced_by__number", empty_value=""
    )
    def replacement(self, block: Block) -> int | None:
        return block.replaced_by.number + 1 if block.replaced_by else None

    def lookup_allowed(self, lookup, value, request=None) -> bool:
        """No filter asks for the seed, piece by piece, of cards that are still played with."""
        return not lookup.startswith("seed") and super().lookup_allowed(lookup, value, request)


@admin.register(Table)
class TableAdmin(BlockListAdmin):
    to_tournament = "block__tournament__"
    to_block = "block__"
    ordering = ["-block_id", "lane"]
    list_display = ["block", TABLE, "state", "attempts", "kept", "told_trouble", "finished_at"]
    list_select_related = ["block__tournament"]
    list_filter = ["state", TroubleFilter, TournamentFilter]
    fields = ["block", TABLE, "state", "attempts", "generation", "kept", "told_trouble",
              "lease_until", "started_at", "finished_at"]  # fmt: skip
    readonly_fields = [TABLE, "told_trouble"]
    rows = {
        "again": replace(
            BLOCK_ACTIONS["again"],
            words=gettext_lazy("Make its block void and play it again, for this reason …"),
        )
    }

    @admin.display(description=gettext_lazy("trouble"), ordering="trouble")
    def told_trouble(self, table):
        return table.told_trouble

    def subject(self, chosen: Table) -> Block:
        return chosen.block
