"""What a trace says of kernels whose arithmetic is known."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from tilewright.choose import PlanError
from tilewright.kernels import find_taught
from tilewright.lab.check.options import Options
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.trace.catalogue_subject import catalogue_subject
from tilewright.lab.trace.file_subject import file_subject
from tilewright.lab.trace.record import record
from tilewright.lab.trace.subject import TraceError
from tilewright.lab.trace.trace import Selection

GUARDLESS = """
__global__ void scale(const float* A, const float* B, float* C, int n)
{
    int row = threadIdx.y, column = threadIdx.x;
    float sum = 0;
    for (int p = 0; p <= n; ++p)
        sum += A[row * n + p] * B[p * n + column];
    C[row * n + column] = sum;
}
"""


def traced(name, sizes, tile, selection=None, **options):
    """Record a kernel of the catalogue; sizes are m, n, k."""
    m, n, k = sizes
    return record(catalogue_subject(find_taught(*name.split("/")), Sizes(m, k, n), tile, **options), selection)


def steps_of(trace, kind, array=None, block=0):
    """Return the steps of a block that are of a kind, and of an array where one is named."""
    names = [each.name for each in trace.arrays]
    return [s for s in trace.blocks[block].steps if s.kind == kind and array in (None, names[s.array])]


def loads_per_thread(trace, block=0):
    """Return how many elements each thread loads from A and B."""
    counts: dict[int, int] = {}
    for name in "AB":
        for step in steps_of(trace, "load", name, block):
            for lane in step.lane_numbers:
                counts[32 * step.warp + lane] = counts.get(32 * step.warp + lane, 0) + step.count
    return counts


@pytest.fixture(scope="module")
def example():
    """Seed 002's example: 4 x 4 with 2 x 2 tiles."""
    return traced("matmul/tiled", (4, 4, 4), 2)


def test_the_example_loads_four_elements_per_thread_and_eight_without_tiles(example):
    """Seed 002: 8 accesses per thread without tiling, 4 with it."""
    assert loads_per_thread(example) == dict.fromkeys(range(4), 4)
    assert example.beside.kernel == "matmul/naive"
    assert example.beside.curves == ((2, 4, 6, 8, 8),)
    assert set(example.beside.curve_of) == {0}
    assert (example.counts["global_loads"], example.beside.global_loads) == (64, 128)


def test_the_example_goes_through_its_phases_as_the_slides_do(example):
    """Seed 000: in phase 0, block (0,0) loads the first tiles of A and B; in phase 1 the next ones."""
    assert [block.block for block in example.blocks] == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    a, b = steps_of(example, "load", "A"), steps_of(example, "load", "B")
    assert [(s.phase, s.elements) for s in a] == [(0, [0, 1, 4, 5]), (1, [2, 3, 6, 7])]
    assert [(s.phase, s.elements) for s in b] == [(0, [0, 1, 4, 5]), (1, [8, 9, 12, 13])]
    assert [s.phase for s in steps_of(example, "wait")] == [0, 0, 1, 1]
    assert [s.phase for s in steps_of(example, "add")] == [0, 0, 1, 1]


def test_running_sums_are_those_of_the_product(example):
    """After each update, a thread's sum is the product of so many elements of its row and column."""
    a, b = example.subject.product.a.astype(float), example.subject.product.b.astype(float)
    for p, step in enumerate(steps_of(example, "add"), 1):
        partial = a[:2, :p] @ b[:p, :2]
        assert [value for (value,) in step.values] == partial.ravel().tolist()
    (store,) = steps_of(example, "store", "C")
    assert [value for (value,) in store.values] == (a @ b)[:2, :2].ravel().tolist()
    assert example.wrong == 0


def test_factors_lead_back_to_the_loads_that_brought_them(example):
    """The first update multiplies what the two loads from the tiles found; each tile's element came from a load."""
    steps = example.blocks[0].steps
    add = steps_of(example, "add")[1]
    (from_a,), (from_b,) = add.sources
    assert [steps[index].elements for index, _ in (from_a, from_b)] == [[1, 1, 3, 3], [2, 3, 2, 3]]
    store = steps_of(example, "store", "tile_A")[0]
    assert steps[store.sources[0][0][0]].values == store.values
    assert store.is_copy


def test_boundary_tiles_are_filled_with_zeros():
    """7 x 5 times 5 x 9 with tile 4: phase 1 has one column of A and one row of B; the rest of the tiles is 0."""
    trace = traced("matmul/tiled", (7, 9, 5), 4)
    assert len(trace.blocks) == 6
    load, store = steps_of(trace, "load", "A")[1], steps_of(trace, "store", "tile_A")[1]
    assert (load.phase, load.lane_numbers, load.elements) == (1, [0, 4, 8, 12], [4, 9, 14, 19])
    loaded = [lane in load.lane_numbers for lane in store.lane_numbers]
    assert [value == 0 for (value,) in store.values] == [not each for each in loaded]
    # Block (2, 1) has column 8 and rows 4 to 6 of C: its other threads load what they can and store nothing.
    last = steps_of(trace, "store", "C", block=5)[0]
    assert last.elements == [4 * 9 + 8, 5 * 9 + 8, 6 * 9 + 8]
    assert trace.wrong == 0


def test_without_the_second_barrier_the_race_is_in_the_trace():
    """Both tiles are overwritten while others read: the observers say so, whatever the result is."""
    trace = traced("matmul/tiled", (8, 8, 8), 4, without=(2,))
    assert [finding.kind for finding in trace.findings] == ["race", "race"]
    assert trace.subject.listing.text.count("\n") == find_taught("matmul", "tiled").source_text().count("\n")
    with pytest.raises(TraceError, match="has 2 barriers, and barrier 3 is none"):
        traced("matmul/tiled", (8, 8, 8), 4, without=(3,))


def test_a_reduced_product_adds_pairs_before_it_shares_them():
    """RMM: two elements of A go into each element of the tile; a thread updates its sum k times."""
    trace = traced("reduced_matmul/tiled", (8, 8, 8), 2)
    store = steps_of(trace, "store", "sums_A")[0]
    steps = trace.blocks[0].steps
    first, second = (steps[index] for index, _ in store.sources[0])
    assert [a[0] + b[0] for a, b in zip(first.values, second.values, strict=True)] == [v for (v,) in store.values]
    assert len(steps_of(trace, "add")) == 8
    assert trace.wrong == 0


@pytest.mark.parametrize("name", ["matmul/naive", "reduced_matmul/naive_p", "reduced_matmul/naive_4p"])
def test_kernels_without_tiles_have_one_phase(name):
    """And their sums are found as well: the last update is what is stored."""
    trace = traced(name, (4, 4, 6), 2 if name == "matmul/naive" else None)
    assert {step.phase for step in trace.blocks[0].steps} == {0}
    adds, (store,) = steps_of(trace, "add"), steps_of(trace, "store", "C")
    assert adds[-1].values == store.values


def test_the_tree_of_the_dot_product_has_a_phase_for_each_halving():
    """32 threads halve five times: their products, then five levels of sums."""
    trace = traced("dot/tiled", (1, 1, 64), 32)
    assert max(step.phase for step in trace.blocks[0].steps) == 5
    stored = [steps_of(trace, "store", "C", block)[0].values[0][0] for block in range(2)]
    assert trace.wrong == 0
    assert sum(stored) == float(trace.subject.product.a @ trace.subject.product.b)


def test_what_is_recorded_can_be_chosen():
    """One block, two threads, one phase: what they did there, as in the whole recording."""
    whole = traced("matmul/tiled", (8, 8, 8), 4)
    chosen = Selection(blocks=((1, 0, 0),), threads=((0, 0, 0), (1, 2, 0)), phases=(1, 1))
    trace = traced("matmul/tiled", (8, 8, 8), 4, chosen)
    assert [block.block for block in trace.blocks] == [(1, 0, 0)]
    assert {step.phase for step in trace.blocks[0].steps} == {1}
    full = [s for s in steps_of(whole, "add", block=1) if s.phase == 1]
    for step, other in zip(steps_of(trace, "add"), full, strict=True):
        assert step.lane_numbers == [0, 9]
        assert step.values == [other.values[0], other.values[9]]


@pytest.mark.parametrize(
    ("sizes", "selection", "error", "words"),
    [
        ((200, 200, 200), None, TraceError, "at most 24,000"),
        ((8, 8, 8), Selection(blocks=((2, 0, 0),)), TraceError, "none of the grid, which has 2 x 2 x 1"),
        ((8, 8, 8), Selection(threads=((4, 0, 0),)), TraceError, "none of a block of 4 x 4 x 1"),
        ((0, 8, 8), None, PlanError, "nothing to compute"),
    ],
)
def test_refusals(sizes, selection, error, words):
    """Each says what was given and what is accepted."""
    with pytest.raises(error, match=words):
        traced("matmul/tiled", sizes, 4, selection)


def test_a_kernel_of_a_file_is_launched_as_check_launches_it(tmp_path):
    """Roles and launch are found; an access past the end of B is a step of the trace."""
    path = tmp_path / "scale.cu"
    path.write_text(GUARDLESS)
    options = Options(operation="matmul", arguments="A,B,C,rows", block="cols,rows", grid="1")
    trace = record(file_subject(path, Sizes(4, 4, 4), options))
    assert trace.subject.name == "scale"
    assert "out of bounds" in {finding.kind for finding in trace.findings}
    elements = [element for step in steps_of(trace, "load", "B") for element in step.elements]
    assert max(elements) == 19


def test_float32_values_are_written_in_the_fewest_digits():
    """0.1 is no longer than that, though a float64 of the same number would be."""
    from tilewright.lab.trace.arrays import number_of

    assert number_of(int(numpy.float32(0.1).view(numpy.uint32)), numpy.dtype("float32")) == 0.1
    assert number_of(int(numpy.int32(-3).view(numpy.uint32)), numpy.dtype("int32")) == -3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sizes", "options", "sums"),
    [
        ("matmul_register_tile", Sizes(32, 16, 64), {"block": "64", "grid": "cols/32,rows/32"}, 16),
        ("matmul_float4", Sizes(32, 32, 64), {"block": "8,32", "grid": "cols/32,rows/32"}, 4),
    ],
)
def test_threads_with_several_sums(name, sizes, options, sums):
    """Register tiles and vectors: each sum is followed apart, and ends as an element of C."""
    path = Path(__file__).parents[1] / "planted" / "correct" / f"{name}.cu"
    given = Options(operation="matmul", arguments="A,B,C,rows,cols,inner", **options)
    trace = record(file_subject(path, sizes, given), Selection(blocks=((0, 0, 0),)))
    assert trace.sums == sums
    last = {}
    for step in steps_of(trace, "add"):
        if step.warp == 0:
            last[step.sum] = step.values[0][0]
    product = trace.subject.product
    assert product is not None
    c = product.a.astype(float) @ product.b.astype(float)
    side = int(sums**0.5) if sums == 16 else 1
    assert [last[number] for number in range(sums)] == c[:side, : sums // side].ravel().tolist()
