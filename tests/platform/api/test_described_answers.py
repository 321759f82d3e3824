"""Every answer of the API matches its OpenAPI description, and none is an error of the server."""

import pytest
import schemathesis
import support
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments.models import Table

pytestmark = [pytest.mark.slow, pytest.mark.hypothesis]

EXAMPLES, MOST_EXAMPLES = 5, 50
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture
def described(make_tournament, play_out):
    """The OpenAPI description of a platform with played matches."""
    tournament = play_out(make_tournament(blocks=1))
    ratings.publish(ladder=tournament.ladder)
    assert Table.objects.exists()
    return schemathesis.openapi.from_wsgi("/api/v1/schema/", get_wsgi_application())


@pytest.mark.django_db(transaction=True)  # each request takes a connection of its own
@pytest.mark.timeout(900)
# Hypothesis takes its own generator for one that nobody holds, as calls of Python 3.14 only borrow references
@pytest.mark.filterwarnings("ignore:It looks like `register_random` was passed")
@pytest.mark.parametrize("visitor", ["anybody", "owner"])
def test_every_answer_matches_the_description(described, token, visitor):
    headers = {"Accept-Encoding": "identity"}  # the client in this process unpacks nothing
    if visitor == "owner":
        headers["Authorization"] = token()["authorization"]
    tried = 0
    for operation in described.get_all_operations():

        @seed(2026)
        @given(case=operation.ok().as_strategy())
        @settings(
            max_examples=min(support.examples(EXAMPLES), MOST_EXAMPLES),
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def ask(case):
            case.call_and_validate(headers=headers, checks=CHECKS)

        ask()
        tried += 1
    assert tried > 25
