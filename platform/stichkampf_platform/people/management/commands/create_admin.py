from __future__ import annotations

from django.core.management.base import BaseCommand

from stichkampf_platform.people.services import ensure_administrator


class Command(BaseCommand):
    help = "Make the administrator's account; its generated password is printed this once."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--username", default="admin")

    def handle(self, *, username: str, **options) -> None:
        person, password = ensure_administrator(username=username)
        if password is None:
            self.stdout.write(f"{person} exists already; reset_admin_password gives a new password.")
        else:
            self.stdout.write(f"Administrator: {person}\nPassword: {password}")
