from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from stichkampf_platform.operations.state_texts import containment, part_states, recent_figures


def status(request: HttpRequest) -> HttpResponse:
    """Show everybody how the parts of the platform are, from figures a few seconds old."""
    figures = recent_figures()
    page = {"at": figures.at, "parts": part_states(figures), "containment": containment()}
    return render(request, "web/status.html", page)
