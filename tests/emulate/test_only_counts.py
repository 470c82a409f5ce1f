"""A launch of which only counts are wanted executes a slice of the kernel, and counts what the whole one does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.catalogue_runs import run_kernel
from tests.emulate.running import launch, ptx_of
from tests.kernels.integer_product import IntegerProduct
from tests.kernels.plan_on_emulator import held_by, run_on_emulator
from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.emulate import EmulationError, Emulator
from tilewright.emulate import instruction_row as row
from tilewright.emulate.arithmetic.table import COUNT
from tilewright.emulate.observers import CoalescingObserver
from tilewright.kernels import TAUGHT

SHAPES = ((32, 64, 48), (34, 38, 45))
RUN = [(kernel, dtype) for kernel in TAUGHT if "host" not in kernel.runs_on for dtype in kernel.dtypes]
FAST = [
    ("mma_sync", "float16", "float32", "t4", "compute_75"),
    ("mma_sync", "bfloat16", "bfloat16", "h200", "compute_90"),
    ("cuda_cores_16bit", "bfloat16", "float32", "t4", "compute_75"),
    ("wgmma", "bfloat16", "float32", "h200", "compute_90a"),
    ("wgmma", "float16", "float16", "h200", "compute_90a"),
]


@pytest.mark.parametrize(("kernel", "dtype"), RUN, ids=[f"{kernel.name}-{dtype}" for kernel, dtype in RUN])
def test_taught_kernels(kernel, dtype):
    """Counts are equal, line by line, and nothing was written to C."""
    for m, n, k in SHAPES[:1] if kernel.multiples_of_tile_only else SHAPES:
        whole = run_kernel(kernel.name, m, n, k, dtype=dtype)
        some = run_kernel(kernel.name, m, n, k, dtype=dtype, only_counts=True)

        assert some.result.counts == whole.result.counts
        assert some.result.lines == whole.result.lines
        assert np.isnan(some.c).all()


@pytest.mark.parametrize(("idea", "dtype", "out_dtype", "chip", "architecture"), FAST)
@pytest.mark.parametrize(("m", "k", "n"), [(64, 64, 64), (136, 200, 72), (1, 520, 8)])
def test_fast_kernels(idea, dtype, out_dtype, chip, architecture, m, k, n):
    """Products on tensor cores are counted and not executed: barriers, copies and waits are as they were."""
    shapes = ((m, k), (k, n), (m, n))
    product = IntegerProduct(dtype, out_dtype, shapes, [(shape[1], 1) for shape in shapes])
    plan, emulator = choose_plan(product.multiplication(), find_chip(chip), idea), Emulator()
    with held_by(emulator, product.buffers, plan.workspace_bytes) as held:
        at = {name: buffer.address + product.firsts.get(name, 0) for name, buffer in held.items()}
        some = run_on_emulator(emulator, plan, at, architecture, only_counts=True)
        whole = run_on_emulator(emulator, plan, at, architecture)

        product.check(held["C"].read(product.buffers["C"].dtype, product.buffers["C"].shape))
    assert some.counts == whole.counts
    assert some.lines == whole.lines


BY_DATA = {
    "a loaded index": "int p = index[t]; out[p & 63] = x[p & 63] * 2;",
    "an index through shared memory": """__shared__ int held[64]; held[t] = index[t]; __syncthreads();
        out[held[63 - t] & 63] = x[t];""",
    "an index through a shuffle": "int p = __shfl_xor_sync(~0u, index[t], 5); out[p & 63] = x[t];",
    "a loop as long as data says": "float s = 0; for (int i = 0; i < (index[t] & 15); ++i) s += x[i]; out[t] = s;",
    "a branch on a sum": "float s = x[t] + x[63 - t]; if (s > 0) out[t] = s; else out[63 - t] = x[t];",
    "an atomic's answer": """__shared__ int top; if (t == 0) top = 0; __syncthreads();
        if (index[t] & 1) out[atomicAdd(&top, 1)] = x[t];""",
    "a vote": "if (__any_sync(~0u, index[t] > 60)) out[t] = x[t];",
    "a barrier that counts": "int many = __syncthreads_count(index[t] > 20); out[(t + many) & 63] = x[t];",
    "an index in local memory": """int held[4] = {index[t], 1, 2, 3}; held[index[t] & 3] += t;
        out[held[index[63 - t] & 3] & 63] = x[t];""",
    "an index stored before": "index[t] = index[t] * 7 & 63; __syncthreads(); out[index[63 - t]] = x[t];",
    "a pointer among data": """const float* p[2] = {x, x + 64}; __shared__ const float* held[2];
        if (t < 2) held[t] = p[t]; __syncthreads(); out[t] = held[index[t] & 1][t];""",
    "a compare-and-swap": """__shared__ int lock; if (t == 0) lock = 0; __syncthreads();
        while (atomicCAS(&lock, t, t + 1) != t) {} out[t] = x[t];""",
}


@pytest.mark.parametrize("body", BY_DATA.values(), ids=BY_DATA.keys())
def test_what_depends_on_data_is_executed(body):
    """Counts that hang on loaded values are the same, for what feeds addresses and predicates is kept."""
    source = f"""extern "C" __global__ void kernel(const float* x, int* index, float* out) {{
        int t = threadIdx.x; {body} }}"""
    generator = np.random.default_rng(7)
    x, index = generator.normal(size=128).astype(np.float32), generator.integers(0, 64, 64, np.int32)
    runs = [launch(source, x, index.copy(), np.zeros(64, np.float32), block=64, only_counts=some) for some in (0, 1)]

    assert runs[0].counts == runs[1].counts
    assert runs[0].lines == runs[1].lines


def test_faults_are_found():
    """An access outside of its array is a fault although its value is not needed."""
    source = 'extern "C" __global__ void kernel(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }'
    with pytest.raises(EmulationError, match="0 bytes past the end"):
        launch(source, np.zeros(63, np.float32), np.zeros(64, np.float32), block=64, only_counts=True)


def test_most_of_a_product_is_left_out():
    """Of the tiled product's multiply-adds none is executed."""
    source = """extern "C" __global__ void kernel(const float* x, float* y) {
        float s = 0; for (int i = 0; i < 64; ++i) s += x[i] * x[63 - i]; y[threadIdx.x] = s; }"""
    emulator = Emulator()
    module = emulator.load(ptx_of(source))
    rows, sliced = module.rows, module.rows_of_counts("kernel")
    texts = np.array([*module.code.texts, ""])

    is_product = np.char.startswith(texts, "fma")
    assert is_product.any()
    assert (sliced[is_product, row.OPCODE] == COUNT).all()
    assert (sliced[~is_product & (rows[:, row.OPCODE] != sliced[:, row.OPCODE]), row.OPCODE] == COUNT).all()


def test_observers_are_refused():
    """They see what a slice leaves out."""
    with pytest.raises(ValueError, match="only_counts leaves out what observers would see"):
        run_kernel("matmul/naive", 8, 8, 8, only_counts=True, observers=[CoalescingObserver()])
