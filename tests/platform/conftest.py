import pytest
from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.services import seed_house
from stichkampf_platform.people.services import create_token, sign_up
from stichkampf_platform.ratings.services import seed_main_ladders
from stichkampf_platform.tournaments.services import create_tournament

PASSWORD = "trumpf-sticht-alles"


@pytest.fixture
def house(db):
    """The house bots by name."""
    seed_main_ladders()
    return {version.house: version for version in seed_house()}


@pytest.fixture
def person(db):
    """Make people: an account, which can be staff."""

    def make(name="ann", **fields):
        made = sign_up(username=name, password=PASSWORD)
        for field, value in fields.items():
            setattr(made, field, value)
        made.save()
        return made

    return make


@pytest.fixture
def token(person):
    """Make a person and a token of theirs: the header that carries it."""

    def make(name="ann", **fields):
        _, text = create_token(owner=person(name, **fields), name="a test")
        return {"authorization": f"Bearer {text}"}

    return make


@pytest.fixture
def make_tournament(house):
    """Make tournaments of house bots that have not started."""

    def make(*bots, name="A test", **fields):
        settings = {"game": "stiche-raten", "seats": 3, "options": {"length": "deals:1"}, "blocks": 2, **fields}
        versions = [house[bot] for bot in bots or ("thumb", "random", "timid")]
        return create_tournament(name=name, versions=versions, **settings)

    return make


@pytest.fixture
def submitted(person):
    """Make a version of somebody's bot that may play, without the trouble of validating it."""

    def make(owner, slug="karl", state=Version.State.APPROVED, games=("stiche-raten",)):
        bot = owner.bots.filter(slug=slug).first() or owner.bots.create(slug=slug, name=slug)
        number = bot.versions.count() + 1
        return bot.versions.create(number=number, digest=f"{number:064}", games=list(games), state=state)

    return make
