from __future__ import annotations

from django.core.management.base import BaseCommand
from django.db import transaction

from stichkampf_platform.bots.services import seed_house
from stichkampf_platform.ladders.services import seed_main_ladders


class Command(BaseCommand):
    help = "Make the house bots and the main ladder of every game where they are missing."

    @transaction.atomic
    def handle(self, **options) -> None:
        versions = seed_house()
        ladders = seed_main_ladders()
        self.stdout.write(f"{len(versions)} house bots, {len(ladders)} main ladders.")
