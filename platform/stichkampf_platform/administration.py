"""The administration: Django's own, whose first page says how strangers' code is contained."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.arbiter import CALL_SECONDS, arbiter
from stichkampf_platform.errors import ArbiterGone, MatchFailed
from stichkampf_platform.people.forms import SignInForm

QUICK_SECONDS = 0.5
CONSEQUENCES = {
    pb.SANDBOX_LEVEL_DEVELOPMENT: ", staff approve each submission",
    pb.SANDBOX_LEVEL_REFUSED: ", submitted bots wait, house and remote bots play",
}


class StichkampfAdminSite(AdminSite):
    site_header = site_title = "Stichkampf"
    login_form = SignInForm  # the default one turns organisers away

    def has_permission(self, request) -> bool:
        """Staff, and organisers, who need not be staff: those may read what only a bot's owner may."""
        person = request.user
        return person.is_active and (person.is_staff or person.has_perm("tournaments.add_tournament"))

    def index(self, request, extra_context=None):
        return super().index(
            request,
            {"title": f"Administration, {sandbox_line(seconds=QUICK_SECONDS)}", **(extra_context or {})},
        )


def sandbox_line(*, seconds: float = CALL_SECONDS) -> str:
    """How strangers' code is contained, what follows from it, and why it is not better, in one line.

    :param seconds: for so long the arbiter may be silent.
    """
    try:
        status = arbiter().status(seconds=seconds)
    except (ArbiterGone, MatchFailed):
        return "sandbox unknown, the arbiter does not answer"
    level = pb.SandboxLevel.Name(status.sandbox_level).removeprefix("SANDBOX_LEVEL_").lower()
    reason = f" ({status.sandbox_reason})" if status.sandbox_reason else ""
    return f"sandbox: {level}{CONSEQUENCES.get(status.sandbox_level, '')}{reason}"
