"""People's tables stay apart from everything that is rated."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from stichkampf_platform.bots.models import Version
from stichkampf_platform.people.models import User
from stichkampf_platform.play.models import (
    DailyDeal,
    DailyEntry,
    OwnResult,
    PlayedSeat,
    PlayedTable,
    SameHand,
)

WORDS = re.compile(
    r"\bplayed_seats\b|\bPlayed(?:Table|Seat)\b|\bDaily(?:Deal|Entry)\b|\bSameHand\b|\bsame_hands\b|platform\.play\b"
)
RATED = ("ladders", "tournaments", "ratings", "marks", "experiments")


PLAYED = (PlayedTable, PlayedSeat, DailyDeal, DailyEntry, SameHand)


def test_no_table_of_what_is_rated_refers_to_peoples_tables():
    referring = [
        field
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.get_fields()
        if field.is_relation
        and field.related_model in (PlayedTable, PlayedSeat, DailyEntry, OwnResult)
        and not field.auto_created
    ]
    assert {field.model for field in referring} == {PlayedSeat, DailyEntry, OwnResult, SameHand}


def test_peoples_tables_refer_to_nothing_but_accounts_and_versions():
    named = {
        field.related_model
        for model in PLAYED
        for field in model._meta.get_fields()
        if field.is_relation and not field.auto_created
    }
    assert named == {PlayedTable, DailyDeal, User, Version}


@pytest.mark.parametrize("room", RATED)
def test_no_room_of_what_is_rated_follows_a_version_to_peoples_seats(room):
    folder = apps.get_app_config(room).path
    sources = {path.name: path.read_text() for path in Path(folder).rglob("*.py")}
    assert sources
    assert [name for name, text in sources.items() if WORDS.search(text)] == []
