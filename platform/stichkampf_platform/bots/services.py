from __future__ import annotations

from collections.abc import Sequence

from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils.translation import gettext as _
from stichkampf.bots.registry import house_bots
from stichkampf.games import GAMES, game_class
from stichkampf.limits import LIGHT
from stichkampf.packaging.archive import Archive, check_archive
from stichkampf.plain_text import plain_line

from stichkampf_platform.bots.archive_space import check_disk, check_quota
from stichkampf_platform.bots.models import (
    RANKABLE_STATES,
    Bot,
    LogLine,
    Submission,
    SuspendedFor,
    Version,
    because,
    suspended,
)
from stichkampf_platform.bots.validation_notices import tell_verdict
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.people import notices, rates
from stichkampf_platform.people import services as people
from stichkampf_platform.people.models import HOUSE, User
from stichkampf_platform.people.network_addresses import counted
from stichkampf_platform.people.notices import Evidence
from stichkampf_platform.people.sentences import Sentence, joined, parts_of

BOTS_PER_PERSON = 50
AFTER_SUSPENSION = Sentence(
    "It is no longer drawn on ladders and cannot be entered; a running tournament leaves it out once it has"
    " forfeited a whole block. Submit a new version, or ask staff to lift the suspension."
)


@transaction.atomic
def create_bot(*, owner: User, slug: str, name: str = "", description: str = "") -> Bot:
    """Make a bot that has no version yet.

    :raises RequestRefused: the owner has a bot of this name, or too many bots; or it is a house bot's name.
    :raises ValidationError: the slug or name is not possible.
    """
    if slug in house_bots() and owner.username != HOUSE:
        raise RequestRefused(_("{slug!r} is a house bot; choose another name.").format(slug=slug))
    taken = _("You have a bot called {slug!r} already; choose another name.").format(slug=slug)
    people.lock(owner)
    if owner.bots.filter(slug=slug).exists():
        raise RequestRefused(taken)
    if owner.bots.count() >= BOTS_PER_PERSON:
        raise RequestRefused(
            _("You have as many bots as a person may have: {most}.").format(most=BOTS_PER_PERSON)
        )
    bot = Bot(owner=owner, slug=slug, name=name or slug, description=description)
    bot.full_clean()
    try:
        with transaction.atomic():
            bot.save()
    except IntegrityError:  # by another request, a moment quicker
        raise RequestRefused(taken) from None
    return bot


def submit_version(
    *,
    owner: User,
    slug: str,
    content: bytes,
    file_name: str = "",
    games: list[str] | None = None,
    address: str = "",
) -> Submission:
    """Take in an archive as the next version of a bot; a bot of that name is made where there is none.

    :param games: that it plays; by default what its manifest says; without either every game is tried.
    :param address: of the network, from which it comes.
    :raises ArchiveError: the archive breaks a rule or holds no bot.
    :raises UnknownGame: a game that does not exist.
    :raises RequestRefused: an archive that is a version already, or the account's quota.
    :raises TooMany: by this person or from this address in an hour; what is refused counts too.
    :raises DiskFull: the platform has no room.
    """
    rates.count("submissions", account=str(owner.pk), address=counted(owner, address))
    check_disk()
    archive = check_archive(content)  # not in the transaction, which on SQLite locks all other writers out
    return _take_in(archive, declared_games(archive, games), owner, slug, content, file_name)


@transaction.atomic
def _take_in(
    archive: Archive, declared: list[str], owner: User, slug: str, content: bytes, file_name: str
) -> Submission:
    people.lock(owner)
    bot = own_bot(owner, slug)
    same = bot.versions.filter(digest=archive.sha256).first()
    if same is not None:
        raise RequestRefused(
            _("The same archive is already version {number} of {slug}.").format(
                number=same.number, slug=bot.slug
            )
        )
    check_quota(owner, len(content))
    weight = archive.manifest.weight
    version = Version(
        bot=bot,
        number=next_number(bot),
        digest=archive.sha256,
        archive_bytes=len(content),
        games=declared,
        weight="" if weight == LIGHT else weight.name,
    )
    version.archive.save(f"{bot.pk}-{archive.sha256}", ContentFile(content), save=False)
    version.save()
    submission = Submission.objects.create(
        version=version,
        submitted_by=owner,
        file_name=plain_line(file_name, 200),
        approved_by=owner if owner.is_staff else None,
    )
    write(submission, _receipt(archive))
    transaction.on_commit(lambda: enqueue_validation(submission))
    return submission


def _receipt(archive: Archive) -> Sentence:
    count = len(archive.files)
    return Sentence(
        "Received {size:,} bytes: {files}, {unpacked:,} bytes unpacked; the archive is valid.",
        size=archive.archive_bytes,
        files=Sentence("1 file") if count == 1 else Sentence("{count} files", count=count),
        unpacked=sum(size for _, size in archive.files),
    )


def declared_games(archive: Archive, games: list[str] | None) -> list[str]:
    """The games that an archive says it plays, in the registry's order; none where it does not say.

    :raises UnknownGame: naming the games there are.
    """
    wanted = games or archive.manifest.games
    for name in wanted:
        game_class(name)
    return [name for name in GAMES if name in wanted]


def next_number(bot: Bot) -> int:
    """The number of a bot's next version; call it with the bot locked, as `own_bot` returns it."""
    return (bot.versions.aggregate(last=Max("number"))["last"] or 0) + 1


@transaction.atomic
def write(submission: Submission, text: str, level: str = LogLine.Level.INFO) -> None:
    """Add a line to the submission's log, without control characters and up to the log's limit."""
    Submission.objects.select_for_update().get(pk=submission.pk)
    last = submission.lines.aggregate(last=Max("number"))["last"] or 0
    LogLine.objects.create(
        submission=submission, number=last + 1, text=plain_line(text), parts=parts_of(text), level=level
    )


@transaction.atomic
def approve(*, version: Version, staff: User) -> None:
    """Approve a submission that waits for staff, so that it is validated, or lift a suspension.

    :raises RequestRefused: there is nothing to approve.
    """
    if Version.objects.filter(pk=version.pk, state=Version.State.SUSPENDED).update(
        state=Version.State.APPROVED, **because(""), forgiven_at=clock.now()
    ):
        rank_first(version)
        tell(version, Sentence("The suspension is lifted."), LogLine.Level.GOOD)
        notices.tell(
            person=version.bot.owner,
            title=Sentence("{version} may play again", version=str(version)),
            text=Sentence("Staff have lifted its suspension. Earlier faults no longer count."),
            address=version.get_absolute_url(),
        )
        return
    stands = Q(approved_by=None) | Q(set_aside_at__isnull=False)
    waiting = Submission.objects.filter(stands, version=version, finished_at=None)
    if not waiting.update(approved_by=staff, lease_until=None, trials=0, set_aside_at=None):
        raise RequestRefused(
            _("{version} is {state}; there is nothing to approve.").format(
                version=version, state=version.get_state_display()
            )
        )
    approved = Sentence("Approved by {staff}: its code may run.", staff=str(staff))
    tell(version, approved, LogLine.Level.GOOD)
    transaction.on_commit(lambda: enqueue_validation(version.submission))


@transaction.atomic
def reject(*, version: Version, reason: str) -> None:
    """Keep a version that may not play yet from ever playing.

    :raises RequestRefused: it is the house's, or may play already.
    """
    waiting = [Version.State.SUBMITTED, Version.State.VALIDATING]
    changed = Version.objects.filter(pk=version.pk, house="", state__in=waiting)
    if not changed.update(state=Version.State.REJECTED, **because(reason)):
        raise RequestRefused(
            _("{version} is {state} and cannot be rejected; suspend it instead.").format(
                version=version, state=version.get_state_display()
            )
        )
    Submission.objects.filter(version=version, finished_at=None).update(finished_at=clock.now())
    tell(version, Sentence("Rejected: {reason}", reason=reason), LogLine.Level.BAD)
    tell_verdict(version, passed=False, text=reason)


@transaction.atomic
def suspend(*, version: Version, reason: str, cause: SuspendedFor, evidence: Sequence[Evidence] = ()) -> None:
    """Keep a version that may play from being drawn and entered, and tell its owner.

    :param reason: for owner and staff.
    :param cause: for everybody.
    :param evidence: the matches that speak against it.
    :raises RequestRefused: it may not play.
    """
    changed = Version.objects.filter(pk=version.pk, state__in=RANKABLE_STATES)
    if not changed.update(**suspended(reason, cause)):
        raise RequestRefused(
            _("{version} is {state}; only an approved version can be suspended.").format(
                version=version, state=version.get_state_display()
            )
        )
    Submission.objects.filter(version=version, finished_at=None).update(finished_at=clock.now())
    _rank_previous_version(version)
    tell(version, Sentence("Suspended: {reason}", reason=reason), LogLine.Level.BAD)
    notices.tell(
        person=version.bot.owner,
        title=Sentence("{version} is suspended", version=str(version)),
        text=joined(reason, AFTER_SUSPENSION),
        address=version.get_absolute_url(),
        evidence=evidence,
    )


@transaction.atomic
def seed_house() -> list[Version]:
    """Make the house bots, each in its current version, where they are missing."""
    owner, programs = people.house(), house_bots()
    Bot.objects.bulk_create(
        (
            Bot(owner=owner, slug=name, name=name.capitalize(), description=program.description)
            for name, program in programs.items()
        ),
        ignore_conflicts=True,
    )
    bots = {bot.slug: bot for bot in owner.bots.filter(slug__in=programs)}
    Version.objects.bulk_create(
        (
            Version(
                bot=bots[name],
                number=program.version,
                house=name,
                state=Version.State.APPROVED,
                games=list(program.games or GAMES),
            )
            for name, program in programs.items()
        ),
        update_conflicts=True,
        unique_fields=["bot", "number"],
        update_fields=["games"],
    )
    of_house = {
        (version.house, version.number): version for version in Version.objects.filter(bot__owner=owner)
    }
    versions = [of_house[name, program.version] for name, program in programs.items()]
    for version in versions:
        version.bot = bots[version.house]
        version.bot.ranked_version = version
    Version.objects.filter(bot__in=bots.values()).exclude(pk__in=[version.pk for version in versions]).update(
        **suspended(Sentence("The house plays a newer version."), SuspendedFor.NEWER)
    )
    Bot.objects.bulk_update(bots.values(), ["ranked_version"])
    return versions


def own_bot(owner: User, slug: str) -> Bot:
    """The owner's bot of this name, made where there is none, locked while it gets a version.

    :raises RequestRefused: the owner has too many bots.
    """
    bot = owner.bots.select_for_update().filter(slug=slug).first()
    return bot or create_bot(owner=owner, slug=slug)


def rank(version: Version) -> None:
    """Make a version the ranked one of its bot."""
    Bot.objects.filter(pk=version.bot_id).update(ranked_version=version)


def consent(*, bot: Bot, by: User, field: str, accepted: bool) -> None:
    """Let others do something with a bot, or not.

    :param field: of the bot, which says so.
    :raises RequestRefused: the bot is somebody else's.
    """
    if bot.owner_id != by.pk and not by.is_staff:
        raise RequestRefused(_("{bot} belongs to someone else.").format(bot=bot))
    Bot.objects.filter(pk=bot.pk).update(**{field: accepted})


def rank_first(version: Version) -> None:
    """Make a version the ranked one of its bot if there is none; later ones have to earn it."""
    Bot.objects.filter(pk=version.bot_id, ranked_version=None).update(ranked_version=version)


@transaction.atomic
def put_forward(*, version: Version, by: User) -> None:
    """Rank a version for its bot at once, before it has twenty blocks of its own.

    :raises RequestRefused: somebody else's bot, a version that may not play or is not the newest such.
    """
    # a suspension locks the version before its bot, too
    list(Version.objects.select_for_update(no_key=True).filter(pk=version.pk).values_list("pk"))
    bot = Bot.objects.select_for_update().get(pk=version.bot_id)
    if bot.owner_id != by.pk and not by.is_staff:
        raise RequestRefused(_("{version} belongs to someone else.").format(version=version))
    version = bot.versions.get(pk=version.pk)  # as it is now
    if not version.may_play:
        raise RequestRefused(
            _("{version} is {state}; only an approved version can be ranked.").format(
                version=version, state=version.get_state_display()
            )
        )
    newer = bot.versions.filter(state=Version.State.APPROVED, number__gt=version.number).last()
    if newer is not None:
        raise RequestRefused(
            _("{newer} is newer than {version}; the newest version that may play can be ranked.").format(
                newer=newer, version=version
            )
        )
    bot.versions.filter(pk=version.pk, put_forward_at=None).update(put_forward_at=clock.now())
    rank(version)


def _rank_previous_version(version: Version) -> None:
    """Rank the newest version before this one that may be ranked, if this one was the ranked one."""
    before = Version.objects.filter(bot=version.bot_id, number__lt=version.number, state__in=RANKABLE_STATES)
    Bot.objects.filter(pk=version.bot_id, ranked_version=version).update(
        ranked_version=before.order_by("number").last()
    )


def tell(version: Version, text: str, level: str) -> None:
    """Write to the log of a version that came as a submission."""
    submission = Submission.objects.filter(version=version).first()
    if submission is not None:
        write(submission, text, level)


def enqueue_validation(submission: Submission) -> None:
    """Queue the validation of a submission."""
    enqueue("stichkampf_platform.bots.tasks.validate", submission.pk)
