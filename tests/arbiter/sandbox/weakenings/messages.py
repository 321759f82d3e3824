"""Memory, queues and semaphores of System V belong to the machine, and may be used."""

from stichkampf_arbiter.sandbox.isolation import bubblewrap_options, syscalls

CALLS = (
    *("shmget", "shmat", "shmdt", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl"),
    *("semget", "semop", "semctl", "semtimedop"),
)


def weaken():
    calls, arguments = syscalls.free_calls, bubblewrap_options.arguments
    syscalls.free_calls = lambda: [*calls(), *CALLS]

    def weak(**settings):
        made = arguments(**settings)
        made.remove("--unshare-ipc")
        return made

    bubblewrap_options.arguments = weak
