from django.contrib import admin
from django.urls import include, path

handler404 = "stichkampf_platform.web.views.failures.not_found"
handler500 = "stichkampf_platform.web.views.failures.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", include("stichkampf_platform.api.urls")),
    path("", include("stichkampf_platform.web.account_urls")),
    path("", include("stichkampf_platform.web.urls")),
]
