"""The epilogue's part of a launch: macros and last arguments, as kernels/matmul/include/epilogue.cuh takes them."""

from __future__ import annotations

from tilewright.choose.launches import Argument, Pointer, Scalar
from tilewright.choose.multiplication import ACTIVATIONS, Multiplication

C_TYPES = {"float16": "__half", "bfloat16": "__nv_bfloat16", "float32": "float"}
NO_ADDRESS = Scalar("long long", 0)

Macros = tuple[tuple[str, str], ...]


def epilogue_macros(multiplication: Multiplication) -> Macros:
    """Return the macros ELEMENT and OUTPUT, and what there is of EPILOGUE, ADDEND, BIAS and ACTIVATION."""
    epilogue, output = multiplication.epilogue, C_TYPES[multiplication.out_dtype]
    macros = [("ELEMENT", C_TYPES[multiplication.dtype]), ("OUTPUT", output)]
    if epilogue.is_plain:
        return tuple(macros)
    macros.append(("EPILOGUE", "1"))
    if multiplication.addend is not None:
        macros.append(("ADDEND", output))
    if epilogue.bias:
        macros.append(("BIAS", output))
    if epilogue.activation is not None:
        macros.append(("ACTIVATION", str(1 + ACTIVATIONS.index(epilogue.activation))))
    return tuple(macros)


def bias_macros(multiplication: Multiplication, *, along_rows: bool) -> Macros:
    """Return the macro BIAS_ALONG_ROWS of kernels that hold the bias in registers, where there is one."""
    return (("BIAS_ALONG_ROWS", str(int(along_rows))),) if multiplication.epilogue.bias else ()


def epilogue_arguments(
    multiplication: Multiplication, addend_offset: int = 0, *, bias_along_rows: bool = False
) -> tuple[Argument, ...]:
    """Return EPILOGUE_PARAMETERS of a multiplication with at most two batch extents; none for a plain sum.

    ``addend_offset`` is where the addend begins in its buffer, in elements. ``bias_along_rows``: the kernel computes
    the transposed product, whose rows are the columns of the caller's C.
    """
    epilogue, addend = multiplication.epilogue, multiplication.addend
    if epilogue.is_plain:
        return ()
    strides = [0, 0, 0, 0]
    if addend is not None:
        strides = [addend.row_stride, addend.column_stride, *batch_stride_pair(addend.batch_strides)]
    return (
        Scalar("float", epilogue.alpha),
        Scalar("float", epilogue.beta),
        NO_ADDRESS if addend is None else Pointer("addend", addend_offset * multiplication.out_bytes),
        *(Scalar("long long", stride) for stride in strides),
        Pointer("bias") if epilogue.bias else NO_ADDRESS,
        Scalar("long long", int(bias_along_rows)),
        Scalar("long long", int(not bias_along_rows)),
    )


def batch_stride_pair(strides: tuple[int, ...]) -> tuple[int, int]:
    """Return the strides of batch dimension 1, which is the inner one, and of dimension 2; 0 for one that is not."""
    padded = (0, 0, *strides)
    return padded[-1], padded[-2]


def batch_extent_pair(extents: tuple[int, ...]) -> tuple[int, int]:
    """Return the extents of batch dimension 1, which is the inner one, and of dimension 2; 1 for one that is not."""
    padded = (1, 1, *extents)
    return padded[-1], padded[-2]
