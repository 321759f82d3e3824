from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, Permission
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from stichkampf_platform.desk.site import NothingAdded, ReadOnlyAdmin
from stichkampf_platform.people.models import ApiToken, AuditEntry, NameReport, Notice, User

UNTRANSLATED = (
    gettext_noop("After you’ve created a user, you’ll be able to edit more user options."),  # noqa: RUF001
    gettext_noop("Enable password-based authentication for this user by setting a password."),
    gettext_noop("Password-based authentication"),
    gettext_noop("Enabled"),
    gettext_noop("Disabled"),
    gettext_noop("Raw passwords are not stored, so there is no way to see the user’s password."),  # noqa: RUF001
    gettext_noop("Save and add another"),
    gettext_noop("Save and continue editing"),
    gettext_noop(
        "Whether the user will be able to authenticate using a password or not. If disabled, they may"
        " still be able to authenticate using other backends, such as Single Sign-On or LDAP."
    ),
)
"""Texts of Django's own pages of which its German catalogue has none, or another word than the site."""


def permission_in_words(permission: Permission) -> str:
    """Return what a permission allows, in the language of the reader: its stored name is English."""
    may = {
        "add": _("{rows}: add"),
        "change": _("{rows}: change"),
        "delete": _("{rows}: delete"),
        "view": _("{rows}: view"),
    }
    told = may.get(permission.codename.partition("_")[0], permission.name)
    return told.format(rows=permission.content_type.app_labeled_name)


class PermissionsInWords(admin.ModelAdmin):
    def formfield_for_manytomany(self, db_field, request=None, **kwargs):
        field = super().formfield_for_manytomany(db_field, request=request, **kwargs)
        if field and db_field.related_model is Permission:
            field.label_from_instance = permission_in_words
        return field


@admin.register(User)
class PersonAdmin(PermissionsInWords, UserAdmin):
    pass


admin.site.unregister(Group)


@admin.register(Group)
class RightsAdmin(PermissionsInWords, GroupAdmin):
    pass


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


@admin.register(NameReport)
class NameReportAdmin(NothingAdded, admin.ModelAdmin):
    """Names that people have reported; what is dealt with is deleted."""

    list_display = ["person", "times", "first_at"]
    list_select_related = ["person"]
    search_fields = ["person__username"]
    fields = readonly_fields = ["person", "times", "first_at"]


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin):
    """Notices name private tournaments and other people's bots: superusers see all, others their own."""

    list_display = ["title", "person", "created_at", "mail_to", "mailed_at"]
    list_select_related = ["person"]
    search_fields = ["title", "person__username"]

    def get_queryset(self, request):
        everything = super().get_queryset(request)
        return everything if request.user.is_superuser else everything.filter(person=request.user)
