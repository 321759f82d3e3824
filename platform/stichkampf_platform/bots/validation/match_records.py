"""Records of validation matches: for a bot's author and staff alone, and for a while."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta

from django.core.files.storage import storages
from django.db import transaction

from stichkampf_platform.bots.models import Submission, TrialMatch
from stichkampf_platform.core import clock
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.storage import compressed_texts

KEPT = timedelta(days=30)
"""Time for which the records of a run can be fetched, unless another run of the submission begins."""

logger = logging.getLogger(__name__)


@transaction.atomic
def store(*, submission: Submission, game: str, number: int, record_json: str, printed: str) -> TrialMatch:
    """Keep a match of a trial.

    :param number: among the matches of the game.
    :param printed: what the bot wrote to standard output and standard error.
    """
    name = f"trials/{submission.pk}-{submission.attempts}-{game}-{number}.json.gz"
    file_name, digest, size = compressed_texts.store(storages["records"], name, record_json)
    return TrialMatch.objects.create(
        submission=submission,
        game=game,
        file_name=file_name,
        digest=digest,
        record_bytes=size,
        printed=printed,
    )


def export(submission: Submission) -> Iterator[str]:
    """The records of the last trial as JSON lines, in the order of play, without those that are damaged."""
    for match in list(submission.matches.all()):
        try:
            yield compressed_texts.read(storages["records"], match.file_name, match.digest) + "\n"
        except OSError as error:
            logger.error("the record of %s, %s, cannot be read: %s", match, match.file_name, error)


def forget(submission: Submission) -> None:
    """Delete the matches of the trials so far."""
    _delete(list(submission.matches.all()))


def forget_old() -> int:
    """Delete the matches that have been kept for long enough; how many."""
    old = TrialMatch.objects.filter(created_at__lt=clock.now() - KEPT)
    return each_by_itself("old trials", old, lambda match: _delete([match]) or True)


@transaction.atomic
def _delete(matches: list[TrialMatch]) -> None:
    TrialMatch.objects.filter(pk__in=[match.pk for match in matches]).delete()
    for match in matches:
        storages["records"].delete(match.file_name)
