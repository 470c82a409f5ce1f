"""`ldmatrix` and `mma.sync`, against NumPy by the layouts that the PTX manual gives."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import launch
from tilewright.emulate import BarrierFault, MemoryFault

LANE = np.arange(32)
GROUP, PLACE = LANE // 4, LANE % 4

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


PRODUCT = """
extern "C" __global__ void kernel(const unsigned* a, const unsigned* b, const float* c, float* d) {
    int t = threadIdx.x;
    const unsigned *x = a + %COUNT_A% * t, *y = b + %COUNT_B% * t;
    const float* z = c + 4 * t;
    float* w = d + 4 * t;
    asm volatile("mma.sync.aligned.%SHAPE%.row.col.f32.%TYPE%.%TYPE%.f32 "
                 "{%0, %1, %2, %3}, {%REGISTERS_A%}, {%REGISTERS_B%}, {%SUMS%};"
        : "=f"(w[0]), "=f"(w[1]), "=f"(w[2]), "=f"(w[3]) : %OPERANDS%);
}"""


def product(dtype: str, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Multiply the bits of A (16, depth) and B (depth, 8) and add C, through one `mma.sync`."""
    depth = a.shape[1]
    count_a, count_b = depth // 4, depth // 8
    names = [f"%{i}" for i in range(4, 8 + count_a + count_b)]
    operands = [*(f'"r"(x[{i}])' for i in range(count_a)), *(f'"r"(y[{i}])' for i in range(count_b))]
    operands += [f'"f"(z[{i}])' for i in range(4)]
    source = PRODUCT
    for word, text in {
        "COUNT_A": str(count_a),
        "COUNT_B": str(count_b),
        "SHAPE": f"m16n8k{depth}",
        "TYPE": dtype,
        "REGISTERS_A": ", ".join(names[:count_a]),
        "REGISTERS_B": ", ".join(names[count_a : count_a + count_b]),
        "SUMS": ", ".join(names[count_a + count_b :]),
        "OPERANDS": ", ".join(operands),
    }.items():
        source = source.replace(f"%{word}%", text)
    rows, columns = _places_of_sums()
    d = np.zeros((32, 4), np.float32)
    launch(source, _packed_a(a), _packed_b(b), c[rows, columns], d)
    result = np.zeros((16, 8), np.float32)
    result[rows, columns] = d
    return result


def _pair(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return low.astype(np.uint32) | high.astype(np.uint32) << 16


def _packed_a(a: np.ndarray) -> np.ndarray:
    registers = [
        _pair(a[GROUP + 8 * lower, 2 * PLACE + 8 * upper], a[GROUP + 8 * lower, 2 * PLACE + 8 * upper + 1])
        for upper in range(a.shape[1] // 8)
        for lower in range(2)
    ]
    return np.stack(registers, axis=1)


def _packed_b(b: np.ndarray) -> np.ndarray:
    registers = [
        _pair(b[2 * PLACE + 8 * upper, GROUP], b[2 * PLACE + 8 * upper + 1, GROUP]) for upper in range(b.shape[0] // 8)
    ]
    return np.stack(registers, axis=1)


def _places_of_sums() -> tuple[np.ndarray, np.ndarray]:
    rows = np.stack([GROUP, GROUP, GROUP + 8, GROUP + 8], axis=1)
    return rows, np.stack([2 * PLACE, 2 * PLACE + 1, 2 * PLACE, 2 * PLACE + 1], axis=1)


def bits_of(values: np.ndarray, dtype: str) -> np.ndarray:
    """Return float32 as the bits of halves (rounded) or bfloat16 (cut off)."""
    if dtype == "f16":
        return values.astype(np.float16).view(np.uint16)
    return (values.view(np.uint32) >> 16).astype(np.uint16)


def values_of(bits: np.ndarray, dtype: str) -> np.ndarray:
    """Return float32 of halves or bfloat16 given as bits."""
    if dtype == "f16":
        return bits.view(np.float16).astype(np.float32)
    return (bits.astype(np.uint32) << 16).view(np.float32)


def expected_product(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """One product after the other, each sum rounded to float32."""
    total = c.copy()
    for index in range(a.shape[1]):
        total = total + a[:, index : index + 1] * b[index : index + 1, :]
    return total


CASES = pytest.mark.parametrize(("dtype", "depth"), [("f16", 16), ("f16", 8), ("bf16", 16), ("bf16", 8)])


@CASES
def test_product_of_random_matrices(dtype, depth):
    """Equal in every bit to float32 sums in the order of the inner index; subnormal halves included."""
    generator = np.random.default_rng(depth)
    values = generator.standard_normal((16, depth)).astype(np.float32)
    values[:4] *= np.float32(2.0**-16)
    a, b = bits_of(values, dtype), bits_of(generator.standard_normal((depth, 8)).astype(np.float32), dtype)
    c = generator.standard_normal((16, 8)).astype(np.float32)
    c[:4] = 0

    got = product(dtype, a, b, c)
    np.testing.assert_array_equal(got, expected_product(values_of(a, dtype), values_of(b, dtype), c))


@CASES
def test_each_element_has_its_place(dtype, depth):
    """One element of A at a time: its row of the result is the row of B that it picks."""
    b = bits_of(np.arange(1, 8 * depth + 1, dtype=np.float32).reshape(depth, 8), dtype)
    for row, index in [(0, 0), (3, 1), (8, 2), (15, depth - 1), (7, depth // 2)]:
        a = np.zeros((16, depth), np.float32)
        a[row, index] = 1
        expected = np.zeros((16, 8), np.float32)
        expected[row] = values_of(b, dtype)[index]
        got = product(dtype, bits_of(a, dtype), b, np.zeros((16, 8), np.float32))
        np.testing.assert_array_equal(got, expected)


def test_infinities_and_nans_of_halves():
    """Inf times 1 is Inf, Inf - Inf is NaN, and a NaN stays one."""
    a = np.zeros((16, 16), np.float32)
    a[0, 0], a[1, 0], a[1, 1], a[2, 0], a[3, 0] = np.inf, np.inf, -np.inf, np.nan, 65504
    got = product("f16", bits_of(a, "f16"), bits_of(np.ones((16, 8), np.float32), "f16"), np.zeros((16, 8), np.float32))

    assert (got[0] == np.inf).all()
    assert np.isnan(got[1:3]).all()
    assert (got[3] == 65504).all()


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


@pytest.mark.parametrize(("rows", "depth"), [(16, 8), (8, 4)])
def test_product_in_float64(rows, depth):
    """Lane 4 g + t has rows g and g + 8 of A, column g of B, inner indices t and t + 4; sums as in float32."""
    rng = np.random.default_rng(depth)
    a, b, c = (rng.integers(-99, 99, shape).astype("f8") for shape in ((rows, depth), (depth, 8), (rows, 8)))
    sides = depth // 4
    of_a = np.stack([a[GROUP + 8 * (i % sides), PLACE + 4 * (i // sides)] for i in range(sides * sides)], axis=1)
    of_b = np.stack([b[PLACE + 4 * i, GROUP] for i in range(sides)], axis=1)
    places = tuple(each[:, : 2 * sides] for each in _places_of_sums())
    lists = [2 * sides, sides * sides, sides, 2 * sides]
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
    d = np.zeros((32, 2 * sides))
    launch(source, of_a, of_b, c[places], d)

    np.testing.assert_array_equal(d, (a @ b + c)[places])
