"""`mma.sync` of every type but float64, bit for bit against the model in whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.instructions.fragments import places_of_sums, registers_of
from tests.emulate.instructions.tensor_core_model import UNSIGNED, product, product_as_halves
from tests.emulate.running import launch

FLOATS = [
    *(("f16", "f16", depth, summed) for depth in (16, 8) for summed in ("f32", "f16")),
    *(("bf16", "bf16", depth, "f32") for depth in (16, 8)),
    *(("tf32", "tf32", depth, "f32") for depth in (8, 4)),
    *(
        ("e4m3", "e4m3", 32, "f32"),
        ("e4m3", "e5m2", 32, "f32"),
        ("e5m2", "e5m2", 32, "f32"),
        ("e5m2", "e4m3", 32, "f16"),
        ("e4m3", "e4m3", 16, "f32"),
        ("e4m3", "e5m2", 16, "f16"),
    ),
]
CASES = pytest.mark.parametrize(("of_a", "of_b", "depth", "summed"), FLOATS)


def expected_product(a: np.ndarray, b: np.ndarray, c: np.ndarray, kinds: tuple[str, str], summed: str) -> np.ndarray:
    """Return the bits that the model gives."""
    return (product_as_halves if kinds[0].startswith("e") else product)(a, b, c, kinds, summed)


def multiplied(kinds: tuple[str, str, str], a: np.ndarray, b: np.ndarray, c: np.ndarray, words: str = "") -> np.ndarray:
    """Multiply the bits of A (16, depth) and B (depth, 8) and add C, through one `mma.sync`; return the sums' bits."""
    of_a, of_b, summed = kinds
    registers_a, registers_b = registers_of(a), registers_of(b.T)
    rows, columns = places_of_sums()
    fragments = np.ascontiguousarray(c[rows, columns]).view(np.uint32)
    counts = [fragments.shape[1], registers_a.shape[1], registers_b.shape[1], fragments.shape[1]]
    numbers = iter(range(sum(counts)))
    lists = ["{" + ", ".join(f"%{next(numbers)}" for _ in range(count)) + "}" for count in counts]
    letter, kind, cast = ("f", "float", "__uint_as_float") if summed == "f32" else ("r", "unsigned", "")
    inputs = [
        f'"{each}"({turn}({name}[{count} * t + {i}]))'
        for name, count, each, turn in zip("abc", counts[1:], ("r", "r", letter), ("", "", cast), strict=True)
        for i in range(count)
    ]
    form = f"mma.sync.aligned.m16n8k{a.shape[1]}.row.col{words}.{summed}.{of_a}.{of_b}.{summed}"
    source = f"""
    extern "C" __global__ void kernel(const unsigned* a, const unsigned* b, const unsigned* c, {kind}* d) {{
        int t = threadIdx.x;
        asm volatile("{form} {", ".join(lists)};"
            : {", ".join(f'"={letter}"(d[{counts[0]} * t + {i}])' for i in range(counts[0]))} : {", ".join(inputs)});
    }}"""
    d = np.zeros_like(fragments)
    launch(source, registers_a, registers_b, fragments, d)
    result = np.zeros_like(c)
    result[rows, columns] = d.view(c.dtype)
    return result


def bits(values: np.ndarray, dtype: str) -> np.ndarray:
    """Return float32 as the bits of a type, cut off; of 8 bits random ones with the values' signs."""
    if dtype == "f16":
        return np.ascontiguousarray(values.astype(np.float16)).view(np.uint16)
    words: np.ndarray = values.view(np.uint32)
    if dtype in ("f32", "tf32"):
        return words
    if dtype == "bf16":
        return (words >> 16).astype(np.uint16)
    return ((words >> 7) % 120 | (values < 0) * np.uint32(128)).astype(np.uint8)


def sums(values: np.ndarray, summed: str) -> np.ndarray:
    """Return float32 as the bits of sums."""
    return np.ascontiguousarray(bits(values, "f16" if summed == "f16" else "f32"))


def values_of(kind: str, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Return random float32: `plain`, of many exponents (`spread`), or such that sums nearly vanish (`cancelling`)."""
    values = rng.standard_normal(shape).astype(np.float32)
    if kind == "spread":
        return np.ldexp(values, rng.integers(-14, 9, shape)).astype(np.float32)
    if kind == "cancelling":
        values[:, 1::2] = -values[:, ::2] if shape[0] == 16 else values[:, 1::2]
        if shape[1] == 8:
            values[1::2] = values[::2]
    return values


@CASES
@pytest.mark.parametrize("kind", ["plain", "spread", "cancelling"])
def test_product_of_floats(of_a, of_b, depth, summed, kind):
    """Equal in every bit to the model."""
    rng = np.random.default_rng(depth)
    a = bits(values_of(kind, (16, depth), rng), of_a)
    b = bits(values_of(kind, (depth, 8), rng), of_b)
    c = sums(values_of("spread", (16, 8), rng) * np.float32(2.0**-8 if kind == "cancelling" else 1), summed)
    c[::3] = 0

    got = multiplied((of_a, of_b, summed), a, b, c)
    np.testing.assert_array_equal(got, expected_product(a, b, c, (of_a, of_b), summed))


@CASES
def test_product_of_any_bits(of_a, of_b, depth, summed):
    """Subnormal numbers, infinities, NaN and overflow, wherever random bits make them; each row has few of them."""
    rng = np.random.default_rng(1)
    a, b = (rng.integers(0, 1 << 32, shape, np.uint64).astype(np.uint32) for shape in ((16, depth), (depth, 8)))
    a, b = (x.astype(UNSIGNED[kind]) if kind != "tf32" else x for x, kind in ((a, of_a), (b, of_b)))
    a[:, 3:] = 0
    a[8:, 1:] = 0
    kind = np.uint16 if summed == "f16" else np.uint32
    c: np.ndarray = rng.integers(0, np.iinfo(kind).max, (16, 8)).astype(kind)
    c[:, ::2] = 0

    got = multiplied((of_a, of_b, summed), a, b, c)
    np.testing.assert_array_equal(got, expected_product(a, b, c, (of_a, of_b), summed))


def test_infinities_and_nans_of_halves():
    """Inf times 1 is Inf, Inf - Inf and Inf times 0 are NaN, a NaN stays one; the largest half does not overflow."""
    a = np.zeros((16, 16), np.float16)
    a[0, 0], a[1, 0], a[1, 1], a[2, 0], a[3, 0], a[4, 8] = np.inf, np.inf, -np.inf, np.nan, 65504, np.inf
    b = np.ones((16, 8), np.float16)
    b[8] = 0
    got = multiplied(("f16", "f16", "f32"), a.view("u2"), b.view("u2"), np.zeros((16, 8), "u4")).view("f4")

    assert (got[0] == np.inf).all()
    assert np.isnan(got[[1, 2, 4]]).all()
    assert (got[3] == 65504).all()


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ([1.0, 2.0**-25], 1.0),  # cut off: the nearest float32 all the same
        ([1.0, *[2.0**-24] * 3], 1 + 2.0**-23),  # 3 / 2 of the last bit, rounded towards zero
        ([1.0, *[2.0**-26] * 12], 1.0),  # each below the two bits more, though together 3 of them
        ([-1.0, *[-(2.0**-25)] * 4], -1 - 2.0**-23),
    ],
)
def test_terms_are_aligned_and_cut_off(terms, expected):
    """Two bits behind a float32's are kept of each term, and the sum is rounded towards zero."""
    a, b = np.zeros((16, 16), np.float16), np.zeros((16, 8), np.float16)
    for place, value in enumerate(terms):
        a[:, place], b[place] = 2.0**-12, value * 2.0**12
    got = multiplied(("f16", "f16", "f32"), a.view("u2"), b.view("u2"), np.zeros((16, 8), "u4")).view("f4")

    assert (got == np.float32(expected)).all()


@pytest.mark.parametrize("words", ["", ".satfinite"])
@pytest.mark.parametrize(
    ("of_a", "of_b", "depth"), [("s8", "s8", 32), ("u8", "u8", 16), ("s8", "u8", 32), ("u8", "s8", 16)]
)
def test_product_of_integers(of_a, of_b, depth, words):
    """Exact; a sum beyond 32 bits wraps, or with .satfinite stays at the nearest."""
    rng = np.random.default_rng(depth)
    a = rng.integers(0, 256, (16, depth)).astype(np.uint8).view(UNSIGNED[of_a])
    b = rng.integers(0, 256, (depth, 8)).astype(np.uint8).view(UNSIGNED[of_b])
    c = rng.choice(np.array([0, 5, 2**31 - 1, -(2**31)], np.int64), (16, 8))
    exact = a.astype(np.int64) @ b.astype(np.int64) + c
    expected = np.clip(exact, -(2**31), 2**31 - 1) if words else exact

    got = multiplied((of_a, of_b, "s32"), a, b, c.astype(np.int32).view(np.uint32), words)
    np.testing.assert_array_equal(got, expected.astype(np.int32).view(np.uint32))


def test_elements_of_8_bits_are_multiplied_as_halves():
    """As ptxas compiles mma.sync for Hopper: terms that the 13 bits of wgmma would cut off are kept."""
    a, b = np.zeros((16, 32), np.uint8), np.full((32, 8), 0x38, np.uint8)  # 1.0
    a[:, 0], a[:, 2] = 0x78, 0x01  # 256, the smallest number 2^-9
    got = multiplied(("e4m3", "e4m3", "f32"), a, b, np.zeros((16, 8), np.uint32)).view(np.float32)

    assert (got == 256 + 2.0**-9).all()


@pytest.mark.parametrize("types", [("s8", "s8"), ("u8", "s8")])
def test_product_of_eight_rows(types):
    """m8n8k16 of integers: lane 4 g + t has 4 elements of row g and of column g, and 2 sums."""
    of_a, of_b = types
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 256, (8, 16), np.uint8), rng.integers(0, 256, (16, 8), np.uint8)
    c, d = rng.integers(-9, 9, (8, 8), np.int32), np.zeros((8, 8), np.int32)
    source = f"""extern "C" __global__ void kernel(const int* a, const int* b, const int2* c, int2* d) {{
        int t = threadIdx.x;
        asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.{of_a}.{of_b}.s32 {{%0, %1}}, {{%2}}, {{%3}}, {{%4, %5}};"
            : "=r"(d[t].x), "=r"(d[t].y) : "r"(a[t]), "r"(b[t]), "r"(c[t].x), "r"(c[t].y));
    }}"""
    counts = launch(source, a, np.ascontiguousarray(b.T), c, d).counts

    np.testing.assert_array_equal(d, a.view(UNSIGNED[of_a]).astype(int) @ b.view(UNSIGNED[of_b]).astype(int) + c)
    assert (counts.matrix_instructions, counts.matrix_flops) == (1, 2 * 8 * 8 * 16)
