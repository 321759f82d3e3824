"""Ways to choose among legal words, and a way to deal, that lead into the corners of the rules."""

from collections.abc import Callable
from random import Random

Choose = Callable[[Random, list[str]], str]


def any_word(rng: Random, words: list[str]) -> str:
    return rng.choice(words)


def wilful(rng: Random, words: list[str]) -> str:
    """Choose first a verb, then a word with it: auctions end, calls happen, cards are swapped."""
    verb = rng.choice(sorted({word.split()[0] for word in words}))
    return rng.choice([word for word in words if word.split()[0] == verb])


def zeros_first(rng: Random, words: list[str]) -> str:
    """Prefer zeros, so that zeros meet zeros."""
    zeros = [word for word in words if word.startswith("play ") and word[6:] == "0"]
    return rng.choice(zeros or words)


def timid(rng: Random, words: list[str]) -> str:
    """Mostly pass and keep quiet, so that auctions end early, in stalemates too."""
    cautious = [word for word in words if word in ("pass", "stop", "quiet", "keep")]
    return rng.choice(cautious) if cautious and rng.random() < 0.8 else rng.choice(words)


class ArrangedCards(Random):
    """Chance that deals cards sorted by rank or by suit, a few exchanged: hands of zeros alone or of one
    suit.
    """

    def shuffle(self, cards: list[str]) -> None:  # type: ignore[override]
        place = self.choice((0, 1))
        cards.sort(key=lambda card: (card[place:], card))
        for _ in range(self.choice((0, 3, 9))):
            one, other = self.randrange(len(cards)), self.randrange(len(cards))
            cards[one], cards[other] = cards[other], cards[one]
