"""The programs that take the queues, and how much each does at once."""

from __future__ import annotations

import os

BEAT = "beat"
WORKERS = {
    "worker": ["matches"],
    "experiments": ["experiments"],
    "validation": ["validation"],
    "maintenance": ["sweep", "ratings", "mail"],
    "marks": ["marks"],
}
"""Celery workers by name, each with its queues. Blocks, experiments of authors and validations take minutes,
so none may delay another, nor the short tasks of maintenance. Marks go behind all others."""
CORES = len(os.sched_getaffinity(0))
PLACES = {"worker": 2 + 2 * CORES, "experiments": 3, "validation": 2, "maintenance": 3, "marks": 1}
"""Tasks that each worker of a node does at once. A block keeps at most one core busy, and often none, so more
run at once than there are cores. What plays one mostly waits for the arbiter."""
CORES_A_PROCESS = 4
"""Cores whose blocks one process keeps up with: its threads take turns in Python."""
BEGINNING = 1 + min(CORES, CORES_A_PROCESS)
"""Blocks that a process begins at once: half of its places, as far as the settings say those."""


def processes(name: str) -> list[str]:
    """Return the names of the processes of a program; only that of blocks has several, on large machines."""
    more = range(2, -(-CORES // CORES_A_PROCESS) + 1) if name == "worker" else ()
    return [name, *(f"{name}{number}" for number in more)]


def places(process: str) -> int | None:
    """Return how many tasks a process of a worker does at once; None for one that is not known."""
    name = process.rstrip("0123456789")
    return -(-PLACES[name] // len(processes(name))) if name in PLACES else None
