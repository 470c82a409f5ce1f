"""`nvcuda::wmma`: fragments of every shape and type, loaded, multiplied and stored, against NumPy."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

from tests.emulate.running import entry_of, launch
from tilewright.emulate import BarrierFault, MemoryFault, PtxSyntaxError
from tilewright.emulate.observers.uninitialised import UninitialisedObserver

Form = tuple[tuple[int, int, int], str, str]
OF_16 = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
TYPES = {
    "half": np.dtype(np.float16), "__nv_bfloat16": np.dtype(ml_dtypes.bfloat16), "signed char": np.dtype(np.int8),
    "unsigned char": np.dtype(np.uint8), "float": np.dtype(np.float32), "int": np.dtype(np.int32),
    "double": np.dtype(np.float64), "wmma::precision::tf32": np.dtype(np.float32),
}  # fmt: skip
FORMS: list[Form] = [
    *[(shape, kind, sums) for shape in OF_16 for kind, sums in [
        ("half", "float"), ("half", "half"), ("__nv_bfloat16", "float"),
        ("signed char", "int"), ("unsigned char", "int"),
    ]],
    ((16, 16, 8), "wmma::precision::tf32", "float"),
    ((8, 8, 4), "double", "double"),
]  # fmt: skip
NAMES = [f"{kind} {shape} {sums}" for shape, kind, sums in FORMS]
STRIDES = 48, 40, 56

KERNEL = """#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;
extern "C" __global__ void kernel(const P* A, const P* B, const S* C, S* D) {
    SHARED
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::LAYOUT_A> a;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::LAYOUT_B> b;
    wmma::fragment<wmma::accumulator, M, N, K, S> c;
    wmma::load_matrix_sync(a, FROM_A, 48);
    wmma::load_matrix_sync(b, B, 40);
    wmma::load_matrix_sync(c, C, 56, wmma::LAYOUT_C);
    for (int i = 0; i < c.num_elements; ++i) c.x[i] = c.x[i] + c.x[i];
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(D, c, 56, wmma::LAYOUT_D);
}"""


def kernel_of(form: Form, orders: tuple[bool, bool, bool, bool], *, shared: bool = False) -> str:
    """Return the kernel for a form; orders: whether A, B, C and D lie by rows."""
    (m, n, k), kind, sums = form
    stored = "float" if "tf32" in kind else kind
    copy = f"__shared__ __align__(32) {stored} tile[1536]; for (int i = threadIdx.x; i < 1536; i += 32) tile[i] = A[i];"
    words = {"M": m, "N": n, "K": k, "T": kind, "P": stored, "S": sums, "FROM_A": "tile" if shared else "A"}
    words["SHARED"] = f"{copy} __syncwarp();" if shared else ""
    for letter, by_rows in zip("ABCD", orders, strict=True):
        prefix = "mem_" if letter in "CD" else ""
        words[f"LAYOUT_{letter}"] = f"{prefix}{'row' if by_rows else 'col'}_major"
    return re.sub(r"\b(" + "|".join(words) + r")\b", lambda match: str(words[match[1]]), KERNEL)


def in_memory(matrix: np.ndarray, stride: int, by_rows: bool) -> np.ndarray:
    """Return a matrix as memory holds it, 32 lines apart by the stride; what is not of it is 3."""
    lines = matrix if by_rows else matrix.T
    memory = np.full((32, stride), 3, matrix.dtype)
    memory[: len(lines), : lines.shape[1]] = lines
    return memory


def bits(memory: np.ndarray) -> np.ndarray:
    """Return memory as unsigned integers, which travel whatever the type."""
    return memory.view(f"u{memory.dtype.itemsize}")


def multiply(form: Form, orders: tuple[bool, bool, bool, bool], *, shared: bool = False) -> None:
    """Run a form on small integers, whose products and sums are exact, and compare every byte of the result."""
    (m, n, k), kind, sums = form
    rng = np.random.default_rng(m + n + k)
    low = 0 if kind == "unsigned char" else -8
    a, b = (rng.integers(low, 9, shape).astype(TYPES[kind]) for shape in ((m, k), (k, n)))
    c = rng.integers(-8, 9, (m, n)).astype(TYPES[sums])
    d = np.full((32, STRIDES[2]), 3, TYPES[sums])
    given = [in_memory(x, stride, by_rows) for x, stride, by_rows in zip((a, b, c), STRIDES, orders, strict=False)]
    launch(kernel_of(form, orders, shared=shared), *map(bits, given), bits(d))

    wanted = (a.astype(float) @ b.astype(float) + 2 * c.astype(float)).astype(TYPES[sums])
    np.testing.assert_array_equal(bits(d), bits(in_memory(wanted, STRIDES[2], orders[3])))


@pytest.mark.parametrize("form", FORMS, ids=NAMES)
def test_product(form):
    """D = A B + 2 C, where each lane doubles its elements of C; nothing else in D changes."""
    multiply(form, (True, False, True, False))


@pytest.mark.parametrize("form", [FORMS[0], FORMS[8], FORMS[13], FORMS[-2], FORMS[-1]], ids=str)
@pytest.mark.parametrize("orders", [(False, True, False, True), (False, False, True, True), (True, True, False, False)])
def test_orders_in_memory(form, orders):
    """Each matrix by rows or by columns."""
    multiply(form, orders)


@pytest.mark.parametrize("by_rows", [True, False])
def test_from_shared_memory(by_rows):
    """Loads from shared memory, whose addresses have 32 bits."""
    multiply(FORMS[0], (by_rows, False, True, True), shared=True)
    multiply(FORMS[3], (by_rows, False, True, True), shared=True)


def test_counts_and_observers():
    """A load is one instruction of many accesses, and observers are told of each."""
    x = np.zeros((32, 48), np.float16)
    y, z = np.zeros((32, 40), np.float16), np.zeros((32, 56), np.float32)
    source = kernel_of(FORMS[0], (True, False, True, False))
    result = launch(source, bits(x), bits(y), z, np.zeros_like(z))
    watched = launch(source, bits(x), bits(y), z, np.zeros_like(z), observers=[UninitialisedObserver()])

    assert result.counts.global_loads == 32 * (4 + 4 + 8)
    assert result.counts.global_stores == 32 * 8
    assert watched.counts == result.counts


def test_elements_outside_are_found():
    """A matrix that begins too late leaves its array."""
    source, zeros = kernel_of(FORMS[0], (True, False, True, False)), np.zeros((32, 56), np.float32)
    with pytest.raises(MemoryFault, match="a load of 4 bytes"):
        launch(source, np.zeros((15, 48), np.uint16), np.zeros((32, 40), np.uint16), zeros, zeros)


def test_a_part_of_a_warp_is_refused():
    """As `mma.sync` does."""
    source = kernel_of(FORMS[0], (True, False, True, False)).replace(
        "float* D) {", "float* D) { if (threadIdx.x > 3) return;"
    )
    zeros = np.zeros((32, 56), np.float32)
    with pytest.raises(BarrierFault, match="takes all 32 threads of a warp at once, and 4 of them come"):
        launch(source, np.zeros((32, 48), np.uint16), np.zeros((32, 40), np.uint16), zeros, zeros)


def test_wrong_registers_are_refused():
    """As ptxas does."""
    body = ".reg .b32 %r<9>; .reg .b64 %d;\nwmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [%d];\nret;"
    with pytest.raises(PtxSyntaxError, match="has 2 elements, and the instruction takes 8"):
        launch(entry_of("kernel", [], body))
