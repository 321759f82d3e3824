from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.people.access.credentials import forget_factors
from stichkampf_platform.people.models import User
from stichkampf_platform.people.services import new_password


class Command(BaseCommand):
    help = "Give the administrator a new generated password, print it, and remove second factors."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--username", default="admin")

    def handle(self, *, username: str, **options) -> None:
        person = User.objects.filter(username=username, is_superuser=True).first()
        if person is None:
            raise CommandError(f"No administrator is called {username!r}; create_admin makes one.")
        forget_factors([person.pk])
        self.stdout.write(f"Administrator: {person}\nPassword: {new_password(person=person)}")
