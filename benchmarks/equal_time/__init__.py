"""Strength at equal processor time: `search` beside what it was, beside OpenSpiel's ISMCTS, beside itself.

    python -m benchmarks.equal_time --game all
    python -m benchmarks.equal_time --game mue --pairing earlier --workers 1
    python -m benchmarks.equal_time --game all --report

Two entrants play duplicate blocks: two tables with the same deals, on which they have changed hands. Both
think for 3 ms of their thread's processor time a decision, from looking at the table to the chosen word; what
is forced is free. `search` of commit 37b1c55 plays in a process of its own with its own compiled rules, which
the first run takes out of git and compiles (into --checkout). It follows the match from the seed and the
moves; hands and legal actions are compared at each of its decisions.

Matches are one deal long, seven in Stiche-Raten, four in Mü, where most hands of one deal score nothing. The
seeds of the deals are `match_seed` of "measured at equal time, GAME, SEATS seats, block N": nothing was
fitted or tried on them, and nothing should be.

Every block that was played is a line of --results, under a hash of the settings and of the code of both
engines, so a run goes on where it was stopped, and blocks of another version do not count. Exits 1 where a
goal is missed or blocks are still to be played.
"""
