"""Output of a bot for a decision, for its owner alone."""

from __future__ import annotations

from typing import NamedTuple

from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.tournaments.models import Seat
from stichkampf_platform.tournaments.queries import readable_reports
from stichkampf_platform.tournaments.visibility import Viewer
from stichkampf_platform.web.replay.replay import Replay


class OwnOutput(NamedTuple):
    """Words that the owner of a bot reads beside a decision.

    :ivar complaints: what was wrong with its answer.
    :ivar lines: of its standard error.
    """

    complaints: list[str]
    lines: list[str]


NOTHING = OwnOutput([], [])


def output_for(replay: Replay, step: int, seats: list[Seat], person: Viewer) -> OwnOutput:
    """Return what the bot of a person wrote for a decision, and what was wrong; nothing for anybody else.

    With all hands open those are the lines of any own bot, in a seat's view those of that seat.
    """
    deal = replay.deal_at(step)
    decision = deal.frames[step - deal.first_step].decision
    if decision is None or replay.observer not in (ALL_HANDS, decision.seat) or person is None:
        return NOTHING
    seat = next(seat for seat in seats if seat.number == decision.seat)
    if seat.entrant.version.bot.owner_id != person.pk:
        return NOTHING
    report = readable_reports(person).filter(seat=seat).first()
    if report is None:
        return NOTHING
    number = _number_of_own(replay, step, decision.seat)
    first, end = next((span[1:] for span in report.written or [] if span[0] == number), (0, 0))
    about = zip(report.complaints, report.complaint_decisions or [], strict=False)
    wrong = [complaint for complaint, decision in about if decision == number]
    return OwnOutput(wrong, report.stderr.split("\n")[first:end])


def _number_of_own(replay: Replay, step: int, seat: int) -> int:
    """Return the number of a decision among those of its seat, from 1."""
    frames = (frame for deal in replay.deals for frame in deal.frames)
    made = (frame.decision for frame in frames if frame.decision is not None)
    return sum(decision.seat == seat for decision in made if decision.step <= step)
