"""The site as an ASGI application, for uvicorn."""

import os

from django.core.asgi import get_asgi_application

from stichkampf_platform.bodies import bounded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.production")
application = bounded(get_asgi_application())
