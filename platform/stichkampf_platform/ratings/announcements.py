"""Announcements that follow from ratings: the end of a tournament, and once a day new ranks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from stichkampf.games import GAMES

from stichkampf_platform.core import clock
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.people.models import NoticeKind, NoticeWay, User
from stichkampf_platform.people.notices import tell
from stichkampf_platform.people.sentences import Sentence, joined
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.ratings.qualification import tell_other_best
from stichkampf_platform.ratings.queries import is_unsettled, newest_snapshot, unsettled_tournaments
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.tournaments.entry.announcements import tell_result
from stichkampf_platform.tournaments.formats import format_named
from stichkampf_platform.tournaments.models import Ruling, Tournament
from stichkampf_platform.tournaments.scheduling.known_ranks import ranks_of

DAY = timedelta(days=1)


def tell_results() -> int:
    """Tell of each tournament that is over and whose standings are final; return how many these are."""
    over = [Tournament.State.FINISHED, Tournament.State.CANCELLED]
    waiting = Tournament.objects.filter(
        state__in=over, result_told_at=None, experiment=False, started_at__isnull=False
    )
    settled = waiting.exclude(pk__in=unsettled_tournaments().values("pk"))
    return each_by_itself("news of a result", settled, _tell)


def settle_rulings() -> int:
    """Note the places after each ruling on a block that was over, once these are known again; count them."""
    waiting = Ruling.objects.filter(after__isnull=True).select_related("tournament__ladder", "block")
    return each_by_itself("ranks after a ruling", waiting, _settle)


def _settle(ruling: Ruling) -> bool:
    tournament, block = ruling.tournament, ruling.block
    while block.replaced_by is not None:
        block = block.replaced_by
    if tournament.state in (Tournament.State.FINISHED, Tournament.State.CANCELLED):
        known = not is_unsettled(tournament)
    elif format_named(tournament.format).shows_rounds:
        known = tournament.rounds_over > block.round
    else:
        last = newest_snapshot(tournament.ladder, tournament) if tournament.ladder else None
        known = (
            block.over_at is not None and last is not None and last.at > max(block.over_at, ruling.made_at)
        )
    if known:
        ruling.after = ranks_of(tournament)
        Ruling.objects.filter(pk=ruling.pk, after__isnull=True).update(after=ruling.after)
        if ruling.changed:
            tell_other_best(tournament, ruling.pk)
    return known


@transaction.atomic
def _tell(tournament: Tournament) -> bool:
    return tell_result(tournament, {row.entrant.pk: row.place for row in standings(tournament)})


def tell_ranks() -> int:
    """Tell everybody who wants it which ranks of their bots differ from those of a day ago, once a day.

    :return: how many people have something to be told.
    """
    wanting = User.objects.filter(
        notice_choices__kind=NoticeKind.RANK, notice_choices__way__in=[NoticeWay.SITE, NoticeWay.MAIL]
    )
    once = f"ranks {clock.now():%Y-%m-%d}"
    changes: dict[User, list[str]] = {}

    def collect(ladder: Ladder) -> None:
        for owner, line in list(_changes(ladder, wanting.exclude(notices__once=once))):
            changes.setdefault(owner, []).append(line)

    def tell_one(person: User) -> bool:
        tell(
            person=person,
            kind=NoticeKind.RANK,
            once=once,
            title=Sentence("Your bots have new ranks"),
            text=joined(*changes[person], between="\n"),
            address="/ladders/",
        )
        return True

    each_by_itself("ranks of a ladder", main_ladders(), collect)
    return each_by_itself("news of ranks", changes, tell_one)


def _changes(ladder: Ladder, people: Iterable[User]) -> Iterable[tuple[User, str]]:
    """Yield the owner and a line for each bot whose rank has changed in a day."""
    newest = newest_snapshot(ladder)
    if newest is None:
        return
    before = ladder.snapshots.filter(
        tournament=None, published=True, at__lte=clock.now() - DAY
    ).first()  # newest first
    old = {rating.version.bot_id: rating.rank for rating in _ranked(before.pk, people)} if before else {}
    for rating in _ranked(newest.pk, people):
        owner, was = rating.version.bot.owner, old.get(rating.version.bot_id)
        if rating.rank == was:
            continue
        known = {"game": GAMES[ladder.game].title, "bot": rating.version.bot.name, "rank": rating.rank}
        if was:
            yield owner, Sentence("{game}: {bot} has rank {rank}, a day ago {was}.", **known, was=was)
        else:
            yield owner, Sentence("{game}: {bot} has rank {rank}; a day ago it had none.", **known)


def _ranked(snapshot: int, people: Iterable[User]) -> Iterable[Rating]:
    ranked = Rating.objects.filter(snapshot=snapshot, rank__isnull=False, version__bot__owner__in=people)
    return ranked.select_related("version__bot__owner")
