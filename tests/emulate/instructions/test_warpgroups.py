"""`wgmma`: every type, shape, layout and swizzle against NumPy, on tiles that plain stores have laid out."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.instructions.tensor_core_model import UNSIGNED
from tests.emulate.instructions.tensor_core_model import product as expected_bits
from tests.emulate.instructions.tiles_in_shared import Layout, store, tight
from tests.emulate.instructions.warpgroup_kernel import DEPTH, Product, bits_of_integers
from tests.emulate.running import launch
from tilewright.emulate import BarrierFault, MemoryFault, PtxSyntaxError

B_AT = 16 << 10
SWIZZLES = ("none", "32", "64", "128")
WORD = {"f32": np.float32, "f16": np.float16, "s32": np.int32}
KINDS = [
    *(("f16", "f16", "f32"), ("f16", "f16", "f16"), ("bf16", "bf16", "f32"), ("tf32", "tf32", "f32")),
    *(("e4m3", "e4m3", "f32"), ("e4m3", "e5m2", "f16"), ("e5m2", "e4m3", "f32"), ("e5m2", "e5m2", "f16")),
    *(("s8", "s8", "s32"), ("s8", "u8", "s32"), ("u8", "s8", "s32"), ("u8", "u8", "s32")),
]


def integers(kinds: tuple[str, str, str], columns: int) -> tuple[np.ndarray, ...]:
    """Return A (64, depth), B (depth, columns) and sums of small whole numbers."""
    rng = np.random.default_rng(columns)
    depth = DEPTH[kinds[0]]
    lowest = [0 if kind == "u8" else -4 for kind in kinds]
    a, b = rng.integers(lowest[0], 5, (64, depth)), rng.integers(lowest[1], 5, (depth, columns))
    return a, b, rng.integers(-9, 9, (64, columns))


def sums_of(values: np.ndarray, kinds: tuple[str, str, str]) -> np.ndarray:
    """Return whole numbers as the bits of sums."""
    return values.astype(WORD[kinds[2]]).view(np.uint16 if kinds[2] == "f16" else np.uint32)


def check(product: Product, swizzle_a: str, swizzle_b: str, b_is_turned: bool) -> None:
    """Multiply small whole numbers, and compare with NumPy."""
    a, b, c = integers(product.kinds, product.columns)
    bits_a, bits_b = (bits_of_integers(x, kind) for x, kind in zip((a, b.T), product.kinds, strict=False))
    memory = np.full(48 << 10, 0xFF, np.uint8)
    layout_b = tight(swizzle_b, b_is_turned, product.columns)
    store(memory, bits_b, layout_b, B_AT)
    of_a: np.ndarray | int = bits_a
    if product.a != "registers":
        layout_a = tight(swizzle_a, product.a == "turned", 64)
        store(memory, bits_a, layout_a, 0)
        of_a = layout_a.descriptor(0)

    got = product.run(memory, of_a, layout_b.descriptor(B_AT), sums_of(c, product.kinds))
    np.testing.assert_array_equal(got, sums_of(a @ b + c, product.kinds))


@pytest.mark.parametrize("a", ["plain", "registers"])
@pytest.mark.parametrize("kinds", KINDS, ids=".".join)
def test_types(kinds, a):
    """Each type, with A in shared memory and in registers, at each swizzle."""
    product = Product(kinds, 24, a)
    for swizzle in SWIZZLES:
        check(product, swizzle, swizzle, b_is_turned=False)


@pytest.mark.parametrize(
    ("a", "b"), [("turned", "plain"), ("plain", "turned"), ("turned", "turned"), ("registers", "turned")]
)
def test_transposed_operands(a, b):
    """Rows of A and columns of B contiguous, at each swizzle; 72 columns are no multiple of a swizzled row's 64."""
    product = Product(("bf16", "bf16", "f32"), 72, a, b)
    for swizzle_a, swizzle_b in zip(SWIZZLES, SWIZZLES[1:] + SWIZZLES[:1], strict=True):
        check(product, swizzle_a, swizzle_b, b_is_turned=b == "turned")


@pytest.mark.parametrize("columns", [8, 16, 104, 256])
def test_widths(columns):
    """N may be any multiple of 8 up to 256."""
    check(Product(("f16", "f16", "f32"), columns), "128", "128", b_is_turned=False)


@pytest.mark.parametrize("kinds", [k for k in KINDS if k[2] != "s32"], ids=".".join)
def test_bits(kinds):
    """Random numbers give the bits of the model, on every type."""
    rng = np.random.default_rng(3)
    depth = DEPTH[kinds[0]]
    wide = [rng.standard_normal(shape).astype(np.float32) for shape in ((64, depth), (8, depth))]
    bits = [_cut(values, kind) for values, kind in zip(wide, kinds, strict=False)]
    c = rng.standard_normal((64, 8)).astype(np.float16 if kinds[2] == "f16" else np.float32)
    memory = np.zeros(B_AT + 1024, np.uint8)
    layouts = tight("32", False, 64), tight("none", False, 8)
    for tile, layout, start in zip(bits, layouts, (0, B_AT), strict=True):
        store(memory, tile, layout, start)
    before = c.view(np.uint16 if kinds[2] == "f16" else np.uint32)

    got = Product(kinds, 8).run(memory, layouts[0].descriptor(0), layouts[1].descriptor(B_AT), before)
    np.testing.assert_array_equal(got, expected_bits(bits[0], bits[1].T, before, kinds[:2], kinds[2]))


def _cut(values: np.ndarray, kind: str) -> np.ndarray:
    if kind in ("f16", "tf32"):
        return values.astype(np.float16).view(np.uint16) if kind == "f16" else values.view(np.uint32)
    shift = 16 if kind == "bf16" else 7
    return (values.view(np.uint32) >> shift & (0xFFFF if kind == "bf16" else 0xBF)).astype(UNSIGNED[kind])


def test_sums_are_not_kept():
    """With scale-d 0 the registers' old values count as 0, NaN too."""
    kinds = ("f16", "f16", "f32")
    a, b, _ = integers(kinds, 8)
    memory = np.zeros(B_AT + 1024, np.uint8)
    layout = tight("64", False, 64)
    store(memory, bits_of_integers(a, "f16"), layout, 0)
    store(memory, bits_of_integers(b.T, "f16"), layout, B_AT)
    nan = np.full((64, 8), np.nan, np.float32).view(np.uint32)

    got = Product(kinds, 8).run(memory, layout.descriptor(0), layout.descriptor(B_AT), nan, keep=False)
    np.testing.assert_array_equal(got.view(np.float32), a @ b)


@pytest.mark.parametrize(("signs", "factor"), [(", -1, 1", -1), (", 1, -1", -1), (", -1, -1", 1)])
def test_operands_are_negated(signs, factor):
    """scale-a and scale-b of -1."""
    kinds = ("bf16", "bf16", "f32")
    a, b, c = integers(kinds, 8)
    memory = np.zeros(B_AT + 1024, np.uint8)
    layout = tight("none", False, 64)
    store(memory, bits_of_integers(b.T, "bf16"), layout, B_AT)

    product = Product(kinds, 8, "registers", signs=signs)
    got = product.run(memory, bits_of_integers(a, "bf16"), layout.descriptor(B_AT), sums_of(c, kinds))
    np.testing.assert_array_equal(got, sums_of(factor * (a @ b) + c, kinds))


def test_sums_of_integers_saturate():
    """With .satfinite a sum stays in 32 bits; without, it wraps."""
    kinds = ("u8", "u8", "s32")
    memory = np.full(B_AT + 4096, 255, np.uint8)
    layout = tight("none", False, 64)
    before = np.full((64, 16), 2**31 - 1, np.uint32)
    for words, expected in (("", 2**31 - 1 + 32 * 255**2 - 2**32), (".satfinite", 2**31 - 1)):
        got = Product(kinds, 16, words=words).run(memory, layout.descriptor(0), layout.descriptor(B_AT), before)
        assert (got.view(np.int32) == expected).all()


@pytest.mark.parametrize("swizzle", ["32", "64", "128"])
def test_tile_within_a_swizzled_row(swizzle):
    """A step along K moves the start within rows of the swizzle's width; the XOR follows the address itself."""
    kinds = ("f16", "f16", "f32")
    rng = np.random.default_rng(0)
    span = int(swizzle)
    a, b = rng.integers(-4, 5, (64, span // 2)), rng.integers(-4, 5, (16, 8))
    memory = np.zeros(B_AT + 1024, np.uint8)
    layout = tight(swizzle, False, 64)
    store(memory, bits_of_integers(a, "f16"), layout, 0)
    plain = tight("none", False, 8)
    store(memory, bits_of_integers(b.T, "f16"), plain, B_AT)
    product = Product(kinds, 8)
    for step in range(span // 32):
        got = product.run(memory, layout.descriptor(32 * step), plain.descriptor(B_AT), np.zeros((64, 8), np.uint32))
        np.testing.assert_array_equal(got.view(np.float32), a[:, 16 * step : 16 * step + 16] @ b)


def test_base_offset():
    """A pattern that starts off its boundary of 1024 bytes is told by the base offset: its rows count from there."""
    kinds = ("f16", "f16", "f32")
    a, b, c = integers(kinds, 8)
    layout, plain, start = tight("128", False, 64), tight("none", False, 8), 3 * 128
    moved = np.zeros(B_AT, np.uint8)
    store(moved, bits_of_integers(a, "f16"), layout, 0)
    memory = np.concatenate([np.zeros(start, np.uint8), moved[: 8 * 1024], np.zeros(B_AT, np.uint8)])
    store(memory, bits_of_integers(b.T, "f16"), plain, B_AT)

    descriptor = layout.descriptor(start, base_offset=3)
    got = Product(kinds, 8).run(memory, descriptor, plain.descriptor(B_AT), sums_of(c, kinds))
    np.testing.assert_array_equal(got, sums_of(a @ b + c, kinds))


def test_distances_of_a_descriptor():
    """LBO and SBO may leave gaps, and their order does not matter."""
    kinds = ("f16", "f16", "f32")
    a, b, c = integers(kinds, 16)
    memory = np.full(B_AT + 8192, 0xFF, np.uint8)
    of_a, of_b = Layout("none", True, 1168, 144), Layout("none", False, 528, 128)
    store(memory, bits_of_integers(a, "f16"), of_a, 32)
    store(memory, bits_of_integers(b.T, "f16"), of_b, B_AT)

    product = Product(kinds, 16, "turned")
    got = product.run(memory, of_a.descriptor(32), of_b.descriptor(B_AT), sums_of(c, kinds))
    np.testing.assert_array_equal(got, sums_of(a @ b + c, kinds))


PLAIN = Product(("f16", "f16", "f32"), 8)
NOTHING = np.zeros((64, 8), np.uint32)


def test_operand_outside_of_shared_memory():
    """A descriptor that leads outside is found, with the line."""
    layout = Layout("none", False, 128, 8192)
    with pytest.raises(MemoryFault, match=r"test\.cu:\d+.*a descriptor's load of 16 bytes at byte 49152 of") as caught:
        PLAIN.run(np.zeros(16, np.uint8), layout.descriptor(0), tight("none", False, 8).descriptor(0), NOTHING)

    assert caught.value.thread is not None
    assert caught.value.thread[0] == 96  # the fourth warp has rows 48 to 63


@pytest.mark.parametrize(
    ("block", "message"), [(96, "from warp 0 on there are 96"), (224, "from warp 4 on there are 96")]
)
def test_fewer_than_four_warps(block, message):
    """A warpgroup has 128 threads."""
    body = "wgmma.fence.sync.aligned; ret;"
    text = f".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry kernel() {{ {body} }}"
    with pytest.raises(BarrierFault, match=message):
        launch(text, block=block)


def test_part_of_a_warp():
    """A warp executes it with all threads."""
    source = Product(("f16", "f16", "f32"), 8, before="if (t % 32 == 5) return;")
    with pytest.raises(BarrierFault, match=r"wgmma.fence.sync.aligned takes all 32 threads .* 31 of them come to it"):
        source.run(np.zeros(16, np.uint8), 0, 0, NOTHING)


def test_a_warp_that_leaves_its_warpgroup():
    """All four warps execute as many products; a GPU would wait for ever."""
    source = Product(("f16", "f16", "f32"), 8, before="if (t / 32 == 2) return;")
    with pytest.raises(BarrierFault, match="warp 0: 1, warp 1: 1, warp 2: 0, warp 3: 1"):
        source.run(np.zeros(16, np.uint8), 0, 0, NOTHING)


HALVES, SUMS = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "{%f1, %f2, %f3, %f4}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("setmaxnreg.dec.sync.aligned.u32 40;", ""),
        ("setmaxnreg.inc.sync.aligned.u32 250;", "a warp has registers in multiples of 8 from 24 to 256, and not 250"),
        ("setmaxnreg.inc.sync.aligned.u32 16;", "and not 16"),
        ("setmaxnreg.inc.sync.aligned.u32 %r1;", "%r1 is no number"),
        ("wgmma.wait_group.sync.aligned %r1;", "%r1 is no number"),
        ("griddepcontrol.launch_dependents;", ""),
        ("prefetch.tensormap [%d1];", ""),
        (f"{HALVES} {{%f1, %f2, %f3}}, %d1, %d1, %p1, 1, 1, 0, 0;", "has 3 elements"),
        (f"{HALVES} {SUMS}, %r1, %d1, %p1, 1, 1, 0, 0;", "takes .b64"),
        (f"{HALVES} {SUMS}, %d1, %d1, %p1, 2, 1, 0, 0;", "scaled with 1 or -1, and not with 2"),
        (f"{HALVES} {SUMS}, %d1, %d1, %p1, 1, 1, 0, 3;", "transposed .* and not 3"),
        (f"{HALVES} {SUMS}, {{%r1, %r1, %r1}}, %d1, %p1, 1, 1, 0;", "has 3 elements"),
        (f"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {SUMS}, %d1, %d1, %p1, 1, 1, 0, 0;", "takes 6"),
    ],
)
def test_operands_are_checked(line, message):
    """Instructions of Hopper that no assembler would take are refused when the module is loaded."""
    text = f""".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry kernel(.param .u64 p0) {{
    .reg .b32 %r<2>; .reg .b64 %d<2>; .reg .f32 %f<5>; .reg .pred %p<2>; .reg .b64 %e;
    mov.b32 %r1, 0; ld.param.u64 %d1, [p0]; setp.ne.b32 %p1, %r1, 0; mov.b64 %e, p0; cvta.param.u64 %e, %e;
    {line} ret; }}"""
    if message:
        with pytest.raises(PtxSyntaxError, match=message):
            launch(text, 0, block=128)
    else:
        launch(text, 0, block=128)
