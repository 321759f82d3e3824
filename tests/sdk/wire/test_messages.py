"""The messages of bots without the protobuf library: byte for byte those of the library."""

import struct
from contextlib import suppress

import pytest
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given, settings
from hypothesis import strategies as some
from stichkampf.wire.messages import Message, WireError, decode, encode
from stichkampf.wire.v1 import bot_pb2, events_pb2
from stichkampf.wire.v1.bot_fields import FIELDS
from support import examples

LIBRARY = {name: getattr(bot_pb2, name, None) or getattr(events_pb2, name) for name in FIELDS}
VALUES = {
    FieldDescriptor.TYPE_STRING: some.text(max_size=200),
    FieldDescriptor.TYPE_BYTES: some.binary(max_size=200),
    FieldDescriptor.TYPE_DOUBLE: some.floats(allow_nan=False),
    FieldDescriptor.TYPE_BOOL: some.booleans(),
    FieldDescriptor.TYPE_UINT32: some.integers(0, 2**32 - 1),
    FieldDescriptor.TYPE_SINT32: some.integers(-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_ENUM: some.integers(0, 3),
}


@some.composite
def messages(draw, name):
    """Draw a message of the library, and the same as one of ours."""
    theirs, fields = LIBRARY[name](), {}
    chosen = {one: draw(some.sampled_from([None, *one.fields])) for one in theirs.DESCRIPTOR.oneofs}
    for field in theirs.DESCRIPTOR.fields:
        if field.containing_oneof and chosen[field.containing_oneof] is not field:
            continue
        if not field.containing_oneof and not draw(some.booleans()):
            continue
        count = draw(some.integers(0, 3)) if field.is_repeated else 1
        ours = []
        for _ in range(count):
            if field.message_type is not None:
                their, our = draw(messages(field.message_type.name))
                place = getattr(theirs, field.name)
                (place.add() if field.is_repeated else place).CopyFrom(their)
                if not field.is_repeated:
                    place.SetInParent()
            else:
                our = draw(VALUES[field.type])
                if field.is_repeated:
                    getattr(theirs, field.name).append(our)
                else:
                    setattr(theirs, field.name, our)
            ours.append(our)
        fields[field.name] = ours if field.is_repeated else ours[0]
    return theirs, Message(name, **fields)


def same(theirs, ours):
    for field in theirs.DESCRIPTOR.fields:
        their, our = getattr(theirs, field.name), getattr(ours, field.name)
        if field.message_type is None:
            assert (list(their), list(our)) == (list(our), list(their)) if field.is_repeated else their == our
        elif field.is_repeated:
            assert len(their) == len(our)
            for one, other in zip(their, our, strict=True):
                same(one, other)
        else:
            assert theirs.HasField(field.name) == ours.HasField(field.name)
            same(their, our)


@pytest.mark.parametrize("name", ["ToBot", "FromBot"])
@given(some.data())
@settings(max_examples=examples(60))
def test_messages_are_written_and_read_as_the_library_does(name, data):
    theirs, ours = data.draw(messages(name))
    assert encode(ours) == theirs.SerializeToString(deterministic=True)
    same(theirs, decode(name, theirs.SerializeToString()))


def test_fields_of_a_later_version_are_passed_over():
    later = b"\x98\x06\x05" + b"\x9d\x06" + bytes(4) + b"\x99\x06" + bytes(8) + b"\x9a\x06\x02hi"
    assert (
        decode("FromBot", later + encode(Message("FromBot", pong=Message("Pong", number=3)))).pong.number == 3
    )


def test_numbers_in_a_list_may_stand_one_by_one():
    one_by_one = b"\x28\x02\x28\x03"
    assert decode("Event", one_by_one).numbers == list(events_pb2.Event.FromString(one_by_one).numbers)


def test_minus_zero_is_kept():
    weight = Message("Weight", weight=-0.0)
    assert encode(weight) == bot_pb2.Weight(weight=-0.0).SerializeToString()
    assert struct.pack("<d", decode("Weight", encode(weight)).weight) == struct.pack("<d", -0.0)


@given(some.binary(max_size=60))
@settings(max_examples=examples(200))
def test_other_bytes_are_no_message_or_one(content):
    with suppress(WireError):
        assert decode("ToBot", content)._kind == "ToBot"


@pytest.mark.parametrize("cut", [b"\x12", b"\x12\x05", b"\x12\x05abc", b"\x0f", b"\xff" * 12])
def test_a_message_that_ends_too_early_is_refused(cut):
    with pytest.raises(WireError):
        decode("ToBot", cut)
