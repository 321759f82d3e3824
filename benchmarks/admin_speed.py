"""Time of every list of the administration, on the large installation of `page_speed.py`.

    python benchmarks/admin_speed.py --database URL

Asks, as a superuser, for the list of every model of the administration, and for the page of the tournament
with the most entrants, in the database that `page_speed.py` has filled. It tells milliseconds of a processor
in this process and in PostgreSQL, milliseconds on the clock, and queries. Exits 1 if one takes a processor
more than 200 ms or more than 20 queries.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from datetime import UTC, datetime

from page_speed import Measurement, prepare

MOST_MS, MOST_QUERIES = 200.0, 20


def addresses() -> dict[str, str]:
    """Return the addresses of the lists, and of the page of a large tournament, with their names."""
    from django.contrib import admin
    from django.db.models import Count
    from django.urls import reverse
    from stichkampf_platform.tournaments.models import Tournament

    found = {}
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        found[reverse(f"admin:{name}_changelist")] = name
    large = Tournament.objects.annotate(size=Count("entrants")).order_by("-size", "pk")[0]
    found[reverse("admin:tournaments_tournament_change", args=[large.pk])] = "its page"
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", required=True, metavar="URL", help="filled by page_speed.py")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sk-pages-") as folder:
        os.environ |= {"STICHKAMPF_STATE_DIR": folder, "DATABASE_URL": args.database}
        prepare()
        return measure()


def measure() -> int:
    from stichkampf_platform.people.models import User
    from stichkampf_platform.tournaments.models import Result

    chief, _ = User.objects.get_or_create(username="chief", is_staff=True, is_superuser=True)
    measurement = Measurement("")
    measurement.client.force_login(chief)
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {Result.objects.count():,} results, load {os.getloadavg()[0]:.0f}\n"
    )
    print("| list | ms of a processor | on the clock | queries | bytes | reads whole |")
    print("|---|---|---|---|---|---|")
    missed = 0
    for path, name in addresses().items():
        found = measurement.measure(name, path)
        missed += found.status != 200 or found.cpu_ms > MOST_MS or found.queries > MOST_QUERIES
        print(found.row(bold=found.cpu_ms > MOST_MS), flush=True)
    print(f"\n{missed} missed" if missed else "\nall kept")
    return 1 if missed else 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.base")
    sys.exit(main())
