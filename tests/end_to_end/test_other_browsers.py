"""A newcomer plays a whole match in Firefox and in WebKitGTK."""

import pytest
from other_browsers import RUNNING, waited

from .test_play import GAME, MOST_PRESSES

READY = """
  document.getElementById("next")?.click();
  const table = document.getElementById("table");
  if (!table || table.dataset.turn === "wait") return null;
  const buttons = [...table.querySelectorAll("button[name=move]")];
  return table.dataset.turn === "over" ? ["over"]
    : buttons.length ? ["mine", table.querySelector("input[name=decision]").value] : null;
"""
PRESS = """
  const outside = [...document.querySelectorAll("#table button")].filter((each) => {
    const { left, right } = each.getBoundingClientRect();
    return each.checkVisibility() && (left < 0 || right > innerWidth);
  });
  [...document.querySelectorAll("#table button[name=move]")].at(-1).click();
  return outside.map((each) => each.outerHTML);
"""
NEXT = "const state = (() => {%s})(); return state && JSON.stringify(state) !== %r ? state : null;"


@pytest.mark.parametrize("name", RUNNING)
def test_a_whole_match(platform, name):
    with RUNNING[name]() as browser:
        browser.go(f"{platform.installation.address}play/")
        browser.run(f"document.querySelector('button[name=game][value={GAME}]').click()")
        state = waited(browser, READY, "the first question")
        for _ in range(MOST_PRESSES):
            if state[0] == "over":
                break
            assert browser.run(PRESS) == []
            shown = str(state).replace("'", '"').replace(", ", ",")
            state = waited(browser, NEXT % (READY, shown), "the next question")
        assert state[0] == "over"
        browser.run("document.querySelector('.bar a').click()")
        waited(
            browser, "return document.body?.innerText.includes('The same hands in your seat')", "the result"
        )
