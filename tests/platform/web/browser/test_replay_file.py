"""The file of `stichkampf view`: the site's replay in a browser, with no server and nothing from outside."""

import re

import pytest
from playwright.sync_api import expect
from stichkampf.cli import main
from stichkampf.match.records import read


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view")
    records, file = folder / "records.jsonl", folder / "match.html"
    play = ["play", "stiche-raten", "thumb", "glimpse", "random", "-o", "length=deals:3", "--seed", "a"]
    assert main([*play, "--records", str(records)]) == 0
    assert main(["view", str(records), "--seat", "2", "--output", str(file), "--no-browser"]) == 0
    return file


def test_the_file_steps_without_a_server_and_asks_for_nothing(chromium, file):
    assert re.search(r'(?:src|href)="(?:https?:|//)', file.read_text()) is None
    page = chromium.new_page()
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    replay = page.locator(".replay")
    expect(replay).to_have_attribute("data-step", "0")
    page.keyboard.press("ArrowRight")
    unforced = int(replay.get_attribute("data-on"))
    expect(replay).not_to_have_attribute("data-step", "0")
    page.keyboard.press("End")
    last = replay.get_attribute("data-steps")
    expect(replay).to_have_attribute("data-step", last)
    page.locator("#every").click()
    expect(replay).to_have_attribute("data-every", "1")
    page.locator("#back").click()
    expect(replay).to_have_attribute("data-step", str(int(last) - 1))
    page.keyboard.press("2")
    expect(replay).to_have_attribute("data-view", "2")
    expect(replay.locator("[id^=view-]")).to_have_count(2)
    page.keyboard.press("Home")
    expect(replay.locator(".card.back").first).to_be_attached()
    page.keyboard.press("1")
    expect(replay).to_have_attribute("data-view", "2")
    expect(page.locator(".felt")).to_be_visible()
    assert unforced
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.felt')).backgroundColor")
        != "rgba(0, 0, 0, 0)"
    )
    assert [address for address in asked if not address.startswith("file:")] == []
    assert complaints == []
    page.close()


def test_a_notebook_shows_the_replay_of_a_record_in_a_frame_that_steps(chromium, file):
    with file.with_name("records.jsonl").open("rb") as lines:
        ((_, record),) = read(lines)
    page = chromium.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_content(record._repr_html_())
    replay = page.frame_locator("iframe").locator(".replay")
    expect(replay).to_have_attribute("data-step", "0")
    replay.locator("#on").click()
    expect(replay).not_to_have_attribute("data-step", "0")
    page.keyboard.press("End")
    expect(replay).to_have_attribute("data-step", replay.get_attribute("data-steps"))
    assert complaints == []
    page.close()


def test_what_cannot_be_viewed_is_one_clear_line(file, capsys, monkeypatch):
    records = str(file.with_name("records.jsonl"))
    assert main(["view", records, "--seat", "4"]) == 2
    assert capsys.readouterr().err == "stichkampf: the match has seats 1 to 3, not 4\n"
    assert main(["view", records, "--output", "/proc/none/match.html", "--no-browser"]) == 2
    assert "cannot write /proc/none/match.html: " in capsys.readouterr().err
    monkeypatch.setattr("stichkampf.cli.local.view.REPLAY_NEEDS", ("no_site_here",))
    assert main(["view", records]) == 2
    assert "pip install '.[view]' ./platform; `stichkampf watch` shows" in capsys.readouterr().err
