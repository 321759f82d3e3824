"""Doing of what rows of actions say, on pages."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from stichkampf_platform.core.actions import Action
from stichkampf_platform.core.errors import RequestRefused


def act(request: HttpRequest, row: Action, on: Any, *, then: Any = None, **given: Any) -> HttpResponse:
    """Do what a row says, tell what came of it, and go on with the page of what it was done to, or `then`."""
    try:
        row.do(on, request.user, **given)
        messages.success(request, row.told(on, **given))
    except RequestRefused as error:
        messages.error(request, str(error))
    return redirect(then or on)
