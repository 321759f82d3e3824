"""The figures in words: for everybody on the status page, for operators in the administration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import stichkampf
from django.conf import settings
from django.core.cache import cache
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.core.arbiter_client import CALL_SECONDS, arbiter
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed
from stichkampf_platform.core.machines.nodes import NO_SANDBOX, SILENCE, living
from stichkampf_platform.core.models import Node
from stichkampf_platform.operations.figures import MOST_COUNTED, Figures, measure
from stichkampf_platform.operations.moving import WorkKind
from stichkampf_platform.tournaments.pace import in_words

FRESH_SECONDS = 10
LATE_BEAT_SECONDS = 15
TOLERATED_SKEW_SECONDS = 2.0
GONE = timedelta(hours=1)
"""A node that has been silent for longer was taken away."""
CONSEQUENCES = {
    pb.SANDBOX_LEVEL_DEVELOPMENT: gettext_lazy(", staff approve each submission"),
    pb.SANDBOX_LEVEL_REFUSED: gettext_lazy(", submitted bots wait, house and remote bots play"),
}
GOOD, SLOW, BAD = "good", "slow", "bad"


@dataclass(frozen=True)
class PartState:
    """A part of the platform in words.

    :ivar state: `good`, `slow` or `bad`.
    """

    name: str
    state: str
    text: str

    @property
    def word(self) -> str:
        return {GOOD: _("in order"), SLOW: _("busy"), BAD: _("disrupted")}[self.state]


def recent_figures() -> Figures:
    """Return figures that are at most `FRESH_SECONDS` old."""
    figures = cache.get("figures")
    if figures is None:
        figures = measure()
        cache.set("figures", figures, FRESH_SECONDS)
    return figures


def part_states(figures: Figures) -> list[PartState]:
    """Return the parts of the platform that its visitors notice; private tournaments are not counted."""
    parts = {"matches": _matches, "validations": _submissions, "publications": _ratings}
    shown = [parts[kind.name](figures) if kind.name in parts else _other(kind) for kind in figures.work]
    judged = [_judged(part, kind) for part, kind in zip(shown, figures.work, strict=True)]
    return [*judged, _people(figures)]


def containment() -> str:
    """Return in a line how submitted bots are held apart here, at the weakest of the nodes that play them."""
    nodes = list(living().filter(arbiter_answers=True).values_list("sandbox_level", "sandbox_reason"))
    hosts = [(level, reason) for level, reason in nodes if level not in ("", NO_SANDBOX)]
    levels = {level for level, _reason in hosts}
    if not hosts:
        return _("No submitted bot is played here at the moment: no node answers that has a sandbox.")
    if "development" in levels:
        return _(
            "Sandbox level development: memory and time of submitted bots are held roughly only. Such an "
            "installation is for bots whose authors are trusted."
        )
    if any(reason for _level, reason in hosts):
        level = "hosted" if "hosted" in levels else "gvisor"
        return _(
            "Sandbox level {level}, with something in common: each process of a bot is held apart and to its "
            "limits, but all read one copy of Python, or see numbers that the kernel counts for all. By the "
            "processor's cache or these numbers two bots that agreed on it can say something to each other."
        ).format(level=level)
    if "hosted" in levels:
        return _(
            "Sandbox level hosted: each process of a bot has files, memory and limits of its own. Common to "
            "all are the kernel and the processors of their machine."
        )
    return _(
        "Sandbox level gvisor: each process of a bot has a kernel, memory and limits of its own; with that "
        "kernel it may take up to 96 MiB and 256 threads more than the limits say. Common to all are the "
        "processors of their machine."
    )


def concerns(figures: Figures) -> list[str]:
    """Return what an operator should look at now, the gravest first."""
    found = []
    if _capacity(figures) is None:
        found.append(
            _("The arbiter does not answer, so nothing is played.")
            if figures.arbiter is None
            else _("The arbiter is about to stop and starts no match.")
        )
    if not figures.queued:
        found.append(_("Redis does not answer, so no worker is told of work."))
    elif not _begins(figures):
        found.append(_("No beat has been heard from for a while, so nothing new begins."))
    if figures.people_connected is False:
        found.append(_("The hub is away, so nobody can play at a table."))
    if figures.redis_installations > 1:
        found.append(_("Two installations use one Redis: give each its own, or all the same SECRET_KEY."))
    if figures.redis_evicts:
        found.append(_("A full Redis would drop work: set its maxmemory-policy to noeviction."))
    if figures.disk_free_bytes < settings.FREE_DISK_BYTES:
        free = figures.disk_free_bytes // 10**6
        found.append(_("The disk is nearly full: %(free)s MB are free.") % {"free": free})
    found += [_stands(kind) for kind in figures.work if kind.stands]
    if figures.drained_since is not None:
        since = f"{figures.drained_since:%Y-%m-%d %H:%M}"
        found.append(_("Drained since %(since)s UTC: nothing begins until `drain --off`.") % {"since": since})
    if figures.beats > 1:
        found.append(_("Two beats send every task twice: stop all but one."))
    if figures.parked:
        told = {"number": len(figures.parked), "first": figures.parked[0]}
        text = ngettext(
            "A task or item fails again and again: %(first)s.",
            "%(number)s tasks or items fail again and again, such as %(first)s.",
            told["number"],
        )
        found.append(text % told)
    found += [text for node in figures.nodes for text in _of_node(node, figures.at)]
    return found


def _of_node(node: Node, now: datetime) -> Iterator[str]:
    silent = now - node.seen_at
    if silent > GONE:
        return
    if silent > SILENCE:
        told = {"node": node, "time": f"{node.seen_at:%H:%M:%S}"}
        yield _("Node %(node)s has been silent since %(time)s UTC; others play its tables again.") % told
        return
    if not node.arbiter_answers:
        yield _("The arbiter of node %(node)s does not answer.") % {"node": node}
    if node.version != stichkampf.__version__:
        told = {"node": node, "version": node.version, "ours": stichkampf.__version__}
        yield (
            _("Node %(node)s is of version %(version)s, the site of %(ours)s: restart what is older.") % told
        )
    if abs(node.clock_skew_seconds) > TOLERATED_SKEW_SECONDS:
        told = {"node": node, "seconds": f"{node.clock_skew_seconds:+.0f}"}
        yield _("The clock of node %(node)s is off by %(seconds)s s.") % told
    if node.store_trouble:
        yield _("Node %(node)s does not see the store: %(trouble)s") % {
            "node": node, "trouble": node.store_trouble,
        }  # fmt: skip


def _capacity(figures: Figures) -> tuple[int, int] | None:
    """Return how many tables are being played, and how many can be, at all nodes; None if nothing can be.

    Before the first node has reported itself, it is that of the site's own arbiter.
    """
    playing = [
        (node.tables, node.tables_limit)
        for node in figures.nodes
        if figures.at - node.seen_at <= SILENCE and node.arbiter_answers and not node.draining
    ]
    if not playing and (arbiter := figures.arbiter) is not None and not arbiter.draining:
        playing = [(arbiter.tables, arbiter.tables_limit)]
    if not playing:
        return None
    tables, limits = zip(*playing, strict=True)
    return sum(tables), sum(limits)


def counted(number: int) -> str:
    """Write a number that was counted up to `MOST_COUNTED`."""
    return _("%(number)s or more") % {"number": number} if number >= MOST_COUNTED else str(number)


def _matches(figures: Figures) -> PartState:
    name, capacity = _("Matches"), _capacity(figures)
    if capacity is None:
        return PartState(name, BAD, _("Nothing is played at the moment. What has begun goes on later."))
    tables, most = capacity
    shown = max(0, tables - figures.hidden_tables_leased)
    text = ngettext("%(number)s table is being played.", "%(number)s tables are being played.", shown) % {
        "number": shown
    }
    if figures.public_blocks_waiting:
        text += " " + _("Waiting blocks: %(number)s.") % {"number": counted(figures.public_blocks_waiting)}
    if not _begins(figures):
        return PartState(name, BAD, text + " " + _("Nothing new begins at the moment."))
    return PartState(name, SLOW if tables >= most else GOOD, text)


def _people(figures: Figures) -> PartState:
    name = _("Playing oneself")
    if figures.people_connected and figures.queued:
        return PartState(name, GOOD, _("Everybody can sit down at a table."))
    return PartState(name, BAD, _("Nobody can play at the moment. What has begun goes on later."))


def _begins(figures: Figures) -> bool:
    """Tell whether workers are told of what is due."""
    beat = figures.beat_seconds
    return bool(figures.queued) and beat is not None and beat <= LATE_BEAT_SECONDS


def _submissions(figures: Figures) -> PartState:
    name = _("Submissions")
    if not figures.submissions_waiting:
        return PartState(name, GOOD, _("No submission waits for its validation."))
    text = _("Submissions that wait for their validation: %(number)s.") % {
        "number": counted(figures.submissions_waiting)
    }
    return PartState(name, BAD if _capacity(figures) is None else GOOD, text)


def _ratings(figures: Figures) -> PartState:
    name, age = _("Ratings"), max(figures.rating_age_seconds.values(), default=0)
    if not age:
        return PartState(name, GOOD, _("All results are rated."))
    text = _("The oldest result that is not yet rated is %(age)s old.") % {
        "age": in_words(age / 60).removeprefix("about ")
    }
    return PartState(name, GOOD, text)


def _other(kind: WorkKind) -> PartState:
    return PartState(str(kind.words), GOOD, _("Nothing waits for long."))


def _judged(part: PartState, kind: WorkKind) -> PartState:
    """Say of a part whose work stands still since when."""
    if not kind.stands:
        return part
    still = _("Work waits, and for %(time)s none has ended.") % {"time": _for(kind)}
    text = still if kind.name not in ("matches", "validations", "publications") else f"{part.text} {still}"
    return PartState(part.name, BAD, text)


def _stands(kind: WorkKind) -> str:
    told = {"kind": kind.words, "time": _for(kind)}
    return _("%(kind)s: work waits, and for %(time)s none has ended.") % told


def _for(kind: WorkKind) -> str:
    return in_words(kind.still_seconds / 60).removeprefix("about ")


def sandbox_summary(*, seconds: float = CALL_SECONDS) -> str:
    """Describe in one line how submitted code is contained, with consequences and reason.

    :param seconds: for so long the arbiter may be silent.
    """
    try:
        status = arbiter().status(seconds=seconds)
    except (ArbiterGone, MatchFailed):
        return _("sandbox unknown, the arbiter does not answer")
    level = pb.SandboxLevel.Name(status.sandbox_level).removeprefix("SANDBOX_LEVEL_").lower()
    reason = f" ({status.sandbox_reason})" if status.sandbox_reason else ""
    return f"sandbox: {level}{CONSEQUENCES.get(status.sandbox_level, '')}{reason}"
