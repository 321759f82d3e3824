"""Fixtures of tournaments that are really played, with results stored as a worker stores them."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils import timezone
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.match.records import dump
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.bots.models import Bot, RemoteAccess, Version
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.bots.services import submit_version
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.people.services import sign_up
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps, results
from support import archive

EMPTY_BOT = "from stichkampf import Bot\n"


def tables_of(tournament: Tournament) -> list[Table]:
    """Return the tables of a tournament with all that their results need, as a worker leases them."""
    tables = Table.objects.filter(block__tournament=tournament).select_related("block__tournament")
    return list(tables.prefetch_related("seats__entrant__version__bot__owner"))


class Played:
    """Makes tournaments and plays their tables.

    :param add_house: makes the house bots.
    """

    def __init__(self, add_house: Callable[[], object]) -> None:
        self.add_house = add_house
        self.names = (f"Cup {number}" for number in itertools.count(1))

    def tournament(
        self,
        game: str = "sticheln",
        seats: int = 4,
        *,
        blocks: int = 2,
        options: dict | None = None,
        house: int = 4,
        **settings,
    ) -> Tournament:
        """Make a running tournament of the first house bots without any played table."""
        tournament = self.draft(game, seats, blocks=blocks, options=options, house=house, **settings)
        lifecycle.start(tournament=tournament)
        tournament.refresh_from_db()
        return tournament

    def draft(
        self,
        game: str = "sticheln",
        seats: int = 4,
        *,
        blocks: int = 2,
        options: dict | None = None,
        house: int = 4,
        **settings,
    ) -> Tournament:
        """Make a tournament of the first house bots that has not started."""
        of_house = Version.objects.exclude(house="").order_by("bot__slug")
        if not of_house.exists():
            self.add_house()
        versions = list(of_house[:house])
        return lifecycle.create_tournament(
            name=next(self.names),
            game=game,
            seats=seats,
            versions=versions,
            blocks=blocks,
            options={"length": "deals:2"} if options is None else options,
            **settings,
        )

    def dealt_once(self, remote: Version) -> Table:
        """Play a block of this remote version and the first house bots, and return a table of it."""
        tournament = lifecycle.create_tournament(
            name=next(self.names),
            game="sticheln",
            seats=4,
            versions=[remote, *Version.objects.exclude(house="").order_by("bot__slug")[:7]],
            blocks=1,
            options={"length": "deals:2"},
        )
        lifecycle.start(tournament=tournament)
        tables = tables_of(tournament)
        for table in tables:
            self.play(table)
        return tables[0]

    def play(self, table: Table, *, fault: bool = False, stderr: str = "") -> None:
        """Play a table and store its result, as a worker does; `fault` makes the first move of seat 0 one."""
        Table.objects.filter(pk=table.pk).update(lease_owner="worker")
        record = self.record(table, fault=fault)
        reports = [pb.SeatReport(seat=0, exit_kind="exited", stderr=stderr)] if stderr else []
        report = pb.FetchRecordResponse(record_json=dump(record), reports=reports)
        assert results.store(matches=[results.referee(table=table, report=report)], owner="worker")

    def record(self, table: Table, *, fault: bool = False) -> dict:
        tournament = table.block.tournament
        chance = random.Random(table.pk)
        match = Match(
            new_game(tournament.game, tournament.seats, tournament.options), seed=bytes(table.block.seed)
        )
        while not match.over:
            seat = chance.choice(match.to_act())
            if fault and seat == 0:
                match.fault(0, "timeout")
                fault = False
            word = chance.choice(match.legal(seat))
            note = {"text": "a guess", "weights": {word: 0.5}} if seat == 1 else None
            match.play(seat, word, cost_seconds=chance.random() ** 4, note=note)
        names = [
            {"bot": seat.entrant.version.bot.full_name, "version": seat.entrant.version.number}
            for seat in table.seats.all()
        ]
        return match.record(names)

    def whole(self, game: str = "sticheln", seats: int = 4, **more) -> Tournament:
        """Make a finished and rated tournament with all tables played."""
        tournament = self.tournament(game, seats, **more)
        for table in tables_of(tournament):
            self.play(table)
        due_steps.advance_tournaments()
        tournament.refresh_from_db()
        ladder = tournament.ladder
        if not main_ladders().filter(game=game).exists():
            Ladder.objects.filter(pk=ladder.pk).update(main=True)
        ratings.publish(ladder=ladder)
        ratings.publish(ladder=ladder, tournament=tournament)
        return tournament


@pytest.fixture
def played(add_house) -> Played:
    return Played(add_house)


@pytest.fixture
def ada(db):
    """A person with an account."""
    return sign_up(username="ada", password="correct horse battery")


@pytest.fixture
def first_table():
    """The first table of a tournament."""

    def find(tournament: Tournament) -> Table:
        return Table.objects.filter(block__tournament=tournament).select_related("block__tournament").first()

    return find


@pytest.fixture
def house_bot():
    def find(slug: str) -> Bot:
        return Bot.objects.get(slug=slug)

    return find


@pytest.fixture
def style_sheet() -> str:
    return Path(finders.find("web/site.css")).read_text()


@pytest.fixture
def rendered_sprite() -> dict[str, str]:
    """The shape of every suit, by its letter."""
    return dict(re.findall(r'id="s(\w)".*?>(<.*?>)</symbol>', render_to_string("web/parts/sprite.html")))


@pytest.fixture
def submission(ada):
    """A submission of Ada's that is being validated."""
    return submit_version(owner=ada, slug="karl", content=archive(EMPTY_BOT), file_name="karl.zip")


@pytest.fixture
def connected():
    """Make a validated and connected remote version for Sticheln."""

    def make(owner, slug: str = "karla") -> Version:
        submission, _ = create_remote_version(owner=owner, slug=slug, games=["sticheln"])
        version = submission.version
        Version.objects.filter(pk=version.pk).update(state=Version.State.APPROVED)
        now = timezone.now()
        RemoteAccess.objects.filter(version=version).update(
            connected_at=now, last_seen_at=now, latency_seconds=0.0421, tables=3
        )
        return Version.objects.get(pk=version.pk)

    return make
