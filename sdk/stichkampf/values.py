"""`Value`: what a frozen dataclass is, for classes that every hosted bot imports.

`dataclasses` costs some fifteen milliseconds at the start of a process: it imports `inspect`, and writes and
compiles code for each class.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, dataclass_transform


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Value:
    """A value whose fields are the annotated attributes of its class. It cannot be changed.

    :cvar value_fields: the names of the fields, in their order.

    >>> class Card(Value):
    ...     suit: str
    ...     rank: int = 1
    >>> Card(suit="R"), Card(suit="R") == Card(suit="R", rank=1), Card(suit="R").changed(rank=2)
    (Card(suit='R', rank=1), True, Card(suit='R', rank=2))
    >>> Card(rank=1)
    Traceback (most recent call last):
    TypeError: Card needs suit
    """

    value_fields: ClassVar[tuple[str, ...]] = ()
    _takes_positions: ClassVar[bool] = False

    def __init_subclass__(cls, *, kw_only: bool = True) -> None:
        """:param kw_only: False where the first fields may be given without their names."""
        super().__init_subclass__()
        kinds = {name: str(kind).removeprefix("typing.") for name, kind in cls.__annotations__.items()}
        cls.value_fields += tuple(name for name, kind in kinds.items() if not kind.startswith("ClassVar"))
        cls._takes_positions = not kw_only

    def __init__(self, *given: Any, **named: Any) -> None:
        kind = type(self)
        names = kind.value_fields
        if given:
            if len(given) > len(names) or not kind._takes_positions:
                raise TypeError(f"{kind.__name__} takes its fields by name: {', '.join(names)}")
            for name, value in zip(names, given, strict=False):
                if name in named:
                    raise TypeError(f"{kind.__name__} was given {name} twice")
                named[name] = value
        fields = self.__dict__
        for name in names:
            if name in named:
                fields[name] = named.pop(name)
            else:
                try:
                    default = getattr(kind, name)
                except AttributeError:
                    raise TypeError(f"{kind.__name__} needs {name}") from None
                fields[name] = default.copy() if type(default) is dict else default
        if named:
            raise TypeError(f"{kind.__name__} has no field {min(named)}; it has {', '.join(names)}")

    def changed(self, **fields: Any) -> Self:
        """Return a value with other contents of these fields."""
        return type(self)(**{**self.__dict__, **fields})

    def _contents(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.value_fields)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._contents() == other._contents()

    def __hash__(self) -> int:
        return hash(self._contents())

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.value_fields)
        return f"{type(self).__qualname__}({fields})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: {name} stays as it is")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: {name} stays")
