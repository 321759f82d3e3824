"""The administration: Django's own, whose first page says how strangers' code is contained."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.arbiter import arbiter
from stichkampf_platform.errors import ArbiterGone, MatchFailed

QUICK_SECONDS = 0.5


class StichkampfAdminSite(AdminSite):
    site_header = site_title = "Stichkampf"

    def index(self, request, extra_context=None):
        return super().index(request, {"title": f"Administration, {sandbox_line()}", **(extra_context or {})})


def sandbox_line() -> str:
    """How strangers' code is contained, in one line."""
    try:
        status = arbiter().status(seconds=QUICK_SECONDS)
    except (ArbiterGone, MatchFailed):
        return "sandbox unknown, the arbiter does not answer"
    level = pb.SandboxLevel.Name(status.sandbox_level).removeprefix("SANDBOX_LEVEL_").lower()
    return f"sandbox: {level}" + (f" ({status.sandbox_reason})" if status.sandbox_reason else "")
