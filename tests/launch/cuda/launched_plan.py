"""A plan of two launches with arguments of every kind, for a double in the place of the driver."""

from __future__ import annotations

from dataclasses import replace

from tilewright.kernels.launch import Launch, Launches, Pointer, Scalar, TensorMap


def by_order(*arguments):
    """Arguments whose names do not matter."""
    return {f"p{number}": argument for number, argument in enumerate(arguments)}


ADDRESSES = (0xA000, 0xB000, 0xC000, 0xD000, 0xE000, 0xF000)
MAP = TensorMap("A", "bfloat16", (64, 48), (128,), (64, 32), 128, offset_bytes=32)
FIRST = Launch(
    kernel="matmul/tiled",
    macros=(("ELEMENT", "float"), ("TILE", "16")),
    grid=(7, 6, 5),
    block=(16, 8, 2),
    arguments=by_order(
        Scalar("int", -3),
        Pointer("B", offset_bytes=8),
        MAP,
        Scalar("float", 0.5),
        Pointer("workspace"),
        Scalar("long long", 2**40),
        Scalar("unsigned", 2**32 - 1),
        Scalar("double", 0.1),
    ),
    cluster=(2, 1, 1),
    shared_bytes=200_000,
)
FIRST_KINDS = ["int", "pointer", "map", "float", "pointer", "long long", "unsigned", "double"]
SECOND = Launch(
    kernel="matmul/naive",
    macros=(("ELEMENT", "float"), ("TILE", "16")),
    grid=(1, 1, 1),
    block=(32, 1, 1),
    arguments=by_order(Pointer("C"), Pointer("c_operand"), Pointer("bias"), replace(MAP, buffer="B", offset_bytes=0)),
    overlaps_previous=True,
)
SECOND_KINDS = ["pointer", "pointer", "pointer", "map"]
PLAN = Launches((FIRST, SECOND), 1 << 20, ("Because.",))


def alone(*arguments, **changes):
    """A plan of one launch with these arguments."""
    return Launches((replace(FIRST, arguments=by_order(*arguments), **changes),), 0, ())
