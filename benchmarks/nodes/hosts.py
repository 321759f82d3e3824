"""Hosts on this machine: each a set of namespaces with its own network, processes and control groups.

The first host has the switch, and every other one a cable to it. All of it lies in namespaces, so the
machine's own network is as it was, nothing leaves it, and everything ends with the process that made it.
Needs root.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from stichkampf_arbiter.sandbox.cgroups import v1
from stichkampf_arbiter.sandbox.cgroups.driver import hierarchies
from stichkampf_arbiter.sandbox.cgroups.files import remove_tree
from stichkampf_arbiter.sandbox.cgroups.freezer import thaw_group

PREFIX = "sk-host-"
"""Beginning of the names of control groups; the process that made them and the host follow."""
NETWORK = "10.61.42"
SWITCH, CABLE = "switch", "cable"
"""Names of network devices: of the switch, and of a cable's end at a host."""
AHEAD = 60_000
"""Weight of a host that goes ahead of other programs, of which each has 1,024."""
START_SECONDS, CALL_SECONDS = 30.0, 300.0
ENDS_WITH_US = ("setpriv", "--pdeathsig", "KILL", "--")
NAMESPACES = ("--net", "--mount", "--pid", "--ipc", "--uts")
JOIN = 'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs"; shift; done; shift; exec "$@"'
"""A shell's words that put it into control groups before it becomes the command."""
FIRST_PROCESS = "echo $0 > /proc/sys/kernel/hostname; trap '' CHLD; exec sleep infinity"


class Host:
    """A host that runs until it is killed.

    :ivar name: its host name.
    :ivar address: in the private network.
    """

    def __init__(self, name: str, number: int, switch: Host | None = None) -> None:
        """Start it, with a cable to the host that has the switch; without one it has the switch itself.

        :param number: the last part of its address.
        """
        self.name, self.number, self.switch = name, number, switch
        self.address = f"{NETWORK}.{number}"
        self._port = f"port-{number}"
        self._groups = _make_groups(f"{PREFIX}{os.getpid()}-{name}")
        self._outer: subprocess.Popen[bytes] | None = None
        self._first = 0
        self._programs: list[subprocess.Popen[bytes]] = []
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Start it again after it was killed; it has no programs yet."""
        unshare = ["unshare", *NAMESPACES, "--fork", "--kill-child=KILL", "--mount-proc"]
        first = ["sh", "-c", FIRST_PROCESS, self.name]
        self._outer = subprocess.Popen(
            self._grouped([*unshare, *first]), start_new_session=True, stderr=subprocess.DEVNULL
        )
        self._first = self._wait_for_first()
        if self.switch is None:
            # with an address of its own: else it changes with the hosts that come and go
            self.ip("link", "add", SWITCH, "address", "02:00:00:00:00:01", "type", "bridge")
        else:
            cable = ("link", "add", self._port, "type", "veth", "peer", "name", CABLE)
            self.switch.ip(*cable, "netns", str(self._first))
            self.switch.ip("link", "set", self._port, "master", SWITCH, "up")
        device = CABLE if self.switch else SWITCH
        self.ip("address", "add", f"{self.address}/24", "dev", device)
        for each in ("lo", device):
            self.ip("link", "set", each, "up")

    def run(
        self, command: Sequence[str | Path], environment: Mapping[str, str], log: Path, *, folder: Path
    ) -> subprocess.Popen[bytes]:
        """Start a program here, which ends with the host.

        :param log: the file to which its output is added.
        :param folder: its working folder.
        """
        with log.open("ab") as output:
            program = subprocess.Popen(
                self._grouped(self._inside(command)),
                env=dict(environment), cwd=folder, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
        self._programs.append(program)
        return program

    def call(self, *words: str | Path) -> str:
        """Run a short command here and return its output.

        :raises subprocess.CalledProcessError: it failed.
        """
        command = self._inside(words)
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=CALL_SECONDS)
        return done.stdout

    def ip(self, *words: str) -> None:
        """Run `ip` in this host's network."""
        command = ["nsenter", f"--net=/proc/{self._first}/ns/net", "ip", *words]
        subprocess.run(command, check=True, capture_output=True, timeout=CALL_SECONDS)

    def go_ahead(self) -> None:
        """Give its programs the processors before all others; with control groups of version 1."""
        for group in self._groups:
            if (group / "cpu.shares").exists():
                (group / "cpu.shares").write_text(str(AHEAD))

    def kill(self) -> None:
        """End every process at once, and the network with them, as a power failure does."""
        if self._outer is not None:
            if self._first:
                os.kill(self._first, signal.SIGKILL)
            for program in self._programs:  # `nsenter`, which reaps the program inside
                program.kill()
            while self._outer.poll() is None:
                self._thaw()  # a frozen process of version 1 ends only thawed
                time.sleep(0.01)
            for program in self._programs:
                program.wait()
        self._outer, self._first, self._programs = None, 0, []

    def hang(self) -> None:
        """Stop every process; the kernel goes on to acknowledge what comes over the network."""
        self.call("sh", "-c", "kill -STOP -1")

    def go_on(self) -> None:
        """Let every process go on."""
        self.call("sh", "-c", "kill -CONT -1")
        for program in self._programs:  # `nsenter` stops with what it has started
            program.send_signal(signal.SIGCONT)

    def cut_off(self) -> None:
        """Pull the cable."""
        assert self.switch is not None
        self.switch.ip("link", "set", self._port, "down")

    def plug_in(self) -> None:
        """Plug the cable in again."""
        assert self.switch is not None
        self.switch.ip("link", "set", self._port, "up")

    def close(self) -> None:
        """End it, and remove its control groups."""
        self.kill()
        for group in self._groups:
            remove_tree(group)

    def _thaw(self) -> None:
        for group in self._groups:
            _thaw_all(group)

    def _wait_for_first(self) -> int:
        """Return the first process of the host, once it has its name."""
        assert self._outer is not None
        children = Path(f"/proc/{self._outer.pid}/task/{self._outer.pid}/children")
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self._outer.poll() is None:
            first = children.read_text().split()
            if first and Path(f"/proc/{first[0]}/comm").read_text().strip() == "sleep":
                return int(first[0])
            time.sleep(0.01)
        self._outer.kill()
        raise RuntimeError(f"the host {self.name} did not start: namespaces need root")

    def _inside(self, command: Sequence[str | Path]) -> list[str]:
        return ["nsenter", "--all", "--target", str(self._first), "--", *map(str, command)]

    def _grouped(self, command: Sequence[str]) -> list[str]:
        return [*ENDS_WITH_US, "sh", "-c", JOIN, "join", *map(str, self._groups), "--", *command]


class Network(ExitStack):
    """The hosts of a private network; leaving its context ends all of them, the last first."""

    def __init__(self) -> None:
        super().__init__()
        self.hosts: list[Host] = []

    def add(self, name: str) -> Host:
        """Add a host; the first one has the switch."""
        host = Host(name, len(self.hosts) + 1, self.hosts[0] if self.hosts else None)
        self.callback(host.close)
        self.hosts.append(host)
        return host


def _make_groups(name: str) -> list[Path]:
    """Make groups for a host in each hierarchy of version 1 that the sandbox needs.

    With version 2 there are none: the group of each launcher is enough.
    """
    needed = [each for each in hierarchies() if each.version == 1 and each.controllers & {*v1.NEEDED}]
    groups = list(dict.fromkeys(each.own / name for each in needed))
    for group in groups:
        _sweep(group.parent)
        group.mkdir(exist_ok=True)
    return groups


def _sweep(folder: Path) -> None:
    """Remove the groups of hosts whose program was killed, and so end what is frozen there."""
    for left in folder.glob(f"{PREFIX}*"):
        owner = left.name.removeprefix(PREFIX).partition("-")[0]
        if not Path(f"/proc/{owner}").exists():
            _thaw_all(left)
            remove_tree(left)


def _thaw_all(group: Path) -> None:
    for folder, _, _ in os.walk(group):
        thaw_group(Path(folder))
