from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings.rating_rows import rated_blocks, rated_tournaments, spans
from stichkampf_platform.ratings.services import publish
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import releases


class Command(BaseCommand):
    help = (
        "Show which blocks of public ladders came from tournaments of organisers; with --take-out, have "
        "those of the tournaments that are named count no more, and publish the ladder again."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument(
            "ladder", nargs="?", help="name of a ladder in addresses; all public ones without"
        )
        parser.add_argument(
            "--take-out", nargs="+", default=[], metavar="TOURNAMENT", help="names in addresses, or: all"
        )

    def handle(self, *, ladder: str | None, take_out: list[str], **options) -> None:
        ladders = Ladder.objects.filter(private=False)
        if ladder is not None:
            # the main ladder of a game is found by the game as well, as in addresses
            ladders = ladders.filter(slug=ladder) or ladders.filter(game=ladder, main=True)
            if not ladders:
                raise CommandError(f"There is no public ladder {ladder!r}.")
        found = [
            (each, tournament)
            for each in ladders
            for tournament in rated_tournaments(each).select_related("created_by").order_by("pk")
            if not tournament.of_installation
        ]
        known = {tournament.slug for _, tournament in found}
        if unknown := sorted({*take_out} - known - {"all"}):
            raise CommandError(
                f"No organiser's tournament {', '.join(unknown)} counts; there are: "
                f"{', '.join(sorted(known)) or 'none'}."
            )
        for each, tournament in found:
            self._show(each, tournament)
        if not found:
            self.stdout.write("No block of an organiser's tournament counts.")
        chosen = [pair for pair in found if {"all", pair[1].slug} & {*take_out}]
        for _, tournament in chosen:
            try:
                releases.take_out(tournament=tournament)
            except RequestRefused as error:
                raise CommandError(str(error)) from error
        for each in {each.pk: each for each, _ in chosen}.values():
            publish(ladder=each)
            self.stdout.write(f"{each}: taken out, and published again.")

    def _show(self, ladder: Ladder, tournament: Tournament) -> None:
        ids = spans(rated_blocks(ladder, tournament).values_list("pk", flat=True))
        blocks = sum(last - first + 1 for first, last in ids)
        runs = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ids)
        self.stdout.write(
            f"{ladder}: {tournament.slug} of {tournament.created_by}, {blocks} blocks ({runs or 'none'})"
        )
