"""Tensor maps of the emulator: 128 bytes that describe a tensor and the box that a copy moves.

A GPU's map is opaque and made by its driver. This one is the emulator's own, made from the same arguments by the same
rules (CUDA driver API, cuTensorMapEncodeTiled), so that a map which a driver refuses is refused here, too.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

MAP_BYTES = 128
MAGIC = int.from_bytes(b"TWtensor", "little")
"""The first word of every map."""

(MAP_MAGIC, MAP_ADDRESS, MAP_KIND, MAP_SIZES) = range(4)
MAP_STRIDES, MAP_BOX, MAP_STEPS = 8, 12, 13
"""Words of 64 bits. MAP_KIND: a byte each for data type, rank, interleave, swizzle, L2 promotion, fill outside, bytes
of an element. MAP_SIZES: 5 words of elements. MAP_STRIDES: 4 words of bytes, of the dimensions after the first.
MAP_BOX: 16 bits for each of 4 dimensions. MAP_STEPS: 16 bits for the fifth, then a byte of element strides for each."""

AT_TYPE, AT_RANK, AT_INTERLEAVE, AT_SWIZZLE, AT_PROMOTION, AT_FILL, AT_ELEMENT_BYTES = range(16, 23)
AT_BOX, AT_STEPS = 8 * MAP_BOX, 8 * MAP_STEPS + 2
"""Bytes at which these begin."""

MOST_DIMENSIONS = 5
DATA_TYPE_BYTES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)
"""By the number of CUtensorMapDataType."""
FIRST_FLOAT_TYPE = 6
TFLOAT32, TFLOAT32_FTZ = 11, 12
"""Types of float32 in memory that a load rounds to tf32; the emulator keeps subnormal numbers of both."""
NO_INTERLEAVE, INTERLEAVE_32 = 0, 2
SWIZZLE_BYTES = (0, 32, 64, 128)
"""By the number of CUtensorMapSwizzle."""
SLICE_BYTES = 16
"""Of an interleaved tensor, times the number of CUtensorMapInterleave: 16 or 32."""
SLICES_FROM_LAST = 2
"""Which dimension of an interleaved tensor, from the last one on, counts its slices of channels."""
FILLS_NAN = 1
"""CUtensorMapFloatOOBfill."""


class TensorMapRefused(ValueError):
    """A tensor map that no driver encodes, with the rule that it breaks."""


def encode_tensor_map(
    data_type: int,
    address: int,
    sizes: Sequence[int],
    strides_bytes: Sequence[int],
    box: Sequence[int],
    element_strides: Sequence[int] | None = None,
    *,
    interleave: int = NO_INTERLEAVE,
    swizzle: int = 0,
    l2_promotion: int = 0,
    fill: int = 0,
) -> bytes:
    """Return the 128 bytes of a tensor map.

    data_type, interleave, swizzle, l2_promotion, fill: numbers of cuda.h's enumerations. address: of the tensor.
    sizes, box: elements of each dimension, the fastest first; strides_bytes: of the dimensions after the first.
    element_strides: the box's steps, 1 where none are given. Of an interleaved tensor (NC/8HWC8) the first dimension
    counts slices of 16 or 32 bytes, one behind the other, so that the tensor is (slices of W, H, C/8, N); a box has
    one slice of C/8, and the driver takes its first size for elements.
    Raises TensorMapRefused where the driver would refuse.
    """
    rank = len(sizes)
    steps = [1] * rank if element_strides is None else list(element_strides)
    _refuse_unknown(data_type, interleave, swizzle, l2_promotion, fill)
    _refuse_shape(rank, strides_bytes, box, steps, interleave)
    element_bytes = DATA_TYPE_BYTES[data_type]
    _refuse_places(address, sizes, strides_bytes, 32 if interleave == INTERLEAVE_32 else 16)
    _refuse_box(box, steps, element_bytes, interleave, swizzle)
    kind = (data_type, rank, interleave, swizzle, l2_promotion, fill, element_bytes, 0)
    boxes = _filled(box, 1)
    return struct.pack(
        "<QQ8B5Q4Q4H8s16x",
        *(MAGIC, address, *kind, *_filled(sizes, 1), *_filled(strides_bytes, 0)[:4], *boxes[:4]),
        struct.pack("<H5Bx", boxes[4], *_filled(steps, 1)),
    )


def _filled(values: Sequence[int], value: int) -> list[int]:
    return [*values, *[value] * (MOST_DIMENSIONS - len(values))]


def _refuse(is_wrong: bool, rule: str) -> None:
    if is_wrong:
        raise TensorMapRefused(rule)


def _refuse_unknown(data_type: int, interleave: int, swizzle: int, l2_promotion: int, fill: int) -> None:
    """Refuse numbers that the enumerations of Hopper lack."""
    numbers = (
        ("data type", data_type, len(DATA_TYPE_BYTES)),
        ("interleave", interleave, 3),
        ("swizzle", swizzle, len(SWIZZLE_BYTES)),
        ("L2 promotion", l2_promotion, 4),
        ("fill outside", fill, 2),
    )
    for name, number, count in numbers:
        _refuse(not 0 <= number < count, f"a tensor map's {name} is a number from 0 to {count - 1}, not {number}")
    _refuse(
        fill == FILLS_NAN and data_type < FIRST_FLOAT_TYPE,
        f"only a tensor of floats is filled with NaN outside, and data type {data_type} is one of integers",
    )
    _refuse(
        interleave == INTERLEAVE_32 and swizzle != 1,
        f"an interleave of 32 bytes goes with swizzle 1 (of 32 bytes), not {swizzle}",
    )


def _refuse_shape(
    rank: int, strides_bytes: Sequence[int], box: Sequence[int], steps: Sequence[int], interleave: int
) -> None:
    """Refuse numbers of dimensions that do not belong together."""
    least = 1 if interleave == NO_INTERLEAVE else 3
    which = "a tensor" if interleave == NO_INTERLEAVE else "an interleaved tensor"
    _refuse(not least <= rank <= MOST_DIMENSIONS, f"{which} has {least} to {MOST_DIMENSIONS} dimensions, not {rank}")
    _refuse(
        not rank - 1 <= len(strides_bytes) <= max(rank - 1, 1),
        f"a tensor of {rank} dimensions has {rank - 1} strides, not {len(strides_bytes)}",
    )
    for name, values in (("sizes of its box", box), ("element strides", steps)):
        _refuse(len(values) != rank, f"a tensor of {rank} dimensions has {rank} {name}, not {len(values)}")


def _refuse_places(address: int, sizes: Sequence[int], strides_bytes: Sequence[int], alignment: int) -> None:
    """Refuse addresses, sizes and strides that the copy engine cannot take."""
    _refuse(
        address % alignment != 0 or not 0 < address < 1 << 64,
        f"a tensor's address is a multiple of {alignment} bytes, not {address:#x}",
    )
    for dimension, size in enumerate(sizes):
        _refuse(not 1 <= size <= 1 << 32, f"dimension {dimension} of a tensor has 1 to 2^32 elements, not {size}")
    for dimension, stride in enumerate(strides_bytes[: len(sizes) - 1], 1):
        _refuse(
            stride % alignment != 0 or not 0 <= stride < 1 << 40,
            f"the stride of dimension {dimension} is a multiple of {alignment} bytes below 2^40, not {stride}",
        )


def _refuse_box(box: Sequence[int], steps: Sequence[int], element_bytes: int, interleave: int, swizzle: int) -> None:
    """Refuse boxes that shared memory or the swizzle cannot take."""
    for dimension, (extent, step) in enumerate(zip(box, steps, strict=True)):
        _refuse(not 1 <= extent <= 256, f"dimension {dimension} of a box has 1 to 256 elements, not {extent}")
        _refuse(not 1 <= step <= 8, f"the element stride of dimension {dimension} is 1 to 8, not {step}")
    row_bytes, span = box[0] * element_bytes, SWIZZLE_BYTES[swizzle]
    _refuse(
        row_bytes % 16 != 0,
        f"a row of a box is a multiple of 16 bytes, not {box[0]} elements of {element_bytes} bytes",
    )
    _refuse(
        span > 0 and row_bytes > span and interleave == NO_INTERLEAVE,
        f"a row of a box with a swizzle of {span} bytes has at most {span} bytes, not {row_bytes}",
    )
