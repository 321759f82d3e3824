from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from stichkampf_platform.classes.enrolment import create_class, slips
from stichkampf_platform.classes.initial_passwords import new_key


@pytest.fixture
def teacher(person):
    """Make a teacher, as a superuser does: by the group."""

    def make(name="tina"):
        made = person(name)
        if not Group.objects.filter(name="Teachers").exists():  # a test has emptied the tables
            import_module("stichkampf_platform.classes.migrations.0002_teachers").make(apps, None)
        made.groups.add(Group.objects.get(name="Teachers"))
        return made

    return make


@pytest.fixture
def make_class(house, teacher):
    """Make a class of a new teacher, and the slips of its people."""

    def make(*names, by=None, games=("stiche-raten",), name="Computing 10b"):
        key = new_key()
        made = create_class(teacher=by or teacher(), name=name, games=games, names=names, key=key)
        return made, slips(school_class=made, key=key)

    return make
