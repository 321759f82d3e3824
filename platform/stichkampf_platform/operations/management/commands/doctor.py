from __future__ import annotations

import json
from dataclasses import asdict

from django.core.management.base import BaseCommand, CommandError

from stichkampf_platform.operations.doctor.diagnosis import diagnose
from stichkampf_platform.operations.doctor.machine import Machine


class Command(BaseCommand):
    help = "Look for causes of trouble, and say of each what to do. Ends with 1 if something is wrong."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON array")

    def handle(self, *, as_json: bool, **options) -> None:
        findings = []
        for finding in diagnose(Machine()):
            findings.append(finding)
            if not as_json:
                self.stdout.write(str(finding))
        grave = sum(finding.grave for finding in findings)
        if as_json:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=1))
        elif not findings:
            self.stdout.write("Nothing is wrong.")
        if grave:
            raise CommandError(f"{grave} {'causes' if grave > 1 else 'cause'} of trouble")
