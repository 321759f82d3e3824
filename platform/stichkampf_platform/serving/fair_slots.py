"""Slots that are given up by who has most: where all are taken, the newest of the greediest address goes.

So one address may use them all while no other wants one, and none keeps the others out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Generic, TypeVar

from stichkampf.addresses import greediest

Holder = TypeVar("Holder")


class FairSlots(Generic[Holder]):
    """A number of slots, each held by something of an address. Not for several threads at once."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._of_address: defaultdict[str, dict[Holder, None]] = defaultdict(dict)  # oldest first
        self._address: dict[Holder, str] = {}

    def __len__(self) -> int:
        return len(self._address)

    def __iter__(self) -> Iterator[Holder]:
        return iter(self._address)

    @property
    def all_taken(self) -> bool:
        return len(self) >= self.number

    def take(self, holder: Holder, address: str) -> Holder | None:
        """Take a slot; return who has to go for it, which may be the newcomer itself.

        :param address: empty for one that is not to go, such as a connection of a trusted proxy.
        """
        self._address[holder] = address
        self._of_address[address][holder] = None
        if len(self) <= self.number:
            return None
        counts = self._counts()
        return next(reversed(self._of_address[greediest(counts, address)])) if counts else holder

    def refuses(self, address: str) -> bool:
        """Tell whether a newcomer of an address would have to go itself."""
        if not self.all_taken:
            return False
        counts = self._counts()
        if not address or not counts:
            return not counts
        return greediest({**counts, address: counts.get(address, 0) + 1}, address) == address

    def leave(self, holder: Holder) -> None:
        """Give a slot back; one that holds none changes nothing."""
        address = self._address.pop(holder, None)
        if address is not None:
            held = self._of_address[address]
            del held[holder]
            if not held:
                del self._of_address[address]

    def _counts(self) -> dict[str, int]:
        return {name: len(held) for name, held in self._of_address.items() if name and held}
