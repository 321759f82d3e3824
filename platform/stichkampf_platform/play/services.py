"""Tables of people: to start one, to play at it, to leave it and to come back."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import redis
from django.db import transaction
from django.utils.translation import gettext as _
from stichkampf.bots.registry import house_bots
from stichkampf.bots.search import Even, Gentle, Strong
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES
from stichkampf.games import GAMES, new_game

from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.queries import playable_versions
from stichkampf_platform.core.errors import ArbiterBusy, ArbiterGone, MatchFailed, RequestRefused
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.people import rates
from stichkampf_platform.people.models import User
from stichkampf_platform.people.network_addresses import counted
from stichkampf_platform.play import bus, keys, matches
from stichkampf_platform.play.feed import SeatFeed, read_feed
from stichkampf_platform.play.models import DailyEntry, OwnResult, PlayedSeat, PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import SeatKey, seat_key

LEVELS = {bot.name: bot for bot in (Gentle, Even, Strong)}
PUBLIC_ID_BYTES = 9


def opponents_for(game: str) -> list[Version]:
    """Return the approved bots of authors against which people may play a game: their owners agree."""
    return [
        version
        for version in playable_versions(game)
        if not version.house and not version.remote and version.bot.accepts_challenges
    ]


def rules_of(game: str, seats: int) -> Game:
    """Return the rules of a game with that many seats, as its ladder has them where it has these seats.

    :raises RequestRefused: there is no such game, or it is not played by so many.
    """
    if game not in GAMES:
        raise RequestRefused(
            _("There is no game {game!r:.40}; there are {games}.").format(game=game, games=", ".join(GAMES))
        )
    if seats not in GAMES[game].players:
        possible = ", ".join(map(str, GAMES[game].players))
        raise RequestRefused(_("Say for how many seats: {possible}.").format(possible=possible))
    ladder = GAMES[game].main_ladder
    return new_game(game, seats, dict(ladder.options) if seats == ladder.seats else {})


def check_level(level: str, levels: Collection[str] = LEVELS) -> None:
    """Check that a level, or another house bot that may play, is there.

    :raises RequestRefused: it is not; the message names the levels.
    """
    if level not in levels:
        raise RequestRefused(
            _("There is no level {level!r:.40}; there are {levels}.").format(
                level=level, levels=", ".join(LEVELS)
            )
        )


def count_table(account: User | None, address: str) -> None:
    """Count a table that is opened.

    :raises TooMany: tables of this person or address in an hour.
    """
    name, place = _counted_for(account, address)
    rates.count("tables", account=name, address=place)


def _counted_for(account: User | None, address: str) -> tuple[str, str]:
    return (str(account.pk), counted(account, address)) if account else ("", address)


def start_table(
    *,
    game: str,
    seats: int,
    seat: int,
    opponents: str | Version | Sequence[str | Version | None],
    options: Mapping[str, Json] | None = None,
    account: User | None = None,
    address: str = "",
    practice: bool = False,
    seed: bytes = b"",
    entry: DailyEntry | None = None,
    played_on: Mapping[str, Any] | None = None,
) -> SeatKey:
    """Start a table for a person, and return the key of the seat.

    :param opponents: a level of `LEVELS`, or an author's bot; or one for each seat, `None` for a person's.
    :param address: of the network, for the limit.
    :param seed: of the cards; empty for cards that nobody knows.
    :param entry: of a day's deal, which is stored before the first card is shown.
    :param played_on: fields of a table that is played on from a replay.
    :raises StichkampfError: no such game, options, seats, level or bot; the message says what would be right.
    :raises TooMany: tables of this person or address in an hour.
    """
    rules = new_game(game, seats, dict(options or {}))
    if not 0 <= seat < seats:
        raise RequestRefused(
            _("Seat {seat} is not at this table; its seats are 1 to {seats}.").format(
                seat=seat + 1, seats=seats
            )
        )
    programs = _programs(rules, seat, opponents, LEVELS if played_on is None else {*LEVELS, *house_bots()})
    with transaction.atomic():
        count_table(account, address)
        table = PlayedTable.objects.create(
            public_id=secrets.token_urlsafe(PUBLIC_ID_BYTES),
            game_name=rules.name,
            options=rules.options,
            seats_count=seats,
            seed=seed or secrets.token_bytes(SEED_BYTES),
            practice=practice,
            **(played_on or {}),
        )
        PlayedSeat.objects.bulk_create(
            PlayedSeat(
                table=table,
                number=number,
                person=program is None,
                account=account if number == seat else None,
                house=program if isinstance(program, str) else "",
                version=program if isinstance(program, Version) else None,
            )
            for number, program in enumerate(programs)
        )
        if entry is not None:
            if account is None:
                rates.count("guests of a day", address=f"{address} {game}" if address else "")
            entry.table = table
            entry.save(force_insert=True)
    try:
        matches.begin(table, matches.opening_of(table))
    except (ArbiterGone, MatchFailed, redis.RedisError) as error:
        table.delete()
        name, place = _counted_for(account, address)
        rates.take_back("tables", account=name, address=place)
        if entry is not None and account is None and address:
            rates.take_back("guests of a day", address=f"{address} {game}")
        raise closed(error) from error
    return seat_key(table.public_id, seat)


def key_for(account: User, table: str) -> SeatKey | None:
    """Return the key of an account's own seat, on whatever device; None where it has none at this table."""
    mine = PlayedSeat.objects.filter(table__public_id=table, account=account, person=True).first()
    return seat_key(table, mine.number) if mine else None


def feed(key: SeatKey, before: SeatFeed | None = None) -> SeatFeed:
    """Return what the seat may know. A table that was put aside goes on.

    :param before: the feed of this seat a moment ago: where nobody else sits, the stored table is the same.
    :raises RequestRefused: a foreign seat, or no such table, or the tables are out of reach.
    """
    table = _table(key) if before is None or before.is_shared or before.cut_off else before.row
    try:
        if table.state == PlayedState.ASIDE:
            matches.recover(table)
            table.refresh_from_db()
        found = read_feed(table, key)
    except (ArbiterGone, redis.RedisError) as error:
        raise closed(error) from error
    if (found.over or found.cut_off) and table.state == PlayedState.OPEN:
        enqueue("stichkampf_platform.play.tasks.land", table.pk)
    return found


async def wait_for(key: SeatKey, seen: SeatFeed, seconds: float, *, any_news: bool) -> None:
    """Wait until a seat is told something that is not in its feed, or is cut off. No thread waits.

    :param any_news: whatever it is; else a question to the seat, or the end.
    :raises NotAllowed: a foreign seat.
    """
    key.check()
    with suppress(redis.RedisError):
        await bus.wait_for_news(
            key.table, key.seat, seen.version, seconds, any_news=any_news, cut_off=seen.cut_off
        )


def answer(key: SeatKey, decision: int, word: str, seen: SeatFeed | None = None) -> None:
    """Answer the open question of a seat. Of answers that come together, the first counts.

    :param seen: the feed of this seat, if it was read just now.
    :raises RequestRefused: there is no such question any more, or the word is not among the legal ones.
    """
    now = seen or feed(key)
    _check_open(now)
    asked = now.question
    if asked is None or asked.decision != decision:
        raise RequestRefused(_("This was decided already. The table shows how it stands."))
    if word not in asked.legal:
        raise RequestRefused(
            _("{word!r:.60} is not possible now; possible: {legal}").format(
                word=word, legal=", ".join(asked.legal)
            )
        )
    # before the answer is given: once it is, more cards are seen; elsewhere a press writes nothing
    if now.entry is not None and not now.entry.cards_seen:
        DailyEntry.objects.filter(pk=now.entry.pk).update(cards_seen=True)
    if not _push(key, decision, word):
        raise RequestRefused(_("This was decided already. The table shows how it stands."))


def resign(key: SeatKey) -> None:
    """Give up the match: a bot of the house plays the seat to its end, and it stays given up.

    Where nothing is asked now, `absence` says it with the next question.

    :raises RequestRefused: the table is over, or was left.
    """
    now = feed(key)
    _check_open(now)
    if now.left:
        raise RequestRefused(_("A bot plays for you already."))
    PlayedSeat.objects.filter(table__public_id=key.table, number=key.seat).update(
        bot_plays=True, resigned=True
    )
    if now.asked:
        _push(key, now.asked.decision, keys.RESIGNATION)


def leave(key: SeatKey) -> None:
    """Let a bot of the house answer for a person, who may take the seat again.

    :raises RequestRefused: the table is over, was left, or is of a day's deal.
    """
    if _table(key).entry is not None:
        raise RequestRefused(
            _("Nobody plays the deal of the day for you. It waits: half an hour for each decision.")
        )
    _hand_over(key, bot_plays=True)


def take_again(key: SeatKey) -> None:
    """Take one's seat again for which a bot of the house answers.

    :raises RequestRefused: the table is over, the seat was given up, or no bot plays for it.
    """
    _hand_over(key, bot_plays=False)


def take_back(key: SeatKey, start: int) -> None:
    """Take back the last decision of a seat, and everything after it.

    :param start: of the match as the person saw it, so that a doubled press takes back one decision.
    :raises RequestRefused: no practice, another person at the table, nothing to take back, or it was already.
    """
    _check_open(feed(key))
    with transaction.atomic():
        table = _table(key, lock=True)
        if not table.practice or table.seats.filter(person=True).count() > 1:
            raise RequestRefused(_("A decision can be taken back in practice only, and alone with bots."))
        if table.start != start:
            raise RequestRefused(_("This was decided already. The table shows how it stands."))
        try:
            moves = matches.moves_so_far(table)
        except MatchFailed as error:  # its last decision was taken a moment ago
            raise RequestRefused(_("This table is over.")) from error
        except ArbiterGone as error:
            raise closed(error) from error
        last = max(
            (
                place
                for place, (seat, _word) in enumerate(moves.moves)
                if seat == key.seat and place >= len(table.opening)
            ),
            default=None,
        )
        if last is None:
            raise RequestRefused(_("There is nothing to take back yet."))
        try:
            matches.begin_again(table, moves.before(last))
        except (ArbiterGone, MatchFailed, redis.RedisError) as error:
            raise closed(error) from error


def mark_practice(key: SeatKey) -> None:
    """Make the match practice, because its person asked for a hint.

    :raises RequestRefused: it is of a day's deal, or several people play.
    """
    table = _table(key)
    if table.entry is not None:
        raise RequestRefused(_("There are no hints in the deal of the day."))
    if table.seats.filter(person=True).count() > 1:
        raise RequestRefused(_("There are no hints where several people play."))
    PlayedTable.objects.filter(pk=table.pk).update(practice=True)


def forget_people(people: Collection[int]) -> None:
    """Take accounts from seats, days' tables and own ratings; the matches stay, as a guest's."""
    DailyEntry.objects.filter(account__in=people).delete()
    OwnResult.objects.filter(account__in=people).delete()
    PlayedSeat.objects.filter(account__in=people).update(account=None)


def _programs(
    rules: Game,
    seat: int,
    opponents: str | Version | Sequence[str | Version | None],
    house: Collection[str],
) -> list[str | Version | None]:
    """Return the program of each seat, None for a person's.

    :param house: the house bots that may play.
    """
    if isinstance(opponents, str | Version):
        opponents = [None if number == seat else opponents for number in range(rules.seats)]
    if len(opponents) != rules.seats or opponents[seat] is not None:
        raise RequestRefused(_("Name a level or a bot for every seat but the persons'."))
    allowed = {version.pk for version in opponents_for(rules.name)}
    for program in opponents:
        if isinstance(program, str):
            check_level(program, house)
        if isinstance(program, Version) and program.pk not in allowed:
            raise RequestRefused(_("{bot} does not play against people here.").format(bot=program.bot))
    return list(opponents)


def _table(key: SeatKey, *, lock: bool = False) -> PlayedTable:
    key.check()
    tables = PlayedTable.objects.prefetch_related("seats")
    # PostgreSQL locks no rows that a join may lack
    tables = tables.select_for_update() if lock else tables.select_related("daily_entry")
    table = tables.filter(public_id=key.table).first()
    if table is None:
        raise RequestRefused(_("There is no such table any more."))
    return table


def _hand_over(key: SeatKey, *, bot_plays: bool) -> None:
    with transaction.atomic():
        table = _table(key, lock=True)
        _check_open(feed(key))
        seat = table.seats.get(number=key.seat)
        if seat.bot_plays == bot_plays:
            raise RequestRefused(
                _("A bot plays for you already.")
                if bot_plays
                else _("Nobody plays for you: it is your seat.")
            )
        if seat.resigned:
            raise RequestRefused(_("You have given up this match; a bot plays it to its end."))
        seat.bot_plays = bot_plays
        seat.save(update_fields=["bot_plays"])


def _check_open(now: SeatFeed) -> None:
    if now.gathering:
        raise RequestRefused(_("This table has not begun yet."))
    if now.over or now.void:
        raise RequestRefused(_("This table is over."))


def _push(key: SeatKey, decision: int, word: str) -> bool:
    try:
        return bus.push_answer(key.table, key.seat, decision, word)
    except redis.RedisError as error:
        raise closed(error) from error


def closed(error: Exception) -> RequestRefused:
    """Return a refusal that says why a table cannot be had or reached now."""
    if isinstance(error, ArbiterBusy):
        return RequestRefused(_("All tables for people are taken at the moment. Try again in a minute."))
    if isinstance(error, MatchFailed):
        return RequestRefused(str(error))
    return RequestRefused(_("The tables for people are closed at the moment. Try again in a minute."))
