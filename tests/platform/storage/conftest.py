"""The two kinds of store: a folder, and a bucket."""

import pytest
from django.conf import settings as django_settings
from stichkampf_platform.settings.object_store import store_settings


@pytest.fixture
def use_store(settings, tmp_path):
    """Give this installation another store."""

    def use(environ):
        settings.STORAGES = {
            **django_settings.STORAGES,
            "store": store_settings(environ, tmp_path / "store"),
        }

    return use


@pytest.fixture(params=["folder", "bucket"])
def store(request, use_store):
    use_store(request.getfixturevalue("bucket") if request.param == "bucket" else {})
