"""What a kernel that was checked is for a GPU: its code for each choice of constants, and its launch's numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tilewright.lab.check.find.kernel_file import KernelFile, choose_kernels, open_file
from tilewright.lab.check.gpu import preparing
from tilewright.lab.check.gpu.preparing import CodeFor, gpu_problem
from tilewright.lab.check.judge.other_kinds import choose_named
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.run.execution import Geometry, Pointer

TEXT = """
#define TILE 16
const int N = 64;
__global__ void first(const float* a, float* c, int n, double by) { c[0] = a[n % TILE] * by + N + EXTRA; }
__global__ void second(float* x, unsigned short most) { grid_group g = this_grid(); g.sync(); x[0] = most; }
"""


@pytest.fixture
def kernels(tmp_path):
    """The two kernels of a file, as they are opened."""
    path = tmp_path / "two.cu"
    path.write_text(TEXT)
    opened = open_file(path)
    options = Options(defines={"EXTRA": "7", "WIDE": "rows"})
    return opened, [KernelFile(opened, signature, options) for signature in opened.kernels]


def test_code_is_compiled_once_for_each_choice(monkeypatch, kernels):
    """Constants of the file are written into its text, sizes of -D are defined; others change nothing."""
    _, (first, _) = kernels
    asked: list[dict[str, Any]] = []

    def compiled(file, **given):
        asked.append({"text": file.text, **given})
        return b"cubin" if len(asked) == 1 else "ptx"

    monkeypatch.setattr(preparing, "compile_user_code", compiled)
    code = CodeFor(first, "sm_90")
    assert [code.at({"N": 32, "WIDE": 8}), code.at({"WIDE": 8, "N": 32, "other": 1}), code.at({})] == [
        b"cubin",
        b"cubin",
        b"ptx",
    ]
    assert ["const int N = 32;" in each["text"] for each in asked] == [True, False]
    assert [each["defines"] for each in asked] == [{"EXTRA": "7", "WIDE": "8"}, {"EXTRA": "7"}]
    assert {(each["symbol"], each["architecture"], each["template_arguments"]) for each in asked} == {
        ("first", "sm_90", ())
    }


def test_the_launch(kernels):
    """Numbers have the types of the parameters; a pointer that is none is an address."""
    _, (first, second) = kernels
    stand: Any = SimpleNamespace(entry="first", module=SimpleNamespace(variables={}))
    a, c = Pointer("A", np.ones(3, np.float32)), Pointer("C", np.zeros(2, np.float32))
    more: dict[str, Any] = {"sizes": {"rows": 3}, "operation": "matmul"}
    geometry = Geometry((2, 1, 1), (8, 1, 1), 64)
    problem = gpu_problem(first, stand, b"code", arguments=[a, c, 5, 2], geometry=geometry, **more)
    assert problem.arguments[:2] == ("A", "C")
    numbers: list[Any] = list(problem.arguments[2:])
    assert [(each.dtype, each) for each in numbers] == [("int32", 5), ("float64", 2.0)]
    assert list(problem.arrays) == ["A", "C"]
    assert (problem.grid, problem.block, problem.shared_bytes) == ((2, 1, 1), (8, 1, 1), 64)
    assert (problem.code, problem.entry, problem.operation, problem.sizes) == (b"code", "first", "matmul", {"rows": 3})
    assert not problem.has_variables
    assert not problem.is_cooperative
    stand.module.variables["x"] = None
    problem = gpu_problem(second, stand, b"", arguments=[0, 65535], geometry=geometry, **more)
    numbers = list(problem.arguments)
    assert [(each.dtype, each) for each in numbers] == [("uint64", 0), ("uint16", 65535)]
    assert problem.has_variables
    assert problem.is_cooperative
    with pytest.raises(CheckError, match="most of second is no number"):
        gpu_problem(second, stand, b"", arguments=[0, b"1"], geometry=geometry, **more)


def test_which_kernel_is_meant(kernels):
    """By its name, or by what is given; else it is asked for."""
    opened, _ = kernels
    assert [each.name for each in choose_kernels(opened, "")] == ["first", "second"]
    assert [each.name for each in choose_kernels(opened, "second")] == ["second"]
    with pytest.raises(CheckError, match="has no kernel third; it has first, second"):
        choose_kernels(opened, "third")
    assert choose_named(opened, "", ["x"]).name == "second"
    assert choose_named(opened, "first", ["x"]).name == "first"
    for given in ([], ["z"]):
        with pytest.raises(CheckError, match="has the kernels first, second; --symbol says which one"):
            choose_named(opened, "", given)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int x;", "holds no __global__ function."),
        ("\n__global__ void f();", "holds no __global__ function that can be checked: line 2 only declares one"),
        ("// x\n\n// __global__ void f() {}", "function that can be checked: line 3 has one only in a comment"),
    ],
)
def test_why_a_file_has_no_kernel(tmp_path, text, said):
    """It is declared alone, or commented out."""
    path = tmp_path / "none.cu"
    path.write_text(text)
    with pytest.raises(CheckError, match=said):
        open_file(path)
