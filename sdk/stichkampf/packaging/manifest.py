"""The manifest of a submitted bot: the file `stichkampf.toml` at the root of its archive.

    name = "Karl"                     # how the bot calls itself, 1 to 40 characters
    games = ["sticheln", "mue"]       # optional; without it the class or the hello of the program decides
    entry = "bot.py"                  # the Python file; optional, "bot.py" if missing
    class = "Karl"                    # optional, where the file holds more than one bot
    weight = "net"                    # optional, the weight class: "net" for a trained network; else "light"
    parameters.margin = {value = 3.0, least = 0, most = 10}   # optional: sets that attribute of the class

A program in another language names its command instead of an entry; paths are relative to the archive's root:

    name = "Karl"
    language = "Rust"
    command = ["./karl", "--quick"]
    protocol = "lines"                # optional: JSON lines on standard input and output; else "grpc"
    parts = ["perl", "sh"]            # optional; further programs that it needs, see `packaging.parts`

An archive that holds just `bot.py` needs no manifest.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from stichkampf.errors import ArchiveError
from stichkampf.limits import LIGHT, WEIGHT_CLASSES, WeightClass
from stichkampf.packaging.parts import PARTS
from stichkampf.values import Value

if TYPE_CHECKING:
    from stichkampf.packaging.parameters import Parameter

MANIFEST_NAME: Final = "stichkampf.toml"
DEFAULT_ENTRY: Final = "bot.py"
NAME_CHARACTERS: Final = 40
TEXT_CHARACTERS: Final = 200
LIST_TEXTS: Final = 64
QUOTED_CHARACTERS: Final = 60
KEYS: Final = {
    "name",
    "games",
    "entry",
    "class",
    "command",
    "language",
    "parameters",
    "parts",
    "protocol",
    "weight",
}
GRPC: Final = "grpc"
LINES: Final = "lines"
PROTOCOLS: Final = (GRPC, LINES)
TOLD: Final = ("entry", "class_name", "games", "command", "protocol", "values")
"""The fields that the client in a sandbox is told."""


class Manifest(Value):
    """The description of a bot by its archive.

    :ivar name: empty if there is no manifest.
    :ivar games: the games that it plays; empty if the program decides.
    :ivar entry: the Python file; empty for another language.
    :ivar class_name: the class in that file; empty for the only one.
    :ivar command: the program and its arguments; empty for Python.
    :ivar language: shown on pages.
    :ivar protocol: what the program of a command speaks: `GRPC` on its socket, or `LINES` on standard input
        and output.
    :ivar parts: the parts of the sandbox's runtime that it asks for; None to follow from its command.
    :ivar weight: its weight class.
    :ivar values: by name, what attributes of the bot's class are set to.
    :ivar parameters: the same with their bounds, for tuning.
    """

    name: str = ""
    games: tuple[str, ...] = ()
    entry: str = DEFAULT_ENTRY
    class_name: str = ""
    command: tuple[str, ...] = ()
    language: str = "Python"
    parts: tuple[str, ...] | None = None
    protocol: str = GRPC
    weight: WeightClass = LIGHT
    values: tuple[tuple[str, float], ...] = ()
    parameters: tuple[Parameter, ...] = ()

    @property
    def program(self) -> str:
        """The path of the file that the command starts; empty where it starts a program of the machine."""
        return self.command[0].removeprefix("./") if self.command and self.command[0].startswith("./") else ""

    @property
    def speaks_grpc(self) -> bool:
        """True if its own program connects to the socket of its sandbox, with gRPC."""
        return bool(self.command) and self.protocol == GRPC

    def told(self) -> str:
        """Write what the client in a sandbox has to know.

        >>> Manifest.from_told(Manifest(entry="karl.py", games=("mue",)).told()).games
        ('mue',)
        """
        return json.dumps({name: getattr(self, name) for name in TOLD})

    @classmethod
    def from_told(cls, text: str) -> Manifest:
        """Read what `told` wrote."""
        fields: dict[str, Any] = json.loads(text)
        for name in ("games", "command"):
            fields[name] = tuple(fields[name])
        fields["values"] = tuple((name, value) for name, value in fields.get("values", ()))
        return cls(**fields)


def read_manifest(content: bytes) -> Manifest:
    """Read a `stichkampf.toml`.

    >>> read_manifest(b'name = "Karl"').entry
    'bot.py'

    :raises ArchiveError: not TOML, an unknown key, part or weight class, a part of another class, a value of
        the wrong kind, or both an entry and a command, or a protocol without a command.
    """
    # not for the client in a sandbox, which is told what stands there
    import tomllib
    import unicodedata

    from stichkampf.packaging.members import plain_path
    from stichkampf.packaging.parameters import read_parameters

    try:
        table = tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # ValueError: a number of thousands of digits, too
        raise ArchiveError(f"{MANIFEST_NAME} is not TOML in UTF-8: {_cut(str(error))}") from None
    unknown = sorted(table.keys() - KEYS)
    if unknown:
        raise ArchiveError(
            f"{MANIFEST_NAME} has the unknown key {_quoted(unknown[0])}; possible are"
            f" {', '.join(sorted(KEYS))}"
        )
    name = _text(table, "name", "")
    if not name or len(name) > NAME_CHARACTERS or not name.isprintable():
        raise ArchiveError(
            f"{MANIFEST_NAME} needs a name of 1 to {NAME_CHARACTERS} printable characters, not"
            f" {_quoted(name)}"
        )
    games = _texts(table, "games")
    command = tuple(
        "./" + plain_path(word, windows=True)
        if word.startswith(".\\")
        else unicodedata.normalize("NFC", word)
        for word in _texts(table, "command")
    )
    weight = _weight(table)
    parts = _parts(table, weight)
    protocol = _text(table, "protocol", GRPC)
    if protocol not in PROTOCOLS:
        raise ArchiveError(
            f"{MANIFEST_NAME} has the unknown protocol {_quoted(protocol)}; possible are"
            f" {', '.join(PROTOCOLS)}"
        )
    parameters: tuple[Parameter, ...] = ()
    if "parameters" in table:
        if command:
            raise ArchiveError(
                f"{MANIFEST_NAME} has parameters beside a command; only classes in Python have these"
            )
        parameters = read_parameters(table["parameters"], MANIFEST_NAME)
    if not command:
        if "protocol" in table:
            raise ArchiveError(
                f"{MANIFEST_NAME} has a protocol but no command; a protocol is that of a command's program"
            )
        return Manifest(
            name=name,
            games=games,
            entry=plain_path(_text(table, "entry", DEFAULT_ENTRY), windows=True),
            class_name=_text(table, "class", ""),
            language=_text(table, "language", "Python"),
            parts=parts,
            weight=weight,
            values=tuple((one.name, one.value) for one in parameters),
            parameters=parameters,
        )
    if "entry" in table or "class" in table:
        raise ArchiveError(
            f"{MANIFEST_NAME} has a command beside an entry or class; keep one: a command, or a Python entry"
        )
    language = _text(table, "language", "")
    if not language:
        raise ArchiveError(f'{MANIFEST_NAME} has a command but no language, such as language = "Rust"')
    return Manifest(
        name=name,
        games=games,
        entry="",
        command=command,
        language=language,
        parts=parts,
        protocol=protocol,
        weight=weight,
    )


def _weight(table: dict[str, Any]) -> WeightClass:
    name = _text(table, "weight", LIGHT.name)
    if name not in WEIGHT_CLASSES:
        raise ArchiveError(
            f"{MANIFEST_NAME} has the unknown weight class {_quoted(name)}; possible are"
            f" {', '.join(WEIGHT_CLASSES)}"
        )
    return WEIGHT_CLASSES[name]


def _parts(table: dict[str, Any], weight: WeightClass) -> tuple[str, ...] | None:
    if "parts" not in table:
        return None
    parts = _texts(table, "parts")
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise ArchiveError(
            f"{MANIFEST_NAME} asks for the unknown part {_quoted(unknown[0])}; possible are"
            f" {', '.join(PARTS)}"
        )
    for other in WEIGHT_CLASSES.values():
        foreign = [part for part in parts if part in other.parts and part not in weight.parts]
        if foreign:
            raise ArchiveError(
                f"{MANIFEST_NAME} asks for the part {foreign[0]!r}, which comes with a weight class: write"
                f' weight = "{other.name}" instead'
            )
    return parts


def _text(table: dict[str, Any], key: str, default: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise ArchiveError(f"{key} in {MANIFEST_NAME} must be a text, not {_quoted(value)}")
    return value if key == "name" else _bounded(key, value)  # a name has narrower bounds


def _texts(table: dict[str, Any], key: str) -> tuple[str, ...]:
    if key not in table:
        return ()
    value = table[key]
    if not isinstance(value, list) or not value or not all(isinstance(part, str) and part for part in value):
        raise ArchiveError(f"{key} in {MANIFEST_NAME} must be a list of texts, not {_quoted(value)}")
    if len(value) > LIST_TEXTS:
        raise ArchiveError(f"{key} in {MANIFEST_NAME} has at most {LIST_TEXTS} texts, not {len(value)}")
    return tuple(_bounded(key, text) for text in value)


def _bounded(key: str, text: str) -> str:
    if len(text) > TEXT_CHARACTERS or not text.isprintable():
        raise ArchiveError(
            f"{key} in {MANIFEST_NAME} has texts of at most {TEXT_CHARACTERS} printable characters, not"
            f" {_quoted(text)} of {len(text)}"
        )
    return text


def _quoted(value: object) -> str:
    try:
        return _cut(repr(value))
    except ValueError:  # Python writes no number of thousands of digits
        return "such a long number"


def _cut(text: str) -> str:
    return text if len(text) <= QUOTED_CHARACTERS else f"{text[:QUOTED_CHARACTERS]}…"
