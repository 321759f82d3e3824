"""The pages of decisions: an index that is whole, and no reference to a page that there is not."""

from __future__ import annotations

import re

from repository import COMMITTED, ROOT, text_of

FOLDER = ROOT / "docs" / "decisions"
PAGES = {path.name: path.read_text() for path in sorted(FOLDER.glob("[0-9]*.md"))}
ROW = re.compile(
    r"^\| \[(\d{4})\. (.+?)\]\(([\w-]+\.md)\) \| (.+) \| (accepted|superseded by (\d{4})) \|$", re.MULTILINE
)


def rows() -> list[tuple[str, ...]]:
    return ROW.findall((FOLDER / "README.md").read_text())


def title_of(text: str) -> str:
    return re.sub(r"^# (\d+\. )?", "", text.partition("\n")[0])


def test_the_index_lists_every_page_by_its_number_and_title_with_a_line_and_a_status():
    assert [(name, name[:4], title_of(text)) for name, text in PAGES.items()] == [
        (name, number, title) for number, title, name, *_ in rows()
    ]
    assert len({name[:4] for name in PAGES}) == len(PAGES), "two pages have one number"
    assert all(line.endswith(".") for _, _, _, line, *_ in rows())


def test_what_is_superseded_says_so_on_both_pages():
    by = {number: newer for number, *_, newer in rows() if newer}
    for number, newer in by.items():
        (old,) = (text for name, text in PAGES.items() if name.startswith(number))
        (new,) = (text for name, text in PAGES.items() if name.startswith(newer))
        assert re.search(rf"Superseded by \[{newer}\]", old)
        assert re.search(rf"Supersedes \[{number}\]", new)
    told = {name[:4] for name, text in PAGES.items() if "Superseded by [" in text}
    assert told == set(by)


def test_nothing_refers_to_a_decision_that_there_is_not():
    dangling = []
    for path in COMMITTED:
        if not path.endswith((".md", ".py", ".html", ".toml", ".sh", ".yaml", "Makefile")):
            continue
        text = text_of(path)
        names = re.findall(r"\b(0\d{3}-[a-z0-9-]+\.md)", text)
        dangling += [(path, name) for name in names if name not in PAGES]
        numbers = re.findall(r"\[[Dd]ecisions? 0*(\d+)\]|(?<!\w)[Dd]ecision 0(\d{3})\b", text)
        known = {int(name[:4]) for name in PAGES}
        dangling += [(path, each) for pair in numbers for each in pair if each and int(each) not in known]
    assert dangling == []
