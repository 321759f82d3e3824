"""Limits of a single process, for util-linux' `prlimit`.

They are set by the bot's own uid on the way to bubblewrap: root in a container may lack the right to set
another's.
"""

from __future__ import annotations

from stichkampf_arbiter.sandbox.limits import MIB, Limits

LIBRARY_BYTES = 768 * MIB
"""Memory that an interpreter with gRPC and numpy maps without using it."""


def options(limits: Limits, *, in_group: bool) -> list[str]:
    """Return options of `prlimit`, soft and hard limits alike.

    :param in_group: True if a control group limits the memory; if not, each process alone is limited roughly.
    """
    ceilings = {
        "core": 0,
        "fsize": limits.tmp_bytes,
        "nofile": limits.open_files,
        # Counted per uid, and bubblewrap's two processes have the same uid.
        "nproc": limits.processes + 2,
        "memlock": 64 * 1024,
        "msgqueue": 0,
        "rtprio": 0,
        "nice": 0,
        "sigpending": 256,
    }
    if not in_group:
        ceilings["data"] = limits.memory_bytes + LIBRARY_BYTES
    return [f"--{name}={value}:{value}" for name, value in ceilings.items()]
