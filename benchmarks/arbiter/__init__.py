"""The cost of a decision in the arbiter, beside a raw gRPC ping-pong measured in the same run.

    python -m benchmarks.arbiter [--tables 1 32 256 1000] [--seconds 1] [--rounds 5]

Four measurements at each number of tables, each between two processes over a Unix socket: raw gRPC (a stream
a table, a question of 192 bytes, an answer of 20, neither parsed); the arbiter's wire alone, as it is used,
with all tables on one stream; the same with a stream a table, "unbatched"; and whole matches (three seats, a
bot that takes the first legal action) with rules, events, clock and record. They take turns, several rounds
long, so that a busy neighbour affects all of them; a ratio is taken within each round, and the median of the
rounds is the result. CPU time is that of the arbiter's side only. The waits of whole matches are the times
that the clock charged.

Then come the trials: an honest bot beside others that flood, a bot that hangs, two arbiters at once.
"""
