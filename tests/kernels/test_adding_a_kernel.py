"""Adding a kernel: a `.cu`, a `.py` beside it and a row; then all that lists kernels knows it."""

from __future__ import annotations

import importlib.util
import json
import sys

import numpy as np
import pytest

import tilewright
from docs._site import kernel_tables
from tilewright import cli
from tilewright.compile import CompilerMissingError, compile_kernel, planned, ship, shipped
from tilewright.kernels import CATALOGUE, catalogue

SOURCE = """// Columns: a thread for each column of C walks the rows of A.
//
// Shapes: A (m, k), B (k, n), C (m, n), row-major.
extern "C" __global__ void matmul_columns(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int m, int n, int k)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < n)
        for (int row = 0; row < m; ++row) {
            ELEMENT sum = 0;
            for (int p = 0; p < k; ++p) sum += A[row * k + p] * B[p * n + column];
            C[row * n + column] = sum;
        }
}
"""
PLANNING = '''"""Planning of columns.cu, and its row."""

from __future__ import annotations

import sys
from pathlib import Path

from tilewright.kernels.epilogue import int_arguments
from tilewright.kernels.kernel import Kernel
from tilewright.kernels.launch import Launch, Launches, Pointer, ceil_divide
from tilewright.kernels.operand import C_TYPES

THREADS = 64


def refusal(problem, facts, tile):
    if tile is not None:
        return f"matmul/columns has no tile, so {tile} cannot be used."
    packed = problem.a.row_stride == problem.k and problem.b.row_stride == problem.n
    return None if packed and not problem.batch else "matmul/columns takes packed matrices without a batch."


def launches(problem, facts, tile):
    launch = Launch(
        kernel="matmul/columns",
        macros=(("ELEMENT", C_TYPES[problem.dtype]),),
        grid=(ceil_divide(problem.n, THREADS), 1, 1),
        block=(THREADS, 1, 1),
        arguments={name: Pointer(name) for name in "ABC"} | int_arguments(m=problem.m, n=problem.n, k=problem.k),
        source=ROW.source,
    )
    return Launches((launch,), 0, ("A thread for each column of C.",))


ROW = Kernel(
    operation="matmul",
    idea="columns",
    summary="One thread per column of C.",
    since={"float32": (2, 0), "float64": (2, 0)},
    seeds=("000",),
    planning=sys.modules[__name__],
    file=str(Path(__file__).with_suffix(".cu")),
)
'''


@pytest.fixture
def added(tmp_path, monkeypatch):
    """The three things, put down and registered."""
    (tmp_path / "columns.cu").write_text(SOURCE)
    (tmp_path / "columns.py").write_text(PLANNING)
    specification = importlib.util.spec_from_file_location("columns", tmp_path / "columns.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "columns", module)
    specification.loader.exec_module(module)
    for place in (catalogue, shipped, kernel_tables):
        monkeypatch.setattr(place, "CATALOGUE", (*CATALOGUE, module.ROW))
    return module.ROW


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_it_multiplies_and_is_explained(dtype):
    """On the emulator, from the public functions; what it does not take is refused in its sentence."""
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((5, 7)).astype(dtype), rng.standard_normal((7, 70)).astype(dtype)

    np.testing.assert_allclose(tilewright.matmul(a, b, kernel="columns", device="emulator"), a @ b, rtol=1e-4)
    plan = tilewright.explain(a, b, kernel="matmul/columns", device="emulator")
    assert (plan.kernel.name, plan.grid, plan.block) == ("matmul/columns", (2, 1, 1), (64, 1, 1))
    assert "A thread for each column of C." in plan.reasons
    with pytest.raises(tilewright.PlanError, match="columns has no tile"):
        tilewright.matmul(a, b, kernel="columns", tile=4, device="emulator")
    with pytest.raises(tilewright.PlanError, match="without a batch"):
        tilewright.matmul(a[None], b[None, ...].repeat(2, 0), kernel="columns", device="emulator")


@pytest.mark.usefixtures("added")
def test_compare_has_its_row(tmp_path, capsys):
    """Unasked, checked against float64 and counted, in both tables."""
    record = tmp_path / "record.json"
    assert cli.run(["compare", "--device", "emulator", "--operation", "matmul", "--json", str(record)]) == cli.PASSED

    (row,) = [row for row in json.loads(record.read_text())["results"] if row["kernel"] == "columns"]
    assert (row["status"], row["counts"]["global_loads"]) == ("PASS", 2 * 64**3)
    assert "columns" in capsys.readouterr().out
    assert "columns" in str(tilewright.compare(size=(3, 4, 5), kernels="matmul/columns", device="emulator"))


@pytest.mark.usefixtures("added")
def test_it_is_watched():
    """Step by step, with the lines of its own file, and right."""
    trace = tilewright.watch("matmul/columns", (2, 3, 4)).trace

    assert trace is not None
    assert trace.wrong == 0
    assert trace.counts["global_loads"] == 2 * 2 * 3 * 4


def test_its_ptx_ships(added, tmp_path, monkeypatch):
    """In its types; where there is no NVRTC it runs from what shipped."""
    folder = tmp_path / "ptx"
    monkeypatch.setattr(ship, "shipped_variants", lambda: [v for v in shipped.shipped_variants() if v[0] is added])

    assert ship.ship(folder) == 2
    assert {path.name for path in folder.glob("*.gz")} == {
        "matmul_columns.float32.ptx.gz",
        "matmul_columns.float64.ptx.gz",
    }
    assert list(json.loads((folder / ship.MANIFEST).read_text())["sources"]) == [added.source]

    def missing(*_args, **_options):
        raise CompilerMissingError("NVRTC is not installed.")

    monkeypatch.setattr(shipped, "FOLDER", folder)
    monkeypatch.setattr(planned, "_codes", {})
    monkeypatch.setattr(planned, "read_code", lambda _: None)
    monkeypatch.setattr(planned, "compile_with_headers", missing)
    shipped.ptx_in.cache_clear()
    assert compile_kernel(added, "float32").from_package
    a = np.ones((2, 3))
    np.testing.assert_array_equal(tilewright.matmul(a, a.T, kernel="columns", device="emulator"), [[3, 3], [3, 3]])
    shipped.ptx_in.cache_clear()


@pytest.mark.usefixtures("added")
def test_the_tables_list_it(capsys):
    """The command's and the site's; its source can be printed."""
    assert cli.run(["kernels"]) == cli.PASSED
    assert "columns" in capsys.readouterr().out
    assert cli.run(["kernels", "matmul/columns"]) == cli.PASSED
    assert "a thread for each column of C" in capsys.readouterr().out
    table = kernel_tables.with_catalogue(kernel_tables.PLACE)
    assert "| `matmul/columns` | One thread per column of C. | 000 | float32 from 2.0, float64 from 2.0 |" in table
