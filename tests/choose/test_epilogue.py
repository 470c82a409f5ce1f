"""The epilogue's macros and arguments agree with its header."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import tilewright.kernels
from tilewright.kernels.epilogue import batch_extent_pair, batch_stride_pair, epilogue_arguments, epilogue_macros
from tilewright.kernels.launch import Pointer, Scalar
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Epilogue, Problem

HEADER = Path(tilewright.kernels.__file__).parent / "device" / "epilogue" / "epilogue.cuh"
PLAIN = Problem(packed((3, 6, 5)), packed((3, 5, 4)), packed((3, 6, 4)), "bfloat16", "float32")
FULL = replace(PLAIN, epilogue=Epilogue(0.5, 2, bias=True, activation="gelu"), addend=Operand(6, 4, 0, 1, (3,), (4,)))


def test_macros_say_types_and_what_is_there():
    """A plain sum has no epilogue; addend and bias have C's type."""
    types = {"ELEMENT": "__nv_bfloat16", "OUTPUT": "float"}

    assert dict(epilogue_macros(PLAIN)) == types
    assert dict(epilogue_macros(replace(PLAIN, epilogue=Epilogue(alpha=2)))) == types | {"EPILOGUE": "1"}
    assert dict(epilogue_macros(FULL)) == types | {
        "EPILOGUE": "1",
        "ADDEND": "float",
        "BIAS": "float",
        "ACTIVATION": "2",
    }


def test_arguments_are_those_of_the_header():
    """One argument for each parameter, of its type, in its order; none for a plain sum."""
    declared = re.search(r"#define EPILOGUE_PARAMETERS(.+?)\n#define", HEADER.read_text(encoding="utf-8"), re.DOTALL)
    assert declared is not None
    words = [text.replace("\\", "").split() for text in declared[1].replace("*", " ").split(",")[1:]]

    full = epilogue_arguments(FULL, addend_offset=7)

    assert epilogue_arguments(PLAIN) == {}
    assert list(full) == [name for *_, name in words]
    for argument, (*type_, _) in zip(full.values(), words, strict=True):
        expected = argument.ctype.split() if isinstance(argument, Scalar) else None
        assert type_ == expected or (expected is None and type_[-1].endswith("Element"))
    assert (full["alpha"], full["beta"]) == (Scalar("float", 0.5), Scalar("float", 2))
    assert (full["addend"], full["bias"]) == (Pointer("addend", 28), Pointer("bias"))
    assert bias_strides(full) == [0, 1]
    assert bias_strides(epilogue_arguments(FULL, bias_along_rows=True)) == [1, 0]


def bias_strides(arguments):
    """From one row and from one column of the bias to the next."""
    return [arguments[f"bias_{along}_stride"].value for along in ("row", "column")]


def test_what_is_not_there_has_no_address():
    """Only a buffer that exists is named."""
    only_scaled = epilogue_arguments(replace(PLAIN, epilogue=Epilogue(alpha=2)))

    assert not [argument for argument in only_scaled.values() if isinstance(argument, Pointer)]


def test_batches_are_pairs():
    """The inner extent comes first; one that is missing is 1, and its stride 0."""
    assert batch_extent_pair(()) == (1, 1)
    assert batch_extent_pair((5,)) == (5, 1)
    assert batch_extent_pair((2, 5)) == (5, 2)
    assert batch_stride_pair((7,)) == (7, 0)
