from __future__ import annotations

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.utils.translation import gettext_lazy

from stichkampf_platform.bots import services
from stichkampf_platform.bots.models import Bot, LogLine, RemoteAccess, Submission, Version
from stichkampf_platform.core.errors import Refused
from stichkampf_platform.desk.site import ReadOnlyAdmin
from stichkampf_platform.people.sentences import Sentence

NOT_ACCEPTED = Sentence("Not accepted by staff.")
BY_STAFF = Sentence("By staff.")


@admin.register(Bot)
class BotAdmin(ReadOnlyAdmin):
    list_display = ["slug", "owner", "ranked_version", "created_at"]
    list_select_related = ["owner", "ranked_version__bot__owner"]
    search_fields = ["slug", "owner__username"]


@admin.register(Version)
class VersionAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "owner", "state", "games", "reason", "created_at"]
    list_select_related = ["bot__owner"]
    list_filter = ["state"]
    search_fields = ["bot__slug", "bot__owner__username"]
    exclude = ["archive"]
    actions = ["approve", "reject", "suspend"]

    @admin.display(ordering="bot__owner__username")
    def owner(self, version: Version) -> str:
        return version.bot.owner.username

    def has_moderate_permission(self, request) -> bool:
        return request.user.has_perm("bots.change_version")

    @admin.action(
        description=gettext_lazy("Approve: let it be validated, or lift a suspension"),
        permissions=["moderate"],
    )
    def approve(self, request, versions) -> None:
        self._each(request, versions, "Approved.", lambda v: services.approve(version=v, staff=request.user))

    @admin.action(description=gettext_lazy("Reject"), permissions=["moderate"])
    def reject(self, request, versions) -> None:
        self._each(request, versions, "Rejected.", lambda v: services.reject(version=v, reason=NOT_ACCEPTED))

    @admin.action(description=gettext_lazy("Suspend"), permissions=["moderate"])
    def suspend(self, request, versions) -> None:
        self._each(request, versions, "Suspended.", lambda v: services.suspend(version=v, reason=BY_STAFF))

    def _each(self, request, versions, done: str, act) -> None:  # type: ignore[no-untyped-def]
        for version in versions:
            try:
                act(version)
            except Refused as error:
                self.message_user(request, str(error), messages.ERROR)
                continue
            LogEntry.objects.log_actions(
                request.user.pk, [version], CHANGE, change_message=done, single_object=True
            )
            self.message_user(request, f"{version}: {done}", messages.SUCCESS)


@admin.register(RemoteAccess)
class RemoteAccessAdmin(ReadOnlyAdmin):
    """Presence of remote versions. A token is changed and revoked on the page of its version."""

    list_display = ["version", "connected_at", "last_seen_at", "latency_seconds", "tables", "revoked_at"]
    list_select_related = ["version__bot__owner"]
    search_fields = ["version__bot__slug", "version__bot__owner__username"]
    exclude = ["token_digest"]


class LogLineInline(admin.TabularInline):
    model = LogLine
    fields = readonly_fields = ["number", "at", "level", "text"]
    extra = 0
    can_delete = False

    def has_add_permission(self, request, obj=None) -> bool:
        return False


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "submitted_by", "created_at", "finished_at", "approved_by"]
    list_select_related = ["version__bot__owner", "submitted_by", "approved_by"]
    exclude = ["lease_owner", "lease_until"]
    inlines = [LogLineInline]
