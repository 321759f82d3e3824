"""The line that says how submitted bots are held apart here, on the page Status and on each ladder."""

import pytest
from stichkampf_platform.core import clock
from stichkampf_platform.core.machines.nodes import NO_SANDBOX, SILENCE
from stichkampf_platform.core.models import Node

pytestmark = pytest.mark.django_db

GERMAN = {
    "Sandbox level hosted: each process of a bot has files": "Sandbox-Stufe hosted: Jeder Prozess",
    "Sandbox level gvisor: each process of a bot has a kernel": "Sandbox-Stufe gvisor: Jeder Prozess",
    "Sandbox level hosted, with something in common": "Sandbox-Stufe hosted, mit etwas Gemeinsamem",
    "Sandbox level gvisor, with something in common": "Sandbox-Stufe gvisor, mit etwas Gemeinsamem",
    "Sandbox level development: memory and time": "Sandbox-Stufe development: Speicher und Zeit",
    "No submitted bot is played here at the moment": "Eingereichte Bots werden hier zurzeit nicht gespielt",
}
"""Beginnings of all the lines that there are."""
HOSTED, GVISOR, HOSTED_IN_COMMON, GVISOR_IN_COMMON, DEVELOPMENT, NONE = GERMAN


@pytest.mark.parametrize(
    ("nodes", "line"),
    [
        ([("hosted", "")], HOSTED),
        ([("gvisor", "")], GVISOR),
        ([("hosted", "no copies")], HOSTED_IN_COMMON),
        ([("gvisor", "no answers")], GVISOR_IN_COMMON),
        ([("development", "")], DEVELOPMENT),
        ([(NO_SANDBOX, "no bubblewrap")], NONE),
        ([("", "")], NONE),
        ([], NONE),
        ([("gvisor", ""), ("hosted", "")], HOSTED),
        ([("gvisor", ""), (NO_SANDBOX, "")], GVISOR),
        ([("hosted", ""), ("development", "")], DEVELOPMENT),
        ([("hosted", ""), ("gvisor", "no answers")], HOSTED_IN_COMMON),
    ],
)
def test_status_and_ladders_say_the_level_of_the_weakest_node_in_both_languages(client, house, nodes, line):
    for number, (level, reason) in enumerate(nodes):
        _node(f"node-{number}", sandbox_level=level, sandbox_reason=reason)
    _node("silent", seen_at=clock.now() - 2 * SILENCE, sandbox_level="development")
    _node("dumb", arbiter_answers=False, sandbox_level="development")
    for path in ("/status/", "/ladders/stiche-raten/"):
        for language, lines in (("", list(GERMAN)), ("/de", list(GERMAN.values()))):
            page = client.get(language + path).content.decode()
            found = [one for one in lines if one in page]
            assert found == [lines[list(GERMAN).index(line)]], language + path


def _node(name, **fields):
    Node.objects.create(**{"name": name, "seen_at": clock.now(), "arbiter_answers": True, **fields})
