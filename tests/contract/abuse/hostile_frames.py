"""Hostile bots on a socket with frames. A test runs one as a process: `hostile_frames.py SOCKET ATTACK`.

It prints "at it" once its attack has begun, and at the end the status with which it was refused, "closed"
where the connection just ended, or "OK" after the last of what it has to say. Every attack is bounded.
"""

import random
import socket
import sys
import time
from contextlib import suppress

from stichkampf.wire.messages import Message, decode, encode

HELLO = encode(Message("FromBot", hello=Message("Hello", wire_version_min=1, wire_version_max=1)))
PONG = encode(Message("FromBot", pong=Message("Pong", number=1)))
STALE = Message("Answer", table=999, decision=999, action="play R1")
TIMES = 5_000
PATIENCE_SECONDS = 20.0


def at_it():
    print("at it", flush=True)


def framed(content):
    return len(content).to_bytes(4, "big") + content


def answers(*batch):
    return encode(Message("FromBot", answers=Message("Answers", answers=list(batch))))


def connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE_SECONDS)
    connection.connect(path)
    return connection


def read(connection):
    """Return the next frame; None at the end of the connection."""
    found = b""
    while len(found) < 4 or len(found) < 4 + int.from_bytes(found[:4], "big"):
        wanted = 4 - len(found) if len(found) < 4 else 4 + int.from_bytes(found[:4], "big") - len(found)
        part = connection.recv(wanted)
        if not part:
            return None
        found += part
    return decode("ToBot", found[4:])


def end(connection):
    with suppress(ConnectionError):
        while (frame := read(connection)) is not None:
            if frame.HasField("refusal"):
                return frame.refusal.status
    return "closed"


def say(path, *chunks, pause_seconds=0.0):
    """Send chunks of bytes, and wait for the end."""
    with connect(path) as connection:
        at_it()
        with suppress(ConnectionError):
            for chunk in chunks:
                connection.sendall(chunk)
                time.sleep(pause_seconds)
        return end(connection)


def flood(path, message):
    with connect(path) as connection:
        connection.sendall(framed(HELLO))
        read(connection)
        at_it()
        with suppress(ConnectionError):
            for _ in range(TIMES):
                connection.sendall(framed(message))
            connection.shutdown(socket.SHUT_WR)
        return end(connection)


def connect_again(path, times):
    """Open further streams beside the first."""
    with connect(path) as first:
        first.sendall(framed(HELLO))
        read(first)
        at_it()
        for _ in range(times):
            try:
                with connect(path) as other:
                    other.sendall(framed(HELLO))
                    end(other)
            except OSError:
                break
        else:
            return "OK"
        return end(first)


def read_nothing(path):
    with connect(path) as connection:
        connection.sendall(framed(HELLO))
        at_it()
        sys.stdin.readline()
        return end(connection)


def babble(path):
    """Send whatever: chance, and true messages with wrong bytes, lengths and order."""
    chance = random.Random(1)
    true = [HELLO, PONG, answers(STALE), answers(*[STALE] * 3)]
    at_it()
    for _ in range(12):
        with suppress(OSError), connect(path) as connection:
            for _ in range(chance.randrange(1, 6)):
                content = bytearray(chance.choice(true))
                for _ in range(chance.randrange(3)):
                    content[chance.randrange(len(content))] = chance.randrange(256)
                length = len(content) + chance.choice((0, 0, 0, 1, -1, 1 << 16, 1 << 31))
                connection.sendall(length.to_bytes(4, "big") + content)
                connection.sendall(chance.randbytes(chance.choice((0, 0, 9))))
    return "OK"


def play_byte_by_byte(path):
    """Play correctly, one byte at a time."""
    with connect(path) as connection:

        def send(content):
            for byte in framed(content):
                connection.sendall(bytes([byte]))

        send(HELLO)
        at_it()
        while (frame := read(connection)) is not None:
            for update in frame.updates.tables:
                if update.HasField("question"):
                    asked, legal = update.question.decision, update.question.legal
                    send(answers(Message("Answer", table=update.table, decision=asked, action=legal[0])))
    return "OK"


ATTACKS = {
    "answers": lambda path: flood(path, answers(STALE)),
    "stuffed answers": lambda path: flood(path, answers(*[STALE] * 3_000)),
    "pongs": lambda path: flood(path, PONG),
    "empty frames": lambda path: flood(path, b""),
    "connections": lambda path: connect_again(path, 300),
    "64 kB and one": lambda path: say(path, framed(HELLO), framed(bytes(64 * 1024 + 1))),
    "four gigabytes announced": lambda path: say(path, framed(HELLO), b"\x7f\xff\xff\xff"),
    "32 MiB": lambda path: say(path, framed(HELLO), framed(bytes(32 * 2**20))),
    "no protobuf": lambda path: say(path, framed(HELLO), framed(b"\xff\xff\xff\xff")),
    "hello twice": lambda path: say(path, framed(HELLO), framed(HELLO)),
    "no hello": lambda path: say(path, framed(answers(STALE))),
    "no frames": lambda path: say(path, b"GET / HTTP/1.0\r\n\r\n" * 100),
    "half a hello": lambda path: say(path, framed(HELLO)[:-1]),
    "another version": lambda path: say(path, framed(HELLO.replace(b"\x01", b"\x07"))),
    "reads nothing": read_nothing,
    "babbles": babble,
    "byte by byte": play_byte_by_byte,
}


if __name__ == "__main__":
    _, socket_path, chosen = sys.argv
    print(ATTACKS[chosen](socket_path), flush=True)
