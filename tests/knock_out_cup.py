"""A knock-out for tests, without a database."""

from stichkampf.rating import Results, compare
from stichkampf_platform.tournaments.formats import ROUND_FORMATS, elimination
from stichkampf_platform.tournaments.formats.competition import Competition, Past

KNOCK_OUT = ROUND_FORMATS["knock-out"]


class Cup:
    """A knock-out that is drawn, played and ruled upon step by step, as the platform does."""

    def __init__(self, entrants, seats, strength, *, blocks=2, **fields):
        self.out, self.left_after = set(), {}
        self.rounds, self.rows, self.unplayed, self.waiting = [], [], set(), []
        self.strength = strength
        self._fields = {
            "authors": dict.fromkeys(range(entrants)), "names": {n: f"bot-{n}" for n in range(entrants)},
            "game": "stiche-raten", "seats": seats, "blocks": blocks,
            **fields,
        }  # fmt: skip

    @property
    def asked(self):
        return Competition(**self._fields, out=frozenset(self.out), left_after=dict(self.left_after))

    @property
    def past(self):
        compared = compare(Results.from_rows(self.rows)) if self.rows else None
        unplayed = self.unplayed | {number for number, _ in self.waiting}
        return Past(tuple(map(tuple, self.rounds)), compared, frozenset(unplayed))

    def draw(self):
        """Draw the next blocks, further ones first; tell whether there are any."""
        assert not self.waiting
        further = KNOCK_OUT.further_blocks(self.asked, self.past) if self.rounds else []
        plan = further or KNOCK_OUT.next_round(self.asked, self.past)
        if plan and not further:
            self.rounds.append([])
        for tables in plan:
            number = sum(map(len, self.rounds))
            self.rounds[-1].append(frozenset(who for table in tables for who in table))
            self.waiting.append((number, tables))
        return bool(plan)

    def play(self, blocks=None):
        """Play the blocks that wait, or the first of them."""
        for _ in range(len(self.waiting) if blocks is None else blocks):
            number, tables = self.waiting.pop(0)
            for lane, table in enumerate(tables):
                for hand, who in enumerate(table):
                    row = (number, hand, who, self.strength(who, number, hand), (number, lane), False)
                    self.rows.append(row)

    def round(self):
        """Draw and play blocks until another round can be drawn."""
        assert self.draw()
        self.play()
        while KNOCK_OUT.further_blocks(self.asked, self.past):
            self.draw()
            self.play()

    def leave(self, who):
        self.out.add(who)
        self.left_after[who] = len(self.rounds)
        gone = [(number, tables) for number, tables in self.waiting if any(who in table for table in tables)]
        self.unplayed |= {number for number, _ in gone}
        self.waiting = [each for each in self.waiting if each not in gone]

    def finish(self):
        while self.draw():
            self.play()

    @property
    def state(self):
        return elimination.after(self.asked, self.past)

    def seen(self, rounds):
        """Return all that people saw of the first rounds."""
        past = self.past.after(rounds)
        shares = [past.shares(number) for number in range(rounds)]
        through = [[(r.members, r.through) for r in each] for each in self.state.results[:rounds]]
        return past.rounds, shares, through

    @property
    def order(self):
        return [line.entrant for line in KNOCK_OUT.standings(self.asked, self.past)]

    @property
    def outcome(self):
        return KNOCK_OUT.outcome(self.asked, self.past)
