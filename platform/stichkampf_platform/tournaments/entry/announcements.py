"""Announcements: authors are told what becomes of their bots, whether they or an organiser entered them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from stichkampf_platform.bots.models import Bot
from stichkampf_platform.core import clock
from stichkampf_platform.people.models import HOUSE, NoticeKind, User
from stichkampf_platform.people.notices import tell
from stichkampf_platform.people.sentences import Sentence, joined, restored
from stichkampf_platform.tournaments.models import Entrant, Entry, Ruling, Tournament


def tell_chosen(tournament: Tournament) -> None:
    """Tell every author of a bot that the organiser has chosen, once, and that it can leave."""
    for entrant in _entrants(tournament).values():
        version = entrant.version
        if version.bot.owner_id != tournament.created_by_id:
            text = Sentence(
                "The organiser has chosen {version}. You need do nothing; where this leads you can"
                " withdraw it.",
                version=str(version),
            )
            title = Sentence("A bot of yours is to play in {tournament}", tournament=str(tournament))
            once = f"chosen {tournament.pk} {version.pk}"
            _tell(tournament, version.bot.owner, title, text, once=once)


def tell_start(tournament: Tournament, entrants: Iterable[Entrant]) -> None:
    """Tell every author of a bot that plays, and why others that were entered do not.

    Call it in the transaction of the start.

    :param entrants: all of them.
    """
    title = Sentence("{tournament} has started", tournament=str(tournament))
    of_author: dict[User, list[str]] = defaultdict(list)
    for entrant in entrants:
        of_author[entrant.version.bot.owner].append(
            Sentence("{version} plays.", version=str(entrant.version))
        )
    for entry in _entries(tournament):
        if entry.left_out:
            of_author[entry.bot.owner].append(
                Sentence("{bot} does not play: {reason}", bot=str(entry.bot), reason=entry.left_out_sentence)
            )
    for author, own in of_author.items():
        _tell(tournament, author, title, joined(*own, between="\n"))


def tell_no_start(tournament: Tournament, reason: str) -> None:
    """Tell every author who has entered a bot, and the organisers, that a start has failed."""
    title = Sentence("{tournament} has not started", tournament=str(tournament))
    entered: dict[User, list[str]] = defaultdict(list)
    for entry in _entries(tournament):
        entered[entry.bot.owner].append(Sentence("{bot} was entered.", bot=str(entry.bot)))
    for author, own in entered.items():
        _tell(tournament, author, title, joined(reason, *own, between="\n"))
    page = f"/admin/tournaments/tournament/{tournament.pk}/change/"
    for organiser in tournament.organisers:
        tell(person=organiser, title=title, text=reason, address=page, kind=NoticeKind.TOURNAMENT)


def tell_result(tournament: Tournament, places: Mapping[int, int | None]) -> bool:
    """Tell every author whose entry has played how it ended, once; true if that was now.

    :param places: by entrant.
    """
    mine = Tournament.objects.filter(pk=tournament.pk, result_told_at=None)
    if not mine.update(result_told_at=clock.now()):
        return False
    playing = _entrants(tournament)
    cancelled = Sentence("{tournament} was cancelled", tournament=str(tournament))
    over = Sentence("{tournament} is over", tournament=str(tournament))
    title = cancelled if tournament.state == Tournament.State.CANCELLED else over
    of_author: dict[User, list[str]] = defaultdict(list)
    for entrant in playing.values():
        of_author[entrant.version.bot.owner].append(_result(entrant, places, len(playing)))
    for author, own in of_author.items():
        _tell(tournament, author, title, joined(tournament.outcome_sentence, *own, between="\n"))
    for organiser in set(tournament.organisers) - set(of_author):
        where = Sentence("Its result stands on its page.")
        _tell(tournament, organiser, title, joined(tournament.outcome_sentence, where, between="\n"))
    return True


def tell_waiting(tournament: Tournament, entry: Entry) -> None:
    """Tell the organisers, once, that all places are taken and bots wait."""
    title = Sentence("{tournament}: all places are taken", tournament=str(tournament))
    text = Sentence("{bot} is the first that waits for a place.", bot=str(entry.bot))
    for organiser in tournament.organisers:
        _tell(tournament, organiser, title, text, once=f"full {tournament.pk}")


def tell_moved_up(tournament: Tournament, entry: Entry, left: Bot) -> None:
    """Tell the author of an entry that it has got the place of a bot that left, and the organisers."""
    title = Sentence("{tournament}: a place has become free", tournament=str(tournament))
    text = Sentence("{left} has left, and {bot} has its place.", left=str(left), bot=str(entry.bot))
    for person in {entry.bot.owner, *tournament.organisers}:
        _tell(tournament, person, title, text)


def tell_ruling(ruling: Ruling) -> None:
    """Tell the authors concerned, and the organisers where an author has left."""
    if ruling.role == Ruling.Role.PLATFORM and ruling.block is not None:
        return  # it happens by itself, to nobody's advantage, and stands on the list
    tournament, told = ruling.tournament, ruling_in_words(ruling)
    title = Sentence("{tournament}: a ruling", tournament=str(tournament))
    for person in {*_concerned(ruling), *tournament.organisers} - {ruling.by}:
        _tell(tournament, person, title, told)


def tell_protest(protest: Ruling) -> None:
    """Tell the organisers of a protest. Its text is on the page, as soon as it gives no hand away."""
    tournament = protest.tournament
    title = Sentence("{tournament}: a protest", tournament=str(tournament))
    text = Sentence("{person} has protested; it waits for your answer.", person=protest.by.username)
    for organiser in tournament.organisers:
        if organiser != protest.by:
            page = f"{tournament.get_absolute_url()}protests/{protest.pk}/answer/"
            _tell(tournament, organiser, title, text, page=page)


def tell_news(news: Ruling) -> None:
    """Tell the authors and the members of a tournament what its organiser has announced."""
    tournament = news.tournament
    authors = {entry.bot.owner for entry in _entries(tournament)}
    authors |= {entrant.version.bot.owner for entrant in _entrants(tournament).values()}
    members = {member.person for member in tournament.members.select_related("person")}
    title = Sentence("{tournament}: an announcement", tournament=str(tournament))
    for person in (authors | members) - {news.by}:
        _tell(tournament, person, title, news.reason)


def tell_answer(protest: Ruling) -> None:
    """Tell the author of a protest of its answer."""
    if protest.by is not None:
        title = Sentence("{tournament}: your protest is answered", tournament=str(protest.tournament))
        _tell(protest.tournament, protest.by, title, protest.answer)


def _concerned(ruling: Ruling) -> set[User]:
    if ruling.version is not None:
        return {ruling.version.bot.owner}
    if ruling.block is not None:
        seated = Entrant.objects.filter(participations__block=ruling.block)
        return {entrant.version.bot.owner for entrant in seated.select_related("version__bot__owner")}
    return {entry.bot.owner for entry in _entries(ruling.tournament)}


def ruling_in_words(ruling: Ruling) -> Sentence:
    """Return what was ruled, and why."""
    reason = restored(ruling.reason, ruling.reason_parts)
    block = 0 if ruling.block is None else ruling.block.number + 1
    version = str(ruling.version or "")
    match ruling.kind:
        case Ruling.Kind.VOID:
            return Sentence("Block {block} is void and counts no more: {reason}", block=block, reason=reason)
        case Ruling.Kind.AGAIN:
            return Sentence(
                "Block {block} is void and is played again with other cards: {reason}",
                block=block, reason=reason,
            )  # fmt: skip
        case Ruling.Kind.WITHDRAW:
            return Sentence("{version} was withdrawn: {reason}", version=version, reason=reason)
        case Ruling.Kind.SET_ASIDE:
            return Sentence("{version} was set aside: {reason}", version=version, reason=reason)
        case Ruling.Kind.AWAY:
            return Sentence("{version} was left out: {reason}", version=version, reason=reason)
        case Ruling.Kind.DEADLINE:
            return Sentence("There is another deadline: {reason}", reason=reason)
    return Sentence("{version} was disqualified: {reason}", version=version, reason=reason)


def _result(entrant: Entrant, places: Mapping[int, int | None], of: int) -> str:
    version = str(entrant.version)
    if entrant.out_as == Entrant.OutAs.WITHDRAWN:
        return Sentence("{version} was withdrawn.", version=version)
    if entrant.out_at is not None:
        return Sentence("{version} was taken out: {reason}", version=version, reason=entrant.out_sentence)
    place = places.get(entrant.pk)
    if not place:
        return Sentence("{version} has no place.", version=version)
    return Sentence("{version} has place {place} of {count}.", version=version, place=place, count=of)


def _tell(
    tournament: Tournament, person: User, title: str, text: str, *, once: str = "", page: str = ""
) -> None:
    """Tell a person something about a tournament, unless it is the house.

    :param page: where the notice leads whoever sees the tournament, if not to its own page.
    """
    if person.username == HOUSE or tournament.experiment:
        return
    seen = Tournament.objects.shown_to(person).filter(pk=tournament.pk).exists()
    address = (page or tournament.get_absolute_url()) if seen else f"/tournaments/{tournament.slug}/withdraw/"
    tell(person=person, title=title, text=text, address=address, kind=NoticeKind.TOURNAMENT, once=once)


def _entries(tournament: Tournament) -> list[Entry]:
    return list(tournament.entries.select_related("bot__owner"))


def _entrants(tournament: Tournament) -> dict[int, Entrant]:
    """Return the entrants by their bots."""
    entrants = tournament.entrants.select_related("version__bot__owner")
    return {entrant.version.bot_id: entrant for entrant in entrants}
