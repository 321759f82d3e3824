"""The reference of the SDK: it is that of the sources, has every promised name, and can be searched."""

import json
import runpy
from importlib import import_module
from pathlib import Path

import pytest
import stichkampf

ROOT = Path(__file__).parents[3]
BUILD = runpy.run_path(str(ROOT / "platform/build_reference.py"))
WRITTEN = json.loads(BUILD["WRITTEN"].read_text())


def test_the_committed_reference_is_that_of_the_sources():
    assert BUILD["reference"]() == WRITTEN, "run: make reference"


@pytest.mark.parametrize("module", BUILD["PROMISED"])
def test_every_promised_name_stands_in_it_with_words_and_types(module):
    entries = {entry["name"]: entry for entry in WRITTEN["modules"][module]["entries"]}
    things = {
        name for name in import_module(module).__all__ if name not in ("__version__", "testing", "views")
    }
    assert things <= set(entries)
    assert all(entry["words"] for entry in entries.values())
    functions = [entry for entry in entries.values() if entry["kind"] == "function"]
    assert all("->" in entry["signature"] for entry in functions)


def test_the_page_names_the_version_and_shows_a_name_with_its_example(client):
    page = client.get("/docs/python/").text
    assert f"<code>stichkampf</code> {stichkampf.__version__} promises" in page
    assert 'id="Match-play"' in page
    assert "&gt;&gt;&gt; match = Match(new_game(" in page
    assert 'href="/docs/python/"' in client.get("/docs/write-a-bot/").text


def test_a_search_keeps_what_holds_all_words_and_says_when_nothing_does(client):
    found = client.get("/docs/python/", {"q": "draw SEED"}).text
    assert 'id="Match"' in found
    assert 'id="Note"' not in found
    assert "No name or description holds all of these words." in client.get("/docs/python/?q=qwertz").text
    hostile = client.get("/docs/python/", {"q": '"><script>' + "x" * 9999})
    assert hostile.status_code == 200
    assert "<script>x" not in hostile.text
