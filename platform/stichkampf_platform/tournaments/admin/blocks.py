from __future__ import annotations

from django.contrib import admin

from stichkampf_platform.tournaments.admin.own import OwnReadOnlyAdmin, counted
from stichkampf_platform.tournaments.models import Block, Table
from stichkampf_platform.tournaments.organising import rulings

BLOCK, ROUND, TABLE = counted("number", "block"), counted("round", "round"), counted("lane", "table")


@admin.register(Block)
class BlockAdmin(OwnReadOnlyAdmin):
    to_tournament = "tournament__"
    list_display = ["tournament", BLOCK, ROUND, "over_at", "replaced_by"]
    list_select_related = ["tournament", "replaced_by__tournament"]
    list_filter = [("tournament", admin.RelatedOnlyFieldListFilter)]
    fields = ["tournament", BLOCK, ROUND, "dealt_once", "hinted_at", "over_at", "replaced_by"]
    readonly_fields = [BLOCK, ROUND]
    actions = ["run_again"]

    def lookup_allowed(self, lookup, value, request=None) -> bool:
        """No filter asks for the seed, piece by piece, of cards that are still played with."""
        return not lookup.startswith("seed") and super().lookup_allowed(lookup, value, request)

    @admin.action(description="Make void and play again with other cards", permissions=["conduct"])
    def run_again(self, request, blocks) -> None:
        self.do_each(request, blocks, "Void; played again.", lambda block: rulings.run_again(block=block))


@admin.register(Table)
class TableAdmin(OwnReadOnlyAdmin):
    to_tournament = "block__tournament__"
    list_display = ["block", TABLE, "state", "attempts", "generation", "kept", "trouble", "finished_at"]
    list_select_related = ["block__tournament"]
    list_filter = ["state", ("block__tournament", admin.RelatedOnlyFieldListFilter)]
    fields = ["block", TABLE, "state", "attempts", "generation", "kept", "trouble", "lease_until",
              "started_at", "finished_at"]  # fmt: skip
    readonly_fields = [TABLE]
    actions = ["run_again"]

    @admin.action(description="Make its block void and play it again", permissions=["conduct"])
    def run_again(self, request, tables) -> None:
        self.do_each(
            request, tables, "Void; its block is played again.",
            lambda table: rulings.run_again(block=table.block),
        )  # fmt: skip
