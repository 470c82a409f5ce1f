"""The epilogue's part of a launch."""

from __future__ import annotations

from dataclasses import replace

from tilewright.kernels.epilogue import (
    NO_ADDRESS,
    epilogue_macros,
    epilogue_pointers,
    epilogue_scalars,
)
from tilewright.kernels.launch import Pointer, Scalar
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Epilogue, Problem

PLAIN = Problem(packed((3, 6, 5)), packed((3, 5, 4)), packed((3, 6, 4)), "bfloat16", "float32")
FULL = replace(
    PLAIN, epilogue=Epilogue(0.5, 2, bias=True, activation="gelu"), c_operand=Operand(6, 4, 0, 1, (3,), (4,))
)


def test_macros_say_types_and_what_is_there():
    """A plain sum has no epilogue; c_operand and bias have C's type."""
    types = {"ELEMENT": "__nv_bfloat16", "OUTPUT": "float"}

    assert dict(epilogue_macros(PLAIN)) == types
    assert dict(epilogue_macros(replace(PLAIN, epilogue=Epilogue(alpha=2)))) == types | {"EPILOGUE": "1"}
    assert dict(epilogue_macros(FULL)) == types | {
        "EPILOGUE": "1",
        "C_OPERAND": "float",
        "BIAS": "float",
        "ACTIVATION": "2",
    }


def test_arguments_are_addresses_and_scalars():
    """C operand and bias by address, all else as numbers; a bias has a stride along rows or along columns."""
    pointers, scalars = epilogue_pointers(FULL, c_operand_offset=7), epilogue_scalars(FULL)

    assert pointers == {"c_operand": Pointer("c_operand", 28), "bias": Pointer("bias")}
    assert (scalars["scalars.alpha"], scalars["scalars.beta"]) == (Scalar("float", 0.5), Scalar("float", 2))
    strides = [scalars[f"scalars.c_operand.{name}"] for name in ("row", "column", "batch_1", "batch_2")]
    assert strides == [Scalar("long long", stride) for stride in (0, 1, 4, 0)]
    assert bias_strides(scalars) == [0, 1]
    assert bias_strides(epilogue_scalars(FULL, bias_along_rows=True)) == [1, 0]


def bias_strides(arguments):
    """From one row and from one column of the bias to the next."""
    return [arguments[f"scalars.bias_{along}_stride"].value for along in ("row", "column")]


def test_what_is_not_there_has_no_address():
    """Only a buffer that exists is named."""
    assert set(epilogue_pointers(PLAIN).values()) == {NO_ADDRESS}


def test_batches_are_pairs():
    """The inner extent comes first; one that is missing is 1, and its stride 0."""
    assert packed((6, 5)).batch_steps == ((1, 0), (1, 0))
    assert packed((5, 2, 3)).batch_steps == ((5, 6), (1, 0))
    assert Operand(6, 5, 5, 1, (2, 7), (0, 60)).batch_steps == ((7, 60), (2, 0))
