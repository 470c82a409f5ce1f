"""`ldmatrix`, `stmatrix`, `movmatrix`, and `mma.sync` of float64, against NumPy by the layouts of the PTX manual."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.emulate.instructions.fragments import GROUP, PLACE, places_of_sums
from tests.emulate.running import launch
from tilewright.emulate import BarrierFault, MemoryFault

LOAD = """
extern "C" __global__ void kernel(const unsigned* x, unsigned* y, int step) {
    __shared__ __align__(16) unsigned tile[256];
    for (int i = threadIdx.x; i < 256; i += 32) tile[i] = x[i];
    __syncwarp();
    unsigned at = (unsigned)__cvta_generic_to_shared(tile) + step * threadIdx.x;
    unsigned r[4] = {7, 7, 7, 7};
    LOAD
    for (int i = 0; i < 4; ++i) y[4 * threadIdx.x + i] = r[i];
}"""


def source_of_load(count: int, turned: str) -> str:
    """Return the kernel with `ldmatrix` of so many matrices, turned or not."""
    targets, outputs = ", ".join(f"%{i}" for i in range(count)), ", ".join(f'"+r"(r[{i}])' for i in range(count))
    text = f"ldmatrix.sync.aligned.m8n8.x{count}{turned}.shared.b16 {{{targets}}}, [%{count}];"
    return LOAD.replace("LOAD", f'asm volatile("{text}" : {outputs} : "r"(at));')


@pytest.mark.parametrize("turned", ["", ".trans"])
@pytest.mark.parametrize(("count", "step"), [(1, 16), (2, 16), (4, 16), (1, 32), (4, 32)])
def test_load_matrix(count, turned, step):
    """Lane 4 g + t gets elements 2 t and 2 t + 1 of row g, or of column g, of each matrix."""
    halves = np.arange(512, dtype=np.uint16)
    y = np.zeros(128, np.uint32)
    result = launch(source_of_load(count, turned), halves, y, step)
    got = y.reshape(32, 4)

    rows = halves.reshape(-1, step // 2)[:, :8]
    for number in range(count):
        matrix = rows[8 * number : 8 * number + 8]
        matrix = matrix.T if turned else matrix
        expected = matrix[GROUP, 2 * PLACE] | matrix[GROUP, 2 * PLACE + 1].astype(np.uint32) << 16
        np.testing.assert_array_equal(got[:, number], expected)
    assert (got[:, count:] == 7).all()
    assert result.counts.shared_loads == 32 * count
    assert result.counts.shared_load_requests == 1


@pytest.mark.parametrize(("step", "message"), [(8, "no multiple of 16"), (48, "of the block's shared memory")])
def test_load_matrix_checks_its_rows(step, message):
    """Each row is 16 bytes at a multiple of 16, inside of shared memory."""
    with pytest.raises(MemoryFault, match=message):
        launch(source_of_load(4, ""), np.zeros(256, np.uint32), np.zeros(128, np.uint32), step)


@pytest.mark.parametrize("turned", ["", ".trans"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_store_matrix(count, turned):
    """What `ldmatrix` reads, `stmatrix` writes: lane 4 g + t stores two neighbours of row or column g."""
    sources = ", ".join(f"%{i + 1}" for i in range(count))
    inputs = ", ".join(f'"r"(x[4 * threadIdx.x + {i}])' for i in range(count))
    source = f"""extern "C" __global__ void kernel(const unsigned* x, unsigned* y) {{
        __shared__ __align__(16) unsigned tile[256];
        for (int i = threadIdx.x; i < 256; i += 32) tile[i] = 7;
        __syncwarp();
        unsigned at = (unsigned)__cvta_generic_to_shared(tile) + 32 * threadIdx.x;
        asm volatile("stmatrix.sync.aligned.m8n8.x{count}{turned}.shared.b16 [%0], {{{sources}}};"
            :: "r"(at), {inputs} : "memory");
        __syncwarp();
        for (int i = threadIdx.x; i < 256; i += 32) y[i] = tile[i];
    }}"""
    x, y = np.arange(256, dtype=np.uint16).view(np.uint32), np.zeros(256, np.uint32)
    result = launch(source, x, y)
    rows = y.view(np.uint16).reshape(32, 16)[:, :8]

    held = x.reshape(32, 4).view(np.uint16).reshape(8, 4, 4, 2)  # g, t, register, half
    for number in range(count):
        matrix = held[:, :, number].reshape(8, 8)
        np.testing.assert_array_equal(rows[8 * number : 8 * number + 8], matrix.T if turned else matrix)
    assert (rows[8 * count :].ravel() == np.tile([7, 0], 4 * 8 * (4 - count))).all()
    assert result.counts.shared_stores == 32 * count + 256
    assert result.counts.shared_store_requests == 9


def test_store_matrix_checks_its_rows():
    """A row outside of shared memory is no place to store to."""
    source = """extern "C" __global__ void kernel() {
        __shared__ __align__(16) unsigned tile[64];
        unsigned at = (unsigned)__cvta_generic_to_shared(tile) + 48 * threadIdx.x;
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(at), "r"(at) : "memory");
    }"""
    with pytest.raises(MemoryFault, match="a store of 16 bytes at byte 288 of the block's shared memory"):
        launch(source)


def test_turned_matrix():
    """`movmatrix` transposes a matrix that the warp holds, also into the register that it comes from."""
    source = """extern "C" __global__ void kernel(unsigned* x) {
        unsigned r = x[threadIdx.x];
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r));
        x[threadIdx.x] = r;
    }"""
    x = np.arange(64, dtype=np.uint16)
    launch(source, x)

    np.testing.assert_array_equal(x.reshape(8, 8), np.arange(64).reshape(8, 8).T)


@pytest.mark.parametrize("offset", ["", " + 16"])
def test_generic_addresses(offset):
    """Without .shared the rows' addresses are generic ones."""
    source = """extern "C" __global__ void kernel(unsigned* y) {
        __shared__ __align__(16) unsigned tile[36];
        tile[threadIdx.x + OFFSET] = threadIdx.x;
        __syncwarp();
        const void* at = tile + 4 * (threadIdx.x % 8);
        unsigned r;
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1PLUS];" : "=r"(r) : "l"(at));
        asm volatile("stmatrix.sync.aligned.m8n8.x1.b16 [%0PLUS], {%1};" :: "l"(at), "r"(2 * r) : "memory");
        __syncwarp();
        y[threadIdx.x] = tile[threadIdx.x + OFFSET];
    }""".replace("PLUS", offset).replace("OFFSET", "4" if offset else "0")
    y = np.zeros(32, np.uint32)
    launch(source, y)

    np.testing.assert_array_equal(y, 2 * np.arange(32))


def test_generic_address_of_other_memory():
    """Matrices are loaded from shared memory alone."""
    source = """extern "C" __global__ void kernel(unsigned* y) {
        unsigned r;
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(r) : "l"(y));
        y[threadIdx.x] = r;
    }"""
    with pytest.raises(MemoryFault, match=r"a load of 16 bytes at .* of the block's shared memory"):
        launch(source, np.zeros(32, np.uint32))


def test_a_part_of_a_warp_is_refused():
    """Both need all 32 threads; hardware leaves open what else happens."""
    source = """extern "C" __global__ void kernel(unsigned* y) {
        __shared__ __align__(16) unsigned tile[64];
        unsigned r = 0, at = (unsigned)__cvta_generic_to_shared(tile);
        if (threadIdx.x < 20)
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at));
        y[threadIdx.x] = r;
    }"""
    with pytest.raises(BarrierFault, match="takes all 32 threads of a warp at once, and 20 of them come"):
        launch(source, np.zeros(32, np.uint32))


def fused_chain(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return A B + C of which each term is rounded once, in the order of the inner index."""
    sums = c.copy()
    for (i, j), _ in np.ndenumerate(sums):
        for x, y in zip(a[i], b[:, j], strict=True):
            sums[i, j] = float(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(sums[i, j])))
    return sums


@pytest.mark.parametrize("has_fractions", [False, True])
@pytest.mark.parametrize(("rows", "depth"), [(8, 4), (16, 4), (16, 8), (16, 16)])
def test_product_in_float64(rows, depth, has_fractions):
    """Lane 4 g + t has rows g and g + 8 of A, column g of B, inner indices t, t + 4, ...; sums as in float32."""
    rng = np.random.default_rng(depth)
    a, b, c = (rng.integers(-99, 99, shape).astype("f8") for shape in ((rows, depth), (depth, 8), (rows, 8)))
    if has_fractions:
        a, b, c = a / 7, b / 11, c / 13
    bands, steps = rows // 8, depth // 4
    of_a = np.stack([a[GROUP + 8 * (i % bands), PLACE + 4 * (i // bands)] for i in range(bands * steps)], axis=1)
    of_b = np.stack([b[PLACE + 4 * i, GROUP] for i in range(steps)], axis=1)
    places = tuple(each[:, : 2 * bands] for each in places_of_sums())
    lists = [2 * bands, bands * steps, steps, 2 * bands]
    numbers = iter(range(sum(lists)))
    text = ", ".join("{" + ", ".join(f"%{next(numbers)}" for _ in range(count)) + "}" for count in lists)
    inputs = [
        f'"d"({name}[{count} * t + {i}])' for name, count in zip("abc", lists[1:], strict=True) for i in range(count)
    ]
    source = f"""
    extern "C" __global__ void kernel(const double* a, const double* b, const double* c, double* d) {{
        int t = threadIdx.x;
        asm volatile("mma.sync.aligned.m{rows}n8k{depth}.row.col.f64.f64.f64.f64 {text};"
            : {", ".join(f'"=d"(d[{lists[0]} * t + {i}])' for i in range(lists[0]))} : {", ".join(inputs)});
    }}"""
    d = np.zeros((32, 2 * bands))
    counts = launch(source, of_a, of_b, c[places], d).counts

    np.testing.assert_array_equal(d, fused_chain(a, b, c)[places])
    assert counts.matrix_flops == 2 * rows * 8 * depth
