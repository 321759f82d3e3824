"""The switch between languages: a form that works without scripts, and a cookie that remembers the choice."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from stichkampf_platform.core.page_addresses import in_language
from stichkampf_platform.people import services

FRONT = "/"
IN_ONE_ADDRESS = ("/admin/", "/api/")
"""Pages that have the same address in every language."""


@csrf_exempt  # a form token would keep every page with the switch out of all caches
@require_POST
def choose(request: HttpRequest) -> HttpResponseBase:
    """Remember a language, for mails to a signed-in person too, and go back to the page in that language."""
    language = request.POST.get("language", "")
    if language not in dict(settings.LANGUAGES):
        names = " or ".join(code for code, _ in settings.LANGUAGES)
        raise Http404(
            _("There is no language {language!r}; choose {names}.").format(
                language=language[:20], names=names
            )
        )
    page = request.POST.get("next", "")
    if not page.startswith(IN_ONE_ADDRESS):
        page = in_language(page, language)
    if not (page.startswith("/") and url_has_allowed_host_and_scheme(page, allowed_hosts=None)):
        page = in_language(FRONT, language)
    if request.user.is_authenticated:
        services.choose_language(person=request.user, language=language)
    return remember(HttpResponseRedirect(page), language)


def remember(answer: HttpResponseBase, language: str) -> HttpResponseBase:
    """Have the browser remember a language, and return the answer."""
    answer.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        samesite=settings.LANGUAGE_COOKIE_SAMESITE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
    )
    return answer
