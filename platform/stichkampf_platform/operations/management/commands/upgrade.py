from __future__ import annotations

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.operations.conversion import OF_BEFORE, is_of_before

UNUSED_PAGES = ["rest_framework"]


class Command(BaseCommand):
    help = "Bring database, house bots and static files to this version. Safe to repeat, while programs run."

    def handle(self, **options) -> None:
        if is_of_before():
            raise CommandError(OF_BEFORE)
        for name, words in (
            ("migrate", {"interactive": False, "verbosity": 0}),
            ("seed_house", {}),
            ("collectstatic", {"interactive": False, "verbosity": 0, "ignore_patterns": UNUSED_PAGES}),
        ):
            self.stdout.write(f"{name} …")
            call_command(name, **words, stdout=self.stdout)
        self.stdout.write("Now restart the programs, in any order. `doctor` looks whether all is well.")
