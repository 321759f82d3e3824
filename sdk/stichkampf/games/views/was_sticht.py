"""Was sticht? for bots: tasks, rows, hints and trumps."""

from __future__ import annotations

from stichkampf.engine.view import View


class WasStichtView(View):
    """The facts of a round of Was sticht?

    >>> from stichkampf.testing import table_at
    >>> view = table_at("was-sticht", 4, seed="docs", phase="tricks").view(WasStichtView)
    >>> view.trumps, view.shown
    (['R', '7'], ['last-trick', None, 'exactly-2', 'most-tricks'])
    >>> view.is_trump("R2"), view.is_trump("G7"), view.is_trump("G2")
    (True, True, False)

    :ivar display: the tasks on display while tasks are chosen.
    :ivar hands: by seat the cards that it drafted and has not played.
    :ivar hints: for each row drafted the seat that would win it as a trick, or "table".
    :ivar rows: the nine rows as laid out; empty while tasks are chosen.
    :ivar shown: by seat the task shown, None for none.
    :ivar tasks: by seat its tasks.
    :ivar tricks: by seat the tricks won.
    :ivar trumps: trump colour and trump number, each perhaps "none"; None until the draft is over.
    :ivar chosen: this seat's task to show while others still choose, else None.
    :ivar secret_trumps: the same as `trumps`, for the start player during the draft; else None.
    """

    display: list[str]
    hands: list[list[str]]
    hints: list[int | str]
    rows: list[list[str]]
    shown: list[str | None]
    tasks: list[list[str]]
    tricks: list[int]
    trumps: list[str] | None
    chosen: str | None
    secret_trumps: list[str] | None

    @property
    def known_trumps(self) -> list[str] | None:
        """Trump colour and number as far as this seat knows them."""
        return self.trumps or self.secret_trumps

    def is_trump(self, card: str) -> bool:
        """Tell whether a card is known to be a trump, by its colour or its number."""
        return self.known_trumps is not None and bool({card[0], card[1]} & set(self.known_trumps))
