"""The bot's end of a socket with frames: a message after its length in four bytes, the highest first.

It waits on the socket, without an event loop: a hosted bot has nothing else to do, and runs only when asked.
"""

from __future__ import annotations

# not `socket`, which takes three milliseconds to import and adds nothing that is used here
import _socket
from typing import Final

from stichkampf.wire.messages import Message, decode, encode

READ_BYTES: Final = 64 * 1024
LENGTH_BYTES: Final = 4


class Frames:
    """A connection to the arbiter.

    :param path: of its socket.
    :raises OSError: it cannot be connected to.
    """

    def __init__(self, path: str) -> None:
        self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        self._socket.connect(path)
        self._unread = b""

    def send(self, message: Message) -> None:
        """Send a `FromBot`.

        :raises OSError: the connection is lost.
        """
        content = encode(message)
        self._socket.sendall(len(content).to_bytes(LENGTH_BYTES, "big") + content)

    def receive(self) -> Message | None:
        """Wait for the next `ToBot`; None once the arbiter has ended the stream.

        :raises WireError: it is no message.
        """
        head = self._read(LENGTH_BYTES)
        content = head and self._read(int.from_bytes(head, "big"))
        return None if content is None else decode("ToBot", content)

    def _read(self, size: int) -> bytes | None:
        """Read this number of bytes; None where the connection ends before."""
        parts, have = [self._unread], len(self._unread)
        while have < size:
            try:
                part = self._socket.recv(READ_BYTES)
            except ConnectionResetError:
                part = b""
            if not part:
                return None
            parts.append(part)
            have += len(part)
        read = b"".join(parts)
        self._unread = read[size:]
        return read[:size]
