"""Texts that people give to things: without signs that hide, turn around or overwrite what is beside them."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from stichkampf.table_files import is_joined


def one_line(text: str) -> None:
    """Check a name.

    :raises ValidationError: a sign that cannot be printed, such as a control character; the text is quoted
        with such signs escaped.
    """
    _check(text, also="")


def several_lines(text: str) -> None:
    """Check a description: as `one_line`, but lines may end and be indented.

    :raises ValidationError: a sign that cannot be printed.
    """
    _check(text, also="\n\r\t")


def _check(text: str, *, also: str) -> None:
    wrong = sorted(
        {
            sign
            for place, sign in enumerate(text)
            if not sign.isprintable() and sign not in also and not is_joined(text, place)
        }
    )
    if wrong:
        signs = ", ".join(repr(sign)[1:-1] for sign in wrong)
        raise ValidationError(
            _(
                "{text!r:.200} contains invisible characters ({signs}); use letters, digits, punctuation "
                "and spaces."
            ).format(text=text, signs=signs)
        )
