from __future__ import annotations

from django.contrib import admin

from stichkampf_platform.tournaments import rulings
from stichkampf_platform.tournaments.admin.own import OwnReadOnlyAdmin
from stichkampf_platform.tournaments.models import Block, Table


@admin.register(Block)
class BlockAdmin(OwnReadOnlyAdmin):
    to_tournament = "tournament__"
    list_display = ["tournament", "number", "round", "over_at", "replaced_by"]
    list_select_related = ["tournament", "replaced_by__tournament"]
    list_filter = [("tournament", admin.RelatedOnlyFieldListFilter)]
    exclude = ["seed"]
    actions = ["run_again"]

    @admin.action(description="Make void and play again with other cards", permissions=["conduct"])
    def run_again(self, request, blocks) -> None:
        self.do_each(request, blocks, "Void; played again.", lambda block: rulings.run_again(block=block))


@admin.register(Table)
class TableAdmin(OwnReadOnlyAdmin):
    to_tournament = "block__tournament__"
    list_display = ["__str__", "block", "lane", "state", "attempts", "generation", "trouble", "finished_at"]
    list_select_related = ["block__tournament"]
    list_filter = ["state", ("block__tournament", admin.RelatedOnlyFieldListFilter)]
    exclude = ["lease_owner"]
    actions = ["run_again"]

    @admin.action(description="Make its block void and play it again", permissions=["conduct"])
    def run_again(self, request, tables) -> None:
        self.do_each(
            request, tables, "Void; its block is played again.",
            lambda table: rulings.run_again(block=table.block),
        )  # fmt: skip
