"""Calls of a sandbox that a process outside answers, since the kernel's own answer tells of others.

The kernel numbers pipes and sockets from one counter, which each of them moves, and `fstat` shows the number:
two sandboxes could talk by it. So a second filter has each `fstat` asked outside, where it is answered
without that number. `newfstatat` reads it too, of a descriptor without a path; `statx` is unknown in a
sandbox, and there is no `/proc`.
"""

from __future__ import annotations

import ctypes
import functools
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyseccomp as seccomp  # type: ignore[import-untyped]

from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.isolation.status_answers import LAYOUTS
from stichkampf_arbiter.sandbox.isolation.syscalls import compiled

AT_EMPTY_PATH = 0x1000
PROGRAM = ("-I", "-m", "stichkampf_arbiter.sandbox.isolation.status_answers")
RIGHTS = "-all,+sys_ptrace,+dac_override"
"""Capabilities of the process that answers: to look at files of processes, and to write into their memory."""
CAP_SYS_PTRACE = 19
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_SET_MODE_FILTER, SECCOMP_GET_ACTION_AVAIL = 1, 2
USER_NOTIFICATION = 0x7FC00000
NEW_LISTENER, WAIT_KILLABLE = 1 << 3, 1 << 5
"""Flags of the filter: its calls arrive at a descriptor; only what kills a thread interrupts its question."""

_libc = ctypes.CDLL(None, use_errno=True)
_SECCOMP = int(seccomp.resolve_syscall(seccomp.Arch.NATIVE, "seccomp"))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


@functools.cache
def _compiled() -> bytes:
    """Compile a filter that has these calls asked, and lets all others pass to the next filter."""
    filter_ = seccomp.SyscallFilter(seccomp.ALLOW)
    filter_.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.ALLOW)
    filter_.add_rule(seccomp.NOTIFY, "fstat")
    by_descriptor = seccomp.Arg(3, seccomp.MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH)
    filter_.add_rule(seccomp.NOTIFY, "newfstatat", by_descriptor)
    return compiled(filter_)


class StatusProcess:
    """The process that answers, one for each launcher.

    :ivar pidfd: readable when it has ended: then no sandbox can go on.
    """

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                ["/usr/bin/setpriv", "--bounding-set", RIGHTS, "--no-new-privs", "--pdeathsig", "KILL", "--",
                 sys.executable, *PROGRAM, "--fd", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )  # fmt: skip
        self.pidfd = os.pidfd_open(self._process.pid)

    def installer(self) -> Callable[[], None]:
        """Make what a child calls before it becomes a sandbox: from then on its calls are answered here."""
        program = _compiled()

        def install() -> None:
            _libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            filter_ = _Program(len(program) // 8, program)
            for flags in (NEW_LISTENER | WAIT_KILLABLE, NEW_LISTENER):  # Linux before 5.19 knows one
                listener = _libc.syscall(_SECCOMP, SECCOMP_SET_MODE_FILTER, flags, ctypes.byref(filter_))
                if listener >= 0:
                    break
            else:
                raise OSError(ctypes.get_errno(), "no filter that asks")
            socket.send_fds(self._channel, [b"x"], [listener])

        return install


def start() -> StatusProcess | None:
    """Start the process; return None where the kernel cannot have a process asked, as gVisor's cannot.

    :raises SandboxError: that is not possible here.
    """
    if os.uname().machine not in LAYOUTS:
        raise SandboxError(f"the sandbox knows no machine {os.uname().machine}, only {', '.join(LAYOUTS)}")
    action = ctypes.c_uint32(USER_NOTIFICATION)
    if _libc.syscall(_SECCOMP, SECCOMP_GET_ACTION_AVAIL, 0, ctypes.byref(action)) != 0:
        return None
    if not _effective_capabilities() >> CAP_SYS_PTRACE & 1:
        raise SandboxError("this process may not look into others: give it the capability SYS_PTRACE")
    try:
        return StatusProcess()
    except OSError as error:
        raise SandboxError(f"the process that answers for sandboxes did not start: {error}") from None


def _effective_capabilities() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1], 16) for line in lines if line.startswith("CapEff:"))
