"""The epilogue's macros and arguments agree with its header."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import tilewright.kernels
from tilewright.choose.epilogue import batch_extent_pair, batch_stride_pair, epilogue_arguments, epilogue_macros
from tilewright.choose.launches import Pointer, Scalar
from tilewright.choose.multiplication import Epilogue, Multiplication, Operand, packed
from tilewright.compile.nvrtc import compile_source

HEADER = Path(tilewright.kernels.__file__).parent / "matmul" / "include" / "epilogue.cuh"
PLAIN = Multiplication(packed((3, 6, 5)), packed((3, 5, 4)), packed((3, 6, 4)), "bfloat16", "float32")
FULL = replace(PLAIN, epilogue=Epilogue(0.5, 2, bias=True, activation="gelu"), addend=Operand(6, 4, 0, 1, (3,), (4,)))


def test_macros_say_types_and_what_is_there():
    """A plain product has no addend, bias or activation; types are C's."""
    assert dict(epilogue_macros(PLAIN)) == {
        "ELEMENT": "__nv_bfloat16",
        "OUTPUT": "float",
        "HAS_ADDEND": "0",
        "HAS_BIAS": "0",
        "ACTIVATION": "0",
    }
    assert dict(epilogue_macros(FULL)) | {"HAS_ADDEND": "1", "HAS_BIAS": "1", "ACTIVATION": "2"} == dict(
        epilogue_macros(FULL)
    )


def test_arguments_are_those_of_the_header():
    """One argument for each parameter, of its type, in its order."""
    declared = re.search(r"#define EPILOGUE_PARAMETERS(.*?bias)\n", HEADER.read_text(encoding="utf-8"), re.DOTALL)
    assert declared is not None
    types = [text.replace("\\", "").split()[:-1] for text in declared[1].split(",")]

    plain, full = epilogue_arguments(PLAIN), epilogue_arguments(FULL, addend_offset=7)

    assert len(plain) == len(full) == len(types)
    for argument, type_ in zip(full, types, strict=True):
        expected = argument.ctype.split() if isinstance(argument, Scalar) else ["const", "OUTPUT"]
        assert type_ == expected
    assert full[:3] == (Scalar("float", 0.5), Scalar("float", 2), Pointer("addend", 28))
    assert [argument.value for argument in full[3:7] if isinstance(argument, Scalar)] == [0, 1, 0, 4]
    assert full[7] == Pointer("bias")
    assert plain[2] == plain[7] == Scalar("long long", 0)


def test_batches_are_pairs():
    """The outer extent comes first; one that is missing is 1, and its stride 0."""
    assert batch_extent_pair(()) == (1, 1)
    assert batch_extent_pair((5,)) == (1, 5)
    assert batch_extent_pair((2, 5)) == (2, 5)
    assert batch_stride_pair((7,)) == (0, 7)


@pytest.mark.parametrize("architecture", ["compute_75", "compute_80", "compute_90"])
def test_the_header_compiles_with_everything_in_it(architecture):
    """Both 16-bit types convert on every chip from compute capability 7.5 on."""
    use = """
        extern "C" __global__ void use(OUTPUT *C, float sum, EPILOGUE_PARAMETERS)
        {
            C[0] = finished_at(sum, alpha, beta, addend, addend_row_stride, addend_column_stride, bias, 1, 2);
        }"""
    for element in ("__half", "__nv_bfloat16"):
        macros = {"ELEMENT": element, "HAS_ADDEND": "1", "HAS_BIAS": "1", "ACTIVATION": "3"}
        ptx = compile_source(
            HEADER.read_text(encoding="utf-8") + use, "use.cu", architecture=architecture, macros=macros
        )
        assert "st.global" in str(ptx)
