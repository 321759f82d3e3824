from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.operations.conversion import BEFORE, CannotConvert, convert


class Command(BaseCommand):
    help = f"Fill a new database from that of an installation of {BEFORE}, which is only read."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser) -> None:
        parser.add_argument("url", help="the earlier database, written as DATABASE_URL is")

    def handle(self, *, url: str, **options) -> None:
        try:
            done = convert(url)
        except CannotConvert as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{sum(done.rows.values())} rows of {len(done.rows)} tables were taken over.")
        if done.faults_without_record:
            self.stdout.write(
                f"The records of {done.faults_without_record} faults are gone, so no replay shows them."
            )
        self.stdout.write(
            "Now `upgrade`, then `doctor`; start the programs, and end a drain with `drain --off`."
        )
