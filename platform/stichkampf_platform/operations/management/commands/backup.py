from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.operations.backups.backup import make_backup
from stichkampf_platform.operations.backups.databases import BackupFailed

LEFT_OUT = (
    "SECRET_KEY is not in it, nor anything else of the environment: keep that elsewhere. With another key"
    " everybody has to sign in again."
)


class Command(BaseCommand):
    help = "Write database and stored files into one file, while everything runs."

    def add_arguments(self, parser) -> None:
        parser.add_argument("file", type=Path, help="a new file, such as backup.tar")

    def handle(self, *, file: Path, **options) -> None:
        try:
            make_backup(file)
        except BackupFailed as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes. Keep it secret: it holds seeds.")
        self.stdout.write(LEFT_OUT)
