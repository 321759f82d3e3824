"""The numbers of a bot that can be tuned: attributes of its class, with the bounds in which they make sense.

[margin]          # in stichkampf.toml: [parameters.margin]
value = 3.0
least = 0
most = 10
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stichkampf.errors import ArchiveError
from stichkampf.values import Value

MOST_PARAMETERS: Final = 16
NAME_CHARACTERS: Final = 40
GREATEST: Final = 1e9
FIELDS: Final = ("value", "least", "most")


class Parameter(Value):
    """A number that can be tuned.

    :ivar name: that of the attribute of the bot's class.
    :ivar value: what it is now.
    """

    name: str
    value: float
    least: float
    most: float

    def at(self, share: float) -> float:
        """Return the value at a share of the way from the least to the most.

        >>> Parameter(name="margin", value=3.0, least=0.0, most=10.0).at(0.25)
        2.5
        """
        return self.least + min(1.0, max(0.0, share)) * (self.most - self.least)

    @property
    def share(self) -> float:
        """The share of the way from the least to the most at which the value lies."""
        return (self.value - self.least) / (self.most - self.least)


def read_parameters(table: Mapping[str, Any], where: str) -> tuple[Parameter, ...]:
    """Read the parameters of a bot from tables of TOML by name.

    >>> read_parameters({"margin": {"value": 3, "least": 0, "most": 10}}, "margins.toml")
    (Parameter(name='margin', value=3.0, least=0.0, most=10.0),)

    :param where: names the file in messages.
    :raises ArchiveError: a name that is no attribute's, an unknown or missing key, a number out of bounds,
        none or too many.
    """
    if not isinstance(table, Mapping) or not 1 <= len(table) <= MOST_PARAMETERS:
        raise ArchiveError(
            f"{where} declares 1 to {MOST_PARAMETERS} parameters, each a table such as [margin]"
        )
    return tuple(_parameter(str(name), fields, where) for name, fields in table.items())


def _parameter(name: str, fields: Any, where: str) -> Parameter:
    if not name.isidentifier() or name.startswith("_") or len(name) > NAME_CHARACTERS:
        raise ArchiveError(
            f"{name!r:.60} in {where} is no name of an attribute: letters, digits and _, a letter first,"
            f" at most {NAME_CHARACTERS}"
        )
    keys = set(fields) if isinstance(fields, Mapping) else set()
    if keys != set(FIELDS):
        raise ArchiveError(f"the parameter {name} in {where} has the keys {', '.join(FIELDS)} and no others")
    numbers = {}
    for key in FIELDS:
        number = fields[key]
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= GREATEST:
            raise ArchiveError(
                f"{key} of the parameter {name} in {where} is a number from {-GREATEST:g} to {GREATEST:g},"
                f" not {number!r:.40}"
            )
        numbers[key] = float(number)
    if not numbers["least"] <= numbers["value"] <= numbers["most"] or numbers["least"] == numbers["most"]:
        raise ArchiveError(
            f"the parameter {name} in {where} needs least <= value <= most, and least < most; it has"
            f" {numbers['least']:g}, {numbers['value']:g}, {numbers['most']:g}"
        )
    return Parameter(name=name, **numbers)
