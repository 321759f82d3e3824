"""The site as an ASGI application, for uvicorn."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.production")
django.setup(set_prefix=False)

from stichkampf_platform.classes.export import EXPORTS as OF_CLASSES  # noqa: E402
from stichkampf_platform.experiments.services import EXPORTS as OF_EXPERIMENTS  # noqa: E402
from stichkampf_platform.ratings.organising import EXPORTS as OF_TOURNAMENTS  # noqa: E402
from stichkampf_platform.serving.request_size import limit_request_size  # noqa: E402
from stichkampf_platform.serving.site import SiteHandler  # noqa: E402

FILES = {**OF_CLASSES, **OF_EXPERIMENTS, **OF_TOURNAMENTS}
LONG = (
    ".jsonl",
    ".parquet",
    "/records/",
    *(f"/{row.address or name}" for name, row in FILES.items() if row.long),
)
"""Ends of the addresses of long answers: of data and records, and of the rows of files that say so."""

application = limit_request_size(SiteHandler(LONG))
