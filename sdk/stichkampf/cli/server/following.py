"""A version that is followed: its validation line by line, then its first blocks until it is ranked."""

from __future__ import annotations

import time
from typing import Any, Final

from stichkampf.cli.server.logs import logged_text
from stichkampf.cli.server.site import AwayError, SiteApi
from stichkampf.plain_text import plain_line

LOOK_SECONDS: Final = 1.0
LONGEST_LOOK_SECONDS: Final = 10.0
MINUTES: Final = 60
"""The usual time after which following ends."""


class Follower:
    """Look at a version again and again, and print what is new.

    A site that is away for a while is asked again until the time is over.

    :param minutes: the time for all of it.
    """

    def __init__(self, site: SiteApi, minutes: int, *, quiet: bool) -> None:
        self._site = site
        self._minutes = minutes
        self._end = time.monotonic() + 60 * minutes
        self._pause = LOOK_SECONDS
        self._quiet = quiet

    def is_ranked(self, submission: int, version: str) -> bool:
        """Follow a version to its rank on a ladder; false if it is rejected or suspended, or the time over.

        :param submission: its number.
        :param version: the path of the version.
        """
        told = self._validation(submission)
        return told["version"]["state"] == "approved" and self._ladders(submission, version)

    def _validation(self, submission: int) -> Any:
        """Follow the validation to its verdict; return the submission as it is then."""
        seen = 0
        while True:
            told = self._get(f"submissions/{submission}/", "lines", "finished_at", "version")
            for line in told["lines"][seen:]:
                self._say(logged_text(line))
            if len(told["lines"]) > seen:
                self._pause = LOOK_SECONDS
            seen = len(told["lines"])
            if told["finished_at"] is not None:
                self._tell_state(told["version"])
                return told
            if not self._go_on():
                return told

    def _tell_state(self, version: Any) -> None:
        if version["state"] != "approved":
            reason = plain_line(str(version.get("reason") or "no reason is told"), 2000)
            self._say(f"{version['state']}: {reason}")

    def _ladders(self, submission: int, version: str) -> bool:
        """Follow the first blocks; return true once the version is ranked on a ladder, or plays on none."""
        seen: dict[str, str] = {}
        self._pause = LOOK_SECONDS
        while True:
            ladders = self._get(f"{version}ladders/")
            for ladder in ladders:
                elo, rank, now = standing(ladder)
                rated = f"Elo {elo}" if elo else "not rated yet"
                line = "; ".join(filter(None, (rated, rank and f"rank {rank}", now)))
                if seen.get(ladder["tournament"]) != line:
                    self._say(f"{ladder['game']}: {line}")
                    seen[ladder["tournament"]] = line
            now_told = self._get(f"submissions/{submission}/", "version")["version"]
            if now_told["state"] != "approved":
                self._tell_state(now_told)
                return False
            if not ladders:
                self._say("No ladder of its games runs here; it plays when an organiser enters it.")
                return True
            # blocks count at once; ranks come with the next ratings
            ranked = [ladder["rating"] and not ladder["rating"]["provisional"] for ladder in ladders]
            if any(ranked):
                if not all(ranked):
                    self._say("It plays on at its other games; `stichkampf status` tells how it goes on.")
                return True
            if not self._go_on():
                return False

    def _get(self, path: str, *needed: str) -> Any:
        """Return an answer as soon as the site gives one.

        :raises AwayError: the time is over.
        """
        told = ""
        while True:
            try:
                return self._site.get(path, *needed)
            except AwayError as error:
                if time.monotonic() >= self._end:
                    raise
                if str(error) != told:
                    told = str(error)
                    self._say(f"{told}; asking on")
                time.sleep(LONGEST_LOOK_SECONDS)

    def _go_on(self) -> bool:
        """Pause; return false when the time is over."""
        if time.monotonic() >= self._end:
            self._say(
                f"Not done within {self._minutes} min; `stichkampf status BOT --wait` takes it up again."
            )
            return False
        time.sleep(self._pause)
        self._pause = min(1.2 * self._pause, LONGEST_LOOK_SECONDS)
        return True

    def _say(self, line: str) -> None:
        if not self._quiet:
            print(line, flush=True)


def standing(ladder: dict[str, Any]) -> tuple[str, str, str]:
    """Return Elo with its interval, rank, and what happens now, in words."""
    rating = ladder["rating"]
    elo = "" if rating is None else f"{rating['elo']:.0f}"
    if rating is not None and rating["plus_minus"] is not None:
        elo += f" ±{rating['plus_minus']:.0f}"
    rank = "" if rating is None or rating["rank"] is None else str(rating["rank"])
    now = []
    if ladder["playing"]:
        now.append("plays a block")
    elif ladder["place"]:
        about = f", in about {ladder['seconds']} s" if ladder["seconds"] else ""
        now.append(f"first block is number {ladder['place']} in line{about}")
    if ladder["blocks_to_go"]:
        now.append(f"{ladder['blocks_to_go']} blocks to a rank")
    if ladder["waits"]:
        now.append(ladder["waits"])
    return elo, rank, "; ".join(now)
