"""The process that answers `fstat` for all sandboxes of a launcher.

`python -m stichkampf_arbiter.sandbox.isolation.status_answers --fd N` receives, over the socket `N`, the
listener of each sandbox's filter (seccomp_unotify(2)). It looks at the file itself, so that nothing which a
thread of the bot changes meanwhile can make the kernel answer, and writes into the bot's memory what the
kernel would, but for the number of anything that is no file, folder, device or link: 0. It ends with the
launcher, which ends when this process does.
"""

from __future__ import annotations

import argparse
import errno
import fcntl
import functools
import os
import resource
import select
import socket
import stat
import struct
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

CALLS = 100_000
"""Calls of one sandbox that are answered; each costs this process some 25 µs, which no bot pays. The client
makes 200, an import of numpy a hundred more."""


@dataclass(frozen=True)
class CallLayout:
    """Numbers of the calls of an architecture, and its `struct stat`.

    :ivar format: of `struct`, up to the times.
    :ivar fields: their names; zero where none is.
    :ivar rest: unused bytes behind the times.
    """

    fstat: int
    newfstatat: int
    format: str
    fields: tuple[str | int, ...]
    rest: int


LAYOUTS = {
    "x86_64": CallLayout(
        5, 262, "QQQIIIIQqqq",
        ("dev", "ino", "nlink", "mode", "uid", "gid", 0, "rdev", "size", "blksize", "blocks"), 24,
    ),
    "aarch64": CallLayout(
        80, 79, "QQIIIIQQqiiq",
        ("dev", "ino", "mode", "nlink", "uid", "gid", "rdev", 0, "size", "blksize", 0, "blocks"), 8,
    ),
}  # fmt: skip
NUMBERED = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFLNK)
"""Kinds of files that their file system numbers. The kernel numbers all others for the whole machine."""
ADDRESSES = 1 << 47
AT_FDCWD = 0xFFFFFF9C
NOBODY = 65_534
"""Owner that a user namespace shows where it knows none."""

_RECEIVE, _SEND, _IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
_REQUEST, _RESPONSE, _NUMBER = (struct.Struct(f"={format}") for format in ("QIIiIQ6Q", "QqiI", "Q"))

Rows = list[list[int]]


@dataclass
class Listener:
    """The end of a sandbox's filter at which its calls arrive.

    :ivar left: calls that will still be answered.
    :ivar maps: of each user namespace seen in it, by number, how users and groups of this process are called.
    """

    descriptor: int
    left: int = CALLS
    maps: dict[int, tuple[Rows, Rows]] = field(default_factory=dict)

    def answer(self) -> None:
        """Answer the next call, if it still waits."""
        request = bytearray(_REQUEST.size)
        with suppress(FileNotFoundError, InterruptedError):  # who asked was interrupted, or has ended
            fcntl.ioctl(self.descriptor, _RECEIVE, request)
            try:
                error = self._do(*_REQUEST.unpack(request))
            except OSError as refused:
                error = refused.errno or errno.EIO
            fcntl.ioctl(self.descriptor, _SEND, _RESPONSE.pack(*_NUMBER.unpack_from(request), 0, -error, 0))

    def _do(self, number: int, pid: int, _: int, call: int, *others: int) -> int:
        """Write what is asked for into the memory of who asks; return 0, or the number of an error."""
        arguments = others[2:]
        if self.left <= 0:
            return errno.EPERM
        self.left -= 1
        memory = os.open(f"/proc/{pid}/mem", os.O_RDWR | os.O_CLOEXEC)
        try:
            descriptor = arguments[0] & 0xFFFF_FFFF
            place, address = f"fd/{descriptor}", arguments[1]
            if call == _machine().newfstatat:
                if not _is_empty(memory, arguments[1]):
                    return errno.EINVAL
                place, address = "cwd" if descriptor == AT_FDCWD else place, arguments[2]
            try:
                found = os.stat(f"/proc/{pid}/{place}")
            except FileNotFoundError:
                return errno.EBADF
            answer = packed(found, *self._owners(pid, found))
            fcntl.ioctl(self.descriptor, _IS_VALID, _NUMBER.pack(number))  # else `pid` may be another's
            return _written(memory, address, answer)
        finally:
            os.close(memory)

    def _owners(self, pid: int, found: os.stat_result) -> tuple[int, int]:
        """Return user and group of a file as the process sees them."""
        space = os.stat(f"/proc/{pid}/ns/user").st_ino
        if space == _own_space():
            return found.st_uid, found.st_gid
        rows = self.maps.get(space)
        if rows is None:
            rows = _rows(pid, "uid"), _rows(pid, "gid")
            if all(rows):  # they are written a moment after the namespace was made
                self.maps[space] = rows
        return _inside(rows[0], found.st_uid), _inside(rows[1], found.st_gid)


def packed(found: os.stat_result, user: int, group: int) -> bytes:
    """Return the status of a file as the kernel writes it, without a number that the whole machine counts."""
    machine = _machine()
    seen = {name: getattr(found, f"st_{name}") for name in machine.fields if isinstance(name, str)}
    seen |= {"uid": user, "gid": group}
    if stat.S_IFMT(found.st_mode) not in NUMBERED:
        seen["ino"] = 0
    times = [
        part for at in (found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns) for part in divmod(at, 10**9)
    ]
    values = [seen[name] if isinstance(name, str) else name for name in machine.fields]
    return struct.pack(f"={machine.format}6q{machine.rest}x", *values, *times)


@functools.cache
def _machine() -> CallLayout:
    return LAYOUTS[os.uname().machine]


def _is_empty(memory: int, address: int) -> bool:
    """Tell whether a path is empty: no pointer, or one to a zero."""
    try:
        return not address or (address < ADDRESSES and os.pread(memory, 1, address) == b"\0")
    except OSError:
        return False


def _written(memory: int, address: int, answer: bytes) -> int:
    try:
        whole = address < ADDRESSES and os.pwrite(memory, answer, address) == len(answer)
    except OSError:
        whole = False
    return 0 if whole else errno.EFAULT


@functools.cache
def _own_space() -> int:
    return os.stat("/proc/self/ns/user").st_ino


def _rows(pid: int, kind: str) -> Rows:
    text = Path(f"/proc/{pid}/{kind}_map").read_text()
    return [list(map(int, line.split())) for line in text.splitlines()]


def _inside(rows: Rows, outside: int) -> int:
    for first, begin, count in rows:
        if begin <= outside < begin + count:
            return first + outside - begin
    return NOBODY


def serve(channel: socket.socket) -> None:
    """Answer the calls of all listeners that come over the channel, until its other ends are closed."""
    poller = select.epoll()
    poller.register(channel, select.EPOLLIN)
    listeners: dict[int, Listener] = {}
    while True:
        for descriptor, events in poller.poll():
            if descriptor == channel.fileno():
                text, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
                if not text:
                    return
                for new in descriptors:
                    listeners[new] = Listener(new)
                    poller.register(new, select.EPOLLIN)
            elif events & select.EPOLLIN:
                listeners[descriptor].answer()
            else:  # no process of the sandbox is left
                poller.unregister(descriptor)
                del listeners[descriptor]
                os.close(descriptor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fd", type=int, required=True)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with socket.socket(fileno=parser.parse_args().fd) as channel:
        serve(channel)


if __name__ == "__main__":
    main()
