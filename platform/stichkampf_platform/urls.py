from django.contrib import admin
from django.urls import include, path

handler404 = "stichkampf_platform.web.views.error_pages.not_found"
handler500 = "stichkampf_platform.web.views.error_pages.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", include("stichkampf_platform.api.urls")),
    path("", include("stichkampf_platform.web.accounts.urls")),
    path("", include("stichkampf_platform.web.urls")),
]
