"""Middleware that activates the language of a request: that of its address.

Not Django's, which would let every English page follow the browser, so that no cache could keep one.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import get_language_from_request

from stichkampf_platform.core.page_addresses import in_language, language_of
from stichkampf_platform.web.languages.choice import remember

FRONT = "/"
ADMINISTRATION = "/admin/"


class LanguageMiddleware(MiddlewareMixin):
    """Give each page the language of its address, and the administration the one that was chosen.

    Where nothing was chosen, the front page follows the browser: it leads to the other front page. The
    administration then keeps the language of the page that led to it, and else follows the browser. Its
    addresses have no language; one with it is a choice.
    """

    def process_request(self, request: HttpRequest) -> HttpResponseBase | None:
        path = request.path_info
        if path == FRONT and request.method in ("GET", "HEAD"):
            wanted = get_language_from_request(request)
            if wanted != settings.LANGUAGE_CODE:
                return HttpResponseRedirect(in_language(request.get_full_path(), wanted))
        if (language := language_of(path)) != settings.LANGUAGE_CODE:
            bare = in_language(request.get_full_path(), settings.LANGUAGE_CODE)
            if bare.startswith(ADMINISTRATION):
                return remember(HttpResponseRedirect(bare), language)
        if path.startswith(ADMINISTRATION):
            request.language_of_opener = _language_of_opener(request)
            language = _chosen(request) or request.language_of_opener or get_language_from_request(request)
        translation.activate(language)
        request.LANGUAGE_CODE = language
        return None

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
        if getattr(request, "language_of_opener", "") and not _chosen(request):
            remember(response, request.language_of_opener)
        if request.path_info == FRONT:
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        translation.deactivate()  # the thread goes on to other work
        return response


def _chosen(request: HttpRequest) -> str:
    """Return the language that the browser remembers, "" for none."""
    wanted = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return wanted if wanted in dict(settings.LANGUAGES) else ""


def _language_of_opener(request: HttpRequest) -> str:
    """Return the language of the page of ours that led here, "" for the usual one."""
    opener = urlsplit(request.headers.get("referer", ""))
    language = language_of(opener.path)
    return language if opener.netloc == request.get_host() and language != settings.LANGUAGE_CODE else ""
