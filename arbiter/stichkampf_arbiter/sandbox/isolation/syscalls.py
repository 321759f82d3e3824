"""The system calls that a bot may make, as a seccomp filter.

Every call that is not listed answers EPERM, calls of another architecture (32-bit, x32) end the process.
Left out on purpose are namespaces and mounts, ptrace and reading of other processes' memory, keys,
userfaultfd, bpf, perf, io_uring, memfd and System V memory (memory outside `/tmp`), every socket that is
not a Unix socket, file locks, leases, inotify and futexes that processes share (two sandboxes see the same
read-only files, and could talk through them), descriptors of processes, real-time scheduling, TIOCSTI,
extended attributes and larger pipes, and every call that tells of the whole machine or leaves traces that
others could notice. docs/sandbox.md says of each call that is allowed what it can tell of others; a test
holds that table to these lists.
"""

from __future__ import annotations

import errno
import fcntl
import functools
import os
import socket
import tempfile
import termios
from pathlib import Path

import pyseccomp as seccomp  # type: ignore[import-untyped]

FCNTL = (
    fcntl.F_DUPFD,
    fcntl.F_DUPFD_CLOEXEC,
    fcntl.F_GETFD,
    fcntl.F_SETFD,
    fcntl.F_GETFL,
    fcntl.F_SETFL,
    fcntl.F_GETPIPE_SZ,
)
_FIONBIO, _FIOCLEX, _FIONCLEX, _FIOASYNC = 0x5421, 0x5451, 0x5450, 0x5452
IOCTL = (
    termios.FIONREAD,
    _FIONBIO,
    _FIOCLEX,
    _FIONCLEX,
    _FIOASYNC,
    termios.TCGETS,
    termios.TIOCGWINSZ,
    termios.TIOCGPGRP,
)
_PR_SET_PDEATHSIG, _PR_GET_PDEATHSIG, _PR_GET_DUMPABLE, _PR_SET_DUMPABLE = 1, 2, 3, 4
_PR_SET_NAME, _PR_GET_NAME, _PR_CAPBSET_READ, _PR_SET_TIMERSLACK = 15, 16, 23, 29
_PR_SET_NO_NEW_PRIVS, _PR_GET_NO_NEW_PRIVS, _PR_SET_VMA = 38, 39, 0x53564D41
PRCTL = (
    _PR_SET_PDEATHSIG,
    _PR_GET_PDEATHSIG,
    _PR_GET_DUMPABLE,
    _PR_SET_DUMPABLE,
    _PR_SET_NAME,
    _PR_GET_NAME,
    _PR_CAPBSET_READ,
    _PR_SET_TIMERSLACK,
    _PR_SET_NO_NEW_PRIVS,
    _PR_GET_NO_NEW_PRIVS,
    _PR_SET_VMA,
)
CLONE_NAMESPACES = 0x7E020000
"""Every CLONE_NEW* flag that fits into clone's flags; clone3, whose flags a filter cannot read, is refused
as a whole."""
CLONE_PIDFD = 0x1000
"""A descriptor of the new process: since Linux 6.9 its `st_ino` counts the processes and threads of the
machine."""
PERSONALITIES = (0x0, 0x20000, 0xFFFFFFFF)

_SO_DEBUG, _SO_RCVTIMEO_NEW, _SO_SNDTIMEO_NEW = 1, 66, 67
SOCKET_OPTIONS = (
    _SO_DEBUG,  # as a number also TCP_NODELAY, which programs ask of any socket
    socket.SO_REUSEADDR,
    socket.SO_TYPE,
    socket.SO_ERROR,
    socket.SO_SNDBUF,
    socket.SO_RCVBUF,
    socket.SO_KEEPALIVE,
    socket.SO_LINGER,
    socket.SO_REUSEPORT,
    socket.SO_RCVLOWAT,
    socket.SO_PEERCRED,
    socket.SO_RCVTIMEO,
    socket.SO_SNDTIMEO,
    socket.SO_ACCEPTCONN,
    socket.SO_PROTOCOL,
    socket.SO_DOMAIN,
    _SO_RCVTIMEO_NEW,
    _SO_SNDTIMEO_NEW,
)
"""Without cookies, which number the sockets and network namespaces of the machine, and without filters, whose
memory the kernel counts for all."""
_MADV_NORMAL, _MADV_RANDOM, _MADV_SEQUENTIAL, _MADV_DONTNEED = 0, 1, 2, 4
_MADV_DONTFORK, _MADV_DOFORK, _MADV_HUGEPAGE, _MADV_NOHUGEPAGE = 10, 11, 14, 15
_MADV_DONTDUMP, _MADV_DODUMP, _MADV_WIPEONFORK, _MADV_KEEPONFORK = 16, 17, 18, 19
MEMORY_ADVICE = (
    _MADV_NORMAL,
    _MADV_RANDOM,
    _MADV_SEQUENTIAL,
    _MADV_DONTNEED,
    _MADV_DONTFORK,
    _MADV_DOFORK,
    _MADV_HUGEPAGE,
    _MADV_NOHUGEPAGE,
    _MADV_DONTDUMP,
    _MADV_DODUMP,
    _MADV_WIPEONFORK,
    _MADV_KEEPONFORK,
)
"""Advice about the process's own memory; none that evicts, reads ahead, merges or collapses pages."""
MADV_FREE = 8
"""Pages that are emptied when memory is short, on the whole machine or in a group around all sandboxes; their
owner sees that they are. Allocators take EINVAL for an older kernel, and give them back at once."""
MAP_DROPPABLE = 0x8
"""Memory of which the same holds, since Linux 6.11."""
MAP_HUGETLB = 0x40000
"""Pages of a store that the whole machine shares."""

FUTEX_PRIVATE = 128
"""A futex of one process. The kernel finds every other one by file and place, also in a file that is mapped
read-only: all sandboxes that see the file have it in common, and count and wake each other's waiters."""
_FUTEX_WAIT, _FUTEX_WAIT_BITSET = 0, 9
SHARED_FUTEX_WAITS = (_FUTEX_WAIT, _FUTEX_WAIT_BITSET)
SHARED_FUTEX_OTHERS = (1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13)
"""Wake, requeue and lock, in all forms."""
FUTEX_OPERATION = 0xFF
"""The bits of a futex's second argument that name the operation and whether it is private."""
MEMBARRIERS = (0, 8, 16, 32, 64)
"""Questions, and barriers of the process's own threads. The others wait for all processors, or interrupt
other processes."""

ONLY: tuple[tuple[str, int, tuple[int, ...]], ...] = (
    ("socket", 0, (socket.AF_UNIX,)),
    ("socketpair", 0, (socket.AF_UNIX,)),
    ("fcntl", 1, FCNTL),
    ("ioctl", 1, IOCTL),
    ("prctl", 0, PRCTL),
    ("personality", 0, PERSONALITIES),
    ("getsockopt", 2, SOCKET_OPTIONS),
    ("setsockopt", 2, SOCKET_OPTIONS),
    ("madvise", 2, MEMORY_ADVICE),
    ("membarrier", 0, MEMBARRIERS),
)
"""Calls that are allowed for these values of one argument: (call, argument number, values)."""
WITHOUT: tuple[tuple[str, int, int], ...] = (
    ("clone", 0, CLONE_NAMESPACES | CLONE_PIDFD),
    ("mmap", 3, MAP_HUGETLB | MAP_DROPPABLE),
)
"""Calls that are allowed without these bits of one argument: (call, argument number, bits)."""
WITH: tuple[tuple[str, int, int], ...] = (("futex", 1, FUTEX_PRIVATE),)
"""Calls that are allowed only with these bits of one argument: (call, argument number, bits)."""
WITH_ANY: tuple[tuple[str, int, int], ...] = (("bind", 2, 0x7C),)
"""Calls that are allowed only with one of these bits of one argument: (call, argument number, bits).

An address of four bytes and more: for one without a name the kernel chooses it, before Linux 5.17 by one
count for the whole machine, and so it does for a socket with SO_PASSCRED, which is no option here."""
NO_EFFECT = ("fadvise64", "readahead", "fsync", "fdatasync", "sync_file_range", "msync", "sync", "syncfs")
"""Calls that answer success and do nothing: a bot's files are in memory, nothing is to be written or read
ahead."""
UNKNOWN = ("clone3", "statx", "futex_waitv", "openat2", "pidfd_open", "pidfd_send_signal")
"""Calls that answer ENOSYS, so that libraries fall back to older ones: of `clone3` and `futex_waitv` a filter
cannot read the flags, `statx` numbers the mounts of the machine, pidfds its processes, and `openat2` fails
where any process renamed or mounted something meanwhile."""


def free_calls() -> list[str]:
    """Return the names in `allowed_calls.txt`."""
    lines = (Path(__file__).parent / "allowed_calls.txt").read_text().splitlines()
    return [call for line in lines if not line.startswith("#") for call in line.split()]


def make_filter() -> seccomp.SyscallFilter:
    """Make the filter of every sandbox, for the machine's own architecture."""
    filter_ = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    filter_.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    for call in free_calls():
        _allow(filter_, call)
    for call, argument, values in ONLY:
        for value in values:
            _allow(filter_, call, seccomp.Arg(argument, seccomp.MASKED_EQ, 0xFFFFFFFF, value))
    for call, argument, bits in WITHOUT:
        _allow(filter_, call, seccomp.Arg(argument, seccomp.MASKED_EQ, bits, 0))
    for call, argument, bits in WITH:
        _allow(filter_, call, seccomp.Arg(argument, seccomp.MASKED_EQ, bits, bits))
    for call, argument, bits in WITH_ANY:
        for bit in (1 << place for place in range(32) if bits >> place & 1):
            _allow(filter_, call, seccomp.Arg(argument, seccomp.MASKED_EQ, bit, bit))
    for call in NO_EFFECT:
        filter_.add_rule(seccomp.ERRNO(0), call)
    for call in UNKNOWN:
        filter_.add_rule(seccomp.ERRNO(errno.ENOSYS), call)
    # The C library takes these answers well: a wait looks again at its word, a wake is done.
    for answer, operations in ((errno.EAGAIN, SHARED_FUTEX_WAITS), (errno.EINVAL, SHARED_FUTEX_OTHERS)):
        for operation in operations:
            shared = seccomp.Arg(1, seccomp.MASKED_EQ, FUTEX_OPERATION, operation)
            filter_.add_rule(seccomp.ERRNO(answer), "futex", shared)
    lazily = seccomp.Arg(2, seccomp.MASKED_EQ, 0xFFFFFFFF, MADV_FREE)
    filter_.add_rule(seccomp.ERRNO(errno.EINVAL), "madvise", lazily)
    # gRPC asks for inet sockets to learn what the machine can do, and takes this answer well.
    filter_.add_rule(
        seccomp.ERRNO(errno.EAFNOSUPPORT), "socket", seccomp.Arg(0, seccomp.NE, int(socket.AF_UNIX))
    )
    return filter_


def _allow(filter_: seccomp.SyscallFilter, call: str, *arguments: seccomp.Arg) -> None:
    try:
        number = seccomp.resolve_syscall(seccomp.Arch.NATIVE, call)
    except OSError:
        return  # a call that this architecture never had, such as open on aarch64
    if number >= 0:
        filter_.add_rule(seccomp.ALLOW, number, *arguments)


def compiled(filter_: seccomp.SyscallFilter) -> bytes:
    """Return a filter as a BPF program."""
    with tempfile.TemporaryFile() as program:
        filter_.export_bpf(program)
        program.seek(0)
        return program.read()


@functools.cache
def _compiled() -> bytes:
    return compiled(make_filter())


def write_program() -> int:
    """Write the filter as a BPF program into a file of memory, positioned at its start; the caller
    closes it."""
    fd = os.memfd_create("seccomp", os.MFD_CLOEXEC)
    os.write(fd, _compiled())
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
