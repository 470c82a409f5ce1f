"""Floats where tiles gain nothing, on the emulator, with every observer: few rows or columns, a short k, copies."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import pytest

from tests.kernels.integer_product import IntegerProduct
from tests.kernels.plan_on_emulator import check_on_emulator
from tests.kernels.reduced_product import ReducedProduct
from tests.lab.planted.watching import all_observers
from tilewright.choose import find_chip
from tilewright.emulate import Emulator
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Scalar
from tilewright.kernels.matmul import copied_operands, few_lines, outer_products
from tilewright.kernels.matmul.cuda_cores_float32 import KERNEL as FLOAT32
from tilewright.kernels.matmul.float_tile import Shares
from tilewright.kernels.matmul.line_pairs import of_first_lines
from tilewright.kernels.matmul.mma_sync_float64 import KERNEL as FLOAT64
from tilewright.kernels.matmul.vectors import dot_products
from tilewright.kernels.matmul.without_tiles import ways_us, without_tiles
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Epilogue, Problem

CHIP = replace(find_chip("h200"), sm_count=4)
H200 = find_chip("h200")
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def product_of(dtype, m, k, n, majors, epilogue=None):
    """A product whose operands lie along rows ("N") or columns ("T") in matrices that are wider by 0, 1 and 2."""
    shapes = [(m, k), (k, n), (m, n)]
    strides = [
        (width + gap, 1) if major == "N" else (1, height + gap)
        for (height, width), major, gap in zip(shapes, majors, (0, 1, 2), strict=True)
    ]
    if epilogue is None:
        return IntegerProduct(dtype, dtype, tuple(shapes), tuple(strides))
    return IntegerProduct(dtype, dtype, (*shapes, (m, n)), (*strides, (n, 1)), epilogue=epilogue)


def checked(product, plan, emulator, *, reads_padding=False):
    """Compare every element, inside C and outside; no observer finds an error."""
    watching = all_observers()
    check_on_emulator(product, plan, emulator, "compute_90", watching)
    kinds = {found.kind for each in watching for found in each.findings if found.severity == "error"}
    # Rows of partial sums are padded to vectors, and the last one is read as a whole.
    assert kinds <= ({"uninitialised read"} if reads_padding else set())


@DTYPES
@pytest.mark.parametrize("majors", ["NNN", "NTN", "TNN", "TTT"])
@pytest.mark.parametrize(
    ("m", "k", "n"), [(1, 70, 37), (3, 101, 45), (40, 77, 2), (4, 9, 130), (1, 1, 1), (5, 140, 70), (90, 70, 8)]
)
def test_few_lines(emulator, dtype, majors, m, k, n):
    """Few rows, few columns, k whole and in parts."""
    product = product_of(dtype, m, k, n, majors)
    (part,) = slices(product.multiplication())
    for division in dict.fromkeys(few_lines.divisions(part.part, CHIP)):
        plan = few_lines.divided(part, division)
        checked(product, plan, emulator)


@DTYPES
@pytest.mark.parametrize("along_k", [False, True])
@pytest.mark.parametrize(("m", "k", "n"), [(2, 70, 37), (4, 101, 45), (8, 140, 70), (90, 77, 8)])
def test_few_lines_side_by_side(emulator, dtype, along_k, m, k, n):
    """Neighbours of the short lines side by side: they are loaded in vectors where as many as a thread has."""
    if m < n:
        strides = (1, m), (1, k) if along_k else (n, 1), (n, 1)
    else:
        strides = (k, 1) if along_k else (1, m), (n, 1), (n, 1)
    product = IntegerProduct(dtype, dtype, ((m, k), (k, n), (m, n)), strides)
    (part,) = slices(product.multiplication())
    refused = few_lines.refusal(part.part, CHIP, None)
    assert (refused is not None) == (min(m, n) > 4 and (dtype == "float64" or not along_k))
    if refused is not None:  # tiles take as many lines in this type and layout
        return
    (division, *_) = few_lines.divisions(part.part, CHIP)
    plan = few_lines.divided(part, division)
    in_vectors = min(m, n) * product.multiplication().element_bytes % 16 == 0
    assert (("A_IN_VECTORS", "1") in plan.launches[0].macros) == in_vectors
    checked(product, plan, emulator)


@DTYPES
@pytest.mark.parametrize("majors", ["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize(("m", "k", "n"), [(1, 70, 37), (3, 101, 45), (40, 77, 2), (4, 9, 130), (1, 1, 1)])
def test_pairs_of_few_lines(emulator, dtype, majors, m, k, n):
    """Reduced products: pairs one below the other or beside, k whole and in parts."""
    shapes = (2 * m, k), (k, 2 * n)
    strides = [(shape[1], 1) if major == "N" else (1, shape[0]) for shape, major in zip(shapes, majors, strict=True)]
    product = ReducedProduct(dtype, dtype, (*shapes, (m, n)), (*strides, (n, 1)))
    (part,) = slices(of_first_lines(product.multiplication()))
    for division in dict.fromkeys(few_lines.divisions(part.part, CHIP, pair_sums=True)):
        checked(product, few_lines.divided(part, division), emulator)


@DTYPES
@pytest.mark.parametrize("majors", ["NN", "NT"])
@pytest.mark.parametrize("pair_sums", [False, True], ids=["", "pairs"])
@pytest.mark.parametrize(("m", "k", "n"), [(1, 211, 37), (2, 300, 45), (38, 257, 2), (8, 230, 71)])
def test_sums_that_are_handed_over(emulator, dtype, majors, pair_sums, m, k, n):
    """Six products whose k is in three parts; alpha, beta, bias and relu are of the whole sum, and once."""
    of_one, batch = (2 if pair_sums else 1), (2, 3)
    shapes = ((of_one * m, k), (k, of_one * n), (m, n))
    lies = [(shape[1], 1) if major == "N" else (1, shape[0]) for shape, major in zip(shapes, f"{majors}N", strict=True)]
    strides = [(3 * prod(shape), prod(shape), *each) for shape, each in zip(shapes, lies, strict=True)]
    strides[1] = (0, *strides[1][1:])  # one B for both A
    epilogue = Epilogue(0.5, -2, bias=True, activation="relu")
    kind = ReducedProduct if pair_sums else IntegerProduct
    whole = tuple((*batch, *shape) for shape in (*shapes, shapes[2]))
    product = kind(dtype, dtype, whole, (*strides, (0, 0, 0, 1)), epilogue=epilogue)
    problem = product.multiplication()
    (part,) = slices(of_first_lines(problem) if pair_sums else problem)
    (usual, *_) = few_lines.divisions(part.part, CHIP, pair_sums=pair_sums)
    plan = few_lines.divided(part, replace(usual, splits=3))
    assert [launch.grid[1:] for launch in plan.launches] == [(3, 6)]
    checked(product, plan, emulator)


@DTYPES
@pytest.mark.parametrize("majors", ["NNN", "NTN", "TNN", "TTT"])
@pytest.mark.parametrize(("m", "k", "n"), [(33, 1, 65), (70, 5, 300), (1, 32, 40), (100, 17, 3), (31, 24, 64)])
def test_outer_products(emulator, dtype, majors, m, k, n):
    """Several blocks down and across, and what lies outside of C."""
    product = product_of(dtype, m, k, n, majors)
    checked(product, outer_products.launches(product.multiplication(), CHIP, None), emulator)


@DTYPES
@pytest.mark.parametrize(
    ("way", "m", "k", "n"), [(few_lines, 3, 40, 21), (few_lines, 50, 90, 2), (outer_products, 40, 6, 9)]
)
def test_the_epilogue(emulator, dtype, way, m, k, n):
    """alpha, beta, bias and relu, also of the transposed product."""
    product = product_of(dtype, m, k, n, "NNN", Epilogue(0.5, -2, bias=True, activation="relu"))
    plan = way.launches(product.multiplication(), CHIP, None)
    checked(product, plan, emulator)


@DTYPES
def test_batches(emulator, dtype):
    """Two batch extents, one of them broadcast."""
    for m, k, n in ((2, 50, 33), (45, 5, 33)):
        shapes = (2, 3, m, k), (2, 3, k, n), (2, 3, m, n)
        strides = (0, m * k, k, 1), (3 * k * n, k * n, n, 1), (3 * m * n, m * n, n, 1)
        product = IntegerProduct(dtype, dtype, shapes, strides)
        way = few_lines if m == 2 else outer_products
        plan = way.launches(product.multiplication(), CHIP, None)
        checked(product, plan, emulator)


@pytest.mark.parametrize(
    ("problem", "way", "words"),
    [
        pytest.param((9, 60, 9), few_lines, "up to 4 rows or columns", id="many lines"),
        pytest.param((50, 33, 50), outer_products, "up to 32, not 33", id="a long k"),
    ],
)
def test_refusals(problem, way, words):
    """What a kernel does not take is refused in a sentence; no kernel has a tile to set."""
    m, k, n = problem
    refused = Problem.of("matmul", m, n, k, "float32")
    assert words in str(way.refusal(refused, H200, None))
    assert "no tile to set" in str(way.refusal(Problem.of("matmul", 2, 9, 9, "float32"), H200, 16))


def test_strides_that_are_refused():
    """An operand, or a C, whose neighbours lie apart."""
    apart = replace(packed((9, 9)), row_stride=18, column_stride=2)
    b_apart = Problem(packed((2, 9)), apart, packed((2, 9)), "float32", "float32")
    c_apart = Problem(packed((9, 9)), packed((9, 9)), apart, "float32", "float32")
    assert "rows or columns that are contiguous" in str(few_lines.refusal(b_apart, H200, None))
    assert "rows or columns, and C has the strides (18, 2)" in str(outer_products.refusal(c_apart, H200, None))


@DTYPES
@pytest.mark.parametrize(
    ("m", "k", "n", "kernel"),
    [
        pytest.param(7149, 1, 689, "matmul/outer_products", id="one outer product"),
        pytest.param(689, 3, 7149, "matmul/outer_products", id="three"),
        pytest.param(2, 3000, 50257, "matmul/few_lines", id="two odd rows"),
        pytest.param(50257, 3001, 1, "matmul/few_lines", id="odd rows times a vector"),
        pytest.param(8192, 8192, 1, "dot/two_stage", id="aligned rows times a vector"),
        pytest.param(4096, 4096, 4096, None, id="a square"),
        pytest.param(5, 0, 2, None, id="nothing to multiply"),
    ],
)
def test_the_fastest_by_the_models(dtype, m, k, n, kernel):
    """Where memory sets the time, tiles are left, and the plan says why."""
    problem = Problem.of("matmul", m, n, k, dtype)
    planned = FLOAT32 if dtype == "float32" else FLOAT64
    launches = planned.launches(problem, H200, None)
    others = {"matmul/outer_products", "matmul/few_lines", "dot/two_stage"} & {
        each.kernel for each in launches.launches
    }
    assert others == ({kernel} if kernel else set())
    if kernel and kernel.startswith("matmul"):
        assert kernel in launches.reasons[0]
        assert "us by its model, and tiles" in launches.reasons[0]
        assert planned.us(problem, H200) == min(ways_us(problem, H200).values())


def test_tiles_are_kept_where_they_are_as_fast():
    """The other ways have to be faster; without counted SMs nothing is compared."""
    problem = Problem.of("matmul", 4096, 4096, 8, "float32")
    times = ways_us(problem, H200)
    assert set(times) == {"outer_products"}
    assert without_tiles(problem, H200, lambda: min(times.values())) is None
    assert without_tiles(problem, H200, lambda: 1.01 * min(times.values())) is not None
    assert ways_us(problem, replace(H200, sm_count=None)) == {}


def test_dot_products_need_aligned_rows():
    """Rows that begin on no 16 bytes are read number by number."""
    assert dot_products(Problem.of("matmul", 100, 1, 4096, "float32"), H200) is not None
    assert dot_products(Problem.of("matmul", 100, 1, 4097, "float32"), H200) is None
    assert dot_products(Problem.of("matmul", 100, 1, 4097, "float16"), H200) is not None


@DTYPES
@pytest.mark.parametrize("majors", ["NNN", "NTN", "TNN", "TTT"])
@pytest.mark.parametrize(("m", "k", "n"), [(41, 21, 37), (70, 34, 69), (33, 17, 8)])
def test_copies(emulator, dtype, majors, m, k, n):
    """Copies of odd or turned rows are read in whole vectors, of which zeros are the end; aligned views in parts."""
    product = product_of(dtype, m, k, n, majors)
    planned = FLOAT32 if dtype == "float32" else FLOAT64
    (part,) = slices(product.multiplication())
    tile = planned.tiles[-1]
    for copies in planned.copies(part):
        of_copies = replace(planned, padded=frozenset(copies.places))
        plan = copies.before(of_copies.divided(copies.part, CHIP, tile, Shares()))
        macros = dict(plan.launches[-1].macros)
        assert not [name for name in macros if name.endswith("_PARTIAL")] or len(copies.places) < 2
        if n > 16:  # with fewer columns A and B change places
            assert all(macros[f"{each}_K_MAJOR"] == "0" and macros[f"{each}_VECTOR"] == "4" for each in copies.turned)
        checked(product, plan, emulator)
        guarded = copies.before(planned.divided(copies.part, CHIP, tile, Shares()))
        checked(product, guarded, emulator)
        assert plan.workspace_bytes == copies.size_bytes
        said = f"First copied, into rows that begin on 16 bytes: {' and '.join(copies.places)}."
        assert plan.reasons[-1].startswith(said)
        assert ("no longer" in plan.reasons[-1]) == bool(copies.turned)


@pytest.mark.parametrize(("dtype", "turned"), [("float32", []), ("float64", []), ("float32", ["A", "B"])])
def test_copies_of_a_batch(emulator, dtype, turned):
    """A broadcast operand is copied once; partial sums lie behind the copies."""
    m, k, n = 9, 300, 7
    shapes = (3, m, k), (3, k, n), (3, m, n)
    strides = (0, k + 1, 1), (k * (n + 2), n + 2, 1), (m * n, n, 1)
    product = IntegerProduct(dtype, dtype, shapes, strides)
    planned = FLOAT32 if dtype == "float32" else FLOAT64
    (part,) = slices(product.multiplication())
    copies = copied_operands.copied_operands(part, ["A", "B"], turned)
    assert copies.part.part.a.batch_strides == (0,)
    assert [each for each in ("A", "B") if getattr(copies.part.part, each.lower()).major != "row"] == turned
    of_copies = replace(planned, padded=frozenset(copies.places))
    plan = copies.before(of_copies.divided(copies.part, CHIP, planned.tiles[-1], Shares(2)))
    assert plan.launches[0].kernel == "matmul/repack_float32"
    assert plan.workspace_bytes > copies.size_bytes
    checked(product, plan, emulator, reads_padding=True)


def test_large_odd_products_are_copied_on_a_chip():
    """The models say where; the plan says so."""
    launches = FLOAT32.launches(Problem.of("matmul", 8191, 8191, 8191, "float32"), H200, None)
    assert launches.launches[0].kernel == "matmul/repack_float32"
    for size in (255, 40_001):  # too short a time, and more workspace than is taken
        kept = FLOAT32.launches(Problem.of("matmul", size, size, size, "float32"), H200, None)
        assert "matmul/repack_float32" not in {each.kernel for each in kept.launches}


def test_what_is_a_little_more_than_tiles_is_cut():
    """Whole tiles cover the first part, the rest has tiles of its own; the parts make up C."""
    launches = FLOAT32.launches(Problem.of("matmul", 4097, 4099, 4096, "float32"), H200, None)
    products = [each.arguments for each in launches.launches if each.kernel == "matmul/cuda_cores_float32"]
    extents = [[each[f"product.{name}"] for name in ("m", "n")] for each in products]
    sizes = [tuple(int(each.value) for each in pair if isinstance(each, Scalar)) for pair in extents]
    assert sizes[0] == (4096, 4096)
    assert sum(prod(size) for size in sizes) == 4097 * 4099
    assert "C is cut into 3 parts" in launches.reasons[0]


@pytest.mark.parametrize("turned", [["A"], ["B"], ["A", "B"]])
@pytest.mark.parametrize("n", [37, 6])
@pytest.mark.parametrize("offset", [0, 3])
def test_turned_copies_of_views(emulator, turned, n, offset):
    """Two batch extents, one of which each operand lacks; views that begin on no vector; a few columns as rows."""
    m, k, epilogue = 41, 35, Epilogue(2, -1, bias=True)
    shapes = (2, 3, m, k), (2, 3, k, n), (2, 3, m, n), (2, 3, m, n)
    strides = (0, m * k + 5, k, 1), (k * n + 1, 0, 1, k), (m * n, 2 * m * n, n, 1), (0, 0, 1, m)
    product = IntegerProduct("float32", "float32", shapes, strides, offset=offset, epilogue=epilogue)
    (part,) = slices(product.multiplication())
    copies = copied_operands.copied_operands(part, turned, turned)
    a, b = copies.part.part.a, copies.part.part.b
    assert [a.major, b.major] == [("column" if "A" in turned else "row"), ("row" if "B" in turned else "column")]
    assert [a.batch_strides[0], b.batch_strides[1]] == [0, 0]
    of_copies = replace(FLOAT32, padded=frozenset(copies.places))
    plan = copies.before(of_copies.divided(copies.part, CHIP, FLOAT32.tiles[-1], Shares()))
    checked(product, plan, emulator)


@pytest.mark.parametrize("shares", [Shares(2), Shares(whole=1, blocks=5)])
def test_sums_lie_behind_turned_copies(emulator, shares):
    """In one workspace: those of splits of k, and those that blocks hand over, which begin on 16 bytes."""
    m, k, n = 70, 301, 66
    product = IntegerProduct("float32", "float32", ((m, k), (k, n), (m, n)), ((k, 1), (1, k), (n, 1)))
    (part,) = slices(product.multiplication())
    copies = list(FLOAT32.copies(part))[-1]
    assert copies.turned == ["A", "B"]
    of_copies = replace(FLOAT32, padded=frozenset(copies.places))
    product_plan = of_copies.divided(copies.part, CHIP, FLOAT32.tiles[-2], shares)
    plan = copies.before(product_plan)
    assert copies.size_bytes % 16 == 0
    assert plan.workspace_bytes == copies.size_bytes + product_plan.workspace_bytes
    checked(product, plan, emulator, reads_padding=shares.splits > 1)
