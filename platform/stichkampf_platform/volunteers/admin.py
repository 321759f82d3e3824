from __future__ import annotations

from django.contrib import admin

from stichkampf_platform.volunteers.models import VolunteerNode


@admin.register(VolunteerNode)
class VolunteerNodeAdmin(admin.ModelAdmin):
    """Volunteers' machines; one that was stopped may be let on again here."""

    list_display = ["__str__", "seen_at", "version", "blocks", "stopped_at"]
    list_select_related = ["token__owner"]
    search_fields = ["token__owner__username", "token__name"]
    fields = ["token", "version", "seen_at", "blocks", "stopped_at"]
    readonly_fields = ["token", "version", "seen_at", "blocks"]

    def has_add_permission(self, request) -> bool:
        return False
