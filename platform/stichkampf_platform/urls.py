from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path

from stichkampf_platform.web.api_page.views import reference
from stichkampf_platform.web.languages.choice import choose

handler404 = "stichkampf_platform.web.views.error_pages.not_found"
handler400 = "stichkampf_platform.web.views.error_pages.bad_request"
handler500 = "stichkampf_platform.web.views.error_pages.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/docs/", reference, name="api-docs"),
    path("api/v1/", include("stichkampf_platform.api.urls")),
    path("language/", choose, name="language"),
    path("login/with/", include("stichkampf_platform.web.accounts.provider_urls")),
    path("", include("stichkampf_platform.web.file_urls")),
    *i18n_patterns(
        path("", include("stichkampf_platform.web.accounts.urls")),
        path("", include("stichkampf_platform.web.urls")),
        prefix_default_language=False,
    ),
]
