"""Was sticht?, RULES chapter 7: draft open cards under hidden trumps, then fulfil tasks."""

from random import Random
from typing import Any

from stichkampf_oracle.common import (
    Round,
    Simultaneous,
    clockwise,
    is_whole,
    left,
    number,
    one_of,
    portions,
    require_cards,
    require_options,
    shuffled,
    suit,
)

SEATS = (3, 4)
TASKS = (
    "no-tricks",
    "no-red",
    "no-yellow",
    "no-green",
    "no-blue",
    "exactly-1",
    "exactly-2",
    "exactly-3",
    "exactly-4",
    "last-trick",
    "most-tricks",
    "fewest-tricks",
)
TRUMP_COLOURS = ("R", "Y", "G", "B", "none")
TRUMP_NUMBERS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "none")


def default_options(seats: int) -> dict[str, Any]:
    return {
        "task_deck": [task for task in TASKS for copy in (1, 2)],
        "tasks_per_player": 4,
        "distinct_tasks": False,
        "dummy_in_hint": True,
        "max_deals": 24,
    }


def check_options(seats: int, options: dict[str, Any]) -> None:
    known = {
        "task_deck": lambda given: type(given) is list and all(task in TASKS for task in given),
        "tasks_per_player": one_of(3, 4, 5),
        "distinct_tasks": one_of(False, True),
        "dummy_in_hint": one_of(False, True),
        "max_deals": is_whole,
    }
    require_options(options, known)
    needed = seats * options["tasks_per_player"]
    if len(options["task_deck"]) < needed:
        raise ValueError(f"task_deck holds {len(options['task_deck'])} tasks, {needed} are needed")


def deck(seats: int, options: dict[str, Any]) -> list[str]:
    return [f"{colour}{value}" for colour in "RYGB" for value in range(1, 10)]


def words(seats: int, options: dict[str, Any]) -> list[str]:
    return [
        *(f"{verb} {task}" for verb in ("choose", "show", "drop") for task in TASKS),
        *(f"{verb} {card}" for verb in ("take", "play") for card in deck(seats, options)),
    ]


def deal_cards(seats: int, options: dict[str, Any], deal: int, rng: Random) -> dict[str, Any]:
    return {
        "rows": portions(shuffled(deck(seats, options), rng), 9, 4),
        "trump_colour": rng.choice(TRUMP_COLOURS),
        "trump_number": rng.choice(TRUMP_NUMBERS),
    }


def first_dealers(seats: int) -> list[int]:
    return list(range(seats))


def next_dealer(dealer: int, seats: int) -> int:
    return left(dealer, seats)


def finished(seats: int, options: dict[str, Any], played: int, totals: list[int], carry: Any) -> bool:
    return any(tasks == [] for tasks in carry) or played >= options["max_deals"]


# --- the tricks; `colour` and `digit` are the trumps, "none" where there is none


def is_trump(card: str, colour: str, digit: str) -> bool:
    return card[0] == colour or card[1] == digit


def playable(hand: list[str], trick: list[str], colour: str, digit: str) -> list[str]:
    if not trick:
        return list(hand)
    if is_trump(trick[0], colour, digit):
        following = [card for card in hand if is_trump(card, colour, digit)]
    else:
        following = [card for card in hand if card[0] == trick[0][0] and not is_trump(card, colour, digit)]
    return following or list(hand)


def trick_winner(cards: list[str], colour: str, digit: str) -> int:
    for position, card in enumerate(cards):
        if card[0] == colour and card[1] == digit:
            return position
    for position, card in enumerate(cards):
        if card[1] == digit:
            return position
    candidates = [card for card in cards if suit(card) == colour]
    candidates = candidates or [card for card in cards if suit(card) == suit(cards[0])]
    return cards.index(max(candidates, key=number))


def fulfils(task: str, seat: int, tricks: list[int], captured: list[list[str]], last_winner: int) -> bool:
    """Tell whether a task is fulfilled (7.5); `tricks` and `captured` by seat."""
    mine = tricks[seat]
    others = [count for other, count in enumerate(tricks) if other != seat]
    if task == "no-tricks":
        return mine == 0
    if task in ("no-red", "no-yellow", "no-green", "no-blue"):
        colour = {"no-red": "R", "no-yellow": "Y", "no-green": "G", "no-blue": "B"}[task]
        return mine >= 1 and all(suit(card) != colour for card in captured[seat])
    if task.startswith("exactly-"):
        return mine == int(task.removeprefix("exactly-"))
    if task == "last-trick":
        return last_winner == seat
    if task == "most-tricks":
        return all(mine > count for count in others)
    return mine >= 1 and all(mine < count for count in others)


def settle(
    shown: dict[int, str], start: int, tricks: list[int], captured: list[list[str]], last_winner: int
) -> tuple[set[int], bool]:
    """The seats that discard their shown task, and whether the start player drops one of its own."""
    done = {seat for seat, task in shown.items() if fulfils(task, seat, tricks, captured, last_winner)}
    stolen = any(
        seat not in done and fulfils(task, start, tricks, captured, last_winner)
        for seat, task in shown.items()
    )
    return done, stolen


class WasStichtRound(Round):
    def __init__(
        self, seats: int, options: dict[str, Any], deal: int, dealer: int, dealt: dict[str, Any], carry: Any
    ) -> None:
        self.rows = [list(row) for row in dealt["rows"]]
        if [len(row) for row in self.rows] != [4] * 9:
            raise ValueError("the layout is nine rows of four cards")
        require_cards([card for row in self.rows for card in row], deck(seats, options))
        self.colour, self.digit = dealt["trump_colour"], dealt["trump_number"]
        if self.colour not in TRUMP_COLOURS or self.digit not in TRUMP_NUMBERS:
            raise ValueError(f"no trump cards {self.colour!r} and {self.digit!r}")
        self.seats = seats
        self.options = options
        self.start = dealer
        self.tasks: list[list[str]] = (
            [list(tasks) for tasks in carry] if carry else [[] for _ in range(seats)]
        )
        self.open_tasks = [] if carry else list(options["task_deck"])
        self.picks = 0
        self.phase = "draft" if carry else "choice"
        self.row = 0
        self.picked: list[tuple[int, str]] = []
        self.hints: list[int | str] = []
        self.hands: list[list[str]] = [[] for _ in range(seats)]
        self.shown = Simultaneous([seat for seat in clockwise(left(dealer, seats), seats) if seat != dealer])
        self.leader = left(dealer, seats)
        self.trick: list[str] = []
        self.tricks = [0] * seats
        self.captured: list[list[str]] = [[] for _ in range(seats)]
        self.over = False
        self.scores = [0] * seats

    @property
    def carry(self) -> list[list[str]]:  # type: ignore[override]
        return self.tasks

    def found(self) -> dict[str, Any]:
        return {"hints": self.hints}

    def at_once(self) -> bool:
        return self.phase == "show"

    def awaited(self) -> list[int]:
        if self.over:
            return []
        if self.phase == "choice":
            return [(self.start + self.picks) % self.seats]
        if self.phase == "draft":
            return [(self.start + 1 + self.row + len(self.picked)) % self.seats]
        if self.phase == "show":
            return self.shown.awaited()
        if self.phase == "drop":
            return [self.start]
        return [(self.leader + len(self.trick)) % self.seats]

    def is_legal(self, seat: int, word: str) -> bool:
        if seat not in self.awaited():
            return False
        verb, what = word.split()
        if self.phase == "choice":
            return verb == "choose" and what in self.choosable(seat)
        if self.phase == "draft":
            return verb == "take" and what in self.rows[self.row]
        if self.phase in ("show", "drop"):
            return verb == self.phase and what in self.tasks[seat]
        if verb != "play" or what not in self.hands[seat]:
            return False
        return what in playable(self.hands[seat], self.trick, self.colour, self.digit)

    def choosable(self, seat: int) -> list[str]:
        if not self.options["distinct_tasks"]:
            return self.open_tasks
        return [task for task in self.open_tasks if task not in self.tasks[seat]] or self.open_tasks

    def play(self, seat: int, word: str) -> None:
        verb, what = word.split()
        if verb == "choose":
            self.open_tasks.remove(what)
            self.tasks[seat].append(what)
            self.picks += 1
            if self.picks == self.seats * self.options["tasks_per_player"]:
                self.phase = "draft"
        elif verb == "take":
            self.rows[self.row].remove(what)
            self.hands[seat].append(what)
            self.picked.append((seat, what))
            if len(self.picked) == self.seats:
                self.end_row()
        elif verb == "show":
            self.shown.made[seat].append(what)
            if self.shown.complete():
                self.phase = "tricks"
        elif verb == "play":
            self.hands[seat].remove(what)
            self.trick.append(what)
            if len(self.trick) == self.seats:
                self.end_trick()
        else:
            self.discard(seat, what)
            self.over = True

    def end_row(self) -> None:
        compared: list[tuple[int | str, str]] = list(self.picked)
        if self.seats == 3 and self.options["dummy_in_hint"]:
            compared.append(("table", self.rows[self.row][0]))
        winner = trick_winner([card for _, card in compared], self.colour, self.digit)
        self.hints.append(compared[winner][0])
        self.picked = []
        self.row += 1
        if self.row == 9:
            self.phase = "show"

    def discard(self, seat: int, task: str) -> None:
        self.tasks[seat].remove(task)
        self.scores[seat] += 1

    def end_trick(self) -> None:
        self.leader = (self.leader + trick_winner(self.trick, self.colour, self.digit)) % self.seats
        self.tricks[self.leader] += 1
        self.captured[self.leader] += self.trick
        self.trick = []
        if any(self.hands):
            return
        shown = {seat: made[0] for seat, made in self.shown.made.items()}
        done, stolen = settle(shown, self.start, self.tricks, self.captured, self.leader)
        for seat in done:
            self.discard(seat, shown[seat])
        if stolen:
            self.phase = "drop"
        else:
            self.over = True
