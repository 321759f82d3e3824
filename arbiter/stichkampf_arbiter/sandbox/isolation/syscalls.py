"""The system calls that a bot may make, as a seccomp filter.

Every call that is not listed answers EPERM, calls of another architecture (32-bit, x32) end the process.
Left out on purpose are namespaces and mounts, ptrace and reading of other processes' memory, keys,
userfaultfd, bpf, perf, io_uring, memfd and System V memory (memory outside `/tmp`), every socket that is
not a Unix socket, file locks, leases and inotify (two sandboxes see the same read-only files, and could
talk through them), real-time scheduling, TIOCSTI, extended attributes and larger pipes, and every call that
tells of the whole machine or leaves traces that others could notice: docs/sandbox.md has the list.
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
    socket.SO_PASSCRED,
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
_MADV_NORMAL, _MADV_RANDOM, _MADV_SEQUENTIAL, _MADV_DONTNEED, _MADV_FREE = 0, 1, 2, 4, 8
_MADV_DONTFORK, _MADV_DOFORK, _MADV_HUGEPAGE, _MADV_NOHUGEPAGE = 10, 11, 14, 15
_MADV_DONTDUMP, _MADV_DODUMP, _MADV_WIPEONFORK, _MADV_KEEPONFORK = 16, 17, 18, 19
MEMORY_ADVICE = (
    _MADV_NORMAL,
    _MADV_RANDOM,
    _MADV_SEQUENTIAL,
    _MADV_DONTNEED,
    _MADV_FREE,
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
MAP_HUGETLB = 0x40000
"""Pages of a store that the whole machine shares."""

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
)
"""Calls that are allowed for these values of one argument: (call, argument number, values)."""
WITHOUT: tuple[tuple[str, int, int], ...] = (
    ("clone", 0, CLONE_NAMESPACES),
    ("mmap", 3, MAP_HUGETLB),
)
"""Calls that are allowed without these bits of one argument: (call, argument number, bits)."""
NO_EFFECT = ("fadvise64", "readahead", "fsync", "fdatasync", "sync_file_range", "msync", "sync", "syncfs")
"""Calls that answer success and do nothing: a bot's files are in memory, nothing is to be written or read
ahead."""
UNKNOWN = ("clone3", "statx")
"""Calls that answer ENOSYS, so that the C library falls back to older ones: of `clone3` a filter cannot read
the flags, `statx` numbers the mounts of the machine."""


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
    for call in NO_EFFECT:
        filter_.add_rule(seccomp.ERRNO(0), call)
    for call in UNKNOWN:
        filter_.add_rule(seccomp.ERRNO(errno.ENOSYS), call)
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


@functools.cache
def _compiled() -> bytes:
    with tempfile.TemporaryFile() as program:
        make_filter().export_bpf(program)
        program.seek(0)
        return program.read()


def write_program() -> int:
    """Write the filter as a BPF program into a file of memory, positioned at its start; the caller
    closes it."""
    fd = os.memfd_create("seccomp", os.MFD_CLOEXEC)
    os.write(fd, _compiled())
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
