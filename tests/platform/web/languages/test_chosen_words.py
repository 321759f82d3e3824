"""Words that pages do not use: keys of the rules, and words that visitors did not understand."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest
from django.utils.html import strip_tags
from stichkampf_platform import web
from stichkampf_platform.desk.model_names import our_models
from stichkampf_platform.people import fault_texts

NOT_USED = re.compile(
    r"odd pairs|other choices|hidden: (?:away|given)|\bsums \d|known \u2013|side points \d|board start"
    r"|discard pass|super black|takes as pain|until its hello|malformed|newest block that|stands on the site"
    r"|query\.|mend it|in four lines",
    re.IGNORECASE,
)
FOLDER = Path(web.__file__).parent
CATALOGUE = FOLDER.parent / "locale/de/LC_MESSAGES/django.po"


def texts():
    """Yield what the site says in English: its translated texts, those of its models, and its templates."""
    for entry in polib.pofile(str(CATALOGUE)):
        yield entry.msgid
    for model in our_models():
        yield from (str(field.help_text) for field in model._meta.local_fields)
    for template in (FOLDER / "templates").rglob("*.html"):
        yield re.sub(r"{[%{#].*?[%}#]}", "", template.read_text(), flags=re.DOTALL)
    yield from map(fault_texts.name, fault_texts.NAMES)


@pytest.mark.django_db
@pytest.mark.parametrize(("address", "told"), [("/", "DE, Deutsch"), ("/de/", "EN, English")])
def test_the_button_for_the_other_language_is_named_as_it_reads(client, address, told):
    """A person who says what is written on it to a computer presses it."""
    page = client.get(address).content.decode()
    label, written = re.search(r'name="language"[^>]*aria-label="([^"]+)"[^>]*>([^<]+)<', page).groups()
    assert label == told
    assert label.startswith(written.strip())


def test_choices_that_are_none_are_called_so_in_german(client, played):
    page = client.get(f"/de/r/{played.whole(blocks=1).blocks.get().tables.first().pk}/3").content.decode()
    assert "Erzwungene Züge" in page
    assert "Zwang" not in page


def test_the_site_says_none_of_them():
    found = [text for text in texts() if NOT_USED.search(strip_tags(text))]
    assert found == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_of_an_address_without_a_row_names_no_table_of_the_database(client, db, language):
    page = client.get("/r/77/" if language == "en" else "/de/r/77/").content.decode()
    assert not re.search(r"\bquery\b|matches the given", page)


def test_home_and_readme_count_the_lines_of_a_bot_alike(client, db):
    page = client.get("/").content.decode()
    code = page.partition("<code>")[2].partition("</code>")[0]
    readme = (FOLDER.parents[2] / "README.md").read_text()
    shown = next(each for each in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "class " in each)
    assert len(code.strip().splitlines()) == len(shown.strip().splitlines()) == 5
    assert "Five lines of Python" in page
    assert "in five lines of Python" in readme
