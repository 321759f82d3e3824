from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.operations.backups.databases import BackupFailed
from stichkampf_platform.operations.backups.rehearsal import rehearse

MOST_HOURS = 36


class Command(BaseCommand):
    help = (
        "Restore the newest backup of a folder into a database that is gone afterwards. Nothing has to stop."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser) -> None:
        parser.add_argument("folder", type=Path, help="where backup writes")
        parser.add_argument(
            "--hours", type=int, default=MOST_HOURS, help="the most that the newest may be old (%(default)s)"
        )

    def handle(self, *, folder: Path, hours: int, **options) -> None:
        if not 1 <= hours <= 8760:
            raise CommandError(f"--hours is {hours}; it must be a number from 1 to 8760.")
        try:
            self.stdout.write(rehearse(folder, most_hours=hours))
        except BackupFailed as error:
            raise CommandError(str(error)) from error
