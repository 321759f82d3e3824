"""Memory, queues and semaphores of System V belong to the launcher and all its sandboxes, and may be used."""

import ctypes

from stichkampf_arbiter.sandbox.isolation import bubblewrap_options, syscalls

CALLS = (
    *("shmget", "shmat", "shmdt", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl"),
    *("semget", "semop", "semctl", "semtimedop"),
)
CLONE_NEWIPC = 0x08000000


def weaken():
    # What sandboxes leave there is gone with the launcher.
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWIPC) < 0:
        raise OSError(ctypes.get_errno(), "no namespace can be made")
    calls, arguments = syscalls.free_calls, bubblewrap_options.arguments
    syscalls.free_calls = lambda: [*calls(), *CALLS]

    def weak(**settings):
        made = arguments(**settings)
        made.remove("--unshare-ipc")
        return made

    bubblewrap_options.arguments = weak
