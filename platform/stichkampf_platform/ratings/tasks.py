from __future__ import annotations

from celery import shared_task

from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.core.queue import enqueue_each
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings import announcements, collusion_watch, highlights, queries, services
from stichkampf_platform.ratings.models import Snapshot
from stichkampf_platform.tournaments.models import Tournament


@shared_task
def publish_ladder(ladder_id: int) -> None:
    """Publish a ladder where that is still due: a repeated message does nothing."""
    ladder = Ladder.objects.get(pk=ladder_id)
    if queries.due(ladder):
        services.publish(ladder=ladder)


@shared_task
def publish_tournament(tournament_id: int) -> None:
    """Publish the ratings of one tournament alone, where that is still due."""
    tournament = Tournament.objects.get(pk=tournament_id)
    ladder = tournament.ladder
    if ladder is not None and queries.due(ladder, tournament):
        services.publish(ladder=ladder, tournament=tournament)


@shared_task
def watch_snapshot(snapshot_id: int) -> None:
    """Search the results of a snapshot for collusion and farming; a repeated message finds it done."""
    snapshot = Snapshot.objects.filter(pk=snapshot_id, watched_at=None).first()
    if snapshot is not None:
        collusion_watch.search(snapshot=snapshot)


@shared_task
def thin_snapshots() -> None:
    """Keep one snapshot of each old day."""
    services.thin_snapshots()


@shared_task
def tell_ranks() -> None:
    """Tell of the day's new ranks; a repeated message finds them told."""
    announcements.tell_ranks()


@shared_task
def enqueue_publications() -> None:
    """Queue the publications and searches that are due, and tell of tournaments whose ratings are final."""
    task = "stichkampf_platform.ratings.tasks."
    due: list[int] = []

    def look(ladder: Ladder) -> None:
        if queries.due(ladder):
            due.append(ladder.pk)

    each_by_itself("due ratings", queries.rated_ladders(), look)
    enqueue_each(f"{task}publish_ladder", due)
    enqueue_each(f"{task}publish_tournament", [found.pk for found in queries.unsettled_tournaments()])
    enqueue_each(f"{task}watch_snapshot", [snapshot.pk for snapshot in collusion_watch.due_snapshots()])
    announcements.settle_rulings()
    announcements.tell_results()
    highlights.keep_highlights()
