"""Output of a bot for a decision, for its owner alone."""

from __future__ import annotations

from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.tournaments.models import Seat
from stichkampf_platform.tournaments.queries import readable_reports
from stichkampf_platform.tournaments.visibility import Viewer
from stichkampf_platform.web.replay.replay import Replay


def output_for(replay: Replay, step: int, seats: list[Seat], person: Viewer) -> list[str]:
    """Return what the bot of a person wrote for a decision; nothing for anybody else.

    With all hands open those are the lines of any own bot, in a seat's view those of that seat.
    """
    deal = replay.deal_at(step)
    decision = deal.frames[step - deal.first_step].decision
    if decision is None or replay.observer not in (ALL_HANDS, decision.seat) or person is None:
        return []
    seat = next(seat for seat in seats if seat.number == decision.seat)
    if seat.entrant.version.bot.owner_id != person.pk:
        return []
    report = readable_reports(person).filter(seat=seat).first()
    if report is None:
        return []
    number = _number_of_own(replay, step, decision.seat)
    first, end = next((span[1:] for span in report.written or [] if span[0] == number), (0, 0))
    return report.stderr.split("\n")[first:end]


def _number_of_own(replay: Replay, step: int, seat: int) -> int:
    """Return the number of a decision among those of its seat, from 1."""
    frames = (frame for deal in replay.deals for frame in deal.frames)
    made = (frame.decision for frame in frames if frame.decision is not None)
    return sum(decision.seat == seat for decision in made if decision.step <= step)
