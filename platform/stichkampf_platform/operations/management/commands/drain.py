from __future__ import annotations

from argparse import ArgumentTypeError
from time import monotonic, sleep

from django.core.management.base import BaseCommand, CommandError
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.core.machines import draining
from stichkampf_platform.operations.draining import still_running

LOOK_SECONDS = 1.0


def _seconds(text: str) -> int:
    number = whole_number(text, digits=5)
    if number is None:
        raise ArgumentTypeError(f"{text!r} is not a whole number of seconds from 0 to 99999")
    return number


class Command(BaseCommand):
    help = "Let no further table or validation begin, and wait until those that run have ended."

    def add_arguments(self, parser) -> None:
        parser.add_argument(
            "--seconds",
            type=_seconds,
            default=900,
            help="how long to wait (default: 900); 0: only order it",
        )
        parser.add_argument("--off", action="store_true", help="let everything begin again")

    def handle(self, *, seconds: int, off: bool, **options) -> None:
        if off:
            draining.end()
            self.stdout.write("Tables and validations begin again.")
            return
        draining.begin()
        self.stdout.write("Nothing begins any more; `drain --off` ends this.")
        end, told = monotonic() + seconds, ""
        while (now := still_running()).tables or now.validations:
            if str(now) != told:
                told = str(now)
                self.stdout.write(f"Still running: {now}.")
            if monotonic() >= end:
                raise CommandError(f"After {seconds} s there are still {now}; the order stays in force.")
            sleep(LOOK_SECONDS)
        self.stdout.write("Nothing runs: the programs can be stopped.")
