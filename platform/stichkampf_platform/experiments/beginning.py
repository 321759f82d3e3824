"""The ways to begin an experiment with a version, a row each. The site asks for what has a label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _
from stichkampf.limits import (
    CHALLENGE_BLOCKS,
    COMPARED_AT_ONCE,
    COMPARISON_BLOCKS,
    COUNTERFACTUAL_BLOCKS_PER_DAY,
)

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.actions import Action, Need
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.experiments import queries, services
from stichkampf_platform.experiments.models import Experiment, ExperimentKind
from stichkampf_platform.people.models import User

VERSIONS = 1_000_000
"""The highest number of a version that a bot can have."""
BEGUN = "Begun."


def _row(words: Any, meaning: str, act: Callable[..., Experiment], **needs: Need) -> Action:
    """Return the row of a kind, with what each of them takes."""
    same = "Begin even if both are the same program, which is mostly a slip and is refused with 409."
    needs = {
        "game": Need(str, "The name of the game.", label=_("Game")),
        **needs,
        "same_program": Need(bool, same, False),
    }
    return Action(words, BEGUN, meaning, act, needs=needs, adds=True)


class OtherVersion(Need):
    """Another version of the bot, by its number."""


def _other(meaning: str) -> OtherVersion:
    words = _("Another version of the bot") if meaning else None
    return OtherVersion(int, meaning, least=1, most=VERSIONS, label=words)


def _challenge(version: Version, by: User, *, opponents: Sequence[str], **asked: Any) -> Experiment:
    found = [queries.opponent(by, name) for name in opponents]
    return services.challenge(version=version, opponents=found, by=by, **asked)


def _among_versions(begin: Callable[..., Experiment]) -> Callable[..., Experiment]:
    """Let a service begin with other versions of the bot, each by its number or as it is."""

    def act(version: Version, by: User, *, against: int | Version, **asked: Any) -> Experiment:
        if "also" in asked:
            asked["also"] = [_of_the_bot(version, each) for each in asked["also"]]
        return begin(version=version, against=_of_the_bot(version, against), by=by, **asked)

    return act


def _of_the_bot(version: Version, named: int | Version) -> Version:
    """Return another version of the bot, by its number or as it is."""
    if isinstance(named, Version):
        return named
    found: Version | None = version.bot.versions.select_related("bot__owner").filter(number=named).first()
    if found is None:
        raise RequestRefused(f"{version.bot} has no version {named}.")
    return found


BEGIN: Mapping[str, Action] = {
    str(ExperimentKind.CHALLENGE): _row(
        _("Challenge other bots"),
        "play unrated blocks of your version against other bots, at once; only you see them",
        _challenge,
        opponents=Need(
            list,
            "Name at least one opponent: AUTHOR/BOT, or BOT for a house bot, such as thumb; @N behind it"
            " names a version.",
            least=1, most=12, of=Need(str, "", most=90), label=_("Opponents"), note=_(
                "Such as thumb, or bob/otto with its author; several with spaces between them. Copies of one"
                " opponent and of your bot fill the table; more opponents have a seat each."
            ),
        ),
        blocks=Need(int, "Blocks to play.", 20, least=1, most=CHALLENGE_BLOCKS, label=_("Blocks")),
        options=Need(dict, "Options of the game that differ from those of its main ladder.", {}),
    ),
    str(ExperimentKind.COMPARISON): _row(
        _("Compare versions"),
        "test if your version, or several, are better than another of its bot; only you see the blocks",
        _among_versions(services.compare),
        against=_other("The number of the other version."),
        also=Need(
            list, "Numbers of further versions that are tested against the same one, in the same test.",
            [], most=COMPARED_AT_ONCE - 1, of=_other(""), label=_("Further versions to test"),
            note=_("Against the same one, in the same test: those without a verdict play on."),
        ),
        blocks=Need(
            int, "Mirrored pairs of tables, at most.", 200, least=1, most=COMPARISON_BLOCKS,
            label=_("Mirrored pairs at most"),
            note=_("From 32 for each version. The test ends as soon as it has a verdict on each."),
        ),
        fixed=Need(bool, "Play all blocks; else it ends as soon as there is a verdict.", False),
    ),
    str(ExperimentKind.COUNTERFACTUAL): _row(
        _("Take the seat of an older version"),
        "give your version the seats of another one of its bot in past blocks; only you see the blocks",
        _among_versions(services.counterfactual),
        against=_other("The version whose seats it takes."),
        blocks=Need(
            int, "Past blocks, at most.", 100, least=1, most=COUNTERFACTUAL_BLOCKS_PER_DAY,
            label=_("Past blocks at most"), note=_("The newest ones on the main ladder of the game."),
        ),
    ),
}  # fmt: skip
"""By kind. The API's address of each is its plural."""
