"""Static files as `collectstatic` stores them: minified, named by their digests and compressed."""

import gzip
import re
from pathlib import Path

import pytest
from django.conf import settings as used_settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from stichkampf_platform.serving.static_files import MinifiedStaticFilesStorage
from stichkampf_platform.settings import base

FILES_OF_A_TABLE = ("site.css", "play.css", "site.js", "play.js", "icon.svg")
"""Files that a first visit to a person's table loads beside the page, which itself has at most 4.7 kB."""
FILES_BYTES = 18_160


@pytest.fixture
def collected(settings, tmp_path):
    """The storage after two runs of `collectstatic`, the second of which finds everything there."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {**used_settings.STORAGES, "staticfiles": base.STORAGES["staticfiles"]}
    for _ in range(2):
        call_command("collectstatic", interactive=False, verbosity=0)
    return MinifiedStaticFilesStorage(location=tmp_path, base_url="/static/")


def test_style_sheets_are_minified(collected):
    path = collected.path(collected.stored_name("web/site.css"))
    with open(path, "rb") as file:
        style = file.read()
    assert b"/*" not in style
    assert b"\n" not in style
    assert b".felt" in style
    with gzip.open(f"{path}.gz") as compressed:
        assert compressed.read() == style


def test_scripts_lose_comments_and_spaces_and_nothing_else(collected):
    source = Path(finders.find("web/play.js")).read_text()
    with collected.open(collected.stored_name("web/play.js")) as file:
        script = file.read().decode()
    assert "//" in source
    assert "\n//" not in script
    assert len(script) < 0.85 * len(source)
    without_comments = re.sub(r"(^|\s)//.*", "", source, flags=re.MULTILINE)
    assert "".join(script.split()) == "".join(without_comments.split())


def test_a_first_visit_to_a_table_leaves_room_for_the_page_in_25_kilobytes(collected):
    paths = [Path(collected.path(collected.stored_name(f"web/{name}"))) for name in FILES_OF_A_TABLE]
    compressed = [path.with_name(f"{path.name}.gz") for path in paths]
    pairs = zip(paths, compressed, strict=True)
    sizes = [min(each.stat().st_size for each in pair if each.exists()) for pair in pairs]
    assert sum(sizes) <= FILES_BYTES, dict(zip(FILES_OF_A_TABLE, sizes, strict=True))
