"""Numbers as the pages write them: true minus signs, thin spaces, units after the number.

In German the comma and the point change places: 1,234.5 → 1.234,5.
"""

from __future__ import annotations

from django.utils.translation import get_language
from django.utils.translation import gettext as _

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
THIN = "\N{NARROW NO-BREAK SPACE}"
_NO_MARKS = str.maketrans("", "", ",.")
_GERMAN = str.maketrans(",.", ".,")


def plain(number: float, digits: int = 0) -> str:
    """Write a number: 1234.5 → "1,234", with a true minus sign; zero has no sign."""
    text = f"{number:,.{digits}f}"
    if text.startswith("-"):
        text = text[1:] if float(text.replace(",", "")) == 0 else MINUS + text[1:]
    return pointed(text)


def pointed(text: str) -> str:
    """Return a number with the marks of the present language."""
    return text.translate(_GERMAN) if get_language() == "de" else text


class ReadNumber(float):
    """A number that templates of sentences write with the marks of the present language."""

    def __format__(self, specification: str) -> str:
        number = int(self) if self.is_integer() and not specification.endswith("f") else float(self)
        return pointed(format(number, specification))


def ungrouped(number: float) -> str:
    """Write a rounded number without a mark at its thousands, as Elo is written: 1234.5 → "1234"."""
    return plain(number).translate(_NO_MARKS)


def likely(percent: float) -> str:
    """Write a probability in percent: 99.97 → ">99.9", because it is never certain."""
    return pointed({"100.0": ">99.9", "0.0": "<0.1"}.get(f"{percent:.1f}", f"{percent:.1f}"))


def signed(number: float, digits: int = 0) -> str:
    """Write a number like `plain`, with a plus sign if it is above zero."""
    text = plain(number, digits)
    return text if text[0] == MINUS or not text.strip("0.,") else f"+{text}"


def frequency(permille: float) -> str:
    """Write how often something happens: 0.4 of 1,000 → "1 in 2,500", 889.8 → "9 in 10"."""
    if not permille:
        return "0"
    if permille >= 100:
        return _("{number} in 10").format(number=plain(permille / 100))
    return _("1 in {number}").format(number=plain(1000 / permille))


def halves(number: float) -> str:
    """Write points with halves for draws: 0.5 → "½", 3.5 → "3½", 4.0 → "4"."""
    whole = pointed(f"{int(number):,}")
    return whole if number == int(number) else f"{whole if number >= 1 else ''}½"


def duration(milliseconds: float) -> str:
    """Write a duration: 0.4 → "<1 ms", 640 → "640 ms", 2,300 → "2.3 s"."""
    if milliseconds < 1:
        return f"<1{THIN}ms"
    if milliseconds < 1000:
        return f"{milliseconds:.0f}{THIN}ms"
    return pointed(f"{milliseconds / 1000:.1f}{THIN}s")


def size(count: int) -> str:
    """Write a number of bytes: 8388608 → "8 MiB"."""
    for unit in (_("bytes"), "KiB"):
        if count < 1024:
            return f"{count:.0f}{THIN}{unit}"
        count /= 1024
    return pointed(f"{count:,.1f}".removesuffix(".0") + f"{THIN}MiB")
