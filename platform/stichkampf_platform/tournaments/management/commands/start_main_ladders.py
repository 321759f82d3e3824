from __future__ import annotations

from django.conf import settings
from django.core.management.base import BaseCommand

from stichkampf_platform.tournaments.organising.main_ladders import start_main_ladders


class Command(BaseCommand):
    help = "Start a ladder without an end for each game that never had one; STICHKAMPF_LADDERS=0 starts none."

    def handle(self, **options) -> None:
        if not settings.MAIN_LADDERS:
            self.stdout.write("STICHKAMPF_LADDERS is 0: no ladder is started.")
            return
        self.stdout.write(f"{len(start_main_ladders())} ladders started.")
