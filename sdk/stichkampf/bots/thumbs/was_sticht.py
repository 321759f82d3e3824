"""Rules of thumb for Was sticht?.

1. Choose tasks that hands of many kinds fulfil.
2. Draft strong cards until the hand is worth the tricks that the most modest own task wants, then weak
   ones. The start player, who knows the trumps and plays for the tasks of others, drafts strong cards only.
3. Show the task that fits the tricks which the hand is worth; discard the one that seldom fits.
4. Take tricks as long as the task needs more, then duck. The start player plays for the task of another.
"""

from __future__ import annotations

from stichkampf.bots.thumbs.tricks import card_of, duck, is_last, take
from stichkampf.match.table import Table

_LIKED = (
    "exactly-2",
    "exactly-1",
    "exactly-3",
    "no-tricks",
    "fewest-tricks",
    "most-tricks",
    "exactly-4",
    "last-trick",
    "no-red",
    "no-yellow",
    "no-green",
    "no-blue",
)
_WANTED = {"no-tricks": 0.0, "exactly-1": 1.0, "exactly-2": 2.0, "exactly-3": 3.0, "exactly-4": 4.0}
_ENOUGH = {**_WANTED, "fewest-tricks": 1.0, "most-tricks": 9.0}
_LAST_TRICK = 2.0
_SPARE = 1.0  # tricks that a hand may be worth beyond those missing before it ducks
_NO_COLOUR = 1.0


def choose(table: Table) -> str:
    verb = table.legal[0].split()[0]
    if verb == "choose":
        return min(table.legal, key=lambda action: _LIKED.index(action.split()[1]))
    if verb == "drop":
        return max(table.legal, key=lambda action: _LIKED.index(action.split()[1]))
    if verb == "take":
        return draft(table)
    if verb == "show":
        return min(table.legal, key=lambda action: misfit(table, action.split()[1]))
    return play(table)


def draft(table: Table) -> str:
    weakest_first = sorted(table.legal, key=lambda action: strength(table, card_of(action)))
    worth = sum(strength(table, card) for card in table.hand)
    return weakest_first[-1] if worth < aim(table) else weakest_first[0]


def aim(table: Table) -> float:
    """The number of tricks to draft for."""
    if table.seat == table.dealer:
        return 9.0
    return min(_WANTED.get(task, 2.0) for task in table.facts["tasks"][table.seat])


def strength(table: Table, card: str) -> float:
    """Roughly, how often a card takes a trick, 0 … 1; before the trumps are known, its height."""
    colour, number = trumps(table)
    if card[1] == number:
        return 1.0
    height = int(card[1]) / 9
    if colour == "none" and number == "none":
        return height**2
    return 0.5 + height / 2 if card[0] == colour else 0.6 * height**3


def trumps(table: Table) -> tuple[str, str]:
    """Trump colour and number as far as this seat knows them; "?" for the unknown."""
    known = table.facts["trumps"] or table.secrets.get("secret trumps")
    return (known[0], known[1]) if known else ("?", "?")


def worths(table: Table) -> list[float]:
    """The share of the tricks left that each hand is worth; all hands were drafted in the open."""
    strengths = [sum(strength(table, card) for card in hand) for hand in table.facts["hands"]]
    left = 9 - sum(table.facts["tricks"])
    return [left * own / sum(strengths) for own in strengths]


def misfit(table: Table, task: str) -> float:
    """The number of tricks by which the hand misses the task; harder kinds of task count as further away."""
    tricks = worths(table)
    own = tricks.pop(table.seat)
    if task in _WANTED:
        return abs(own - _WANTED[task])
    if task == "most-tricks":
        return max(0.0, max(tricks) + 1 - own)
    if task == "fewest-tricks":
        return max(0.3, own + 1 - min(tricks))
    if task == "last-trick":
        return _LAST_TRICK
    return _NO_COLOUR + own / 4


def play(table: Table) -> str:
    weakest_first = sorted(table.legal, key=lambda action: strength(table, card_of(action)))
    tricks = table.facts["tricks"][table.seat]
    task = target(table)
    if task.startswith("no-") and task != "no-tricks":
        colour = task[3].upper()
        harmless = is_last(table) and all(card[0] != colour for _, card in table.trick)
        return take(table, weakest_first) if harmless and not tricks else duck(table, weakest_first)
    if task == "last-trick":
        return duck(table, weakest_first[:-1] or weakest_first)
    missing = _ENOUGH[task] - tricks
    if missing <= 0 or missing < worths(table)[table.seat] - _SPARE:
        return duck(table, weakest_first)
    return take(table, weakest_first)


def target(table: Table) -> str:
    """The own task; for the start player the one of the others that his hand fits best."""
    shown = table.facts["shown"]
    own = shown[table.seat]
    if own is not None:
        return str(own)
    return min((str(task) for task in shown if task is not None), key=lambda task: misfit(table, task))
