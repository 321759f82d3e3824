"""The progress of a class, person by person, with a number of queries that does not grow with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, F, Max, Q, QuerySet, Sum

from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.classes.enrolment import by_name
from stichkampf_platform.classes.models import Pupil, SchoolClass
from stichkampf_platform.people.models import ApiToken
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.tournaments.models import Result, Tournament

SNAPSHOTS_SHOWN = 40
"""The newest of each ladder, for the trends."""
VERSIONS_READ = 5_000
SUBMISSIONS_SHOWN = 100


@dataclass(frozen=True)
class RatingTrend:
    """The ratings of a person's bots on a ladder over time, oldest first, in each snapshot the best one.

    :ivar ladder: the tournament of the class.
    """

    ladder: Tournament
    ratings: list[Rating]

    @property
    def newest(self) -> Rating:
        return self.ratings[-1]


@dataclass
class PupilProgress:
    """The numbers of one person since they are in the class.

    :ivar attempts: submitted versions, of which some are `approved` and some `rejected`; others wait.
    :ivar in_vain: the versions that were rejected since the last one that was not, the newest first.
    :ivar matches: on the ladders of the class, in blocks that are over; so are the `faults`.
    :ivar last_active: the last sign-in, submission or use of a token.
    """

    pupil: Pupil
    attempts: int = 0
    approved: int = 0
    rejected: int = 0
    in_vain: list[Version] = field(default_factory=list)
    matches: int = 0
    faults: int = 0
    last_active: datetime | None = None
    versions: list[Version] = field(default_factory=list)
    trends: list[RatingTrend] = field(default_factory=list)

    def was_active(self, at: datetime | None) -> None:
        if at is not None:
            self.last_active = at if self.last_active is None else max(at, self.last_active)


def progress_of(school_class: SchoolClass, *, pupil: Pupil | None = None) -> list[PupilProgress]:
    """Return the progress of everybody in a class by name, or of one person."""
    pupils = school_class.pupils.select_related("person", "school_class")
    lines = {each.person_id: PupilProgress(each) for each in by_name(pupils) if pupil in (None, each)}
    ladders = list(school_class.ladders.select_related("ladder").order_by("name"))
    _add_submissions(lines, school_class)
    _add_in_vain(lines, school_class)
    _add_matches(lines, ladders)
    _add_versions(lines, ladders)
    _add_trends(lines, ladders)
    for line in lines.values():
        line.was_active(line.pupil.person.last_login)
    used = ApiToken.objects.filter(owner__in=lines).values("owner").annotate(at=Max("last_used_at"))
    for row in used.order_by():
        lines[row["owner"]].was_active(row["at"])
    return list(lines.values())


def submissions_in_class(school_class: SchoolClass) -> QuerySet[Submission]:
    """Return what people of a class submitted since they are in it; logs are not the teacher's to read."""
    return Submission.objects.filter(
        submitted_by__pupils__school_class=school_class,
        created_at__gte=F("submitted_by__pupils__joined_at"),
    )


def _add_submissions(lines: dict[int, PupilProgress], school_class: SchoolClass) -> None:
    rejected = Q(version__state=Version.State.REJECTED)
    approved = Q(finished_at__isnull=False) & ~rejected
    counted = (
        submissions_in_class(school_class)
        .filter(submitted_by__in=lines)
        .order_by()
        .values("submitted_by")
        .annotate(
            attempts=Count("pk"),
            approved=Count("pk", filter=approved),
            rejected=Count("pk", filter=rejected),
            last=Max("created_at"),
        )
    )
    for row in counted:
        line = lines[row["submitted_by"]]
        line.attempts, line.approved, line.rejected = row["attempts"], row["approved"], row["rejected"]
        line.was_active(row["last"])


def _add_in_vain(lines: dict[int, PupilProgress], school_class: SchoolClass) -> None:
    judged = submissions_in_class(school_class).filter(submitted_by__in=lines, finished_at__isnull=False)
    done = set()
    newest = judged.select_related("version__bot__owner").order_by("-created_at", "-pk")
    for submission in newest[:VERSIONS_READ]:
        person = submission.submitted_by_id
        if submission.version.state != Version.State.REJECTED:
            done.add(person)
        elif person not in done:
            lines[person].in_vain.append(submission.version)


def _add_matches(lines: dict[int, PupilProgress], ladders: Sequence[Tournament]) -> None:
    results = Result.objects.filter(
        seat__table__block__tournament__in=ladders,
        seat__table__block__over_at__isnull=False,
        seat__table__state="done",
        seat__entrant__version__bot__owner__in=lines,
    )
    rows = results.order_by().values("seat__entrant__version__bot__owner")
    for row in rows.annotate(matches=Count("pk"), fault_count=Sum("faults")):
        line = lines[row["seat__entrant__version__bot__owner"]]
        line.matches, line.faults = row["matches"], row["fault_count"]


def _add_versions(lines: dict[int, PupilProgress], ladders: Sequence[Tournament]) -> None:
    """Add the newest version of each bot that may play a game of the class."""
    games = {ladder.game for ladder in ladders}
    versions = Version.objects.filter(bot__owner__in=lines).select_related("bot__owner")
    newest: dict[int, Version] = {}
    for version in versions.order_by("-pk")[:VERSIONS_READ]:
        if not version.games or games & set(version.games):
            newest.setdefault(version.bot_id, version)
    for version in sorted(newest.values(), key=lambda version: version.bot.slug):
        lines[version.bot.owner_id].versions.append(version)


def _add_trends(lines: dict[int, PupilProgress], ladders: Sequence[Tournament]) -> None:
    shown: dict[int, Tournament] = {}
    for ladder in ladders:
        snapshots = Snapshot.objects.filter(ladder=ladder.ladder, tournament=None, published=True)
        shown |= dict.fromkeys(
            snapshots.order_by("-at", "-pk").values_list("pk", flat=True)[:SNAPSHOTS_SHOWN], ladder
        )
    ratings = Rating.objects.filter(snapshot__in=shown, version__bot__owner__in=lines)
    best: defaultdict[int, dict[int, dict[int, Rating]]] = defaultdict(lambda: defaultdict(dict))
    # of one snapshot the best comes last and stays: first those that are provisional, whose Elo says little
    ordered = ratings.order_by("snapshot__at", "snapshot_id", "-provisional", "elo")
    for rating in ordered.select_related("version__bot", "snapshot"):
        ladder = shown[rating.snapshot_id]
        best[rating.version.bot.owner_id][ladder.pk][rating.snapshot_id] = rating
    for person, line in lines.items():
        line.trends = [
            RatingTrend(ladder, list(best[person][ladder.pk].values()))
            for ladder in ladders
            if best[person][ladder.pk]
        ]
