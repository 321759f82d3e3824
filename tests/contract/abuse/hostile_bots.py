"""Hostile bots. A test runs one of them as a process: `hostile_bots.py ADDRESS ATTACK [WINDOW [TOKEN]]`.

It prints "at it" once its attack has begun, and at the end the way in which it was disconnected: the gRPC
status, or "closed" for a connection without gRPC. "OK" means that nothing stopped it. Every attack is bounded
in number and size; a bot that waits, waits for the test to end it.

ADDRESS is the path of a socket, or HOST:PORT. WINDOW is the number of bytes that the other side may send
before they are read. TOKEN identifies a remote bot.
"""

import queue
import resource
import socket
import sys
import threading
from contextlib import suppress

import grpc
from stichkampf.wire.v1 import bot_pb2 as pb

PLAY = "/stichkampf.wire.v1.BotGateway/Play"
HELLO = pb.FromBot(hello=pb.Hello(wire_version_min=1, wire_version_max=1)).SerializeToString()
PONG = pb.FromBot(pong=pb.Pong(number=1)).SerializeToString()
STALE = pb.Answer(table=999, decision=999, action="play R1")
PATIENCE_SECONDS = 20.0
TOKEN = ""


def at_it():
    print("at it", flush=True)


def answers(*batch):
    return pb.FromBot(answers=pb.Answers(answers=batch)).SerializeToString()


class Stream:
    """A stream of bytes that sends messages from an iterator, on its own thread."""

    def __init__(self, channel, messages, method=PLAY, *, token=None, metadata=(), **how):
        who = ("authorization", f"Bearer {token or TOKEN}")
        self.call = channel.stream_stream(method)(iter(messages), metadata=[who, *metadata], **how)

    def end(self):
        """Read until the other side has ended the stream."""
        with suppress(grpc.RpcError):
            for _ in self.call:
                pass
        return self.call.code().name


def say(channel, *messages, **how):
    at_it()
    return Stream(channel, messages, **how).end()


def flood(channel, message, times):
    """Say hello, then send the same message again and again."""
    welcomed = threading.Event()

    def messages():
        yield HELLO
        welcomed.wait()
        yield from [message] * times

    stream = Stream(channel, messages())
    next(stream.call)
    at_it()
    welcomed.set()
    return stream.end()


def say_nothing(channel):
    """Open a stream, and keep it open without a message."""
    at_it()
    return Stream(channel, iter(threading.Event().wait, True)).end()


def guess(channel, times):
    """Call with one token after another."""
    at_it()
    return [Stream(channel, [HELLO], token=f"guess-{number}").end() for number in range(times)][-1]


def call_again(channel, method, times, *, give_up=False):
    """Open further streams beside the first."""
    enough = threading.Event()

    def messages():
        yield HELLO
        enough.wait()

    first = Stream(channel, messages())
    next(first.call)
    at_it()
    calls = 0
    while calls < times and first.call.is_active():
        calls += 1
        other = Stream(channel, [HELLO], method)
        if give_up:
            other.call.cancel()
        other.end()
    enough.set()
    return first.end()


def read_nothing(channel):
    """Say hello, and read only at the end."""
    over = threading.Event()

    def messages():
        yield HELLO
        over.wait()

    stream = Stream(channel, messages())
    at_it()
    sys.stdin.readline()
    over.set()
    return stream.end()


def play_and_meddle(channel):
    """Play correctly, but also answer for other tables and later decisions, and everything twice."""
    heard = queue.SimpleQueue()
    stream = Stream(channel, iter(heard.get, None))
    heard.put(HELLO)
    with suppress(grpc.RpcError):
        for message in stream.call:
            frame = pb.ToBot.FromString(message)
            if frame.HasField("welcome"):
                at_it()
            batch = [answer for update in frame.updates.tables for answer in meddling(update)]
            if batch:
                heard.put(answers(*batch))
    heard.put(None)
    return stream.end()


def meddling(update):
    if update.HasField("question"):
        asked, legal = update.question.decision, update.question.legal
        own = pb.Answer(table=update.table, decision=asked, action=legal[0])
        yield pb.Answer(table=update.table + 1_000, decision=asked, action=legal[-1])
        yield pb.Answer(table=update.table, decision=asked + 1, action=legal[-1])
        yield from (own, own)


def connect(address):
    if ":" in address:
        host, _, port = address.rpartition(":")
        return socket.create_connection((host, int(port)))
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    return connection


def talk_no_grpc(address, said):
    """Open a connection, send bytes that are not gRPC, and wait for the other side to close it."""
    with connect(address) as connection:
        connection.sendall(said)
        at_it()
        connection.settimeout(PATIENCE_SECONDS)
        with suppress(ConnectionError):  # which is how a socket tells that it was closed with words unread
            while connection.recv(65_536):
                pass
    return "closed"


def open_connections(address, times):
    """Open many connections and keep them."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    opened = [connect(address) for _ in range(times)]
    at_it()
    sys.stdin.readline()
    for connection in opened:
        connection.close()
    return "OK"


ATTACKS = {
    "answers": lambda channel: flood(channel, answers(STALE), 5_000),
    "stuffed answers": lambda channel: flood(channel, answers(*[STALE] * 3_000), 50),
    "pongs": lambda channel: flood(channel, PONG, 5_000),
    "calls": lambda channel: call_again(channel, PLAY, 300),
    "calls of another name": lambda channel: call_again(channel, "/no.such/Service", 300),
    "calls given up": lambda channel: call_again(channel, PLAY, 300, give_up=True),
    "1,000 calls given up": lambda channel: call_again(channel, PLAY, 1_000, give_up=True),
    "64 kB and one": lambda channel: say(channel, HELLO, bytes(64 * 1024 + 1)),
    "32 MiB": lambda channel: say(channel, HELLO, bytes(32 * 2**20)),
    "gzip bomb": lambda channel: say(channel, HELLO, bytes(32 * 2**20), compression=grpc.Compression.Gzip),
    "4 MiB of metadata": lambda channel: say(channel, HELLO, metadata=[("x", "x" * 4 * 2**20)]),
    "no protobuf": lambda channel: say(channel, HELLO, b"\xff\xff\xff\xff"),
    "hello twice": lambda channel: say(channel, HELLO, HELLO),
    "no hello": lambda channel: say(channel, answers(STALE)),
    "silence": say_nothing,
    "reads nothing": read_nothing,
    "meddles": play_and_meddle,
    "guesses": lambda channel: guess(channel, 7),
    "4 calls": lambda channel: call_again(channel, PLAY, 4),
}
CONNECTIONS = {
    "no HTTP/2": lambda address: talk_no_grpc(address, b"GET / HTTP/1.0\r\n\r\n" * 100),
    "no word at all": lambda address: talk_no_grpc(address, b""),
    "half a handshake": lambda address: talk_no_grpc(address, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "2,500 connections": lambda address: open_connections(address, 2_500),
    "200 connections": lambda address: open_connections(address, 200),
}


def main(address, attack, window_bytes=65_535, token=""):
    global TOKEN
    TOKEN = token
    if attack in CONNECTIONS:
        return CONNECTIONS[attack](address)
    # Messages of any size leave, and gRPC retries no call by itself.
    options = [
        ("grpc.max_send_message_length", -1),
        ("grpc.enable_retries", 0),
        ("grpc.enable_http_proxy", 0),
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", int(window_bytes)),
    ]
    target = address if ":" in address else f"unix:{address}"
    with grpc.insecure_channel(target, options=options) as channel:
        return ATTACKS[attack](channel)


if __name__ == "__main__":
    print(main(*sys.argv[1:]), flush=True)
