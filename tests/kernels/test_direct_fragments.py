"""Kernels that load fragments straight from global memory, on the emulator, watched by every observer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.kernels.integer_product import IntegerProduct
from tests.kernels.plan_on_emulator import check_on_emulator, held_by, run_on_emulator
from tests.lab.planted.watching import all_observers
from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.emulate import Emulator
from tilewright.kernels.matmul import mma_direct, short_k
from tilewright.kernels.matmul.direct_loads import ACROSS, ALONG, SINGLE, k_run, loads_of
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Epilogue, Problem

HOPPER = replace(find_chip("h200"), sm_count=3)
KERNELS = ("mma_direct", "short_k")


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def rows(height: int, width: int, gap: int = 0) -> tuple[int, int]:  # noqa: ARG001
    """The strides of a matrix whose rows are contiguous."""
    return width + gap, 1


def columns(height: int, width: int, gap: int = 0) -> tuple[int, int]:  # noqa: ARG001
    """Those of one whose columns are."""
    return 1, height + gap


def product(sizes, layouts=(rows, rows, rows), gaps=(0, 0, 0), dtype="float16", **more) -> IntegerProduct:
    """A product of such operands; of ``c_operand`` like C where the epilogue adds one."""
    m, k, n = sizes
    shapes = [(m, k), (k, n), (m, n)]
    strides = [layout(*shape, gap) for layout, shape, gap in zip(layouts, shapes, gaps, strict=True)]
    epilogue = more.get("epilogue", Epilogue())
    if epilogue.beta:
        shapes.append((m, n))
        strides.append((2 * n + 1, 1))
    out = more.pop("out_dtype", dtype)
    return IntegerProduct(dtype, out, tuple(shapes), tuple(strides), **more)


def checked(made: IntegerProduct, kernel: str, emulator: Emulator) -> dict[str, str]:
    """Compare every element, inside C and outside it; expect no error of any observer; return the macros."""
    plan = choose_plan(made.multiplication(), HOPPER, kernel)
    watching = all_observers()
    check_on_emulator(made, plan, emulator, "compute_80", watching)
    assert [found for observer in watching for found in observer.findings if found.severity == "error"] == []
    return dict(plan.launches[0].macros)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("sizes", "layouts", "loads"),
    [
        pytest.param((37, 31, 43), (rows, rows), (SINGLE, SINGLE), id="odd"),
        pytest.param((38, 32, 42), (rows, columns), (ALONG, ALONG), id="along k"),
        pytest.param((38, 31, 42), (columns, rows), (ACROSS, ACROSS), id="across k"),
        pytest.param((38, 32, 43), (rows, rows), (ALONG, SINGLE), id="mixed"),
    ],
)
def test_every_way_to_load(emulator, kernel, sizes, layouts, loads):
    """Sizes that are no multiples of what an instruction multiplies."""
    macros = checked(product(sizes, (*layouts, rows)), kernel, emulator)

    assert (int(macros["A_LOADS"]), int(macros["B_LOADS"])) == loads


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("k", "run"), [(30, "2"), (20, "4"), (24, "8"), (64, "8")])
def test_runs_along_k(emulator, kernel, k, run):
    """As many neighbours as divide k and lie at such addresses; the other operand follows their order."""
    for other in (rows, columns):
        macros = checked(product((33, k, 40), (rows, other, rows)), kernel, emulator)
        assert int(macros["K_RUN"]) <= int(run)
    if int(macros["STEPS"]) % 2 == 0:
        assert macros["K_RUN"] == run


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (1, 5, 129), (70, 3, 1), (17, 64, 65), (16, 0, 9)])
def test_the_smallest_and_the_thinnest(emulator, kernel, sizes):
    """A single row, column, element; nothing to add up."""
    checked(product(sizes), kernel, emulator)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("c", "gap"),
    [(rows, 0), (rows, 3), pytest.param(columns, 0, id="columns"), pytest.param(columns, 5, id="columns with gaps")],
)
def test_results_at_any_boundary(emulator, kernel, c, gap):
    """Odd rows begin at odd addresses, each second one; gaps are the caller's."""
    checked(product((35, 18, 67), (rows, rows, c), (0, 0, gap), offset=1), kernel, emulator)


@pytest.mark.parametrize("kernel", KERNELS)
def test_rows_of_c_backwards(emulator, kernel):
    """A distance between rows that is odd and negative."""
    made = IntegerProduct("bfloat16", "bfloat16", ((35, 9), (9, 67), (35, 67)), ((9, 1), (67, 1), (-71, 1)))
    checked(made, kernel, emulator)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("c", [rows, columns])
@pytest.mark.parametrize("out", ["bfloat16", "float32"])
def test_the_epilogue(emulator, kernel, c, out):
    """alpha, beta with a C operand of other strides, bias and relu; of the transposed product too."""
    full = Epilogue(0.5, -2, bias=True, activation="relu")
    checked(product((21, 12, 34), (rows, columns, c), dtype="bfloat16", out_dtype=out, epilogue=full), kernel, emulator)


@pytest.mark.parametrize("kernel", KERNELS)
def test_batches(emulator, kernel):
    """Two extents, one of A broadcast, C with gaps between products."""
    made = IntegerProduct(
        "float16",
        "float16",
        ((2, 3, 19, 7), (2, 3, 7, 22), (2, 3, 19, 22)),
        ((133, 0, 7, 1), (500, 160, 22, 1), (2000, 600, 22, 1)),
    )
    checked(made, kernel, emulator)


def test_warps_that_share_k(emulator):
    """More of them than steps of k, and more steps than they take at once."""
    for k in (5, 16, 200, 1100):
        checked(product((20, k, 18)), "mma_direct", emulator)


@pytest.mark.parametrize(
    ("n", "out", "strip"),
    [
        (272, "float16", "64"),
        (270, "float16", "48"),
        (271, "float16", "48"),
        (97, "float16", "48"),
        (113, "float16", "48"),
        (65, "float16", "48"),
        (64, "float16", "64"),
        (61, "float16", "64"),
        (269, "float32", "56"),
        (113, "float32", "56"),
        (264, "float32", "64"),
    ],
)
def test_strips_of_several_blocks(emulator, n, out, strip):
    """Each warp keeps its columns while it walks down more rows than it multiplies at once.

    Where rows of C begin at any address, each of a row's strips begins at a sector; some have a row's last elements.
    """
    macros = checked(product((70, 17, n), out_dtype=out), "short_k", emulator)
    assert macros["STRIP_N"] == strip
    checked(product((70, 17, n), gaps=(0, 0, 5), out_dtype=out, offset=1), "short_k", emulator)


@pytest.mark.parametrize("out", ["float16", "float32"])
def test_strips_that_add_to_c_itself(emulator, out):
    """A warp multiplies columns of the next one's strip, too: their C operand it leaves alone, for it may be C."""
    shapes, strides = ((40, 9), (9, 115), (40, 115), (40, 115)), ((9, 1), (115, 1), (117, 1), (117, 1))
    made = IntegerProduct("float16", out, shapes, strides, epilogue=Epilogue(1, 2))
    made.operands[2].view[...] = made.operands[3].view
    plan, watching = choose_plan(made.multiplication(), HOPPER, "short_k"), all_observers()
    with held_by(emulator, made.buffers, plan.workspace_bytes) as held:
        addresses = {name: buffer.address + made.firsts.get(name, 0) for name, buffer in held.items()}
        run_on_emulator(emulator, plan, {**addresses, "c_operand": addresses["C"]}, "compute_80", watching)
        made.check(held["C"].read(made.buffers["C"].dtype, made.buffers["C"].shape))
    assert [found for observer in watching for found in observer.findings if found.severity == "error"] == []


def test_what_is_refused():
    """A k that registers do not hold, results that lie along neither, a stride that 32 bits do not count."""
    long, short = Problem(packed((9, 65)), packed((65, 9)), packed((9, 9)), "float16", "float16"), packed((9, 8))
    assert "inner size of up to 64, not 65" in (short_k.refusal(long, HOPPER, None) or "")
    assert "leave the tile out" in (short_k.refusal(long, HOPPER, (16, 16)) or "")
    strided = replace(packed((9, 9)), row_stride=40, column_stride=2)
    apart = Problem(short, packed((8, 9)), strided, "float16", "float16")
    assert "writes contiguous rows or columns" in (short_k.refusal(apart, HOPPER, None) or "")
    far = replace(short, row_stride=1, column_stride=2**28)
    assert "32 bits" in (mma_direct.refusal(replace(apart, a=far), HOPPER, None) or "")
    assert "has the tiles (16, 16)" in (mma_direct.refusal(apart, HOPPER, (128, 128)) or "")
    assert mma_direct.refusal(apart, HOPPER, (32, 32)) is None


def test_how_operands_are_loaded():
    """By what divides their sizes, strides and addresses."""
    assert loads_of(packed((8, 8)), 2) == ALONG
    assert loads_of(packed((8, 8)).transposed, 2) == ACROSS
    assert loads_of(packed((8, 7)), 2) == SINGLE
    assert loads_of(packed((7, 8)).transposed, 2) == ACROSS
    assert loads_of(replace(packed((8, 8)), alignment_bytes=2), 2) == SINGLE
    whole = Problem(packed((8, 24)), packed((24, 8)), packed((8, 8)), "float16", "float16")
    assert [k_run(whole, steps) for steps in (1, 2)] == [4, 8]
    assert k_run(replace(whole, a=replace(whole.a, alignment_bytes=8)), 2) == 4
