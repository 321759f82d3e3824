"""The decisions of a replay at which stepping stops.

A forced choice is passed over, unless it ended a trick or the deal, or a fault was made there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from stichkampf_platform.web.replay.replay import Replay, ReplayFrame


def unforced(replay: Replay) -> list[int]:
    """List the steps that are shown by default; the first and the last step of the match are among them.

    A choice counts as forced where its observer knows that it was: a seat does not learn from the steps that
    another one had no choice.
    """
    steps = [
        deal.first_step + at
        for deal in replay.deals
        for at, frame in enumerate(deal.frames)
        if frame.decision and not _passed_over(frame)
    ]
    return sorted({0, *steps, replay.steps})


def trick_ends(replay: Replay) -> list[int]:
    """List the steps that ended a trick or a deal."""
    return [
        deal.first_step + at
        for deal in replay.deals
        for at, frame in enumerate(deal.frames)
        if (deal.number == 0 and at == 0) or _ends(frame)
    ]


def faults(replay: Replay) -> list[int]:
    return [
        frame.decision.step
        for deal in replay.deals
        for frame in deal.frames
        if frame.decision and frame.decision.fault
    ]


def before(stops: list[int], step: int) -> int | None:
    """Return the last of these sorted steps before `step`, None without one."""
    at = bisect_left(stops, step)
    return stops[at - 1] if at else None


def after(stops: list[int], step: int) -> int | None:
    """Return the first of these sorted steps after `step`, None without one."""
    at = bisect_right(stops, step)
    return stops[at] if at < len(stops) else None


def _passed_over(frame: ReplayFrame) -> bool:
    decision = frame.decision
    return decision is not None and len(decision.legal) == 1 and not decision.fault and not _ends(frame)


def _ends(frame: ReplayFrame) -> bool:
    return any(event.kind in ("trick", "score") for event in frame.events)
