"""The epilogue's macros and arguments of a launch, for kernels/device/epilogue/epilogue.cuh."""

from __future__ import annotations

from tilewright.kernels.launch import Arguments, Pointer, Scalar
from tilewright.kernels.operand import C_TYPES, Operand
from tilewright.kernels.problem import ACTIVATIONS, Problem

NO_ADDRESS = Scalar("long long", 0)

Macros = tuple[tuple[str, str], ...]


def epilogue_macros(problem: Problem) -> Macros:
    """Return the macros ELEMENT and OUTPUT and, if present, EPILOGUE, C_OPERAND, BIAS and ACTIVATION."""
    epilogue, output = problem.epilogue, C_TYPES[problem.out_dtype]
    macros = [("ELEMENT", C_TYPES[problem.dtype]), ("OUTPUT", output)]
    if epilogue.is_plain:
        return tuple(macros)
    macros.append(("EPILOGUE", "1"))
    if problem.c_operand is not None:
        macros.append(("C_OPERAND", output))
    if epilogue.bias:
        macros.append(("BIAS", output))
    if epilogue.activation is not None:
        macros.append(("ACTIVATION", str(1 + ACTIVATIONS.index(epilogue.activation))))
    return tuple(macros)


def bias_macros(problem: Problem, *, along_rows: bool) -> Macros:
    """Return the macro BIAS_ALONG_ROWS, for kernels that hold the bias in registers; none without a bias."""
    return (("BIAS_ALONG_ROWS", str(int(along_rows))),) if problem.epilogue.bias else ()


def epilogue_pointers(problem: Problem, c_operand_offset: int = 0) -> Arguments:
    """Return the parameters c_operand and bias, with null pointers for those not present.

    ``c_operand_offset`` is the C operand's offset in its buffer, in elements.
    """
    c_operand = Pointer("c_operand", c_operand_offset * problem.out_bytes)
    return {
        "c_operand": NO_ADDRESS if problem.c_operand is None else c_operand,
        "bias": Pointer("bias") if problem.epilogue.bias else NO_ADDRESS,
    }


def epilogue_scalars(problem: Problem, *, bias_along_rows: bool = False, ctype: str = "float") -> Arguments:
    """Return EpilogueScalars of a problem with at most two batch extents.

    ``bias_along_rows``: the kernel computes the transposed problem, whose rows are the columns of the caller's C.
    ``ctype`` is the type in which sums are kept.
    """
    return {
        "scalars.alpha": Scalar(ctype, problem.epilogue.alpha),
        "scalars.beta": Scalar(ctype, problem.epilogue.beta),
        **stride_arguments("scalars.c_operand", problem.c_operand),
        "scalars.bias_row_stride": Scalar("long long", int(bias_along_rows)),
        "scalars.bias_column_stride": Scalar("long long", int(not bias_along_rows)),
    }


def stride_arguments(name: str, operand: Operand | None) -> Arguments:
    """Return the four strides of an operand as a struct Strides; zeros for None."""
    strides = (0, 0, 0, 0)
    if operand is not None:
        (_, batch_1), (_, batch_2) = operand.batch_steps
        strides = (operand.row_stride, operand.column_stride, batch_1, batch_2)
    names = ("row", "column", "batch_1", "batch_2")
    return {f"{name}.{each}": Scalar("long long", stride) for each, stride in zip(names, strides, strict=True)}


def int_arguments(struct: str = "", /, **values: int) -> Arguments:
    """Return parameters of type int, or members of a struct."""
    return {f"{struct}.{name}" if struct else name: Scalar("int", value) for name, value in values.items()}
