"""Actions as sentences. The verbs are the match record's; an unknown one is shown as it stands."""

from __future__ import annotations

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from stichkampf_platform.web.cards import SUIT_NAMES, chip, face, suit_chip

VERBS = {
    "play": "plays",
    "pain": "takes as pain card",
    "bid": "bids",
    "trump": "names as trump",
    "pass": "passes",
    "lay": "lays",
    "stop": "stops bidding",
    "partner": "picks as partner",
    "block": "blocks",
    "team": "forms a team with",
    "monster": "gives the monster to",
    "discard": "discards",
    "give": "passes on",
    "away": "puts away",
    "call": "calls “Meinz”",
    "quiet": "stays quiet",
    "swap": "swaps",
    "keep": "swaps nothing",
    "choose": "chooses the task",
    "take": "takes",
    "show": "shows the task",
    "drop": "drops the task",
}
TAKE_SEATS = {"partner", "team", "monster"}


def card_of(action: str) -> str:
    """The last card named in an action; empty if there is none."""
    return next((word for word in reversed(action.split()) if face(word)), "")


def sentence(action: str) -> SafeString:
    """An action in words and card chips: "play R6" → "plays [red 6]"; the seat's name goes before it."""
    if not action:
        return format_html("{}", "chooses, hidden until all have chosen")
    verb, *rest = action.split()
    parts = format_html_join(" ", "{}", ((_part(verb, rest, k),) for k in range(len(rest))))
    return (
        format_html("{} {}", VERBS.get(verb, verb), parts)
        if rest
        else format_html("{}", VERBS.get(verb, verb))
    )


def _part(verb: str, rest: list[str], place: int) -> SafeString | str:
    word = rest[place]
    if word == "?":
        return "a hidden card"
    if face(word):
        return chip(word) if verb != "swap" or place == 0 else format_html("for {}", chip(word))
    if word.isdigit() and (verb in TAKE_SEATS or (verb == "block" and rest[0] == "start" and place == 1)):
        return f"seat {int(word) + 1}"
    if word in SUIT_NAMES and verb in ("trump", "block"):
        return suit_chip(word)
    return word.replace("-", " ") if not word.startswith("-") else word.replace("-", "\N{MINUS SIGN}")
