from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.operations.backups.databases import BackupFailed
from stichkampf_platform.operations.backups.restore import NEXT, restore


class Command(BaseCommand):
    help = "Fill an empty database, and an empty store, from a backup. Start no other program before its end."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser) -> None:
        parser.add_argument("file", type=Path, help="a file that backup wrote")

    def handle(self, *, file: Path, **options) -> None:
        try:
            done = restore(file)
        except BackupFailed as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Restored as of {done.made_at}, with {done.files} files outside the database.")
        self.stdout.write(f"{done.ladders} ladders have the ratings of their results.")
        for slug in done.different:
            self.stdout.write(
                f"The results of {slug} give other ratings: another version of the program had rated it."
            )
        self.stdout.write(
            f"{done.dealt_again} blocks that were unfinished are void and dealt from new seeds. {NEXT}"
        )
