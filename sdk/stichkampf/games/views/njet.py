"""Njet for bots: the board, the trumps that are left on it, and the teams."""

from __future__ import annotations

from stichkampf.engine.view import View


class NjetView(View):
    """The facts of a deal of Njet.

    >>> from stichkampf.testing import table_at
    >>> view = table_at("njet", 4, seed="docs", phase="tricks").view(NjetView)
    >>> view.start, view.team, view.trump, view.supertrump, view.points_each
    (2, [1, 2], 'K', 'none', 3)
    >>> view.is_trump("K3"), view.is_trump("Y3")
    (True, False)

    :ivar board: by row (start, discard, trump, super, points) the fields that are free, as texts.
    :ivar booty: by seat the zeros captured.
    :ivar monster: the seat that holds the monster; None where there is none, or none yet.
    :ivar start: the start player's seat, None until all stones are laid.
    :ivar team: the seats of the start player's team; empty until it is named.
    :ivar tricks: by seat the tricks won.
    :ivar discarded: this seat's cards put away; None where there are none.
    :ivar given: this seat's cards passed on, likewise.
    :ivar received: the cards received from the left, likewise.
    """

    board: dict[str, list[str]]
    booty: list[int]
    monster: int | None
    start: int | None
    team: list[int]
    tricks: list[int]
    discarded: list[str] | None
    given: list[str] | None
    received: list[str] | None

    @property
    def trump(self) -> str | None:
        """The trump colour or "none"; None while several fields are free."""
        return self._only("trump")

    @property
    def supertrump(self) -> str | None:
        """The colour whose zeros are supertrumps, or "none"; None while several fields are free."""
        return self._only("super")

    @property
    def points_each(self) -> int | None:
        """The points for a trick or a booty; None while several fields are free."""
        field = self._only("points")
        return None if field is None else int(field)

    def is_trump(self, card: str) -> bool:
        """Tell whether a card is a trump or a supertrump."""
        return card[0] == self.trump or (card[1] == "0" and card[0] == self.supertrump)

    def _only(self, row: str) -> str | None:
        fields = self.board[row]
        return fields[0] if len(fields) == 1 else None
