from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from stichkampf_platform.bots.queries import queue_position, submissions_for
from stichkampf_platform.bots.validation import match_records
from stichkampf_platform.classes.code import teachers_read
from stichkampf_platform.core.errors import DiskFull
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.serving.streaming import streamed
from stichkampf_platform.tournaments.scheduling.outlook import outlooks
from stichkampf_platform.web.forms import SubmissionForm


def submit(request: HttpRequest) -> HttpResponse:
    """Show the form for an archive and submit it; errors are shown at the field.

    Who is not signed in reads what a bot needs an owner for.
    """
    if not request.user.is_authenticated:
        return render(request, "web/submissions/owner.html")
    initial = {"slug": request.GET.get("bot", "")}
    form = SubmissionForm(request.POST or None, request.FILES or None, owner=request.user, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            submission = form.submit(address_of(request))
        except DiskFull as error:
            form.add_error(None, str(error))
            return _form(request, form, 507)
        if submission is not None:
            return redirect("web:submission", submission.pk)
    return _form(request, form, 422 if form.errors else 200)


@login_required
def submission(request: HttpRequest, submission_id: int) -> HttpResponse:
    """Show the log of a validation to its owner and staff; for others it does not exist."""
    found = get_object_or_404(submissions_for(request.user), pk=submission_id)
    page = {
        "submission": found,
        "version": found.version,
        "lines": found.lines.all(),
        "matches": found.matches.all(),
        "queue_place": queue_position(found),
        "kept_days": match_records.KEPT.days,
        "live": found.finished_at is None,
        "outlooks": outlooks(found.version),
    }
    return render(request, "web/submissions/submission.html", page)


@login_required
def records(request: HttpRequest, submission_id: int) -> StreamingHttpResponse:
    """Send the match records of the last validation as JSON lines, to its owner and staff only."""
    found = get_object_or_404(submissions_for(request.user), pk=submission_id)
    return streamed(
        request,
        match_records.export(found),
        content_type="application/x-ndjson",
        file_name=f"trial-{submission_id}.jsonl",
    )


def _form(request: HttpRequest, form: SubmissionForm, status: int) -> HttpResponse:
    page = {"form": form, "teachers_read": teachers_read(request.user)}
    return render(request, "web/submissions/submit.html", page, status=status)
