from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.people.models import User
from stichkampf_platform.people.services import new_password


class Command(BaseCommand):
    help = "Give the administrator a new generated password and print it."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--username", default="admin")

    def handle(self, *, username: str, **options) -> None:
        person = User.objects.filter(username=username, is_superuser=True).first()
        if person is None:
            raise CommandError(f"No administrator is called {username!r}; create_admin makes one.")
        self.stdout.write(f"Administrator: {person}\nPassword: {new_password(person=person)}")
