"""Remote versions: bots that play on their authors' machines, and the tokens with which they connect."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _
from stichkampf.games import GAMES, game_class

from stichkampf_platform.bots.arbiter_sync import connect_command, remote_address
from stichkampf_platform.bots.models import RemoteAccess, Submission, Version
from stichkampf_platform.bots.services import next_number, own_bot, write
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.core.tokens import Token, make_token
from stichkampf_platform.people import rates
from stichkampf_platform.people.models import User
from stichkampf_platform.people.network_addresses import counted
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.people.services import lock

REMOTE_PER_PERSON = 20
ALIVE = (Version.State.SUBMITTED, Version.State.VALIDATING, Version.State.APPROVED, Version.State.STALE)

logger = logging.getLogger(__name__)


@transaction.atomic
def create_remote_version(
    *, owner: User, slug: str, games: Sequence[str], address: str = ""
) -> tuple[Submission, str]:
    """Make the next version of a bot one that plays on its author's machine; the submission and the token.

    A bot of that name is made where there is none. The token is returned this once and kept nowhere. The
    version is validated as soon as it is connected.

    :param address: of the network, from which it is asked for.
    :raises UnknownGame: a game that does not exist.
    :raises RequestRefused: no games, a game of partners, too many, or no remote bots here.
    :raises TooMany: tokens by this person or from this address in an hour.
    """
    if remote_address() == "":
        raise RequestRefused(_("This platform accepts no remote bots; submit an archive instead."))
    wanted = _playable(games)
    rates.count("tokens", account=str(owner.pk), address=counted(owner, address))
    lock(owner)
    bot = own_bot(owner, slug)
    live = RemoteAccess.objects.filter(version__bot__owner=owner, version__state__in=ALIVE, revoked_at=None)
    if live.count() >= REMOTE_PER_PERSON:
        raise RequestRefused(
            _(
                "You have as many remote versions as a person may have, {most}; revoke the token of one that "
                "you no longer need."
            ).format(most=REMOTE_PER_PERSON)
        )
    version = Version.objects.create(bot=bot, number=next_number(bot), remote=True, games=wanted)
    token = make_token("skr_")
    RemoteAccess.objects.create(version=version, issued_by=owner, **_issued(token))
    submission = Submission.objects.create(version=version, submitted_by=owner, approved_by=None)
    write(
        submission,
        Sentence("It waits until it is connected: {command}, with its token.", command=connect_command()),
    )
    _changed(version, owner, "has a token")
    return submission, token.text


@transaction.atomic
def new_token(*, version: Version, by: User, address: str = "") -> str:
    """Give a remote version a new token, returned this once; the old one holds no longer.

    :param address: of the network, from which it is asked for.
    :raises RequestRefused: not a remote version of this person's, or one that was rejected.
    :raises TooMany: tokens by this person or from this address in an hour.
    """
    rates.count("tokens", account=str(by.pk), address=counted(by, address))
    access = _own_access(version, by)
    if version.state not in (*ALIVE, Version.State.SUSPENDED):
        raise RequestRefused(
            _("{version} is {state}; make a new remote version instead.").format(
                version=version, state=version.get_state_display()
            )
        )
    token = make_token("skr_")
    _write_access(access, revoked_at=None, issued_by=by, **_issued(token))
    write(version.submission, Sentence("{by} made a new token; the old one is no longer valid.", by=str(by)))
    _changed(version, by, "has a new token")
    return token.text


@transaction.atomic
def revoke(*, version: Version, by: User) -> None:
    """Revoke the token of a remote version: a program that is connected with it is disconnected.

    :raises RequestRefused: not a remote version of this person's, or revoked already.
    """
    access = _own_access(version, by)
    if access.revoked_at is not None:
        raise RequestRefused(_("The token of {version} is already revoked.").format(version=version))
    _write_access(access, token_digest=secrets.token_hex(32), revoked_at=clock.now())
    told = Sentence("{by} revoked its token: it cannot connect until it has a new one.", by=str(by))
    write(version.submission, told)
    _changed(version, by, "has no token any more")


def _playable(games: Sequence[str]) -> list[str]:
    if not games:
        raise RequestRefused(_("Name the games that it plays; a remote bot has no manifest that tells them."))
    for name in games:
        if game_class(name).partners:
            raise RequestRefused(
                _(
                    "{title} is played by partners that must not see each other's cards; one remote "
                    "program would hold both hands. Submit an archive for it."
                ).format(title=GAMES[name].title)
            )
    return [name for name in GAMES if name in games]


def _own_access(version: Version, person: User) -> RemoteAccess:
    access = RemoteAccess.objects.select_for_update().filter(version=version).first()
    if access is None:
        raise RequestRefused(_("{version} is not a remote version; it has no token.").format(version=version))
    if version.bot.owner_id != person.pk and not person.is_staff:
        raise RequestRefused(_("{version} belongs to someone else.").format(version=version))
    return access


def _write_access(access: RemoteAccess, **fields: object) -> None:
    RemoteAccess.objects.filter(pk=access.pk).update(**fields)


def _issued(token: Token) -> dict[str, object]:
    return {"token_digest": token.digest, "hint": token.hint, "issued_at": clock.now()}


def _changed(version: Version, person: User, what: str) -> None:
    logger.info("%s %s, by %s", version, what, person)
    transaction.on_commit(lambda: enqueue("stichkampf_platform.bots.tasks.watch_remote_bots"))
