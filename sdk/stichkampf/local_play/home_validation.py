"""The server's validation of a bot, at home: the same matches, clock and words, without the sandbox."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

from stichkampf.bots.registry import house_bot
from stichkampf.engine.seeds import SEED_BYTES
from stichkampf.errors import BotError
from stichkampf.faults import FaultKind
from stichkampf.games import new_game
from stichkampf.limits import START_SECONDS
from stichkampf.local_play.clocked_match import BotProcesses, ClockedMatch
from stichkampf.local_play.programs import LocalProgram
from stichkampf.local_play.validation import (
    OPPONENTS,
    PRINTED_CHARACTERS,
    SEAT,
    Level,
    TrialResult,
    Validation,
    short_options,
)
from stichkampf.plain_text import plain_lines
from stichkampf.time_control import LADDER_CLOCK

FAULT: Final = {"seat": SEAT, "deal": 0, "move": 0, "kind": FaultKind.CRASHED.value}


@dataclass
class HomeReport:
    """A report about the process of a bot at home."""

    absent: bool = False
    exit_kind: str = ""
    exit_code: int = 0
    games: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


class HomeValidation(Validation):
    """A validation on this machine.

    :param program: an unpacked archive.
    :param tell: called with each line and its level.
    """

    def __init__(self, program: LocalProgram, tell: Callable[[str, Level], None]) -> None:
        super().__init__(program.games)
        self._program = program
        self._tell = tell

    def say(self, text: str, level: Level = "info") -> None:
        self._tell(text, level)

    def play(self, game: str, seats: int) -> TrialResult:
        self.say(
            f"{game}: a match of one deal with {seats} seats against house bots."
            f" The bot is started and must connect within {START_SECONDS} s."
        )
        with tempfile.TemporaryDirectory(prefix="stichkampf-") as folder:
            log = Path(folder, "printed")
            log.touch()
            with BotProcesses(log) as processes:
                record, report = self._played(game, seats, processes)
            printed = plain_lines(log.read_text("utf-8", "replace")[-PRINTED_CHARACTERS:])
        return TrialResult(record, report, printed)

    def _played(self, name: str, seats: int, processes: BotProcesses) -> tuple[dict[str, object], HomeReport]:
        begun = monotonic()
        try:
            process = processes.take(self._program, SEAT)
        except BotError as error:
            return {"faults": [FAULT]}, HomeReport(absent=True, complaints=[str(error)])
        self.say(f"{name}: started in {monotonic() - begun:.1f} s.")
        if process.games and name not in process.games:
            return {"faults": [FAULT]}, HomeReport(games=list(process.games))
        game = new_game(name, seats, short_options(name, seats))
        house = [LocalProgram(f"house/{bot}", house=house_bot(bot).name) for bot in OPPONENTS[: seats - 1]]
        seed = secrets.token_bytes(SEED_BYTES)
        match = ClockedMatch(game, [self._program, *house], seed, processes, LADDER_CLOCK, fault_allowance=0)
        played = match.play_to_end()
        report = HomeReport()
        code = process.exit_code
        if match.lost and code is not None:
            report.exit_kind, report.exit_code = ("exited" if code >= 0 else "signalled"), code
        else:
            report.complaints = [failure.message for failure in played.failures]
        return played.record, report
