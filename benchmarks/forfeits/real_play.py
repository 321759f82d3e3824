"""The main findings on matches that are really played: house bots, one of which resigns on purpose."""

from __future__ import annotations

from itertools import islice

import numpy as np
from failing import Bools, Floats, Ints
from rules import SITE, as_played, results, void_at_the_table
from stichkampf import new_game
from stichkampf.bots.practice import seeds_from
from stichkampf.bots.registry import house_bot
from stichkampf.bots.substitute import HouseSubstitute, new_adjudicator
from stichkampf.faults import FAULT_ALLOWANCE, FaultKind
from stichkampf.match.adjudicator import Adjudicator
from stichkampf.match.match import Match
from stichkampf.rating import ELO_PER_STRENGTH, compare, fit_strengths
from stichkampf.rating.forfeited_blocks import set_apart
from stichkampf.schedule import seatings

BOTS = ("thumb", "bold", "timid", "gambler", "even", "flat")
"""The first fails, the second is its friend."""
GAME, SEATS, DEALS = "stiche-raten", 4, 4
FAILING, FRIEND = 0, 1


def season(blocks: int, seed: str) -> dict[str, Floats]:
    """Play blocks once with `thumb` as it is, once with it resigning after half of the deals where its friend
    is behind; return by rule how many Elo each bot gained.
    """
    chance = np.random.default_rng(list(seed.encode()))
    tables = np.array(seatings(SEATS)[:SEATS])
    who = np.argsort(chance.random((blocks, len(BOTS))), axis=1)[:, :SEATS][:, tables]
    seeds = list(islice(seeds_from(seed), blocks))
    honest, spoilt = (_played(who, seeds, resigns=resigns) for resigns in (False, True))
    before = _elo(as_played(len(BOTS), who, *honest))
    return {
        "void at that table": _elo(void_at_the_table(len(BOTS), who, *spoilt)) - before,
        SITE: _elo(set_apart(compare(results(len(BOTS), who, *spoilt))).comparisons.half_point_matrix)
        - before,
    }


def _elo(half_points: Floats | Ints) -> Floats:
    strengths = fit_strengths(half_points / 2)[: len(BOTS)]
    return ELO_PER_STRENGTH * (strengths - strengths[FRIEND + 1 :].mean())


def _played(who: Ints, seeds: list[bytes], *, resigns: bool) -> tuple[Ints, Bools]:
    scores, forfeits = np.zeros(who.shape, dtype=np.int64), np.zeros(who.shape, dtype=np.bool_)
    for block, table in np.ndindex(who.shape[:2]):
        game = new_game(GAME, SEATS, {"length": f"deals:{DEALS}"})
        match = Match(game, seed=seeds[block])
        adjudicator = new_adjudicator(match, [seeds[block]] * SEATS, fault_allowance=FAULT_ALLOWANCE)
        _play(adjudicator, who[block, table], seeds[block], resigns=resigns)
        scores[block, table] = match.scores
        forfeits[block, table] = [kind is not None for kind in adjudicator.replaced]
    return scores, forfeits


def _play(adjudicator: Adjudicator, bots: Ints, seed: bytes, *, resigns: bool) -> None:
    match, told = adjudicator.match, [0] * SEATS
    players = [
        HouseSubstitute(house_bot(BOTS[bot])(), match.game, seat, seed) for seat, bot in enumerate(bots)
    ]
    while questions := adjudicator.ask():
        for question in questions:
            seat = question.seat
            if resigns and bots[seat] == FAILING and _friend_behind(match, bots):
                adjudicator.fail(question, FaultKind.RESIGNED)
                continue
            events = match.events(seat, told[seat])
            told[seat] = len(match.log)
            adjudicator.answer(question, players[seat].choose(events, question.legal))


def _friend_behind(match: Match, bots: Ints) -> bool:
    friend, failing = bots == FRIEND, bots == FAILING
    if len(match.played) <= DEALS // 2 or not friend.any():
        return False
    scores = np.array(match.scores)
    return bool(scores[friend].mean() < scores[~friend & ~failing].mean())
