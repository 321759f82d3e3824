"""Kills of any program amid a deal: the person plays on, is told nothing hidden, and it counts once."""

import asyncio
import json
from contextlib import suppress

import pytest
from named_cards import cards_in
from stichkampf.games import GAMES
from stichkampf.match import records
from stichkampf.match.verify import verify
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.output import last_line
from support import wait_until

from benchmarks.play.people import HIDDEN, Browser, Person, Seen

GAME = "stiche-raten"
KILLED = ("site", "hub", "arbiter", "redis", "workers")
PRESSES_BETWEEN = 2
MOST_PRESSES = 400
STORED = """
import json
from stichkampf_platform.play.models import PlayedTable
table = PlayedTable.objects.get(public_id={table!r})
entry = getattr(table, "daily_entry", None)
print(json.dumps([table.state, table.record, entry and [entry.state, entry.points]]))
"""


class KeepingBrowser(Browser):
    """A browser that keeps every answer, each with its path and the program that was away."""

    def __init__(self, port, source):
        super().__init__(port, source)
        self.answers, self.away = [], ""

    async def ask(self, path, fields=None, **headers):
        answer = await super().ask(path, fields, **headers)
        self.answers.append((self.away, path, answer))
        return answer

    async def look(self, path):
        """Look at a table and its words, while programs may be away."""
        for page in ("", "told/"):
            with suppress(OSError):
                await self.ask(path + page)


async def played(platform, start):
    """Play a match during which each program is killed once; return the path of its table and all answers."""
    seen = Seen()
    number = 70_000 + len(start)
    person = Person(platform.installation.port, number, [GAME], level="even", pause=0)
    person.browser = browser = KeepingBrowser(person.browser.port, person.browser.source)
    shown = await person.sit_down(seen, start)
    left = list(KILLED)
    for press in range(MOST_PRESSES):
        if shown.turn == "over":
            break
        if left and press % PRESSES_BETWEEN == 1:
            await browser.look(person.path)
            with platform.lock:
                browser.away = left.pop(0)
                platform.kill(browser.away)
                await browser.look(person.path)
                platform.start(browser.away)
            browser.away = ""
            shown = await person.looked()
            await browser.look(person.path)
        try:
            shown = await person.press(shown, seen)
        except OSError:
            shown = await person.looked()
    assert shown.turn == "over"
    assert left == []
    return person.path, browser.answers


def assert_nothing_hidden(record, answers):
    """Check that no answer at a table names a card of which the first seat was not told by then.

    :param answers: in order; each tells its step, or is of the step before.
    """
    told = []
    for event in records.replayed(record).events(0):
        if event.kind in ("deal", "move") and (told or event.kind == "deal"):
            told.append((event.kind, []))
        if told:
            told[-1][1].append(str((event.text, event.cards, event.facts)))
    cards, step, named = tuple(GAMES[GAME].cards), 0, set()
    for away, path, answer in answers:
        step = max(
            (int(number) for name, number in HIDDEN.findall(answer.text) if name == "step"), default=step
        )
        began = [place for place in range(step + 1) if told[place][0] == "deal"]
        known = " ".join(text for _kind, texts in told[began[-2:][0] : step + 1] for text in texts)
        shown = cards_in(answer.text + str(answer.headers), cards)
        assert shown <= cards_in(known, cards), (away, path, step)
        named |= shown
    assert len(named) > len(cards) / 4


def stored(platform, table):
    """Return state, record and entry of the day of a table, once it is not open any more."""
    code = STORED.format(table=table)

    def row():
        found = json.loads(
            last_line(preparation.manage(platform.installation, ("shell", "--no-imports", "-c", code)))
        )
        return found if found[0] != "open" else None

    return wait_until(row, goal="the match is stored")


@pytest.mark.parametrize("start", ["/play/", f"/play/daily/{GAME}/"])
def test_a_match_is_played_on_whatever_is_killed_and_counts_once(platform, start):
    path, answers = asyncio.run(played(platform, start))
    state, record, entry = stored(platform, path.strip("/").rpartition("/")[2])
    assert state == "over"
    verify(record)
    assert record["faults"] == []
    assert record["seats"][0]["bot"] == "guest"
    if "daily" in start:
        assert entry == ["counted", record["scores"][0]]
    else:
        assert entry is None
    of_table = [each for each in answers if each[1].startswith(path)]
    kept = {dict(answer.headers)["cache-control"] for _away, _path, answer in of_table}
    assert kept == {"private, no-store"}
    looks = {name: [answer.status for away, _path, answer in of_table if away == name] for name in KILLED}
    assert looks["hub"] == looks["arbiter"] == looks["workers"] == [200, 200]
    assert_nothing_hidden(record, of_table)
