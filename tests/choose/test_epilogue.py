"""The epilogue's macros and arguments agree with its header."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import tilewright.kernels
from tilewright.choose.epilogue import batch_extent_pair, batch_stride_pair, epilogue_arguments, epilogue_macros
from tilewright.choose.launches import Pointer, Scalar
from tilewright.choose.multiplication import Epilogue, Multiplication, Operand, packed

HEADER = Path(tilewright.kernels.__file__).parent / "matmul" / "include" / "epilogue.cuh"
PLAIN = Multiplication(packed((3, 6, 5)), packed((3, 5, 4)), packed((3, 6, 4)), "bfloat16", "float32")
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
    types = [text.replace("\\", "").split()[:-1] for text in declared[1].replace("*", " ").split(",")[1:]]

    full = epilogue_arguments(FULL, addend_offset=7)

    assert epilogue_arguments(PLAIN) == ()
    assert len(full) == len(types)
    for argument, type_ in zip(full, types, strict=True):
        expected = argument.ctype.split() if isinstance(argument, Scalar) else None
        assert type_ == expected or (expected is None and type_[-1].endswith("Element"))
    assert full[:3] == (Scalar("float", 0.5), Scalar("float", 2), Pointer("addend", 28))
    assert [argument.value for argument in full[3:7] if isinstance(argument, Scalar)] == [0, 1, 4, 0]
    assert full[7:] == (Pointer("bias"), Scalar("long long", 0), Scalar("long long", 1))
    assert epilogue_arguments(FULL, bias_along_rows=True)[8:] == (Scalar("long long", 1), Scalar("long long", 0))


def test_what_is_not_there_has_no_address():
    """Only a buffer that exists is named."""
    only_scaled = epilogue_arguments(replace(PLAIN, epilogue=Epilogue(alpha=2)))

    assert not [argument for argument in only_scaled if isinstance(argument, Pointer)]


def test_batches_are_pairs():
    """The inner extent comes first; one that is missing is 1, and its stride 0."""
    assert batch_extent_pair(()) == (1, 1)
    assert batch_extent_pair((5,)) == (5, 1)
    assert batch_extent_pair((2, 5)) == (5, 2)
    assert batch_stride_pair((7,)) == (7, 0)
