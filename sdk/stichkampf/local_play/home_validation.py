"""The server's validation of a bot, at home: the same matches, clock and words, without the sandbox."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

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
    Level,
    Trial,
    TrialResult,
    Validation,
)
from stichkampf.plain_text import plain_lines
from stichkampf.time_control import LADDER_CLOCK


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

    def play(self, trial: Trial) -> TrialResult | None:
        if trial.number == 1:
            self.say(
                f"{trial.game}: matches of the ladder, first with {trial.seats} seats, against house bots."
                f" The bot is started and must connect within {START_SECONDS} s."
            )
        with tempfile.TemporaryDirectory(prefix="stichkampf-") as folder:
            log = Path(folder, "printed")
            log.touch()
            with BotProcesses(log) as processes:
                record, report = self._played(trial, processes)
            if record is None:
                return None
            printed = plain_lines(log.read_text("utf-8", "replace")[-PRINTED_CHARACTERS:])
        return TrialResult(record, report, printed)

    def _played(self, trial: Trial, processes: BotProcesses) -> tuple[dict[str, object] | None, HomeReport]:
        fault = {"seat": trial.seat, "deal": 0, "move": 0, "kind": FaultKind.CRASHED.value}
        name, begun = trial.game, monotonic()
        try:
            process = processes.take(self._program, trial.seat)
        except BotError as error:
            return {"faults": [fault]}, HomeReport(absent=True, complaints=[str(error)])
        if trial.number == 1:
            self.say(f"{name}: started in {monotonic() - begun:.1f} s.")
        if process.games and name not in process.games:
            return {"faults": [fault]}, HomeReport(games=list(process.games))
        game = new_game(name, trial.seats, trial.options)
        house = [LocalProgram(f"house/{bot}", house=house_bot(bot).name) for bot in OPPONENTS]
        seated = trial.seated(self._program, house)
        seed = secrets.token_bytes(SEED_BYTES)
        match = ClockedMatch(game, seated, seed, processes, LADDER_CLOCK, fault_allowance=0)
        played = match.play_for(trial.seconds)
        report = HomeReport()
        if played is None:
            return None, report
        code = process.exit_code
        if match.lost and code is not None:
            report.exit_kind, report.exit_code = ("exited" if code >= 0 else "signalled"), code
        else:
            report.complaints = [failure.message for failure in played.failures]
        return played.record, report
