from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.ratings.models import ForfeitRule, Snapshot
from stichkampf_platform.ratings.services import is_repeated


class Command(BaseCommand):
    help = "Compute published ratings again from the results of their blocks, and compare them."

    def add_arguments(self, parser) -> None:
        parser.add_argument(
            "--newest", type=int, default=10, help="how many snapshots, the newest first (default: 10)"
        )

    def handle(self, *, newest: int, **options) -> None:
        published = Snapshot.objects.filter(published=True).select_related("ladder", "tournament")[:newest]
        snapshots = [one for one in published if one.forfeit_rule == ForfeitRule.GROUPS]
        if kept := len(published) - len(snapshots):
            self.stdout.write(
                f"{kept} were made by an earlier rule for forfeits; they stay as they were published and are "
                "not computed again."
            )
        wrong = [snapshot for snapshot in snapshots if not is_repeated(snapshot)]
        for snapshot in wrong:
            self.stdout.write(f"{snapshot} (snapshot {snapshot.pk}): the results give other ratings")
        if wrong:
            raise CommandError(f"{len(wrong)} of {len(snapshots)} snapshots differ from their results.")
        self.stdout.write(f"{len(snapshots)} snapshots are equal to the ratings that their results give.")
