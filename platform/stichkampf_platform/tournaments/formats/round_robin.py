from __future__ import annotations

from collections.abc import Iterator, Mapping

from stichkampf.schedule import Block, round_robin_blocks

from stichkampf_platform.tournaments.formats.partners import has_partners


class RoundRobin:
    """Everybody meets everybody equally often: by a balanced design where there is one, else greedily."""

    name = "round-robin"
    title = "Round robin"

    def check(self, *, authors: Mapping[int, str | None], game: str, seats: int, blocks: int) -> None:
        list(self.schedule(authors=authors, game=game, seats=seats, blocks=blocks))

    def schedule(
        self, *, authors: Mapping[int, str | None], game: str, seats: int, blocks: int
    ) -> Iterator[list[list[int]]]:
        plan: list[Block[int]] = round_robin_blocks(
            sorted(authors), seats, blocks, partners=has_partners(game), authors=authors
        )
        for block in plan:
            yield [list(table) for table in block.tables]
