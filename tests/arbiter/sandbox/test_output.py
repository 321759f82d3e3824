"""Output of bots, as the arbiter keeps it."""

import os

import pytest
from stichkampf_arbiter.sandbox.limits import FLOOD_FACTOR, Limits
from stichkampf_arbiter.sandbox.output import LAST_BYTES, READ_BYTES, PrintedOutput

LIMITS = Limits()


@pytest.fixture
def pipe():
    read, write = os.pipe()
    os.set_blocking(read, False)
    return PrintedOutput(read, LIMITS), write


def test_what_was_printed_until_now_is_there_and_nothing_is_waited_for(pipe):
    output, write = pipe
    assert output.read()
    os.write(write, b"hello\n")
    assert output.read()
    assert bytes(output.kept) == b"hello\n"
    os.write(write, b"bye\n")
    os.close(write)
    output.close()
    assert bytes(output.kept) == b"hello\nbye\n"


def test_the_end_of_the_output_is_told(pipe):
    output, write = pipe
    os.close(write)
    assert not output.read()
    output.close()


def test_of_a_long_output_beginning_and_end_are_kept_and_a_flood_is_told(pipe):
    output, write = pipe
    part = bytes(range(256)) * (READ_BYTES // 256)
    for number in range(FLOOD_FACTOR * LIMITS.output_bytes // len(part) + 1):
        assert not output.is_flood, number
        os.write(write, part)
        output.read()
    assert output.is_flood
    os.write(write, b"z" * READ_BYTES)
    os.close(write)
    output.close()
    beginning = part * (LIMITS.output_bytes // len(part))
    assert bytes(output.kept) == beginning + b"\n[...]\n" + b"z" * LAST_BYTES
