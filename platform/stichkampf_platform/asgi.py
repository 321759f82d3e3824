"""The site as an ASGI application, for uvicorn."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.production")
django.setup(set_prefix=False)

from stichkampf_platform.serving.request_size import limit_request_size  # noqa: E402
from stichkampf_platform.serving.site import SiteHandler  # noqa: E402

application = limit_request_size(SiteHandler())
