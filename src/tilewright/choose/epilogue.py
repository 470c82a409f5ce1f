"""The epilogue's part of a launch: macros and last arguments, as kernels/matmul/include/epilogue.cuh takes them."""

from __future__ import annotations

from tilewright.choose.launches import Argument, Pointer, Scalar
from tilewright.choose.multiplication import ACTIVATIONS, Multiplication

C_TYPES = {"float16": "__half", "bfloat16": "__nv_bfloat16", "float32": "float"}
NO_ADDRESS = Scalar("long long", 0)


def epilogue_macros(multiplication: Multiplication) -> tuple[tuple[str, str], ...]:
    """Return the macros ELEMENT, OUTPUT, HAS_ADDEND, HAS_BIAS and ACTIVATION."""
    epilogue = multiplication.epilogue
    activation = 0 if epilogue.activation is None else 1 + ACTIVATIONS.index(epilogue.activation)
    return (
        ("ELEMENT", C_TYPES[multiplication.dtype]),
        ("OUTPUT", C_TYPES[multiplication.out_dtype]),
        ("HAS_ADDEND", str(int(multiplication.addend is not None))),
        ("HAS_BIAS", str(int(epilogue.bias))),
        ("ACTIVATION", str(activation)),
    )


def epilogue_arguments(multiplication: Multiplication, addend_offset: int = 0) -> tuple[Argument, ...]:
    """Return EPILOGUE_PARAMETERS of a multiplication with at most two batch extents, the outer one's stride first.

    ``addend_offset`` is where the addend begins in its buffer, in elements.
    """
    epilogue, addend = multiplication.epilogue, multiplication.addend
    strides = [0, 0, 0, 0]
    if addend is not None:
        strides = [addend.row_stride, addend.column_stride, *batch_stride_pair(addend.batch_strides)]
    return (
        Scalar("float", epilogue.alpha),
        Scalar("float", epilogue.beta),
        NO_ADDRESS if addend is None else Pointer("addend", addend_offset * multiplication.out_bytes),
        *(Scalar("long long", stride) for stride in strides),
        Pointer("bias") if epilogue.bias else NO_ADDRESS,
    )


def batch_stride_pair(strides: tuple[int, ...]) -> tuple[int, int]:
    """Return the strides of the outer and of the inner batch extent, 0 for one that is not there."""
    padded = (0, 0, *strides)
    return padded[-2], padded[-1]


def batch_extent_pair(extents: tuple[int, ...]) -> tuple[int, int]:
    """Return the outer and the inner batch extent, 1 for one that is not there."""
    padded = (1, 1, *extents)
    return padded[-2], padded[-1]
