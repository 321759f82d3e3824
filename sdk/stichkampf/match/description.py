"""A table in words, for people and language models: the history, the knowledge of its seat, the choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from stichkampf.engine.deal import Json
from stichkampf.engine.declaration import PLAYING, Fact
from stichkampf.engine.game import Game
from stichkampf.errors import StichkampfError
from stichkampf.match.events import Event
from stichkampf.match.phrases import PHRASES, SUITS
from stichkampf.match.wording import Wording


class SeenTable(Protocol):
    """A table as far as it is described; `match.table.Table` is one, and describes itself here."""

    game: Game
    seat: int
    seats: int
    legal: list[str]
    history: list[Event]

    @property
    def hand(self) -> list[str]: ...
    @property
    def trick(self) -> list[tuple[int, str]]: ...
    @property
    def holder(self) -> int | None: ...
    @property
    def phase(self) -> str: ...
    @property
    def facts(self) -> dict[str, Json]: ...
    @property
    def secrets(self) -> dict[str, Json]: ...
    @property
    def dealer(self) -> int: ...
    @property
    def deal_number(self) -> int: ...
    @property
    def totals(self) -> list[int]: ...
    def events_of_this_deal(self) -> list[Event]: ...


def describe(table: SeenTable, lang: str = "en") -> str:
    """Describe a table in words; `Table.describe` does so.

    >>> from stichkampf.testing import table_at
    >>> told = describe(table_at("stiche-raten", 3, seed="docs", deal=1, phase="tricks", decision=2))
    >>> print(*told.split("\\n")[-3:], sep="\\n")
    Your hand: CT D9
    On the table: seat 2 DT, seat 0 D8; seat 2 holds the trick so far
    You may choose: play D9

    :raises StichkampfError: there is no such language.
    """
    if lang not in PHRASES:
        raise StichkampfError(f"no language {lang!r}; there are {', '.join(PHRASES)}")
    return "\n".join(_Description(table, lang).texts())


class _Description:
    def __init__(self, table: SeenTable, lang: str) -> None:
        self._table = table
        self._phrases = PHRASES[lang]
        self._suits = SUITS[lang]
        self._game = table.game
        self._words = Wording(type(table.game), lang, self._seat)

    def texts(self) -> Iterator[str]:
        table, game = self._table, self._game
        yield game.title
        yield self._say("you", seat=table.seat, seats=table.seats)
        options = [f"{name} {_plain(value)}" for name, value in game.options.items()]
        yield self._say("options", options=", ".join(options))
        letters = dict.fromkeys(card[0] for card in game.cards)
        named = [f"{letter} {self._suits.get(letter, letter)}" for letter in letters]
        yield self._say("cards", suits=", ".join(named))
        yield from self._earlier_deals()
        if not any(event.kind == "deal" for event in table.history):
            yield self._say("not dealt")
            return
        yield self._say("deal", number=table.deal_number + 1, dealer=self._seat(table.dealer))
        history = list(self._history())
        if history:
            yield self._say("history")
            yield from (f"  {line}" for line in history)
        phase = table.phase
        yield self._say(
            "phase",
            phase=self._words.declared(phase),
            choice=self._words.declared(game.phases.get(phase, phase)),
        )
        yield from self._known("public", game.facts, table.facts)
        yield from self._known("secret", game.secrets, table.secrets)
        yield self._say("hand", cards=" ".join(table.hand) or self._phrases["none"])
        yield from self._on_the_table()
        if table.legal:
            yield self._say("choice", actions=", ".join(table.legal))

    # What has happened --------------------------------------------------------------------------------------

    def _earlier_deals(self) -> Iterator[str]:
        scores = [event for event in self._table.history if event.kind == "score"]
        for number, event in enumerate(scores, 1):
            yield self._say("scores", number=number, scores=self._by_seat(map(str, event.numbers)))
        if scores:
            yield self._say("totals", scores=self._by_seat(map(str, self._table.totals)))

    def _history(self) -> Iterator[str]:
        """Yield a sentence for each choice and each complete trick of this deal, in order."""
        number = 0
        for event in self._table.events_of_this_deal():
            if event.kind == "trick":
                number += 1
                yield self._trick(number, event)
            elif event.kind == "fault":
                yield self._say("fault", seat=self._seat(event.seat), kind=event.text)
            elif event.kind == "move" and not event.text.startswith("play "):
                yield self._words.action(event.seat, event.text)

    def _trick(self, number: int, event: Event) -> str:
        cards = [f"{self._seat(s)} {card}" for s, card in zip(event.numbers, event.cards, strict=True)]
        cards[0] = self._say("leads", seat=self._seat(event.numbers[0]), card=event.cards[0])
        told = ", ".join(cards)
        if event.seat < 0:
            return self._say("no winner", number=number, cards=told)
        return self._say("trick", number=number, cards=told, winner=self._seat(event.seat))

    # What is known ------------------------------------------------------------------------------------------

    def _known(self, title: str, declared: Mapping[str, Fact], known: Mapping[str, Json]) -> Iterator[str]:
        told = [
            f"  {self._words.declared(declared[name].meaning)}: {self._words.fact(declared[name], value)}"
            for name, value in known.items()
            if name in declared and value is not None and value not in ([], {})
        ]
        if told:
            yield self._say(title)
            yield from told

    def _on_the_table(self) -> Iterator[str]:
        table = self._table
        laid = ", ".join(f"{self._seat(seat)} {card}" for seat, card in table.trick)
        if laid:
            holder = table.holder
            held = "" if holder is None else "; " + self._say("holder", seat=self._seat(holder))
            yield self._say("table", cards=laid + held)
        elif table.phase == PLAYING:
            yield self._say("table", cards=self._phrases["none"])

    # Words --------------------------------------------------------------------------------------------------

    def _by_seat(self, texts: Iterator[str] | map[str]) -> str:
        return "; ".join(f"{self._seat(seat)}: {text}" for seat, text in enumerate(texts))

    def _seat(self, seat: int) -> str:
        if seat >= self._table.seats:
            return self._say("seat of the rules", seat=seat)
        return self._say("own seat" if seat == self._table.seat else "seat", seat=seat)

    def _say(self, phrase: str, **values: object) -> str:
        return self._phrases[phrase].format(**values)


def _plain(value: Json) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
