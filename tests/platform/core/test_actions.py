"""Actions are done again where the database ended them for another transaction."""

import psycopg
import pytest
from django.db import OperationalError
from stichkampf_platform.core.actions import TRIES, Action


class Acting:
    """A service that the database ends some times, with this error."""

    def __init__(self, times, error):
        self.times, self.error, self.calls = times, error, 0

    def __call__(self, on, by, *, word):
        self.calls += 1
        if self.calls <= self.times:
            raise OperationalError(str(self.error)) from self.error
        return f"{by}: {on} {word}"


def done(service):
    return Action("Go", "Gone.", "go", service).do("cup", "ann", word="goes")


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_what_a_deadlock_ended_is_done_again():
    service = Acting(TRIES - 1, psycopg.errors.DeadlockDetected("deadlock detected"))
    assert done(service) == "ann: cup goes"
    assert service.calls == TRIES


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("times", "error", "calls"),
    [
        (TRIES, psycopg.errors.DeadlockDetected("deadlock detected"), TRIES),
        (1, psycopg.errors.ConnectionFailure("the server is gone"), 1),
    ],
)
def test_other_errors_and_the_last_deadlock_are_told(times, error, calls):
    service = Acting(times, error)
    with pytest.raises(OperationalError):
        done(service)
    assert service.calls == calls


@pytest.mark.django_db
def test_in_a_transaction_it_is_tried_once():
    service = Acting(1, psycopg.errors.DeadlockDetected("deadlock detected"))
    with pytest.raises(OperationalError):
        done(service)
    assert service.calls == 1
