"""Challenges, comparisons and counterfactual seats, asked for by the author of a version."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.games import game_class
from stichkampf.limits import (
    CHALLENGE_BLOCKS,
    COMPARED_AT_ONCE,
    COMPARISON_BLOCKS,
    COUNTERFACTUAL_BLOCKS_PER_DAY,
    EXPERIMENTS_AT_ONCE,
)
from stichkampf.schedule import entrants_a_block

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.actions import Action, Export
from stichkampf_platform.core.errors import NeedsYes, RequestRefused
from stichkampf_platform.experiments import past_blocks, queries
from stichkampf_platform.experiments.models import Experiment, ExperimentKind, Repetition
from stichkampf_platform.experiments.same_programs import are_same
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people import rates
from stichkampf_platform.people import services as people
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.formats.gauntlet import Gauntlet
from stichkampf_platform.tournaments.formats.mirrored_pairs import MirroredPairs
from stichkampf_platform.tournaments.formats.past_seats import PastSeats
from stichkampf_platform.tournaments.formats.regression import Regression
from stichkampf_platform.tournaments.models import PLAYING, Stopping
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.scheduling import rounds
from stichkampf_platform.tournaments.tasks import enqueue_experiments


@transaction.atomic
def challenge(
    *, version: Version, opponents: Sequence[Version], game: str, blocks: int, by: User,
    options: Mapping[str, object] | None = None, same_program: bool = False,
) -> Experiment:  # fmt: skip
    """Play unrated blocks of a version against others, at once.

    One opponent and the version fill tables as copies of both, in mirrored pairs. More opponents meet the
    version in turn, each in a seat of its own.

    :param options: those that differ from the main ladder's.
    :param same_program: an opponent may be the same program under another name.
    :raises UnknownGame: a game that does not exist.
    :raises RequestRefused: not the author's version, an opponent who cannot be challenged, or too many.
    :raises ValidationError: a tournament of these is not possible.
    :raises NeedsYes: an opponent of the same author is the same program, and nobody said that it may be.
    :raises TooMany: blocks of challenges by this person in a day.
    """
    seats = game_class(game).main_ladder.seats
    _check_blocks(blocks, CHALLENGE_BLOCKS)
    _check_programs(version, opponents, same_program)
    for opponent in opponents:
        if opponent.bot.owner_id != by.pk and not opponent.bot.accepts_challenges:
            raise RequestRefused(
                _("The owner of {full_name} accepts no challenges; choose another bot.").format(
                    full_name=opponent.bot.full_name
                )
            )
    group = entrants_a_block(seats, partners=game_class(game).partners)
    if len(opponents) != 1 and len(opponents) < group - 1:
        raise RequestRefused(
            _(
                "A table of {title} has {seats} seats: name one opponent, so that copies of both bots fill "
                "the table, or at least {group} opponents, not {opponents}."
            ).format(title=game_class(game).title, seats=seats, group=group - 1, opponents=len(opponents))
        )
    return _begin(
        ExperimentKind.CHALLENGE, [version, *opponents], game, blocks, by, options=options,
        format=(MirroredPairs if len(opponents) == 1 else Gauntlet).name,
    )  # fmt: skip


@transaction.atomic
def compare(
    *, version: Version, against: Version, game: str, blocks: int, by: User, fixed: bool = False,
    also: Sequence[Version] = (), same_program: bool = False,
) -> Experiment:  # fmt: skip
    """Test if a version is better than another one of its bot, in mirrored pairs of tables.

    :param also: further versions that are tested against the same one; those without a verdict play on.
    :param fixed: play all blocks; else the test ends as soon as it has a verdict.
    :raises UnknownGame, RequestRefused, NeedsYes, ValidationError, TooMany: as `challenge`.
    """
    tested = [version, *also]
    if len({one.pk for one in tested}) < len(tested) or len(tested) > COMPARED_AT_ONCE:
        raise RequestRefused(
            _("A comparison tests one version or several, {most} at most, each named once.").format(
                most=COMPARED_AT_ONCE
            )
        )
    if also and fixed:
        raise RequestRefused(_("A comparison that plays all its blocks has two versions."))
    for one in tested:
        _check_one_bot(one, against)
        _check_programs(one, [against], same_program)
    _check_blocks(blocks, COMPARISON_BLOCKS)
    return _begin(
        ExperimentKind.COMPARISON, [*tested, against], game, blocks, by, against=against,
        format=(MirroredPairs if fixed else Regression).name,
        stopping=Stopping.FIXED if fixed else Stopping.DECIDED,
    )  # fmt: skip


@transaction.atomic
def counterfactual(
    *, version: Version, against: Version, game: str, blocks: int, by: User, same_program: bool = False
) -> Experiment:
    """Give a version the seats of another one of its bot in past blocks that are over, the newest first.

    The others of those blocks play again, in fresh processes. Blocks with one who cannot are left out.

    :param blocks: how many at most.
    :raises UnknownGame, RequestRefused, NeedsYes, ValidationError: as `challenge`; or there is no such block.
    :raises TooMany: blocks of this version in a day.
    """
    _check_one_bot(version, against)
    _check_blocks(blocks, COUNTERFACTUAL_BLOCKS_PER_DAY)
    _check_programs(version, [against], same_program)
    ladder = Ladder.objects.get(game=game_class(game).name, main=True)
    chosen = past_blocks.choose(version=version, against=against, ladder=ladder, most=blocks, by=by)
    if not chosen.blocks:
        raise RequestRefused(
            _(
                "{against} has no past block on the ladder of {title} that can be played again with "
                "{version}{left_out}."
            ).format(
                against=against,
                title=game_class(game).title,
                version=version,
                left_out=past_blocks.in_words(chosen.left_out),
            )
        )
    experiment = _begin(
        ExperimentKind.COUNTERFACTUAL, [version, *chosen.opponents], game, len(chosen.blocks), by,
        against=against, format=PastSeats.name,
    )  # fmt: skip
    experiment.left_out = chosen.left_out
    experiment.save(update_fields=["left_out"])
    entrants = {entrant.version_id: entrant for entrant in experiment.tournament.entrants.all()}
    entrants[against.pk] = entrants[version.pk]
    planned = [
        rounds.PlannedBlock(
            number, 0, [[entrants[who] for who in seating] for seating in past.seatings], past.block
        )
        for number, past in enumerate(chosen.blocks)
    ]
    added = rounds.add_blocks(experiment.tournament, planned)
    Repetition.objects.bulk_create(
        Repetition(block=block, past=past.block) for block, past in zip(added, chosen.blocks, strict=True)
    )
    return experiment


def cancel(*, experiment: Experiment, by: User) -> None:
    """End an experiment; what has been played stays.

    :raises RequestRefused: it is somebody else's, or over.
    """
    if experiment.tournament.created_by_id != by.pk and not by.is_staff:
        raise RequestRefused(_("{experiment} belongs to someone else.").format(experiment=experiment))
    lifecycle.cancel(tournament=experiment.tournament)


ACTIONS = {
    "cancel": Action(
        gettext_lazy("End it now"), gettext_lazy("Ended; the blocks that are over stay."),
        "end one of your experiments; the blocks that are over stay",
        lambda experiment, by: cancel(experiment=experiment, by=by),
        lambda experiment: experiment.tournament.state in PLAYING,
    )
}  # fmt: skip
EXPORTS = {
    "records.jsonl": Export(
        "application/x-ndjson", lambda experiment: record_files.export(experiment.tournament),
        "the match records of its blocks that are over, one a line", gettext_lazy("Match records"),
        address="records/", long=True,
    )
}  # fmt: skip
"""By file name."""


def _begin(
    kind: ExperimentKind, versions: Sequence[Version], game: str, blocks: int, by: User, *,
    against: Version | None = None, options: Mapping[str, object] | None = None, **settings: object,
) -> Experiment:  # fmt: skip
    """Make the experiment of the first of these versions, and start it."""
    version = versions[0]
    if version.bot.owner_id != by.pk and not by.is_staff:
        raise RequestRefused(
            _("{version} belongs to someone else; you can only ask for play of your own bots.").format(
                version=version
            )
        )
    remote = [str(one) for one in versions if one.remote]
    if remote:
        raise RequestRefused(
            _(
                "{names} would remember the cards, which are dealt twice: only bots that are hosted here "
                "can be challenged, compared, and play past blocks."
            ).format(names=", ".join(remote))
        )
    people.lock(by)
    if queries.running(by).count() >= EXPERIMENTS_AT_ONCE:
        raise RequestRefused(
            _(
                "You have {experiments_at_once} experiments that are not over; cancel one, or wait for "
                "its end."
            ).format(experiments_at_once=EXPERIMENTS_AT_ONCE)
        )
    rates.count(f"{kind}s", times=blocks, account=str(by.pk), version=str(version.pk))
    main = game_class(game).main_ladder
    tournament = lifecycle.create_tournament(
        name=_name(kind, versions, against),
        slug=f"experiment-{secrets.token_hex(8)}",
        game=game,
        seats=main.seats,
        options={**main.options, **(options or {})},
        versions=versions,
        blocks=blocks,
        created_by=by,
        rated=False,
        published=False,
        experiment=True,
        **settings,
    )
    lifecycle.start(tournament=tournament)
    tournament.refresh_from_db()
    transaction.on_commit(lambda: enqueue_experiments(1))
    return Experiment.objects.create(tournament=tournament, kind=kind, version=version, against=against)


def _name(kind: ExperimentKind, versions: Sequence[Version], against: Version | None) -> str:
    others = [against] if against and kind == ExperimentKind.COUNTERFACTUAL else versions[1:]
    named = ", ".join(queries.short_name(one, versions[0].bot) for one in others)
    name = f"{kind.value.capitalize()}: {versions[0]} and {named}"
    return name if len(name) <= 100 else f"{name[:99]}…"


def _check_one_bot(version: Version, against: Version) -> None:
    if version.bot_id != against.bot_id or version.pk == against.pk:
        raise RequestRefused(
            _(
                "Name two versions of one bot, not {version} and {against}; any others can be challenged."
            ).format(version=version, against=against)
        )


def _check_programs(version: Version, others: Sequence[Version], same_program: bool) -> None:
    own = () if same_program else (other for other in others if other.bot.owner_id == version.bot.owner_id)
    for other in own:
        if are_same(version, other):
            raise NeedsYes(
                _(
                    "{version} and {other} are the same program: the files of their archives are equal, so"
                    " the blocks would only show chance."
                ).format(version=version, other=other)
            )


def _check_blocks(blocks: int, most: int) -> None:
    if not 1 <= blocks <= most:
        raise RequestRefused(
            _("The number of blocks must be from {least} to {most}, not {blocks}.").format(
                least=1, most=most, blocks=blocks
            )
        )
