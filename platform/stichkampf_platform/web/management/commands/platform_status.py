from __future__ import annotations

import json

from django.core.management.base import BaseCommand

from stichkampf_platform.bots.queries import waiting_submissions
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.operations.state_texts import sandbox_summary
from stichkampf_platform.ratings.queries import newest_snapshot
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.queries import progress
from stichkampf_platform.tournaments.running import busy_node


class Command(BaseCommand):
    help = "Say how far the tournaments are, what waits, and how strangers' code is contained."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")

    def handle(self, *, json: bool, **options) -> None:
        status = _status()
        if json:
            self.stdout.write(_dump(status))
            return
        self.stdout.write(status["sandbox"])
        if status["node"]:
            self.stdout.write(status["node"])
        for tournament in status["tournaments"]:
            self.stdout.write("{name}: {state}, {tables_done} of {tables} tables".format(**tournament))
        for ladder in status["ladders"]:
            self.stdout.write("{slug}: {bots} bots after {blocks} blocks".format(**ladder))
        self.stdout.write(f"{status['submissions_waiting']} submissions wait")


def _status() -> dict:
    return {
        "sandbox": sandbox_summary(),
        "node": busy_node.warning(),
        "tournaments": [_tournament(tournament) for tournament in Tournament.objects.shown_to(None)[:20]],
        "ladders": [_ladder(ladder) for ladder in main_ladders()],
        "submissions_waiting": waiting_submissions().count(),
    }


def _tournament(tournament: Tournament) -> dict:
    now = progress(tournament)
    return {
        "slug": tournament.slug,
        "name": tournament.name,
        "state": tournament.state,
        "tables": now.tables,
        "tables_done": now.tables_done,
    }


def _ladder(ladder) -> dict:  # type: ignore[no-untyped-def]
    snapshot = newest_snapshot(ladder)
    return {
        "slug": ladder.slug,
        "blocks": snapshot.blocks if snapshot else 0,
        "bots": snapshot.ratings.count() if snapshot else 0,
    }


def _dump(status: dict) -> str:
    return json.dumps(status)
