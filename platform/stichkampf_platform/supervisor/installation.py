"""Folders, address, user and database of one installation. Only this module reads the environment."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import socket
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, TextIO

from stichkampf_platform.supervisor.output import CannotStart

FIRST_UID, UIDS = 1_879_048_192, 2**28
"""If started as root, the supervisor runs the services with a uid of this installation only. Neither Debian
nor systemd gives uids of this range to anything."""
SERVICE_UID = 61042
"""The uid on machines without that range, such as containers with few uids; in no Debian range of users."""

PASSED_ON = ["PATH", "LANG", "TZ", "SSL_CERT_FILE"]
SECRETS = [
    "DJANGO_SETTINGS_MODULE",
    "SECRET_KEY",
    "METRICS_TOKEN",
    "DATABASE_URL",
    "REDIS_URL",
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "SITE_ADDRESS",
    "EMAIL_HOST",
    "EMAIL_PORT",
    "EMAIL_USER",
    "EMAIL_PASSWORD",
    "EMAIL_TLS",
    "EMAIL_FROM",
]
SOCKET_PATH_BYTES = 107
FREE_BYTES = 200 * 1024**2


@dataclass(frozen=True, kw_only=True)
class Installation:
    """One checkout with the folders, addresses and user that its services share.

    :ivar var: the folder of everything that changes.
    :ivar uid: the user of the services; None if the supervisor is not root.
    :ivar remote_listen: the address to which remote bots connect, host:port.
    """

    root: Path
    var: Path
    host: str
    port: int
    uid: int | None
    redis_url: str | None
    remote_listen: str

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], root: Path) -> Installation:
        port = environment.get("STICHKAMPF_PORT", "8000")
        if not (port.isascii() and port.isdigit() and len(port) < 10 and 1 <= int(port) <= 65535):
            raise CannotStart(f"STICHKAMPF_PORT is {port!r}; it must be a number from 1 to 65535.")
        var = Path(environment.get("STICHKAMPF_VAR") or root / "var").resolve()
        uid = environment.get("STICHKAMPF_UID", str(_uid_of(var)))
        if not (uid.isascii() and uid.isdigit() and len(uid) <= 10 and 0 < int(uid) < 2**32 - 1):
            raise CannotStart(f"STICHKAMPF_UID is {uid!r}; it must be the number of a user that is not root.")
        return cls(
            root=root,
            var=var,
            host=environment.get("STICHKAMPF_HOST", "127.0.0.1"),
            port=int(port),
            uid=int(uid) if os.geteuid() == 0 else None,
            redis_url=environment.get("REDIS_URL"),
            remote_listen=environment.get("STICHKAMPF_ARBITER_REMOTE_LISTEN") or _loopback(int(port) + 1),
        )

    @property
    def state(self) -> Path:
        return self.var / "state"

    @property
    def logs(self) -> Path:
        return self.var / "log"

    @property
    def sockets(self) -> Path:
        """A short folder: a socket's path may have no more than 107 bytes."""
        beside = self.var / "run"
        if len(os.fsencode(beside)) + 40 <= SOCKET_PATH_BYTES:
            return beside
        return Path("/tmp") / f"stichkampf-{_digest(self.var)[:12]}"

    @property
    def redis_socket(self) -> Path:
        return self.sockets / "redis.sock"

    @property
    def arbiter_socket(self) -> Path:
        return self.sockets / "arbiter.sock"

    @property
    def address(self) -> str:
        host = "127.0.0.1" if self.host == "0.0.0.0" else "[::1]" if self.host == "::" else self.host
        return f"http://{f'[{host}]' if ':' in host and host[0] != '[' else host}:{self.port}/"

    def environment(self, *, secrets: Collection[str] = ()) -> dict[str, str]:
        """Return the environment of a service: of the caller's variables only those named here.

        :param secrets: those of `SECRETS` that it needs; arbiter and Redis must know none of them.
        """
        names = [
            *PASSED_ON,
            *(name for name in os.environ if name.startswith("STICHKAMPF_")),
            *secrets,
        ]
        environment = {name: os.environ[name] for name in names if name in os.environ}
        environment |= {
            "HOME": str(self.state),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "STICHKAMPF_STATE_DIR": str(self.state),
            "STICHKAMPF_ARBITER_ADDRESS": f"unix:{self.arbiter_socket}",
            "STICHKAMPF_ARBITER_REMOTE_LISTEN": self.remote_listen,
        }
        of_make_up = {
            "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.base",
            "SITE_ADDRESS": self.address,
            "REDIS_URL": f"redis+socket://{self.redis_socket}",
            "ALLOWED_HOSTS": ",".join(["localhost", "127.0.0.1", "[::1]", self._named_host()]),
        }
        return {name: value for name, value in of_make_up.items() if name in secrets} | environment

    def _named_host(self) -> str:
        """Return the host, or `*` for a site that listens on every address and so answers to every name."""
        return "*" if self.host in ("0.0.0.0", "::") else self.host

    def prepare_folders(self) -> None:
        """Make the folders, closed to all others, and give those of the services to their user.

        The folder of logs stays the supervisor's, which may open them as root: a link there would be unsafe.
        """
        try:
            for folder in (self.logs, self.state, self.sockets):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                if folder != self.logs:
                    self._hand_over(folder)
                folder.chmod(0o700)
        except OSError as error:
            raise CannotStart(f"cannot write to {self.var} ({error.strerror}).") from error
        if shutil.disk_usage(self.state).free < FREE_BYTES:
            raise CannotStart(
                f"the disk of {self.state} is full: free {FREE_BYTES // 1024**2} MB, then run make up again."
            )

    def _hand_over(self, folder: Path) -> None:
        owner = folder.stat(follow_symlinks=False).st_uid
        wanted = os.geteuid() if self.uid is None else self.uid
        if owner == wanted:
            return
        if self.uid is None or not (owner in (0, SERVICE_UID) or owner in range(FIRST_UID, FIRST_UID + UIDS)):
            raise CannotStart(
                f"{folder} belongs to user {owner}, but the services would run as {wanted}. "
                f"Start as the user who started here before, or run as root: chown -R {wanted} {folder}"
            )
        for parent, _folders, files in os.walk(folder):
            for name in files:
                os.chown(os.path.join(parent, name), wanted, wanted, follow_symlinks=False)
            os.chown(parent, wanted, wanted, follow_symlinks=False)

    def open_log(self, name: str, mode: Literal["ab", "wb"] = "ab") -> BinaryIO:
        """Open the log of this name, which only the supervisor's user may read."""
        file = (self.logs / f"{name}.log").open(mode)
        os.fchmod(file.fileno(), 0o600)
        return file

    def lock(self) -> TextIO:
        """Lock this installation for as long as the returned file is open, so that it runs only once."""
        file = (self.var / "up.lock").open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with file:
                file.seek(0)
                owner = file.read().strip()
            raise CannotStart(f"this checkout is up already ({owner}). Stop that one first.") from None
        file.truncate(0)
        file.write(f"process {os.getpid()}, {self.address}\n")
        file.flush()
        return file

    def leave(self) -> None:
        """Remove a folder of sockets that is not below `var`, unless a supervisor still runs here."""
        if self.sockets.is_relative_to(self.var) or not self.sockets.is_dir():
            return
        try:
            with self.lock():
                shutil.rmtree(self.sockets, ignore_errors=True)
        except CannotStart:
            return

    def check_port(self) -> None:
        try:
            family, kind, _, _, address = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except socket.gaierror:
            raise CannotStart(
                f"STICHKAMPF_HOST is {self.host!r}, which is no address of this machine."
            ) from None
        except OSError as error:
            why = {
                errno.EADDRINUSE: "is taken by another program: stop it, or choose another with",
                errno.EACCES: "may be used by root only: choose one above 1023 with",
            }.get(error.errno or 0, f"cannot be used ({error.strerror}): choose another with")
            raise CannotStart(
                f"port {self.port} on {self.host} {why} STICHKAMPF_PORT={self.port % 60000 + 1001} make up"
            ) from None


def _uid_of(var: Path) -> int:
    uid = FIRST_UID + int(_digest(var), 16) % UIDS
    ranges = (map(int, line.split()) for line in Path("/proc/self/uid_map").read_text().splitlines())
    return uid if any(first <= uid < first + count for first, _, count in ranges) else SERVICE_UID


def _digest(var: Path) -> str:
    return hashlib.sha256(os.fsencode(var)).hexdigest()


def _loopback(port: int) -> str:
    """Return a loopback address, where plain text is safe: with this port, or a free one if it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError):
            probe.bind(("127.0.0.1", 0))
        return "{}:{}".format(*probe.getsockname())


def checkout() -> Path:
    return Path(__file__).resolve().parents[3]
