"""Volunteers with their tokens, blocks for them, and requests of their machines."""

from __future__ import annotations

import json

import pytest
import stichkampf
from django.contrib.auth.models import Permission
from stichkampf.local_play.house_block import HouseBlock
from stichkampf.match.records import dump
from stichkampf_platform.people.models import User
from stichkampf_platform.people.services import create_token
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle

BLOCKS = "/api/v1/volunteer/blocks/"


@pytest.fixture(autouse=True)
def invited(settings):
    settings.VOLUNTEERS = "invited"


@pytest.fixture
def volunteers_token(person):
    """Make a person with the permission, and a volunteer's token of theirs: its text."""

    def make(name="vera"):
        person(name).user_permissions.add(Permission.objects.get(codename="volunteer"))
        _, text = create_token(owner=User.objects.get(username=name), name="desk", scope="volunteer")
        return text

    return make


@pytest.fixture
def running(make_tournament):
    """Start tournaments of house bots."""

    def start(*bots, **fields):
        number = Tournament.objects.count()
        tournament = make_tournament(*bots, **{"blocks": 1, "name": f"Cup {number}", **fields})
        lifecycle.start(tournament=tournament)
        return tournament

    return start


class Machine:
    """A volunteer's machine that asks by hand, and may lie."""

    def __init__(self, client, token):
        self._client = client
        self._headers = {"authorization": f"Bearer {token}"}
        self.lease = None

    def send(self, method, address, fields=None):
        body = {} if fields is None else {"data": json.dumps(fields), "content_type": "application/json"}
        return getattr(self._client, method)(address, headers=self._headers, **body)

    def ask(self, version=stichkampf.__version__):
        """Ask for a block, and keep it; returns the answer."""
        answer = self.send("post", BLOCKS, {"version": version})
        if answer.status_code == 200 and answer.json()["lease"]:
            self.lease = answer.json()["lease"]
            self.block = HouseBlock.from_json(answer.json()["block"])
        return answer

    def records(self):
        return {table: json.loads(dump(self.block.play(table))) for table in self.block.tables}

    def answer(self, records, lease=None):
        sent = [{"table": table, "record": record} for table, record in records.items()]
        return self.send("post", f"{self.address(lease)}answer/", {"records": sent})

    def renew(self):
        return self.send("put", self.address())

    def give_back(self):
        return self.send("delete", self.address())

    def address(self, lease=None):
        return f"/api/v1/volunteer/leases/{lease or self.lease}/"


@pytest.fixture
def machine(client, volunteers_token):
    """Make volunteers' machines, each of a person of its own."""
    return lambda name="vera": Machine(client, volunteers_token(name))
