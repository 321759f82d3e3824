"""The bad network of the tests: exactly as bad as configured."""

import socket
import time
from threading import Thread

import pytest
from bad_network import BadNetwork


@pytest.fixture
def network():
    """A bad network in front of a server that sends everything back."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=echo, args=(server,), daemon=True).start()
        with BadNetwork(server.getsockname()[1]) as network:
            yield network
        server.shutdown(socket.SHUT_RDWR)


def echo(server):
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        Thread(target=send_back, args=(connection,), daemon=True).start()


def send_back(connection):
    with connection:
        while True:
            try:
                chunk = connection.recv(1000)
                connection.sendall(chunk)
            except OSError:
                return
            if not chunk:
                return


def dial(network):
    client = socket.create_connection(("127.0.0.1", network.port), timeout=60)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def round_trip(client, text=b"x"):
    began = time.monotonic()
    client.sendall(text)
    got = b""
    while len(got) < len(text):
        got += client.recv(1000)
    assert got == text
    return time.monotonic() - began


def test_data_are_late_by_the_delay_both_ways(network):
    network.delay_seconds = 0.1
    with dial(network) as client:
        assert 0.2 <= round_trip(client) < 5.0


def test_jitter_keeps_the_order_and_its_bound(network):
    network.jitter_seconds = 0.05
    with dial(network) as client:
        trips = [round_trip(client, bytes([number])) for number in range(20)]
        for number in range(200):
            client.sendall(bytes([number]))
        got = b""
        while len(got) < 200:
            got += client.recv(1000)
    assert got == bytes(range(200))
    assert max(trips) - min(trips) > 0.02


def test_a_cut_resets_and_refuses_until_it_is_mended(network):
    with dial(network) as client:
        round_trip(client)
        network.cut()
        with pytest.raises(ConnectionError):
            client.recv(1)
    with pytest.raises(ConnectionError), dial(network) as client:
        client.recv(1)
    network.mend()
    with dial(network) as client:
        round_trip(client)


def test_held_data_pass_after_mending(network):
    with dial(network) as client:
        round_trip(client)
        network.hold()
        client.sendall(b"x")
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.recv(1)
        network.mend()
        client.settimeout(60)
        assert client.recv(1) == b"x"


def test_swallowed_data_never_arrive_and_new_connections_work(network):
    with dial(network) as silent:
        round_trip(silent)
        network.swallow()
        with dial(network) as good:
            silent.sendall(b"x")
            round_trip(good)
        silent.settimeout(0.2)
        with pytest.raises(TimeoutError):
            silent.recv(1)
