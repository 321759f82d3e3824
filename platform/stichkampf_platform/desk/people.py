from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from stichkampf_platform.desk.site import NothingAdded, ReadOnlyAdmin
from stichkampf_platform.people.models import ApiToken, AuditEntry, Notice, User

admin.site.register(User, UserAdmin)


@admin.register(ApiToken)
class ApiTokenAdmin(NothingAdded, admin.ModelAdmin):
    _further = ["hint", "scope", "created_at", "expires_at", "last_used_at", "revoked_at"]
    list_display = ["name", "owner", *_further]
    list_select_related = ["owner"]
    fields = readonly_fields = ["owner", "name", *_further]


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ["at", "person", "action", "subject", "credential"]
    list_select_related = ["person"]
    list_filter = ["action", "credential"]
    date_hierarchy = "at"
    search_fields = ["person__username", "subject"]
    exclude = ["digest"]


class FactorAdmin(NothingAdded, admin.ModelAdmin):
    """Second factors, without their secrets: staff remove them for people who have lost theirs."""

    list_display = ["user", "type", "created_at", "last_used_at"]
    list_select_related = ["user"]
    list_filter = ["type"]
    search_fields = ["user__username"]
    fields = readonly_fields = ["user", "type", "created_at", "last_used_at"]


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin):
    """Notices name private tournaments and other people's bots: superusers see all, others their own."""

    list_display = ["title", "person", "created_at", "mail_to", "mailed_at"]
    list_select_related = ["person"]
    search_fields = ["title", "person__username"]

    def get_queryset(self, request):
        everything = super().get_queryset(request)
        return everything if request.user.is_superuser else everything.filter(person=request.user)
