from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.passing_writes import passing_write
from stichkampf_platform.core.plain_names import one_line
from stichkampf_platform.core.tokens import make_token, token_digest
from stichkampf_platform.people import network_addresses, queries, rates
from stichkampf_platform.people.access import audit
from stichkampf_platform.people.models import (
    HOUSE,
    ApiToken,
    AuditAction,
    FormerName,
    NameReport,
    TokenScope,
    User,
)

RESERVED_NAMES = {HOUSE, "stichkampf", "arbiter", "system", "staff", "root"}
TOKENS_PER_PERSON = 20


def see_notices(*, person: User) -> None:
    """Note that a person has looked at their notices, where some were unread."""
    if person.unread_notices:
        mine = User.objects.filter(pk=person.pk)
        passing_write(lambda: mine.update(notices_seen_at=clock.now()))


def was_used(username: str) -> bool:
    """Tell whether a deleted account had this name, which match records keep."""
    return FormerName.objects.filter(digest=_name_digest(username)).exists()


def give_up_name(*, person: User, pseudonym: str) -> None:
    """Give a person another name, and the old one to no other. Call it in a transaction."""
    FormerName.objects.get_or_create(digest=_name_digest(person.username))
    User.objects.filter(pk=person.pk).update(username=pseudonym)


def _name_digest(username: str) -> str:
    return network_addresses.keyed_digest(f"name {username}")


@transaction.atomic
def report_name(*, person: User, account: User | None, address: str) -> None:
    """Put the name of a person on the list of the staff, as one that offends.

    :raises TooMany: names that this account or address has reported.
    """
    rates.count("name reports", account=str(account.pk) if account else "", address=address)
    report, is_first = NameReport.objects.select_for_update().get_or_create(person=person)
    if not is_first:
        report.times += 1
        report.save(update_fields=["times"])


def reserved(username: str) -> str:
    """The words for a name of `RESERVED_NAMES`."""
    return _("The name {username!r} is reserved.").format(username=username)


def sign_up(*, username: str, password: str, email: str = "", address: str = "", named: bool = False) -> User:
    """Make a person's account; its language is the present one.

    :param address: of the network, from which it is made; limits and the watch know it again for a while.
    :param named: a trusted proxy named the address.
    :raises ValidationError: with a message for every field that is wrong.
    :raises TooMany: from this address; nothing is made then.
    """
    person = User(username=username, email=email)
    person.language = translation.get_language() or person.language
    wrong: dict[str, list[str]] = {}
    if username in RESERVED_NAMES:
        wrong["username"] = [reserved(username)]
    elif was_used(username):
        wrong["username"] = [_("That name is taken.")]
    try:
        person.full_clean(exclude=["password"])
    except ValidationError as error:
        wrong = {**error.message_dict, **wrong}
    try:
        validate_password(password, person)
    except ValidationError as error:
        wrong["password"] = list(error.messages)
    if wrong:
        raise ValidationError(wrong)
    person.set_password(password)  # slow on purpose, so in no transaction
    try:
        with transaction.atomic():
            rates.count("sign-up", address=address)
            person.save()
            network_addresses.remember(person=person, address=address, signed_up=True, named=named)
    except IntegrityError:  # by somebody who was a moment quicker
        raise ValidationError({"username": [_("That name is taken.")]}) from None
    return person


def choose_language(*, person: User, language: str) -> None:
    """Keep the language in which a person wants to be written to, one of `settings.LANGUAGES`."""
    User.objects.filter(pk=person.pk).exclude(language=language).update(language=language)


@transaction.atomic
def create_token(
    *,
    owner: User,
    name: str,
    address: str = "",
    scope: str = ApiToken.Scope.AUTHOR,
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Make an API token; the text is returned this once and kept nowhere.

    :param address: of the network, from which it is asked for.
    :param scope: what it may be used for; the owner's permissions hold besides.
    :param expires_at: from when on it is of no use; `None`: it stays until it is revoked.
    :raises RequestRefused: an empty name, a name in use, or too many tokens.
    :raises ValidationError: a name with signs that cannot be seen.
    :raises TooMany: by this person or from this address in an hour.
    """
    name = name.strip()
    if not name or len(name) > 60:
        raise RequestRefused(
            _("A token needs a name of 1 to 60 characters, such as the machine that uses it.")
        )
    one_line(name)
    if ApiToken.Scope(scope) is ApiToken.Scope.ORGANISER and not (may_organise(owner) or may_teach(owner)):
        raise RequestRefused(
            _("A token for your own tournaments or classes needs the permission to make some.")
        )
    rates.count("tokens", account=str(owner.pk), address=network_addresses.counted(owner, address))
    lock(owner)
    over = owner.api_tokens.filter(revoked_at=None, expires_at__lte=clock.now())
    over.update(revoked_at=clock.now())  # their names are free again
    live = queries.live_tokens(owner)
    if live.count() >= TOKENS_PER_PERSON:
        raise RequestRefused(
            _("You have {tokens_per_person} tokens; revoke one that you no longer need.").format(
                tokens_per_person=TOKENS_PER_PERSON
            )
        )
    made = make_token("sk_")
    try:
        with transaction.atomic():
            token = ApiToken.objects.create(
                owner=owner,
                name=name,
                digest=made.digest,
                hint=made.hint,
                scope=scope,
                expires_at=expires_at,
            )
    except IntegrityError:
        raise RequestRefused(
            _("You already have a token called {name!r}; choose another name.").format(name=name)
        ) from None
    subject = (
        f"{made.hint}…, {scope}, until {expires_at:%Y-%m-%d}" if expires_at else f"{made.hint}…, {scope}"
    )
    audit.note(AuditAction.TOKEN_MADE, person=owner, subject=subject)
    return token, made.text


def may_organise(person: User) -> bool:
    """Tell whether a person may make and run tournaments."""
    return person.has_perm("tournaments.add_tournament")


def may_teach(person: User) -> bool:
    """Tell whether a person may make and lead classes."""
    return person.has_perm("classes.add_schoolclass")


def scopes_for(person: User) -> list[TokenScope]:
    """Return what a person's tokens may be for."""
    refused = set() if may_organise(person) or may_teach(person) else {TokenScope.ORGANISER}
    return [scope for scope in map(TokenScope, TokenScope.values) if scope not in refused]


def lock(person: User) -> None:
    """Lock a person's account, so that no other adds to what it has until the transaction ends.

    :raises RequestRefused: it was closed meanwhile.
    """
    if not User.objects.select_for_update(no_key=True).get(pk=person.pk).is_active:
        raise RequestRefused(_("The account {name} is closed.").format(name=person.username))


@transaction.atomic
def revoke_token(*, owner: User, token_id: int) -> None:
    """Revoke a token; revoking it again changes nothing.

    :raises RequestRefused: the person has no such token.
    """
    token = owner.api_tokens.filter(pk=token_id).first()
    if token is None:
        raise RequestRefused(_("You have no token with the number {token_id}.").format(token_id=token_id))
    if owner.api_tokens.filter(pk=token_id, revoked_at=None).update(revoked_at=clock.now()):
        audit.note(AuditAction.TOKEN_REVOKED, person=owner, subject=f"{token.hint}…")


def use_token(text: str) -> ApiToken | None:
    """The live token with this text, noted as used; `None` for anything else."""
    now = clock.now()
    token = (
        ApiToken.objects.select_related("owner")
        .filter(queries.still_valid(now), digest=token_digest(text), revoked_at=None, owner__is_active=True)
        .first()
    )
    lately = now - timedelta(minutes=1)
    if token is not None and (token.last_used_at is None or token.last_used_at < lately):
        used = ApiToken.objects.filter(pk=token.pk)
        passing_write(lambda: used.update(last_used_at=now))
    return token


@transaction.atomic
def ensure_administrator(*, username: str) -> tuple[User, str | None]:
    """The administrator and, where the account is new, its generated password."""
    person, created = User.objects.get_or_create(
        username=username, defaults={"is_staff": True, "is_superuser": True}
    )
    return person, new_password(person=person) if created else None


def new_password(*, person: User) -> str:
    """Give a person a generated password and return it."""
    password = secrets.token_urlsafe(12)
    person.set_password(password)
    person.save(update_fields=["password"])
    return password


def house() -> User:
    """Return the owner of the house bots, an account without a login."""
    owner, created = User.objects.get_or_create(username=HOUSE)
    if created:
        owner.set_unusable_password()
        owner.save(update_fields=["password"])
    return owner
