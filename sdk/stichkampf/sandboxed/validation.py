"""The server's validation of a bot, in the sandbox of this machine: the same matches, words and limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from stichkampf.bots.practice import HOUSE
from stichkampf.bots.registry import house_bot
from stichkampf.bots.substitute import SUBSTITUTE
from stichkampf.limits import START_SECONDS
from stichkampf.local_play.validation import (
    OPPONENTS,
    PRINTED_CHARACTERS,
    Level,
    Trial,
    TrialResult,
    Validation,
)
from stichkampf.match.verify import verified
from stichkampf.plain_text import plain_lines
from stichkampf.sandboxed.private_arbiter import PrivateArbiter
from stichkampf.time_control import LADDER_CLOCK
from stichkampf.wire.v1 import arbiter_pb2 as pb


class SandboxedValidation(Validation):
    """A validation on this machine, in its sandbox.

    :param archive: of the bot, already checked.
    :param games: those that its manifest names.
    :param tell: called with each line and its level.
    """

    def __init__(
        self,
        arbiter: PrivateArbiter,
        archive: bytes,
        games: Sequence[str],
        tell: Callable[[str, Level], None],
    ) -> None:
        super().__init__(games)
        self._arbiter = arbiter
        self._tell = tell
        self._digest = arbiter.upload(archive)

    def say(self, text: str, level: Level = "info") -> None:
        self._tell(text, level)

    def play(self, trial: Trial) -> TrialResult | float:
        game = trial.game.name
        if trial.number == 1:
            self.say(
                f"{game}: matches of the ladder, first with {trial.seats} seats, against house bots."
                f" The bot is started and must connect within {START_SECONDS} s."
            )
        begun = since = monotonic()

        def started() -> float:
            nonlocal since
            since = monotonic()
            bot = self._arbiter.connected(self._digest, game) if trial.number == 1 else None
            if bot is not None:
                self.say(f"{game}: started in {since - begun:.1f} s. Hello from {bot.agent}.")
                self.leave_out_others(bot.games)
            return self.seconds_left

        house = [pb.Seat(bot=HOUSE + name, version=house_bot(name).version, house=name) for name in OPPONENTS]
        answer = self._arbiter.play(
            f"validation-{game}-{trial.number}",
            trial.game,
            trial.seated(pb.Seat(bot="bot", version=1, archive_sha256=self._digest), house),
            seed=trial.seed,
            control=LADDER_CLOCK,
            fault_allowance=0,
            substitute_version=house_bot(SUBSTITUTE).version,
            lane=game,
            started=started,
        )
        if answer is None:
            return monotonic() - since
        entry = next((one for one in answer.reports if one.seat == trial.seat), pb.SeatReport())
        printed = plain_lines(entry.stderr[-PRINTED_CHARACTERS:])
        record = verified(answer.record_json, seed=trial.seed)
        return TrialResult(record, entry, printed, monotonic() - since)
