"""Whom a hostile bot can talk to. Every target is a listener that the test itself opened on this machine."""

from __future__ import annotations

import socket
import uuid

import pytest


@pytest.mark.held_by("net", "seccomp")
@pytest.mark.parametrize(
    ("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")], ids=["IPv4", "IPv6"]
)
def test_a_bot_does_not_reach_the_loopback_of_the_machine(attack, weakened, family, address):
    code = """
def reach():
    with socket.socket(int(sys.argv[1])) as outside:
        outside.settimeout(2)
        outside.connect((sys.argv[2], int(sys.argv[3])))
end(works(reach))
"""
    with socket.create_server((address, 0), family=family) as listener:
        assert attack(code, int(family), address, listener.getsockname()[1]) == weakened


@pytest.mark.held_by("net", "seccomp")
def test_a_bot_sends_no_datagram_to_the_machine(attack, weakened):
    code = """
def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outside:
        outside.sendto(b"x", ("127.0.0.1", int(sys.argv[1])))
end(works(send))
"""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        assert attack(code, listener.getsockname()[1]) == weakened


@pytest.mark.held_by("net")
def test_a_bot_does_not_reach_an_abstract_socket(attack, weakened):
    name = f"stichkampf-test-{uuid.uuid4()}"
    code = """
outside = socket.socket(socket.AF_UNIX)
end(works(outside.connect, "\\0" + sys.argv[1]))
"""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0" + name)
        listener.listen()
        assert attack(code, name) == weakened


@pytest.mark.held_by("files")
def test_a_bot_does_not_reach_a_socket_in_the_file_system(attack, weakened, public_folder):
    path = public_folder / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o666)
        listener.listen()
        assert attack("end(works(socket.socket(socket.AF_UNIX).connect, sys.argv[1]))", path) == weakened


@pytest.mark.held_by("seccomp")
@pytest.mark.parametrize("family", [16, 17, 40], ids=["netlink", "packet", "vsock"])
def test_a_bot_opens_no_socket_of_another_family(attack, weakened, family):
    kinds = "(socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)"
    code = f"""
def answer(kind):
    try:
        socket.socket({family}, kind)
    except OSError as error:
        return error.errno
    return 0
# Refused by the filter, not by the kernel's own judgement of this caller.
end(any(answer(kind) != errno.EAFNOSUPPORT for kind in {kinds}))
"""
    assert attack(code) == weakened
