"""Results of the seasons, compared with the goals and as a page to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

FALSE_ALARMS, BY_200, SUSPECT_BY_100 = 0.05, 0.80, 0.50
"""The greatest share of seasons without a pair that report one, and the least of those with a pair."""


@dataclass(frozen=True)
class Honest:
    """A season without a pair: the pairs that were reported all the same."""

    number: int
    reported: list[list[str]]


@dataclass(frozen=True)
class Planted:
    """A season with a pair.

    :ivar met_in_all: blocks in which the two met.
    :ivar met_when_reported: blocks in which the two had met by then; None where they were not reported.
    :ivar met_when_reported_as_suspect: the same where they were among five suspects; not looked for after
        100.
    :ivar innocent: other pairs that were reported.
    :ivar worth: of the gift to the taker, in Elo: where the two meet, and over the whole season.
    """

    number: int
    met_in_all: int
    met_when_reported: int | None
    met_when_reported_as_suspect: int | None
    innocent: list[list[str]]
    worth: tuple[float, float]


def reported_by(planted: Sequence[Planted], met: int) -> float:
    """The share of seasons in which the pair is reported by the block together of this number."""
    times = [season.met_when_reported for season in planted]
    return sum(time is not None and time <= met for time in times) / len(planted)


def suspect_reported_by(planted: Sequence[Planted], met: int) -> float:
    """The same where the pair is among five suspects."""
    times = [season.met_when_reported_as_suspect for season in planted]
    return sum(time is not None and time <= met for time in times) / len(planted)


def played(planted: Mapping[float, Sequence[Planted]]) -> dict[float, Sequence[Planted]]:
    """Sizes of which there are seasons."""
    return {giving: seasons for giving, seasons in planted.items() if seasons}


def goals_missed(honest: Sequence[Honest], planted: Mapping[float, Sequence[Planted]]) -> list[str]:
    """Sentences, one for each goal that is missed."""
    missed = []
    alarms = sum(bool(season.reported) for season in honest)
    if honest and alarms > FALSE_ALARMS * len(honest):
        missed.append(f"{alarms} of {len(honest)} seasons without a pair report somebody")
    for giving, seasons in played(planted).items():
        for share, goal, words in (
            (reported_by(seasons, 200), BY_200, "by its 200th block together"),
            (suspect_reported_by(seasons, 100), SUSPECT_BY_100, "by its 100th as one of five suspects"),
        ):
            if share < goal:
                missed.append(f"giving in {giving:.0%}: {share:.1%} of the pairs are reported {words}")
    return missed


def as_page(
    honest: Sequence[Honest], planted: Mapping[float, Sequence[Planted]], *, blocks: int, date: str
) -> str:
    """Markdown."""
    lines = [_INTRODUCTION.format(date=date, blocks=blocks), *_pairs(planted), "", *_alarms(honest)]
    return "\n".join(lines) + "\n"


_INTRODUCTION = """\
# The watch for collusion on seasons of a ladder, {date}

Twelve bots of twelve authors play {blocks:,} blocks of Sticheln (short edition, four deals), drawn by the
ladder's own draw; each block is one that its four bots really played, taken by lot from the pool. The watch
looks every 100 blocks. `python benchmarks/collusion` makes this page.

The giver gives in a share of the blocks where it meets the taker, and plays like the spoiler in the others.
"""


def _pairs(planted: Mapping[float, Sequence[Planted]]) -> list[str]:
    heads = [
        "seasons",
        "gives in",
        "worth to the taker where they meet",
        "over the season",
        "blocks together",
    ]
    heads += ["reported by the 100th", "by the 200th", "half by", "as one of five suspects by the 100th"]
    heads += ["half by", "seasons with an innocent pair"]
    lines = [
        f"| {' | '.join(heads)} |",
        "|" + "---|" * len(heads),
    ]
    for giving, seasons in played(planted).items():
        together, season = np.mean([season.worth for season in seasons], axis=0)
        cells = [
            str(len(seasons)),
            f"{giving:.0%}",
            f"{together:+.0f} Elo",
            f"{season:+.0f} Elo",
            f"{np.mean([season.met_in_all for season in seasons]):.0f}",
            f"{reported_by(seasons, 100):.1%}",
            f"{reported_by(seasons, 200):.1%}",
            _half_by([season.met_when_reported for season in seasons]),
            f"{suspect_reported_by(seasons, 100):.1%}",
            _half_by([season.met_when_reported_as_suspect for season in seasons]),
            f"{sum(bool(season.innocent) for season in seasons)} of {len(seasons)}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _half_by(times: Sequence[int | None]) -> str:
    """The median; a dash where fewer than half were reported."""
    median = np.median([np.inf if time is None else time for time in times])
    return f"{median:.0f}" if np.isfinite(median) else "-"


def _alarms(honest: Sequence[Honest]) -> list[str]:
    alarms = [season for season in honest if season.reported]
    text = [f"Without a pair {len(alarms)} of {len(honest)} seasons report anybody."]
    pairs = Counter(" and ".join(pair) for season in alarms for pair in season.reported)
    if pairs:
        text.append(
            "Reported were: " + ", ".join(f"{pair} ({times})" for pair, times in pairs.most_common()) + "."
        )
    return text
