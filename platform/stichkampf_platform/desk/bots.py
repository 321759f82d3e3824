from __future__ import annotations

from django.contrib import admin

from stichkampf_platform.bots.actions import VERSION_ACTIONS
from stichkampf_platform.bots.models import Bot, LogLine, RemoteAccess, Submission, Version
from stichkampf_platform.desk.model_names import name_in_words
from stichkampf_platform.desk.rows import RowsAdmin
from stichkampf_platform.desk.site import NothingAdded, ReadOnlyAdmin
from stichkampf_platform.tournaments.titles import game_title


@admin.register(Bot)
class BotAdmin(ReadOnlyAdmin):
    list_display = ["slug", "owner", "ranked_version", "created_at"]
    list_select_related = ["owner", "ranked_version__bot__owner"]
    search_fields = ["slug", "owner__username"]


@admin.register(Version)
class VersionAdmin(ReadOnlyAdmin, RowsAdmin):
    list_display = ["__str__", "owner", "state", "shown_games", "reason", "created_at"]
    list_select_related = ["bot__owner"]
    list_filter = ["state"]
    search_fields = ["bot__slug", "bot__owner__username"]
    exclude = ["archive", "games"]
    readonly_fields = ["shown_games"]
    rows = VERSION_ACTIONS

    @admin.display(description=name_in_words("owner"), ordering="bot__owner__username")
    def owner(self, version: Version) -> str:
        return version.bot.owner.username

    @admin.display(description=name_in_words("games"))
    def shown_games(self, version: Version) -> str:
        return ", ".join(map(game_title, version.games))

    def may_act(self, request) -> bool:
        return request.user.has_perm("bots.change_version")


@admin.register(RemoteAccess)
class RemoteAccessAdmin(ReadOnlyAdmin):
    """Presence of remote versions. A token is changed and revoked on the page of its version."""

    list_display = ["version", "connected_at", "last_seen_at", "latency_seconds", "tables", "revoked_at"]
    list_select_related = ["version__bot__owner"]
    search_fields = ["version__bot__slug", "version__bot__owner__username"]
    exclude = ["token_digest"]


class LogLineInline(NothingAdded, admin.TabularInline):
    model = LogLine
    fields = readonly_fields = ["number", "at", "level", "text"]
    extra = 0
    can_delete = False


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "submitted_by", "created_at", "finished_at", "approved_by"]
    list_select_related = ["version__bot__owner", "submitted_by", "approved_by"]
    exclude = ["lease_owner", "lease_until"]
    inlines = [LogLineInline]
