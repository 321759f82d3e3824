from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Sum, When

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.ratings.ranked_versions import ranks_changed
from stichkampf_platform.ratings.rating_rows import rated_blocks, rated_tournaments, whole_blocks
from stichkampf_platform.tournaments.models import Ruling, Table, Tournament
from stichkampf_platform.tournaments.queries import shown_blocks
from stichkampf_platform.tournaments.scheduling.strength import VersionStrength

SHORTEST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(minutes=10)
WORTH_A_SNAPSHOT = 0.1
"""While play goes on, a tenth more blocks is worth a new snapshot."""


def newest_snapshot(ladder: Ladder, tournament: Tournament | None = None) -> Snapshot | None:
    """The newest published ratings of a ladder, or of one tournament alone."""
    return ladder.snapshots.filter(tournament=tournament, published=True).order_by("-at", "-pk").first()


def newest_snapshot_ids(ladders: QuerySet[Ladder]) -> QuerySet[Ladder]:
    """Return the ids of the newest snapshots of these ladders, for the condition of a query."""
    published = Snapshot.objects.filter(ladder=OuterRef("pk"), tournament=None, published=True)
    newest = Subquery(published.order_by("-at", "-pk").values("pk")[:1])
    return ladders.order_by().annotate(newest=newest).exclude(newest=None).values("newest")


def ranked_on(ladders: QuerySet[Ladder]) -> QuerySet[Rating]:
    """Return the newest ratings on these ladders that have a rank there."""
    return Rating.objects.filter(snapshot__in=newest_snapshot_ids(ladders), rank__isnull=False)


def newest_strength(ladder: Ladder) -> dict[int, VersionStrength]:
    """Return the newest ratings of a ladder by the id of the version."""
    snapshot = newest_snapshot(ladder)
    columns = ("version_id", "elo", "provisional", "rank")
    rows = snapshot.ratings.values_list(*columns) if snapshot else []
    return {
        version: VersionStrength(elo, not provisional, rank is not None)
        for version, elo, provisional, rank in rows
    }


def ratings_of(snapshot: Snapshot) -> QuerySet[Rating]:
    """The lines of a snapshot in the order of every page, file and answer.

    Of a ladder first those with a rank, then other versions by Elo, then provisional ones, whose Elo says
    nothing yet, by their blocks. Of a tournament by Elo.
    """
    ratings = snapshot.ratings.select_related("version__bot__owner")
    if snapshot.tournament_id is not None:
        return ratings.order_by("-elo", "version_id")
    blocks = Case(When(provisional=True, then=F("blocks")), default=0)
    return ratings.order_by(
        F("rank").asc(nulls_last=True), "provisional", blocks.desc(), "-elo", "version_id"
    )


def named_ratings_of(snapshot: Snapshot) -> QuerySet[Rating]:
    """The same lines for files and answers that have all of them: of the bots only what names them."""
    of_rating = [field.name for field in Rating._meta.concrete_fields]
    of_version = ("number", "digest", "weight", "bot__slug", "bot__owner__username")
    return ratings_of(snapshot).only(*of_rating, *(f"version__{field}" for field in of_version))


def history(version: Version, ladder: Ladder) -> QuerySet[Rating]:
    """The ratings of a version over time, oldest first."""
    return (
        Rating.objects.filter(
            version=version, snapshot__ladder=ladder, snapshot__tournament=None, snapshot__published=True
        )
        .select_related("snapshot")
        .order_by("snapshot__at")
    )


def due(ladder: Ladder, tournament: Tournament | None = None) -> bool:
    """Tell whether enough is new since the newest snapshot; after the end of play, anything is enough."""
    tournaments = _tournaments(ladder, tournament)
    newest = shown_blocks().filter(tournament__in=tournaments).aggregate(at=Max("over_at"))["at"]
    if newest is None:
        return False
    last = newest_snapshot(ladder, tournament)
    if last is None:
        return True
    if tournament is None and ladder.log and datetime.fromisoformat(ladder.log[-1]["at"]) > last.at:
        return True
    if not is_playing(ladder, tournament):
        voided = Ruling.objects.filter(tournament__in=tournaments, kind=Ruling.Kind.VOID, made_at__gt=last.at)
        enough = not last.final or newest > last.at or voided.exists()
    else:
        age = clock.now() - last.at
        if age < SHORTEST_PAUSE:
            return False
        worth = (1 + WORTH_A_SNAPSHOT) * last.blocks
        enough = newest >= last.at and (
            age > LONGEST_PAUSE
            or (_may_exceed(worth, tournaments) and rated_blocks(ladder, tournament).count() > worth)
        )
    return enough or (tournament is None and ranks_changed(last))


def rated_ladders() -> QuerySet[Ladder]:
    """Return the ladders that are published: those with a rated tournament."""
    return Ladder.objects.filter(pk__in=Tournament.objects.filter(rated=True).values("ladder"))


def due_since(ladder: Ladder, tournament: Tournament | None = None) -> datetime | None:
    """Return since when a publication has been due, more or less; None where none is, or nothing compares."""
    if not due(ladder, tournament):
        return None
    tournaments, last = _tournaments(ladder, tournament), newest_snapshot(ladder, tournament)
    over = shown_blocks().filter(tournament__in=tournaments).order_by("over_at")
    moments = over.values_list("over_at", flat=True)
    if last is None:
        compares = tournament is not None or unsettled_tournaments().filter(pk__in=tournaments).exists()
        return moments.first() if compares else None
    if not is_playing(ladder, tournament):
        ended = tournaments.aggregate(at=Max("finished_at"))["at"]
        return max(moment for moment in (last.at, moments.last(), ended) if moment is not None)
    new = moments.filter(over_at__gte=last.at)
    enough = list(new[int(WORTH_A_SNAPSHOT * last.blocks) :][:1])
    late = last.at + LONGEST_PAUSE
    return min([max(last.at + SHORTEST_PAUSE, enough[0]), late] if enough else [late])


def _may_exceed(blocks: float, tournaments: QuerySet[Tournament]) -> bool:
    """Tell, without looking at blocks, whether more blocks of these tournaments than `blocks` may be over."""
    kept = tournaments.aggregate(
        over=Sum("progress_counts__blocks_over", default=0),
        unknown=Count("pk", filter=Q(progress_counts=None)),
    )
    return bool(kept["unknown"]) or kept["over"] > blocks


def is_playing(ladder: Ladder, tournament: Tournament | None = None) -> bool:
    """Tell whether more results are to come."""
    playing = [Tournament.State.RUNNING, Tournament.State.PAUSED]
    return _tournaments(ladder, tournament).filter(state__in=playing).exists()


def is_unsettled(tournament: Tournament) -> bool:
    """Tell whether a tournament is one of `unsettled_tournaments`; quick where it is not."""
    final = tournament.snapshots.filter(final=True, published=True, at__gte=tournament.finished_at)
    return not final.exists() and unsettled_tournaments().filter(pk=tournament.pk).exists()


def unsettled_tournaments() -> QuerySet[Tournament]:
    """Tournaments with something to rate, or with ratings of what is void now, which have no final ones yet.

    Where no two are compared, because no block is whole or each is one table, there is nothing to wait for.
    """
    # a tournament of which a block is played again ends a second time
    settled = Snapshot.objects.filter(
        tournament=OuterRef("pk"), final=True, published=True, at__gte=OuterRef("finished_at")
    )
    second_table = Table.objects.filter(block=OuterRef("pk"), lane=1)
    comparing = whole_blocks().filter(Exists(second_table), tournament=OuterRef("pk"))
    shown = Snapshot.objects.filter(tournament=OuterRef("pk"), published=True)
    return Tournament.objects.filter(~Exists(settled), Exists(comparing) | Exists(shown), experiment=False)


def _tournaments(ladder: Ladder, tournament: Tournament | None) -> QuerySet[Tournament]:
    return rated_tournaments(ladder) if tournament is None else Tournament.objects.filter(pk=tournament.pk)
