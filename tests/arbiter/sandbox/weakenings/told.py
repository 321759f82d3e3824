"""`fstat` tells the numbers of pipes and sockets, which the kernel counts for the whole machine."""

from stichkampf_arbiter.sandbox.isolation.asked_calls import StatusProcess


def weaken():
    StatusProcess.installer = lambda process: lambda: None
