"""Services that lock several things do so in one order, so that no two of them wait for each other."""

import re
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection
from stichkampf_platform.bots import services
from stichkampf_platform.bots.models import Submission, SuspendedFor, Version
from stichkampf_platform.bots.validation import run as validation
from stichkampf_platform.classes import closing, enrolment
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.core import clock
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.entry import leaving
from stichkampf_platform.tournaments.models import Block, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running import busy_node, revealing
from stichkampf_platform.tournaments.scheduling import ladder_draws
from stichkampf_platform.tournaments.tournament_locks import LOCK_ORDER

ORDER = [apps.get_model(label)._meta.db_table for label in LOCK_ORDER]
LOCKING = re.compile(r' FOR (NO KEY )?UPDATE( OF [\w", ]+)?( SKIP LOCKED)?$')
CHANGING = re.compile(r'^(?:UPDATE|DELETE FROM) "(\w+)"')
SELECTED = re.compile(r' FROM "(\w+)"')


@pytest.fixture
def make_class(house, teacher):
    def make(*names):
        made = enrolment.create_class(
            teacher=teacher(), name="10b", games=["stiche-raten"], names=list(map(ListedName, names)),
            key=(key := new_key()),
        )  # fmt: skip
        return made, enrolment.slips(school_class=made, key=key)

    return make


class Locks:
    """The statements that lock rows; SQLite gets them without those words, which it does not know."""

    def __init__(self):
        self.taken, self.statements = [], []

    def __call__(self, execute, sql, params, many, context):
        locking = LOCKING.search(sql)
        if locking and connection.vendor == "sqlite":
            sql = LOCKING.sub("", sql)
        found = SELECTED.search(sql) if locking else CHANGING.search(sql)
        if found and found[1] in ORDER:
            self.taken.append(found[1])
            self.statements.append((found[1], locking[0] if locking else "change"))
        return execute(sql, params, many, context)

    @property
    def first(self):
        """The tables in the order in which the first row of each was locked."""
        return list(dict.fromkeys(self.taken))


@pytest.fixture
def locks_of():
    def of(service, *wanted, without=()):
        """Do it, and check that it locks first what stands first; without models that may come anywhere."""
        locks = Locks()
        with pytest.MonkeyPatch.context() as patch, connection.execute_wrapper(locks):
            for kind in ("update", "update_of", "update_skip_locked", "no_key_update"):
                name = f"has_select_for_{kind}"
                patch.setattr(connection.features, name, True)
            service()
        first = [table for table in locks.first if table not in tables(without)]
        assert set(tables(wanted)) <= set(first)
        assert first == sorted(first, key=ORDER.index)
        return locks

    return of


def tables(labels):
    return [apps.get_model(label)._meta.db_table for label in labels]


@pytest.fixture
def strict(settings):
    settings.CONDUCT_SUSPENDED_WITH_POINTS = 1


@pytest.fixture
def cup(make_tournament, submitted, person, house):
    """A cup of the installation with bots of ann and bob."""

    def make(*others, **fields):
        bots = [submitted(person(name)) for name in ("ann", "bob")]
        made = make_tournament(
            versions=bots + [house[name] for name in others or ("thumb", "random")],
            **{"name": "Cup", "blocks": 2 if others else 8, **fields},
        )
        lifecycle.start(tournament=made)
        Tournament.objects.filter(pk=made.pk).update(released=True)
        made.refresh_from_db()
        return made

    return make


@pytest.fixture
def faulty(land, played_record):
    """Land tables at which the submitted bots forfeit."""

    def landed(block, but=0):
        tables = leases.take(block_id=block.pk, owner="w1")
        for table in tables[: len(tables) - but]:
            faulting = [seat.number for seat in table.seats.all() if not seat.entrant.version.house]
            assert land(table, played_record(table, faulting=faulting))
        return tables[len(tables) - but :]

    return landed


def test_a_result_that_suspends(cup, faulty, land, strict, locks_of):
    block = cup().blocks.filter(participations__entrant__version__house="").first()
    (last,) = faulty(block, but=1)
    locks_of(
        lambda: land(last),
        *("tournaments.Block", "tournaments.Table", "bots.Version", "bots.Bot", "tournaments.ProgressCounts"),
    )
    assert Version.objects.filter(state=Version.State.SUSPENDED).exists()


def test_results_that_are_revealed_together_lock_versions_once(cup, faulty, strict, locks_of):
    made = cup("thumb", reveal="press", format="swiss", rounds=2)
    for block in made.blocks.all():
        faulty(block)
    locks = locks_of(
        lambda: revealing.reveal(tournament=made, step=revealing.RevealStep.ALL),
        *("tournaments.Tournament", "tournaments.Block", "tournaments.Table", "bots.Version"),
    )
    assert Version.objects.filter(state=Version.State.SUSPENDED).count() == 2
    locked = [how for table, how in locks.statements if table == "bots_version" and how != "change"]
    assert len(locked) == 1
    assert "NO KEY" in locked[0]


def test_a_tournament_that_is_cancelled(cup, locks_of):
    made = cup()
    leases.take(block_id=made.blocks.first().pk, owner="w1")
    locks_of(lambda: lifecycle.cancel(tournament=made), "tournaments.Block", "tournaments.ProgressCounts")


@pytest.mark.parametrize("act", ["disqualify", "withdraw", "leave_out"])
def test_an_entrant_that_goes(cup, locks_of, act):
    made = cup()
    entrant = made.entrants.first()
    acts = {
        "disqualify": lambda: rulings.disqualify(entrant=entrant, reason="Asked the dealer."),
        "withdraw": lambda: leaving.withdraw(
            tournament=made, bot=entrant.version.bot, by=entrant.version.bot.owner
        ),
        "leave_out": lambda: rulings.leave_out(entrant=entrant, reason="It is away."),
    }
    locks_of(acts[act], "tournaments.Tournament", "tournaments.ProgressCounts")


def test_bots_that_are_set_aside_together(cup, locks_of):
    made = cup()
    table = Table.objects.filter(block__tournament=made).first()
    Table.objects.filter(pk=table.pk).update(kept=busy_node.TIMES_ALONE, lease_owner="w1")
    table.refresh_from_db()
    locks = locks_of(
        lambda: busy_node.play_alone(table=table, owner="w1", seats=[0, 1], trouble="busy"),
        *("tournaments.Tournament", "tournaments.Block", "tournaments.Table", "tournaments.ProgressCounts"),
    )
    assert made.entrants.filter(out_as="set aside").count() == 2
    counted = locks.taken.index("tournaments_progresscounts")
    held = Block.objects.filter(tournament=made, over_at__isnull=False).count()
    assert held
    assert locks.taken.index("tournaments_block") < locks.taken.index("tournaments_table") < counted


def test_a_version_that_is_put_forward_and_suspended(person, submitted, locks_of):
    ann = person("ann")
    version = submitted(ann)
    version.bot.ranked_version = version
    version.bot.save()
    locks_of(lambda: services.put_forward(version=version, by=ann), "bots.Version", "bots.Bot")
    locks_of(
        lambda: services.suspend(version=version, reason="Faults.", cause=SuspendedFor.FAULTS),
        *("bots.Version", "bots.Bot"),
    )


@pytest.mark.parametrize("wrong", ["", "it faults."])
def test_a_verdict(person, submitted, locks_of, wrong):
    ann = person("ann")
    version = submitted(ann, state=Version.State.VALIDATING)
    submission = version_in_validation(version)
    locks_of(
        lambda: validation._finish(submission, "w1", (["stiche-raten"], wrong, "")),
        *("bots.Version", "bots.Submission"),
    )
    version.refresh_from_db()
    assert version.state == (Version.State.REJECTED if wrong else Version.State.APPROVED)


def version_in_validation(version):
    return Submission.objects.create(version=version, submitted_by=version.bot.owner, lease_owner="w1")


def test_accounts_that_are_closed(person, submitted, locks_of):
    ann = person("ann")
    submitted(ann)
    locks_of(
        lambda: closing.close_accounts([ann.pk]), "people.User", "bots.Version", "bots.Submission", "bots.Bot"
    )


def test_a_class_that_ends_while_its_ladders_play(make_class, submitted, locks_of):
    school_class, slips = make_class("Ada", "Ben")
    pupils = [slip.pupil.person for slip in slips]
    version_in_validation(submitted(pupils[0], state=Version.State.VALIDATING))
    for ladder in school_class.ladders.all():
        ladder_draws.top_up(ladder)
        leases.take(block_id=ladder.blocks.first().pk, owner="w1")
    locks_of(
        lambda: closing.end_class(school_class=school_class),
        *(
            "classes.SchoolClass",
            "people.User",
            "tournaments.Tournament",
            "tournaments.Block",
            "bots.Version",
        ),
        without=["tournaments.ProgressCounts"],
    )


def test_a_person_who_comes_with_the_code_of_a_class(make_class, person, locks_of):
    school_class, _slips = make_class("Ada")
    guest = person("gast")
    locks_of(
        lambda: enrolment.join(code=school_class.code, by=guest),
        *("classes.SchoolClass", "people.User", "tournaments.Tournament"),
    )


@pytest.mark.database
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_drafts_of_one_series_that_start_at_once_all_start(make_tournament, at_once):
    first = make_tournament(name="Cup")
    drafts = [make_tournament(name=f"Cup {number}") for number in range(4)]
    for number, draft in enumerate(drafts):
        Tournament.objects.filter(pk=draft.pk).update(
            series=first, repeats="weekly", starts_at=clock.now() + timedelta(hours=1 + number)
        )
    assert at_once(*[lambda draft=draft: lifecycle.start(tournament=draft) for draft in drafts]) == [None] * 4
    assert Tournament.objects.filter(series=first, state="draft").count() == 4
