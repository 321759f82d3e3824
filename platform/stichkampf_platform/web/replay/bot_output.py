"""Output of a bot beside a decision: what was wrong with its answer, and for its owner what it printed."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import QuerySet
from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.tournaments.models import Seat, SeatReport
from stichkampf_platform.tournaments.queries import readable_reports
from stichkampf_platform.tournaments.records.fault_reasons import reasons_at
from stichkampf_platform.tournaments.shown import Viewer
from stichkampf_platform.web.replay.replay import Replay


class BotOutput(NamedTuple):
    """Words beside a decision.

    :ivar reasons: what was wrong with the answer, for everybody.
    :ivar lines: of standard error, for the owner of the bot alone.
    """

    reasons: list[str]
    lines: list[str]


NOTHING = BotOutput([], [])


def output_for(replay: Replay, step: int, seats: list[Seat], person: Viewer) -> BotOutput:
    """Return what was wrong with an answer, and what the bot wrote for the decision if it is the person's.

    With all hands open that is for the decisions of every seat, in a seat's view for its own.
    """
    deal = replay.deal_at(step)
    decision = deal.frames[step - deal.first_step].decision
    if decision is None or replay.observer not in (ALL_HANDS, decision.seat):
        return NOTHING
    seat = next(seat for seat in seats if seat.number == decision.seat)
    is_owner = person is not None and seat.entrant.version.bot.owner_id == person.pk
    if not (is_owner or decision.fault):
        return NOTHING
    reports: QuerySet[SeatReport] = readable_reports(person).filter(seat=seat)
    report = reports.first() if is_owner else reports.defer("stderr").first()
    if report is None:
        return NOTHING
    number = _number_of_own(replay, step, decision.seat)
    reasons = reasons_at(report, number) if decision.fault else []
    if not is_owner:
        return BotOutput(reasons, [])
    first, end = next((span[1:] for span in report.written or [] if span[0] == number), (0, 0))
    return BotOutput(reasons, report.stderr.split("\n")[first:end])


def _number_of_own(replay: Replay, step: int, seat: int) -> int:
    """Return the number of a decision among those of its seat, from 1."""
    frames = (frame for deal in replay.deals for frame in deal.frames)
    made = (frame.decision for frame in frames if frame.decision is not None)
    return sum(decision.seat == seat for decision in made if decision.step <= step)
