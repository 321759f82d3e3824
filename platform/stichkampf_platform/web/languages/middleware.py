"""Middleware that activates the language of a request: that of its address.

Not Django's, which would let every English page follow the browser, so that no cache could keep one.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from stichkampf_platform.core.page_addresses import in_language, language_of

FRONT = "/"
ADMINISTRATION = "/admin/"


class LanguageMiddleware(MiddlewareMixin):
    """Give each page the language of its address, and the administration the one that was chosen.

    Only the front page follows the browser, where nothing was chosen: it leads to the other front page.
    """

    def process_request(self, request: HttpRequest) -> HttpResponseBase | None:
        path = request.path_info
        if path == FRONT and request.method in ("GET", "HEAD"):
            wanted = translation.get_language_from_request(request)
            if wanted != settings.LANGUAGE_CODE:
                return HttpResponseRedirect(in_language(request.get_full_path(), wanted))
        language = _chosen(request) if path.startswith(ADMINISTRATION) else language_of(path)
        translation.activate(language)
        request.LANGUAGE_CODE = language
        return None

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
        if request.path_info == FRONT:
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        translation.deactivate()  # the thread goes on to other work
        return response


def _chosen(request: HttpRequest) -> str:
    wanted = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return wanted if wanted in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
