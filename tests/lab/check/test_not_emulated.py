"""A kernel that needs what is not emulated is never called wrong: the feature is named, and what could be done."""

from __future__ import annotations

import json

import numpy
import pytest

import tilewright
from tilewright import cli
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.report.points import score
from tilewright.lab.check.report.result import CheckResult
from tilewright.lab.check.statuses import NOT_EMULATED

LAUNCH = "\nvoid run(float* x, int n) { k<<<4, 32>>>(x, n); }\n"
KERNELS = {
    "malloc": ("", "float* p = (float*)malloc(4 * n); p[0] = 1; x[threadIdx.x] = p[0]; free(p);"),
    "dynamic parallelism": ("__global__ void child(float* x) { x[0] = 1; }\n", "child<<<1, 1>>>(x);"),
    "copies in bulk of this form": (
        "",
        'asm volatile("st.async.mmio.release.sys.global.u32 [%0], %1;" ::"l"(x), "r"(n)); x[0] = n;',
    ),
    "textures": ("texture<float, 2> t;\n", "x[threadIdx.x] = tex2D(t, 0.5f, 0.5f) + n;"),
    "128-bit": ("", "__int128 a = n; a *= a; x[threadIdx.x] = (float)(a >> 64);"),
}
WMMA = """#include <mma.h>
using namespace nvcuda;
__global__ void product(const half* A, const half* B, float* C, int M, int N, int K) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + blockIdx.y * 16 * K + k, K);
    wmma::load_matrix_sync(b, B + k * N + blockIdx.x * 16, N);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + blockIdx.y * 16 * N + blockIdx.x * 16, c, N, wmma::mem_row_major);
}
"""


FIFTH = """__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  if (row >= M || column >= N) return;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  C[row * N + column] = sum;
}
"""


@pytest.mark.parametrize("word", [pytest.param(w, marks=() if w == "malloc" else pytest.mark.slow) for w in KERNELS])
def test_the_feature_is_named(tmp_path, word):
    """Before anything runs, with what could be done; no finding, no verdict."""
    before, body = KERNELS[word]
    path = tmp_path / "k.cu"
    path.write_text(f"{before}__global__ void k(float* x, int n) {{ {body} }}{LAUNCH}")

    (result,) = tilewright.check(
        path, symbol="k", arrays={"x": numpy.ones(128, numpy.float32)}, scalars={"n": 3}, expect={"x": numpy.ones(128)}
    )

    assert result.pending == NOT_EMULATED
    assert word in result.refusal
    assert "not emulated" in result.refusal
    assert "run it on a GPU" in result.refusal
    assert not result.findings


def test_a_product_with_tensor_cores_is_right(tmp_path):
    """`wmma` is emulated."""
    (tmp_path / "wmma.cu").write_text(WMMA)
    grid = "ceil(cols/16),ceil(rows/16)"

    (result,) = tilewright.check(tmp_path / "wmma.cu", block="32", grid=grid, multiples_of=16)

    assert result.is_right
    assert not result.findings


def test_a_pending_product_in_every_report(tmp_path, capsys):
    """Exit status 2, and in a course no points are lost."""
    (tmp_path / "fifth.cu").write_text(FIFTH)
    (tmp_path / "rubric.toml").write_text("[points]\nright = 40\n")
    out, xml = tmp_path / "out.json", tmp_path / "out.xml"

    given = [tmp_path / "fifth.cu", "--points", tmp_path / "rubric.toml", "--json", out, "--junit", xml]
    status = cli.run(["check", *map(str, given)])

    assert status == 2
    assert "tcgen05 (tensor cores of the fifth generation)" in " ".join(capsys.readouterr().err.split())
    kernel = json.loads(out.read_text())["files"][0]["kernels"][0]
    assert kernel["pending"] == NOT_EMULATED
    assert json.loads(out.read_text())["files"][0]["points"]["total"] is None
    assert 'failures="0" errors="0" skipped="2"' in xml.read_text().splitlines()[1]


MEETING = {
    "cuda::barrier": (
        "#include <cuda/barrier>\n",
        (
            "__shared__ cuda::barrier<cuda::thread_scope_block> b; if (threadIdx.x == 0) init(&b, blockDim.x); "
            "__syncthreads(); b.arrive_and_wait(); x[32 * blockIdx.x + threadIdx.x] = n;"
        ),
    ),
    "clusters": (
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n",
        (
            "__shared__ int v; v = n; auto cluster = cg::this_cluster(); cluster.sync(); "
            "x[32 * blockIdx.x + threadIdx.x] = *cluster.map_shared_rank(&v, cluster.block_rank() ^ 1); cluster.sync();"
        ),
    ),
}


@pytest.mark.parametrize("how", MEETING)
def test_meeting_in_memory_is_emulated(tmp_path, how):
    """What CUDA C++ makes of its own barriers and clusters runs."""
    before, body = MEETING[how]
    path = tmp_path / "k.cu"
    cluster = "__cluster_dims__(2) " if how == "clusters" else ""
    path.write_text(f"{before}__global__ void {cluster}k(float* x, int n) {{ {body} }}{LAUNCH}")
    x = numpy.ones(128, numpy.float32)

    (result,) = tilewright.check(path, symbol="k", arrays={"x": x}, scalars={"n": 3}, expect={"x": 3 * x})

    assert result.is_right, result.refusal


def test_a_file_with_a_pending_kernel_has_no_total():
    """Neither none nor all of the points."""
    pending = CheckResult("a.cu", "k", refusal="k needs textures.", pending=NOT_EMULATED)

    found = score([pending], {"right": 40.0})

    assert found.record()["total"] is None
    assert found.lines[0].reason == "not emulated: k needs textures."


def test_an_instruction_that_no_launch_can_reach_harms_nobody(tmp_path):
    """What another kernel of the file needs is that kernel's."""
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void other(float* x) { x[0] = *(float*)malloc(4); }\n"
        f"__global__ void k(float* x, int n) {{ x[blockIdx.x * 32 + threadIdx.x] = n; }}{LAUNCH}"
    )
    x = numpy.ones(128, numpy.float32)

    (result,) = tilewright.check(path, symbol="k", arrays={"x": x}, scalars={"n": 3}, expect={"x": 3 * x})

    assert result.is_right


def test_registers_declared_without_a_space_are_read(tmp_path):
    """As cuda_fp16.h declares those of hexp."""
    path = tmp_path / "k.cu"
    path.write_text(
        "#include <cuda_fp16.h>\n__global__ void k(__half* x) { x[threadIdx.x] = hexp(x[threadIdx.x]); }\n"
        "void run(__half* x) { k<<<1, 32>>>(x); }\n"
    )
    x = numpy.linspace(-2, 2, 32).astype(numpy.float16)

    (result,) = tilewright.check(path, arrays={"x": x}, expect={"x": numpy.exp(x.astype(numpy.float64))})

    assert result.is_right


def test_a_file_without_a_kernel_says_which_included_file_has_one(tmp_path):
    """The sentence leads to the file that can be checked."""
    (tmp_path / "kernels.cuh").write_text("__global__ void k(float* x) { x[0] = 1; }\n")
    (tmp_path / "main.cu").write_text('#include "kernels.cuh"\nint main() { return 0; }\n')

    with pytest.raises(CheckError, match=r"kernels\.cuh, which it includes, has k: check that file"):
        tilewright.check(tmp_path / "main.cu")


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (
            'asm volatile(".local .b8 t[4294967296];");',
            "4,294,967,296 bytes of local memory for each thread; 524,288 are",
        ),
        (
            'asm volatile(".shared .b8 t[9223372036854775808];");',
            "9,223,372,036,854,775,808 bytes of shared memory with",
        ),
        (
            "__shared__ float t[128][97]; t[n][0] = n; __syncthreads(); c[0] = t[threadIdx.x][0];",
            "49,664 bytes of shared memory without extern; 49,152 are possible.",
        ),
    ],
)
def test_arrays_that_no_gpu_has_are_refused(tmp_path, declared, said):
    """As nvcc and the driver do it, which is no verdict on what the kernel computes."""
    path = tmp_path / "k.cu"
    path.write_text(
        f"__global__ void add(const float* a, const float* b, float* c, int n) {{ {declared}\n"
        "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }\n"
        "void run(float* a, float* b, float* c, int n) { add<<<(n + 31) / 32, 32>>>(a, b, c, n); }\n"
    )
    (result,) = tilewright.check(path)

    assert result.refusal.startswith(f"k.cu:1: add declares {said}")
    assert not result.findings
