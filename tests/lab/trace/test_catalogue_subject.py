"""The chip's kernels and a user's in 16 bits, recorded; sentences about what the emulator does not run."""

from __future__ import annotations

import pytest

from tilewright.choose import PlanError
from tilewright.kernels.catalogue import kernels_of
from tilewright.lab.check.options import Options
from tilewright.lab.trace.document import document_of
from tilewright.lab.trace.naming import subject_named
from tilewright.lab.trace.record import record
from tilewright.lab.trace.subject import TraceError, line_said


@pytest.mark.slow
def test_a_kernel_of_any_strides_is_watched_as_the_tiled_one():
    """Its tiles, its loads and its sums are those of matmul/tiled."""
    strided, tiled = (record(subject_named(name, (7, 9, 5), tile=4)) for name in ("matmul/strided", "matmul/tiled"))
    assert strided.wrong == tiled.wrong == 0
    assert strided.counts["global_loads"] == tiled.counts["global_loads"]
    assert strided.sums == 1
    assert [array.name for array in strided.arrays if array.space == "shared"] == ["tile_A", "tile_B"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["matmul/mma_sync", "matmul/cuda_cores_16bit"])
def test_sixteen_bits(name):
    """C is right; words of several elements are shown element by element; lines are those of their own files."""
    trace = record(subject_named(name, (20, 12, 17)))
    assert trace.wrong == 0
    assert {str(array.dtype) for array in trace.arrays if array.name in "ABC"} == {"float16"}
    document = document_of(trace)
    lines = document["kernel"]["source"].split("\n")
    stores = [step for step in trace.blocks[0].steps if step.kind == "store" and trace.arrays[step.array].name == "C"]
    assert stores
    for step in stores:
        assert step.line is not None
        assert line_said(document, step.line).startswith("line ")
        assert len(lines) > step.line
        assert all(len(values) == step.count for values in step.values)
    written = {
        e + i: v for s in stores for e, lane in zip(s.elements, s.values, strict=True) for i, v in enumerate(lane)
    }
    c = next(number for number, array in enumerate(trace.arrays) if array.name == "C")
    assert [written[element] for element in range(20 * 12)] == trace.after[c]


WATCHED = [
    (kernel.name, dtype)
    for operation in ("matmul", "reduced_matmul", "dot")
    for kernel in kernels_of(operation)
    for dtype in kernel.since
    if "emulator" in kernel.runs_on and kernel.name != "reduced_matmul/pair_sums" and "int" not in dtype
]


@pytest.mark.parametrize(("name", "dtype"), WATCHED)
def test_each_kernel_has_a_size_to_be_watched_at(name, dtype):
    """All but a pass that a product follows; a kernel that is a use of another has that one's source."""
    subject = subject_named(name, None, dtype=dtype)
    assert subject.listing.text
    assert subject.geometry.grid


@pytest.mark.slow
@pytest.mark.parametrize("idea", ["mma_sync", "cuda_cores_16bit", "small_batched"])
def test_bfloat16(idea):
    """Which NumPy lacks: its numbers are read from their bits."""
    document = document_of(trace := record(subject_named(f"matmul/{idea}", (5, 6, 7), dtype="bfloat16")))
    assert trace.wrong == 0
    assert {array["type"] for array in document["arrays"] if array["name"] in "ABC"} == {"bfloat16"}


@pytest.mark.parametrize(
    ("name", "options", "error", "words"),
    [
        ("matmul/mma_sync", {"dtype": "float32"}, PlanError, "takes float16 or bfloat16, not float32"),
        ("matmul/strided", {"tile": 40}, PlanError, "tiles from 1 to 32"),
        ("matmul/strided", {"without": (1,)}, TraceError, "keeps its barriers"),
    ],
)
def test_refusals(name, options, error, words):
    """Before anything is compiled."""
    with pytest.raises(error, match=words):
        subject_named(name, None, **options)


def test_lines_of_an_included_file_are_shown_as_its_own(tmp_path):
    """A device function in a header beside the file: its text follows, and its steps name its lines."""
    (tmp_path / "load.cuh").write_text("\n__device__ float at(const float* x, int i)\n{\n    return x[i];\n}\n")
    main = tmp_path / "product.cu"
    main.write_text("""
#include "load.cuh"
__global__ void product(const float* A, const float* B, float* C, int n)
{
    int row = threadIdx.y, column = threadIdx.x;
    float sum = 0;
    for (int p = 0; p < n; ++p)
        sum += at(A, row * n + p) * at(B, p * n + column);
    C[row * n + column] = sum;
}
""")
    options = Options(operation="matmul", arguments="A,B,C,rows", block="cols,rows", grid="1")
    trace = record(subject_named(str(main), (3, 3, 3), options=options))
    document = document_of(trace)
    loads = {line_said(document, step.line) for step in trace.blocks[0].steps if step.kind == "load"}
    assert loads == {"line 4 of load.cuh"}
    lines = document["kernel"]["source"].split("\n")
    [shown] = {lines[step.line - 1] for step in trace.blocks[0].steps if step.kind == "load" and step.line}
    assert shown == "    return x[i];"
    stores = {line_said(document, step.line) for step in trace.blocks[0].steps if step.kind == "store"}
    assert stores == {"line 9"}


HALVES = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define TILE 4
__global__ void mul(const {0}* A, const {0}* B, {0}* C, int m, int n, int k)
{{
    __shared__ {0} As[TILE][TILE], Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int t = 0; t < k; t += TILE) {{
        As[ty][tx] = row < m && t + tx < k ? A[row * k + t + tx] : {0}(0.0f);
        Bs[ty][tx] = t + ty < k && col < n ? B[(t + ty) * n + col] : {0}(0.0f);
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += float(As[ty][i]) * float(Bs[i][tx]);
        __syncthreads();
    }}
    if (row < m && col < n)
        C[row * n + col] = {0}(sum);
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shown"), [("__half", "float16"), ("__nv_bfloat16", "bfloat16")])
def test_a_users_kernel_in_sixteen_bits(tmp_path, name, shown):
    """Its numbers are read as what they are, and its running sums are followed through the conversions."""
    path = tmp_path / "mul.cu"
    path.write_text(HALVES.format(name))
    given = Options(operation="matmul", arguments="A,B,C,rows,cols,inner")
    trace = record(subject_named(str(path), (7, 9, 5), options=given))
    document = document_of(trace)
    arrays = {array["name"]: array for array in document["arrays"]}
    assert (trace.wrong, trace.sums) == (0, 1)
    assert {array["type"] for array in arrays.values()} == {shown}
    last: dict[int, float] = {}
    for step in trace.blocks[0].steps:
        if step.kind == "add":
            last.update(zip(step.lane_numbers, (values[0] for values in step.values), strict=True))
    a, b = arrays["A"]["before"], arrays["B"]["before"]
    assert last[0] == sum(a[p] * b[9 * p] for p in range(5)) == arrays["C"]["after"][0]
