"""Messages between processes: what is read is data, whatever was written."""

import io
import json
import random

import numpy
import pytest

from tilewright.lab.limited.messages import MessageError, pack, read


def test_messages_follow_one_another():
    """Arrays keep their types and shapes, and may be written to."""
    stream = io.BytesIO(pack("first") + pack([2], {"x": numpy.array([[1, 2]], "<i2")}))
    assert read(stream) == ("first", {})
    second = read(stream)

    assert second is not None
    assert second.value == [2]
    assert second.arrays["x"].dtype == "<i2"
    assert second.arrays["x"].shape == (1, 2)
    second.arrays["x"][0, 0] = 5
    assert read(stream) is None


@pytest.mark.parametrize(
    "described",
    [
        [["x", "<f4", [-1]]],
        [["x", "<f4", [1 << 62, 4]]],
        [["x", "|O", [1]]],
        [["x", "<M8[s]", [1]]],
        [["x", "|V4", [1]]],
        [["x", "no type", [1]]],
        [["x", "<f4", [1] * 65]],
        [["x", "<f4", "1"]],
        [["x", "<f4"]],
        {"x": 1},
        5,
    ],
)
def test_what_is_no_array_is_refused(described):
    """Before anything is made of it."""
    text, body = json.dumps([1, described]).encode(), bytes(4)
    message = len(text).to_bytes(8, "big") + len(body).to_bytes(8, "big") + text + body

    with pytest.raises(MessageError):
        read(io.BytesIO(message))


def test_bytes_changed_at_random_are_read_or_refused():
    """Two thousand messages, each with a few bytes changed or cut off."""
    generator = random.Random(3)
    message = pack({"a": [1, 2.5, None, "text"]}, {"x": numpy.arange(6.0).reshape(2, 3)})
    refused = 0
    for _ in range(2000):
        changed = bytearray(message)
        for _ in range(generator.randrange(1, 4)):
            changed[generator.randrange(len(changed))] = generator.randrange(256)
        del changed[generator.choice([len(changed), generator.randrange(1, len(changed))]) :]
        try:
            read(io.BytesIO(bytes(changed)))
        except MessageError:
            refused += 1
    assert 500 < refused < 2000
