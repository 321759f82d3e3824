"""The statements of Python programs as tokens, whatever their names, comments and layout."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence

from rapidfuzz.distance import Indel
from stichkampf.cli.project.project_files import KINDS, program_of
from stichkampf.packaging.members import chunks, members

Statement = tuple[str, ...]
"""The tokens of one statement: keywords and signs as they are, "name", "number" and "text" for all others."""

ALIKE = 0.85
"""The share of tokens, in order, from which two programs are alike."""
TOKENS_AT_LEAST = 80
"""With fewer tokens of its own a program says nothing."""
TOKENS_READ = 20_000
"""Tokens of one program; later ones are not compared."""
LAYOUT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
)


def statements_of_archive(content: bytes) -> list[Statement]:
    """Return the statements of the Python files of an archive, by path, without tests.

    :raises ArchiveError: it is damaged.
    """
    files: dict[str, str] = {}
    for member in members(content):
        name = member.path.rsplit("/", 1)[-1]
        if member.content is not None and name.endswith(".py") and not name.startswith("test_"):
            files[member.path] = b"".join(chunks(member.content)).decode("utf-8", errors="replace")
    found: list[Statement] = []
    left = TOKENS_READ
    for path in sorted(files):
        for statement in statements(files[path]):
            left -= len(statement)
            if left < 0:
                return found
            found.append(statement)
    return found


def share_alike(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of tokens that two programs have in common, in order; 0 where it is below `ALIKE`."""
    return Indel.normalized_similarity(one, other, score_cutoff=ALIKE)


def share_in_any_order(one: Sequence[Statement], other: Sequence[Statement]) -> float:
    """Return the share of tokens in statements that two programs have in common, wherever they stand.

    >>> share_in_any_order([("name", "(", ")"), ("return",)], [("return",), ("name", "(", ")")])
    1.0
    """
    common = Counter(one) & Counter(other)
    whole = sum(map(len, one)) + sum(map(len, other))
    return 2 * sum(len(each) * number for each, number in common.items()) / whole if whole else 0.0


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a program; those before its first error, if it has one.

    >>> list(statements("a = b1 + 2  # two"))
    [('name', '=', 'name', '+', 'number')]
    """
    tokens: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NEWLINE:
                if tokens and tokens != ["text"]:  # no docstring
                    yield tuple(tokens)
                tokens = []
            elif token.type not in LAYOUT:
                tokens.append(_plain(token))
    except (tokenize.TokenError, SyntaxError):
        return


def given_statements() -> set[Statement]:
    """Return the statements that every new project begins with."""
    return {statement for kind in KINDS for statement in statements(program_of("bot", kind, None))}


def _plain(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return token.string if keyword.iskeyword(token.string) else "name"
    if token.type == tokenize.NUMBER:
        return "number"
    return token.string if token.type == tokenize.OP else "text"
