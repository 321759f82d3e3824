from __future__ import annotations

from django.core.management.base import BaseCommand

from stichkampf_platform.tournaments.organising.demonstration import demonstrate


class Command(BaseCommand):
    help = "Make and start the demonstration tournament, once."

    def handle(self, **options) -> None:
        tournament = demonstrate()
        if tournament is None:
            self.stdout.write("The demonstration tournament exists already.")
            return
        bots = tournament.entrants.count()
        self.stdout.write(f"Started with {bots} house bots: {tournament.get_absolute_url()}")
