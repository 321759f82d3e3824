"""Cards that a text names, on a page as in events."""

import re
from collections import defaultdict
from functools import cache

from stichkampf_platform.web.games.cards import face


def cards_in(text, cards):
    """Return the cards that a text names, by their words or their names."""
    named, words = pattern(cards), set(re.findall(r"\w+", text))
    return words.intersection(cards).union(*(named[1][name] for name in named[0].findall(text)))


@cache
def pattern(cards):
    """Return the pattern of all names of cards, and the cards of each name."""
    of_name = defaultdict(set)
    for card in cards:
        of_name[face(card).name].add(card)
    longest_first = sorted(of_name, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b"), of_name
