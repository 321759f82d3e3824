import pytest
from stichkampf_platform.classes.enrolment import create_class, slips
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.name_lists import ListedName


@pytest.fixture
def make_class(house, teacher):
    """Make a class of a new teacher, and the slips of its people."""

    def make(*names, by=None, games=("stiche-raten",), name="Computing 10b"):
        key = new_key()
        made = create_class(
            teacher=by or teacher(),
            name=name,
            games=games,
            names=[ListedName(name) for name in names],
            key=key,
        )
        return made, slips(school_class=made, key=key)

    return make
