"""Movement of work: of each kind, for how long none has ended although some could go on.

This is the one notion by which all faces judge the installation: the status page, the operators' page, the
doctor, metrics and alerts. Whatever stops the work, known before or not, shows here. Work that is drained or
parked could go on as well; what waits for its author, or for staff to approve it, could not. Work in the
hands of a living worker moves for as long as it may take.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import CharField, Exists, F, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast, Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.bots.queries import connected, waiting_submissions
from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import ARCHIVE_AWAY
from stichkampf_platform.core.machines import failures, lease_times, nodes
from stichkampf_platform.core.models import ItemFailure
from stichkampf_platform.marks import work_queue
from stichkampf_platform.marks.models import Analysis, StoredContinuations
from stichkampf_platform.people.models import Notice
from stichkampf_platform.ratings import queries as ratings
from stichkampf_platform.ratings.models import Snapshot
from stichkampf_platform.storage.models import StoredFile
from stichkampf_platform.tournaments import formats, leases
from stichkampf_platform.tournaments.entry.absence import absences
from stichkampf_platform.tournaments.entry.entrants import VALIDATION_WAIT, waits_for
from stichkampf_platform.tournaments.entry.fitness import COMING
from stichkampf_platform.tournaments.models import Block, MatchRecord, PlanToDraw, Table, Tournament
from stichkampf_platform.tournaments.queries import free_blocks, leased_tables
from stichkampf_platform.tournaments.running.due_steps import ABSENCE_WAIT
from stichkampf_platform.tournaments.scheduling import beats
from stichkampf_platform.tournaments.troubles import PLAY, WORKS

STILL_SECONDS = 90
"""From then on a kind stands still. With the pauses of scrapes and rules an alert comes within 3 minutes."""
NEWEST = 200
"""The most rows that are looked at for the newest end, and for work in hand."""
PARKED_TOLD = timedelta(days=1)
"""The time for which parked work counts: an organiser who does nothing for longer has decided."""
DECISIONS_OF_A_TABLE = 150
OUTAGE_MET = timedelta(seconds=60)
LONGEST_MARKS = timedelta(minutes=10)
HOSTING = ("hosted", "gvisor")
"""Sandbox levels at which a submission needs no approval."""
MOST_LADDERS = 100
LOOKED_AT = 5
"""The most drafts whose bots may be away, and tournaments without final ratings that ended first, were
published longest ago or have grown most, each of which costs queries of its own."""


@dataclass(frozen=True)
class WorkKind:
    """A kind of work, and how it moves.

    :ivar name: in metrics and in lines of the doctor.
    :ivar words: what people read.
    :ivar still_seconds: for how long nothing has ended although something could go on; 0 while there is
        nothing to do, or the worker that has it may still take its time.
    """

    name: str
    words: str | Promise
    still_seconds: float

    @property
    def stands(self) -> bool:
        return self.still_seconds > STILL_SECONDS


def kinds_of_work() -> list[WorkKind]:
    """Return every kind of work with how it moves, in the order in which people miss it."""
    now = clock.now()
    found = (
        ("matches", _("Matches"), _still(now, *_played(now, experiments=False))),
        ("validations", _("Validations"), _still(now, *_validations(now))),
        ("publications", _("Ratings"), _still(now, _due_publications(), _newest_publication())),
        ("experiments", _("Experiments"), _still(now, *_played(now, experiments=True))),
        ("marks", _("Marks"), _still(now, *_marks(now))),
        ("mails", _("Mails"), _still(now, *_mails())),
        ("files", _("Files for the store"), _still(now, *_files())),
        ("archives", _("Archives of bots"), _still(now, _without_archives())),
    )
    return [WorkKind(*each) for each in found]


def _still(now: datetime, waits_since: datetime | None, *signs: datetime | None) -> float:
    """Return for how long work has waited since the newest sign of life.

    :param waits_since: the oldest of it; None for none.
    """
    if waits_since is None:
        return 0.0
    return max(0.0, (now - max([waits_since, *_known(signs)])).total_seconds())


def _known(moments: Iterable[datetime | None]) -> list[datetime]:
    return [moment for moment in moments if moment is not None]


def _played(now: datetime, *, experiments: bool) -> tuple[datetime | None, ...]:
    """Return since when tables wait, the newest end of one, and until when those in hand may take."""
    waiting = (*_running(experiments), *_parked(now, experiments), *_starts(now, experiments))
    waits = min(_known(waiting), default=None)
    if waits is None:
        return (None,)
    newest = MatchRecord.objects.order_by("-pk").values_list(
        "table__finished_at", "table__block__tournament__experiment"
    )[:NEWEST]
    blocks = Block.objects.filter(tournament__experiment=experiments, over_at__gte=now - PARKED_TOLD)
    ended = [at for at, experiment in newest if experiment == experiments]
    return waits, *ended, blocks.aggregate(at=Max("over_at"))["at"], _in_hand(now, experiments)


def _running(experiments: bool) -> list[datetime | None]:
    """Return since when running tournaments have something to play or to draw."""
    running = Tournament.objects.filter(state=Tournament.State.RUNNING, experiment=experiments).order_by()
    free = free_blocks(drained=False).order_by().filter(tournament=OuterRef("pk"))
    unfinished = Block.objects.filter(tournament=OuterRef("pk"), over_at=None)
    to_go_on = ~Exists(unfinished) & ~Q(format__in=formats.ENDLESS_FORMATS)
    to_draw = Exists(PlanToDraw.objects.filter(pk=OuterRef("pk")))
    leased = Exists(leased_tables().order_by().filter(block__tournament=OuterRef("pk")))
    busy = running.filter(Exists(free) | (to_go_on & ~beats.waiting()) | to_draw | leased)
    return [busy.aggregate(at=Min(Coalesce("next_round_at", "started_at")))["at"]]


def _parked(now: datetime, experiments: bool) -> list[datetime | None]:
    """Return since when tournaments stand that the platform has paused because they fail."""
    paused = Tournament.objects.filter(state=Tournament.State.PAUSED, experiment=experiments).order_by()
    known = failures.parked().filter(work__in=list(WORKS), item=Cast(OuterRef("pk"), CharField()))
    failed = paused.filter(Exists(known)).values_list("pk", flat=True)
    items = [str(pk) for pk in failed]
    since = ItemFailure.objects.filter(work__in=list(WORKS), item__in=items).aggregate(at=Min("since"))["at"]
    tables = Table.objects.filter(
        block__tournament__in=paused, state=Table.State.PENDING, started_at__gte=now - PARKED_TOLD
    ).exclude(trouble="")
    return [since, tables.aggregate(at=Min("started_at"))["at"]]


def _starts(now: datetime, experiments: bool) -> list[datetime | None]:
    """Return since when drafts are due that wait for no bot: of any number of them that no bot could keep."""
    due = Tournament.objects.filter(
        state=Tournament.State.DRAFT, starts_at__lte=now, experiment=experiments
    ).order_by("starts_at")
    entered = Version.objects.filter(bot__entries__tournament=OuterRef("pk"))
    remote = Version.objects.filter(entries__tournament=OuterRef("pk"), remote=True)
    kept = Exists(entered.filter(Q(state__in=COMING) | Q(remote=True))) | Exists(remote)
    free = due.filter(~kept | Q(starts_at__lte=now - VALIDATION_WAIT))
    return [free.order_by().aggregate(at=Min("starts_at"))["at"]] + [
        draft.starts_at + ABSENCE_WAIT if absences(draft) else draft.starts_at
        for draft in due.filter(kept)[:LOOKED_AT]
        if draft.starts_at is not None and not waits_for(draft)
    ]


def _in_hand(now: datetime, experiments: bool) -> datetime | None:
    """Return until when tables may take that workers hold, at most now; a lease that lives is not enough.

    Those of a node whose arbiter says that a match does not go on may take no longer, nor may those of a
    tournament whose blocks failed twice on end, or met an outage just now.
    """
    stand = ItemFailure.objects.filter(work=nodes.MATCHES).values("item")
    held = leased_tables().filter(block__tournament__experiment=experiments).order_by("-started_at")
    outage = Q(times=0, next_try_at__gte=now - OUTAGE_MET)
    failed = _failed(PLAY, Q(times__gte=2) | outage, item="block__tournament")
    held = held.exclude(block__node__in=stand).exclude(failed)
    columns = (f"block__tournament__{name}" for name in ("move_seconds", "bank_seconds", "seats"))
    until = [
        begun + timedelta(seconds=move * DECISIONS_OF_A_TABLE + bank * seats)
        for begun, move, bank, seats in held.values_list("started_at", *columns)[:NEWEST]
        if begun is not None
    ]
    return min(now, max(until)) if until else None


def _validations(now: datetime) -> tuple[datetime | None, ...]:
    """Return since when submissions wait for the platform, the newest verdict, and now if one is in hand
    of which no run was broken off yet: runs that fail at their end, one after the other, move nothing.
    """
    waiting = waiting_submissions().filter(_can_be_validated()).order_by()
    since = waiting.aggregate(at=Min("created_at"))["at"]
    if since is None:
        return (None,)
    verdicts = Submission.objects.aggregate(at=Max("finished_at"))["at"]
    in_hand = waiting.filter(lease_times.held(), trials__lte=1).exclude(lease_owner="")
    return since, verdicts, now if in_hand.exists() else None


def _can_be_validated() -> Q:
    """Match submissions that wait neither for their author nor for staff to approve them."""
    there = Q(version__remote=True, version__access__in=connected())
    levels = set(nodes.living().values_list("sandbox_level", flat=True))
    needs_approval = bool(levels) and not levels & set(HOSTING)
    archives = Q(version__remote=False)
    return there | (archives & Q(approved_by__isnull=False) if needs_approval else archives)


def _due_publications() -> datetime | None:
    """Return since when ratings are due: of ladders, and of tournaments those that are most likely."""
    due = [ratings.due_since(ladder) for ladder in ratings.rated_ladders()[:MOST_LADDERS]]
    published = Snapshot.objects.filter(tournament=OuterRef("pk"), published=True).order_by("-at", "-pk")
    alone = (
        ratings.unsettled_tournaments()
        .exclude(ladder=None)
        .select_related("ladder")
        .annotate(
            last=Subquery(published.values("at")[:1]),
            grown=F("progress_counts__blocks_over") * 1.0 / (Subquery(published.values("blocks")[:1]) + 1),
        )
    )
    likely = (
        (F("finished_at").asc(nulls_last=True),),
        (F("last").asc(nulls_first=True), "pk"),
        (F("grown").desc(nulls_first=True), "pk"),
    )
    looked = {each.pk: each for order in likely for each in alone.order_by(*order)[:LOOKED_AT]}
    due += [ratings.due_since(each.ladder, each) for each in looked.values() if each.ladder is not None]
    return min(_known(due), default=None)


def _newest_publication() -> datetime | None:
    return Snapshot.objects.filter(published=True).order_by("-pk").values_list("at", flat=True).first()


def _marks(now: datetime) -> tuple[datetime | None, ...]:
    """Return since when marks wait, the newest ends, and until when those in hand may take that never
    failed.
    """
    kinds = (Analysis, StoredContinuations)
    waiting = [kind._default_manager.filter(state=kind.State.WAITING).order_by() for kind in kinds]
    since = _known(each.aggregate(at=Min("requested_at"))["at"] for each in waiting)
    if not since:
        return (None,)
    made = [kind._default_manager.aggregate(at=Max("made_at"))["at"] for kind in kinds]
    lease = timedelta(seconds=work_queue.LEASE_SECONDS)
    held = _known(
        each.filter(lease_times.held(), ~_failed(each.model._meta.label, Q(times__gt=0))).aggregate(
            at=Max("lease_until")
        )["at"]
        for each in waiting
    )
    return min(since), *made, *(min(now, until - lease + LONGEST_MARKS) for until in held)


def _failed(work: str, how: Q, *, item: str = "pk") -> Exists:
    """Match rows at whose item this work failed in such a way."""
    known = ItemFailure.objects.filter(how, work=work)
    return Exists(known.filter(item=Cast(OuterRef(item), CharField())))


def _mails() -> tuple[datetime | None, ...]:
    waiting: QuerySet[Notice] = Notice.objects.filter(mail_due_at__isnull=False).order_by()
    sent = Notice.objects.filter(mailed_at__isnull=False).order_by("-pk").values_list("mailed_at", flat=True)
    newest: Sequence[datetime | None] = sent[:NEWEST]
    return waiting.aggregate(at=Min("created_at"))["at"], *newest


def _files() -> tuple[datetime | None, ...]:
    waiting = StoredFile.objects.filter(copied_at=None, deleted=False).order_by("pk")
    since = waiting.values_list("created_at", flat=True).first()
    return since, StoredFile.objects.aggregate(at=Max("copied_at"))["at"] if since else None


def _without_archives() -> datetime | None:
    """Return since when tables wait for an archive that the store does not give, whatever else is played."""
    waiting = Table.objects.exclude(trouble="").filter(
        leases.free(drained=False),
        trouble_parts__template=ARCHIVE_AWAY,
        block__tournament__state=Tournament.State.RUNNING,
    )
    return waiting.order_by().aggregate(at=Min("started_at"))["at"]
