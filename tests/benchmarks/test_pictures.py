"""The pictures of README: a command takes them, and those that README shows are there and small."""

import importlib.util
import io
import re
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
FILE = ROOT / "benchmarks" / "pictures.py"
LARGEST_BYTES = 90_000


@pytest.fixture
def pictures(monkeypatch):
    monkeypatch.syspath_prepend(FILE.parent)
    specification = importlib.util.spec_from_file_location("pictures", FILE)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_each_page_is_taken_in_light_and_in_dark(pictures, tmp_path):
    shown = tmp_path / "page.html"
    shown.write_text(
        "<title>x</title><style>@media (prefers-color-scheme: dark) { body { background: #000 } }</style>"
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=pictures.CHROMIUM, args=["--no-sandbox"])
        files = pictures.take_pictures(browser, {"replay": shown.as_uri()}, tmp_path)
        browser.close()
    light, dark = (Image.open(io.BytesIO(file.read_bytes())).convert("L") for file in files)
    assert [file.name for file in files] == ["replay-light.webp", "replay-dark.webp"]
    assert light.size == dark.size == (pictures.WIDTH, pictures.HEIGHT)
    assert light.getpixel((5, 5)) > 250
    assert dark.getpixel((5, 5)) < 5


def test_the_pictures_of_readme_are_there_in_both_themes_and_small(pictures):
    named = re.findall(r'(?:src|srcset)="([^"]+\.webp)"', (ROOT / "README.md").read_text())
    assert sorted(named) == [
        f"docs/pictures/{name}-{theme}.webp" for name in ("ladder", "replay") for theme in ("dark", "light")
    ]
    for name in named:
        with Image.open(ROOT / name) as picture:
            assert picture.size == (pictures.WIDTH, pictures.HEIGHT)
        assert (ROOT / name).stat().st_size < LARGEST_BYTES
