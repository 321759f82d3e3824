"""The server's validation of a bot, at home: the same matches, clock and words, without the sandbox."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from stichkampf.bots.registry import house_bot
from stichkampf.engine.deal import Json
from stichkampf.errors import BotError
from stichkampf.faults import FaultKind
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
    Verdict,
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
        self._processes: BotProcesses
        self._log: Path

    def try_games(self) -> Verdict:
        with tempfile.TemporaryDirectory(prefix="stichkampf-") as folder:
            self._log = Path(folder, "printed")
            self._log.touch()
            with BotProcesses(self._log, one_each=True) as self._processes:
                return super().try_games()

    def say(self, text: str, level: Level = "info") -> None:
        self._tell(text, level)

    def play(self, trial: Trial) -> TrialResult | float:
        if trial.number == 1:
            self.say(
                f"{trial.game.name}: matches of the ladder, first with {trial.seats} seats, against house"
                f" bots. The bot is started and must connect within {START_SECONDS} s."
            )
            self._processes.end()
        before = self._log.stat().st_size
        record, report, seconds = self._played(trial)
        if record is None:
            return seconds
        if record["faults"]:
            self._processes.end()  # so that all that it printed is there
        printed = self._log.read_bytes()[before:].decode("utf-8", "replace")
        return TrialResult(record, report, plain_lines(printed[-PRINTED_CHARACTERS:]), seconds)

    def _played(self, trial: Trial) -> tuple[dict[str, Json] | None, HomeReport, float]:
        fault = {"seat": trial.seat, "deal": 0, "move": 0, "kind": FaultKind.CRASHED.value}
        name, begun = trial.game.name, monotonic()
        try:
            process = self._processes.take(self._program, trial.seat)
        except BotError as error:
            return {"faults": [fault]}, HomeReport(absent=True, complaints=[str(error)]), 0.0
        if trial.number == 1:
            self.say(f"{name}: started in {monotonic() - begun:.1f} s.")
        if process.games and name not in process.games:
            return {"faults": [fault]}, HomeReport(games=list(process.games)), 0.0
        self.leave_out_others(process.games)
        house = [LocalProgram(f"house/{bot}", house=house_bot(bot).name) for bot in OPPONENTS]
        seated = trial.seated(self._program, house)
        begun = monotonic()
        match = ClockedMatch(trial.game, seated, trial.seed, self._processes, LADDER_CLOCK, fault_allowance=0)
        played = match.play_for(self.seconds_left)
        report = HomeReport()
        if played is None:
            return None, report, monotonic() - begun
        code = process.exit_code
        if match.lost and code is not None:
            report.exit_kind, report.exit_code = ("exited" if code >= 0 else "signalled"), code
        else:
            report.complaints = [failure.message for failure in played.failures]
        return played.record, report, monotonic() - begun
