"""The emulator's own tensor maps: what they hold, and what is refused by the driver's rules."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tilewright.emulate.tensor_map import MAGIC, MAP_BYTES, TensorMapRefused, encode_tensor_map

FLOAT32, BFLOAT16, UINT8 = 7, 9, 0
GIVEN: dict[str, Any] = {
    "data_type": BFLOAT16,
    "address": 1 << 36,
    "sizes": (100, 60),
    "strides_bytes": (208,),
    "box": (64, 32),
    "swizzle": 3,
}
OF_SLICES = {"interleave": 2, "swizzle": 1, "sizes": (1, 2, 2), "strides_bytes": (32, 64), "box": (1, 1, 1)}


def test_layout():
    """Each argument has its place among 16 words of 64 bits."""
    encoded = encode_tensor_map(**GIVEN, element_strides=(1, 2), l2_promotion=2, fill=1)
    words = struct.unpack("<16Q", encoded)
    assert len(encoded) == MAP_BYTES
    assert words[:2] == (MAGIC, 1 << 36)
    assert words[2] == BFLOAT16 | 2 << 8 | 3 << 24 | 2 << 32 | 1 << 40 | 2 << 48
    assert words[3:8] == (100, 60, 1, 1, 1)
    assert words[8:12] == (208, 0, 0, 0)
    assert words[12] == 64 | 32 << 16 | 1 << 32 | 1 << 48
    assert words[13] == 1 | 1 << 16 | 2 << 24 | 1 << 32 | 1 << 40 | 1 << 48
    assert words[14:] == (0, 0)


def test_five_dimensions():
    """The fifth dimension's box and stride have places of their own."""
    encoded = encode_tensor_map(FLOAT32, 64, (8, 7, 6, 5, 4), (32, 256, 2048, 16384), (4, 3, 2, 1, 4), (1, 1, 1, 2, 3))
    words = struct.unpack("<16Q", encoded)
    assert words[3:12] == (8, 7, 6, 5, 4, 32, 256, 2048, 16384)
    assert words[12] == 4 | 3 << 16 | 2 << 32 | 1 << 48
    assert words[13] == 4 | 1 << 16 | 1 << 24 | 1 << 32 | 2 << 40 | 3 << 48


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"data_type": 13}, "data type is a number from 0 to 12, not 13"),
        ({"swizzle": 4}, "swizzle is a number from 0 to 3, not 4"),
        ({"sizes": (), "box": (), "strides_bytes": ()}, "1 to 5 dimensions, not 0"),
        ({"sizes": (8,) * 6}, "1 to 5 dimensions, not 6"),
        ({"interleave": 1}, "interleaved tensor has 3 to 5 dimensions, not 2"),
        ({"interleave": 2}, "goes with swizzle 1"),
        (OF_SLICES | {"address": 48}, "multiple of 32 bytes, not 0x30"),
        (OF_SLICES | {"strides_bytes": (48, 96)}, "stride of dimension 1 is a multiple of 32 bytes below 2^40, not 48"),
        (OF_SLICES | {"box": (4, 1, 1)}, "multiple of 16 bytes, not 4 elements of 2 bytes"),
        ({"strides_bytes": ()}, "has 1 strides, not 0"),
        ({"box": (64,)}, "2 sizes of its box, not 1"),
        ({"element_strides": (1, 1, 1)}, "2 element strides, not 3"),
        ({"address": (1 << 36) + 8}, "multiple of 16 bytes, not 0x1000000008"),
        ({"address": 0}, "multiple of 16 bytes, not 0x0"),
        ({"sizes": (0, 60)}, "dimension 0 of a tensor has 1 to 2^32 elements, not 0"),
        ({"sizes": (100, (1 << 32) + 1)}, "not 4294967297"),
        ({"strides_bytes": (200,)}, "stride of dimension 1 is a multiple of 16 bytes below 2^40, not 200"),
        ({"strides_bytes": (1 << 40,)}, "not 1099511627776"),
        ({"box": (64, 257)}, "dimension 1 of a box has 1 to 256 elements, not 257"),
        ({"box": (64, 0)}, "not 0"),
        ({"box": (12, 32)}, "multiple of 16 bytes, not 12 elements of 2 bytes"),
        ({"box": (72, 32)}, "a swizzle of 128 bytes has at most 128 bytes, not 144"),
        ({"element_strides": (1, 9)}, "element stride of dimension 1 is 1 to 8, not 9"),
        ({"data_type": UINT8, "fill": 1}, "only a tensor of floats is filled with NaN"),
    ],
)
def test_refused(changes, rule):
    """What the driver refuses is refused, and the message names the value."""
    with pytest.raises(TensorMapRefused) as refusal:
        encode_tensor_map(**(GIVEN | changes))
    assert rule in str(refusal.value)
