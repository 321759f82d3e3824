"""The time of an answer about a private tournament, against that about names that do not exist.

    python benchmarks/private_names.py [--answers 200] [--names 8] [--only export] [--port N]

Starts the services of `make up` in a temporary folder with one private tournament that is over. Guest,
author, another organiser and staff (`helper`) ask, in turns, for its page, its API and its files, and for
the same of names that do not exist, as long as its own. For each, the median of the answers. The private name
gives itself away if its median lies further from the middle of the others than any two of these lie apart.

Exits 1 if it does anywhere.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import statistics
import sys
import time
from dataclasses import dataclass
from platform import machine, python_version

from running_platform import RunningPlatform, running_platform
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.process_manager import StopAsked

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
PATHS = {
    "guest": ("/tournaments/{}/", "/tournaments/{}/schedule/", "/tournaments/{}/export/results.csv",
              "/api/v1/tournaments/{}/"),
    "author": ("/api/v1/tournaments/{}/", "/api/v1/tournaments/{}/entries/"),
    "organiser": ("/api/v1/organiser/tournaments/{}/", "/api/v1/tournaments/{}/"),
    "helper": ("/api/v1/tournaments/{}/",),
}  # fmt: skip
SETTING = """
import json
from django.contrib.auth.models import Group
from stichkampf_platform.bots.models import Version
from stichkampf_platform.people.services import create_token, sign_up
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.entry.membership import secret_slug
from stichkampf_platform.tournaments.organising import lifecycle
people = {name: sign_up(username=name, password="trumpf-sticht-alles") for name in
          ("olga", "author", "organiser", "helper")}
people["helper"].is_staff = True
people["helper"].save()
for name in ("olga", "organiser"):
    people[name].groups.add(Group.objects.get(name="Organisers"))
made = lifecycle.create_tournament(
    name="Whispered cup", slug=secret_slug("whispered-cup"), game="stiche-raten", seats=3, blocks=4,
    options={"length": "deals:1"}, private=True, created_by=people["olga"],
    versions=list(Version.objects.filter(house__in=["thumb", "random", "timid"], state="approved")[:3]),
)
lifecycle.start(tournament=made)
lifecycle.cancel(tournament=made)
scopes = {"organiser": "organiser"}
tokens = {name: create_token(owner=people[name], name="a test", scope=scopes.get(name, "author"))[1]
          for name in ("author", "organiser", "helper")}
print("SETTING", json.dumps({"slug": made.slug, "tokens": tokens}))
"""


@dataclass(frozen=True)
class Timing:
    """The answers to one visitor at one address, in milliseconds.

    :ivar apart: of the medians of the private name and of the middle of the others.
    :ivar others_apart: the most by which the medians of two others differ.
    """

    visitor: str
    path: str
    median: float
    apart: float
    others_apart: float

    @property
    def tells(self) -> bool:
        return self.apart > self.others_apart


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--names", type=int, default=8)
    parser.add_argument("--only", default="", help="addresses that contain this")
    parser.add_argument("--port", type=int, default=8731)
    args = parser.parse_args()
    try:
        with running_platform(args.port) as platform:
            setting = _setting(platform)
            found = [
                measured(platform, visitor, path, setting, answers=args.answers, names=args.names)
                for visitor, paths in PATHS.items()
                for path in paths
                if args.only in path
            ]
    except StopAsked:
        return 130
    print(
        f"{args.answers} answers a name, {args.names} names that do not exist;"
        f" {machine()}, {python_version()}"
    )
    print("| visitor | address | median ms | private name apart | two others apart, at most |")
    print("|---|---|---|---|---|")
    for one in found:
        mark = " **tells**" if one.tells else ""
        print(
            f"| {one.visitor} | `{one.path.format('NAME')}` | {one.median:.2f} | {one.apart:.3f}{mark} |"
            f" {one.others_apart:.3f} |"
        )
    return 1 if any(one.tells for one in found) else 0


def measured(
    platform: RunningPlatform, visitor: str, path: str, setting: dict, *, answers: int, names: int
) -> Timing:
    """Ask for all names in turns, in a new order each time, and compare the medians.

    :raises RuntimeError: an answer is no 404, or the length of one differs.
    """
    slug, token = setting["slug"], setting["tokens"].get(visitor)
    chance = random.Random(f"{visitor} {path}")
    head, _dash, tail = slug.rpartition("-")
    others = [f"{head}-{''.join(chance.choices(LETTERS, k=len(tail)))}" for _ in range(names)]
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection = http.client.HTTPConnection(platform.address.split("//")[1].rstrip("/"), timeout=60)
    seconds: dict[str, list[float]] = {name: [] for name in (slug, *others)}
    shapes = set()
    for turn in range(answers + 5):
        for name in chance.sample(list(seconds), len(seconds)):
            began = time.perf_counter()
            connection.request("GET", path.format(name), headers=headers)
            answer = connection.getresponse()
            content = answer.read()
            took = time.perf_counter() - began
            shapes.add(
                (answer.status, len(content), tuple(sorted(header for header, _ in answer.getheaders())))
            )
            if turn >= 5:
                seconds[name].append(took)
    connection.close()
    if len(shapes) != 1 or next(iter(shapes))[0] != 404:
        raise RuntimeError(f"{visitor} {path}: the answers differ: {shapes}")
    medians = {name: 1000 * statistics.median(taken) for name, taken in seconds.items()}
    rest = [medians[name] for name in others]
    middle = statistics.median(rest)
    return Timing(visitor, path, medians[slug], abs(medians[slug] - middle), max(rest) - min(rest))


def _setting(platform: RunningPlatform) -> dict:
    told = preparation.manage(platform.installation, ("shell", "-c", SETTING))
    (line,) = [line for line in told.splitlines() if line.startswith("SETTING ")]
    found: dict = json.loads(line.removeprefix("SETTING "))
    return found


if __name__ == "__main__":
    sys.exit(main())
