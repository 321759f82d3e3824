from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.operations.conversion import CannotConvert
from stichkampf_platform.operations.moved_installation import LEFT_OUT, move


class Command(BaseCommand):
    help = "Fill a new database and store from those of an installation with SQLite, which are only read."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser) -> None:
        parser.add_argument("url", help="its database, written as DATABASE_URL is")
        parser.add_argument("store", type=Path, help="the folder of its store")

    def handle(self, *, url: str, store: Path, **options) -> None:
        try:
            done = move(url, store)
        except CannotConvert as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{done.rows} rows are here, as many as there, and {done.files} files were copied.")
        self.stdout.write(f"{done.ladders} ladders have the ratings of their results.")
        for slug in done.different:
            self.stdout.write(f"The results of {slug} give other ratings: another version had rated it.")
        self.stdout.write(
            f"Left out: {LEFT_OUT}; set it as it was there. Start the earlier programs no more."
        )
