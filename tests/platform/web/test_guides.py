"""The documents for authors as pages of the site."""

import re
from pathlib import Path

import pytest
from stichkampf_platform.web.guides import FOLDER, GUIDES, PAGES
from stichkampf_platform.web.views.docs import figures

TYPED = re.compile(r"```.*?```|^    \S[^\n]*$", re.DOTALL | re.MULTILINE)
"""Programs and commands that a reader types."""


def test_every_guide_is_a_document_of_the_repository():
    docs = Path(__file__).parents[3] / "docs"
    assert {file.stem for file in FOLDER.glob("*.md")} == {*GUIDES, *PAGES}
    for file in FOLDER.rglob("*.md"):
        assert file.resolve() == docs / file.relative_to(FOLDER)


@pytest.mark.parametrize("german", sorted((FOLDER / "de").glob("*.md")), ids=lambda file: file.stem)
def test_a_german_guide_has_the_programs_commands_and_sections_of_the_english_one(german):
    text, english = german.read_text(), (FOLDER / german.name).read_text()
    assert TYPED.findall(text) == TYPED.findall(english)
    assert text.count("\n## ") == english.count("\n## ")
    assert text.count("\n|") == english.count("\n|")


def guides_page(client):
    return client.get("/docs/guides/").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("slug", GUIDES)
def test_a_guide_is_a_page_whose_links_lead_to_pages(client, slug):
    title = (FOLDER / f"{slug}.md").read_text().split("\n", 1)[0].removeprefix("# ")
    assert re.search(rf'href="/docs/{slug}/"\s+lang="en">{re.escape(title)}</a>', guides_page(client))
    page = client.get(f"/docs/{slug}/").content.decode()
    assert page.count(f">{title}</h1>") == 1
    prose = page[page.index('<article class="prose">') : page.index("</article>")]
    assert "no translation" not in prose
    for link in re.findall(r'href="([^"]+)"', prose):
        assert link.startswith("https://") or client.get(link).status_code == 200, link


@pytest.mark.django_db
def test_a_german_page_has_the_german_text_or_says_that_there_is_none(client):
    german = client.get("/de/docs/second-bot/").content.decode()
    assert "Dein zweiter Bot</h1>" in german
    assert 'href="/de/docs/how-to/"' in german
    english = client.get("/de/docs/facts/").content.decode()
    assert re.search(r'<h1\s+lang="en">Facts, secrets and phases</h1>', english)


@pytest.mark.django_db
@pytest.mark.parametrize("slug", PAGES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_page_has_a_text_in_each_language_and_every_figure_of_this_installation(client, rf, slug, language):
    text = ((FOLDER if language == "en" else FOLDER / language) / f"{slug}.md").read_text()
    page = client.get(f"{'' if language == 'en' else '/de'}/docs/{slug}/").content.decode()
    prose = page[page.index('<article class="prose">') : page.index("</article>")]
    assert f'<div lang="{language}">' in prose
    assert "{{" not in prose
    assert "{%" not in prose
    known = {
        "forloop",
        *figures(rf.get("/"), slug),
        *re.findall(r"\w+", " ".join(re.findall("for (.+?) in ", text))),
    }
    assert {name.split(".")[0] for name in re.findall(r"{{ ([\w.]+)", text)} <= known
    assert len(re.findall(r"<h2", prose)) == len(re.findall(r"^## |<h2", text, re.MULTILINE))
    for address in re.findall(r'href="(/[^"#]*)', prose):
        if "/bots/house/" not in address:  # this database has no house bots
            assert client.get(address).status_code < 400, address
