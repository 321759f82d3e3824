"""The tokens of an author's remote versions, which `connect` makes and keeps in the file of settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from stichkampf.cli.configuration import TOKEN_CHARACTERS, ConfigurationError, read, write
from stichkampf.cli.server.site import SiteApi, SiteError
from stichkampf.cli.server.submit import checked_name
from stichkampf.games import GAMES
from stichkampf.plain_text import plain_line
from stichkampf.whole_numbers import whole_number

PLAYS: Final = ("submitted", "validating", "approved", "stale")
"""The states of a version that may connect."""


@dataclass(frozen=True)
class KeptToken:
    """A token and the server for it.

    :ivar server: where it dials in, as HOST:PORT.
    :ivar new: the token was made just now.
    :ivar why_not: asks the site why the version may not play any more; empty while it may.
    """

    token: str
    server: str
    new: bool = False
    why_not: Callable[[], str] = str


def access_to(
    site: SiteApi, name: str, games: Sequence[str], say: Callable[[str], None], *, another: bool
) -> KeptToken:
    """Return the kept token of a bot and where it connects; make a remote version where none is kept.

    :param name: of the bot on the site.
    :param games: that it plays; those of fixed partners are left out, since no remote bot may play them.
    :param another: make another version although a token is kept.
    :raises StichkampfError: the site refuses, or the kept token is no longer valid.
    """
    bot = site.bot(checked_name(name))
    number, token = _kept(f"{site.address}/{bot}")
    if not token or another:
        return _made(site, bot, games, say)
    told = site.get(f"{bot}versions/{number}/token/", "hint", "revoked", "address", "version")
    state = told["version"]["state"]
    if told["revoked"] or not token.startswith(told["hint"]) or state not in PLAYS:
        why = f"is {state}" if state not in PLAYS else "has another token now, or none"
        raise SiteError(
            f"version {number} of {name} {why}; `stichkampf logs {name} --version {number}` tells more, and"
            " --new-version makes the next one"
        )
    return KeptToken(token, _address(site, told), why_not=_state_of(site, bot, number))


def _made(site: SiteApi, bot: str, games: Sequence[str], say: Callable[[str], None]) -> KeptToken:
    """Make a remote version and keep its token."""
    known = read()
    page = f"{site.address}/{bot}"
    # a file that cannot be written is noticed before there is a token to keep
    write(
        replace(known, tokens={**known.tokens, f"{page}versions/new": "-" * TOKEN_CHARACTERS}), try_only=True
    )
    alone = [game for game in games if not GAMES[game].partners]
    made = site.post(f"{bot}remote/", {"games": alone or list(games)}, "token", "version", "address")
    number = made["version"]["number"]
    others = {key: token for key, token in known.tokens.items() if not key.startswith(page)}
    try:
        file = write(replace(known, tokens={**others, f"{page}versions/{number}": made["token"]}))
    except ConfigurationError as error:
        say(f"{error}: the token is not kept, and the next start makes another version")
    else:
        say(f"version {number} is made; its token is in {file}, which only you can read")
    why_not = _state_of(site, bot, number)
    return KeptToken(made["token"], _address(site, made), new=True, why_not=why_not)


def _state_of(site: SiteApi, bot: str, number: int) -> Callable[[], str]:
    """Return a function that asks why a version may not play any more."""

    def why_not() -> str:
        try:
            told = site.get(f"{bot}versions/{number}/token/", "version")["version"]
        except SiteError:  # away for a while; the connection tells by itself what is wrong with it
            return ""
        reason = plain_line(str(told.get("reason") or "no reason is told"), 1000)
        return "" if told["state"] in PLAYS else f"{told['state']}: {reason}"

    return why_not


def _kept(page: str) -> tuple[int, str]:
    """Return number and token of the version that is kept for a bot; 0 and nothing where none is.

    :param page: the address of the bot.
    """
    for key, token in read().tokens.items():
        number = whole_number(key.removeprefix(f"{page}versions/"))
        if number is not None:
            return number, token
    return 0, ""


def _address(site: SiteApi, told: Any) -> str:
    if not told["address"]:
        raise SiteError(f"{site.address} does not know yet where bots connect; try again in a minute")
    return str(told["address"])
