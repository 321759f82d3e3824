"""The addresses of decisions inside the file, where its script looks for the scenes that it holds."""

from __future__ import annotations

from django.urls import include, path
from django.views.generic import View

app_name = "web"
pages = [
    path("<int:table>/", View.as_view(), name="replay"),
    path("<int:table>/<int:step>", View.as_view(), name="replay-at"),
]
urlpatterns = [path("", include((pages, app_name)))]
