"""Kernels on matrices and graphs: products, normalizations, sparse rows, a step of a search."""

from __future__ import annotations

from itertools import pairwise

import numpy

from tests.counters.corpus.case import Array, Case, Difference, Make, integers, output, reals, zeros

ROWS, COLUMNS = 200, 150
VERTICES, LEVEL = 300, 2
UNREACHED = 2**32 - 1
GRAPH_SEED = 7


def softmax(given):
    """In float64."""
    powers = numpy.exp(given.scores - given.scores.astype(float).max(1, keepdims=True))
    return {"out": powers / powers.sum(1, keepdims=True)}


def layer_norm(given):
    """In float64."""
    values = given.x.astype(float)
    centered = values - values.mean(1, keepdims=True)
    return {
        "out": centered / numpy.sqrt((centered**2).mean(1, keepdims=True) + given.epsilon) * given.gain + given.bias
    }


def product(given):
    """In float64."""
    return {"C": given.A.astype(float) @ given.B}


def product_with_vector(given):
    """In float64."""
    return {"y": given.A.astype(float) @ given.x}


def random_lists(count: int, targets: int, most: int) -> tuple[Array, Array]:
    """Where each of `count` lists of fewer than `most` numbers below `targets` starts, and the lists joined (CSR)."""
    bits = numpy.random.PCG64(GRAPH_SEED)
    starts = numpy.concatenate([[0], integers(0, most, count)(bits).cumsum()]).astype(numpy.int32)
    return starts, integers(0, targets, int(starts[-1]))(bits)


def fixed(array: Array) -> Make:
    """An array as an argument."""
    return lambda _: array.copy()


def spmv_csr(given):
    """Row by row."""
    parts = given.values * given.x[given.columns]
    return {"y": numpy.array([parts[start:end].sum() for start, end in pairwise(given.starts)])}


def levels_of(starts: Array, neighbors: Array, last: int) -> Array:
    """The level of each vertex up to `last`, searched from vertex 0."""
    levels = numpy.full(starts.size - 1, UNREACHED, numpy.uint32)
    levels[0], front = 0, {0}
    for level in range(1, last + 1):
        reached = {int(other) for vertex in front for other in neighbors[starts[vertex] : starts[vertex + 1]]}
        front = {vertex for vertex in reached if levels[vertex] == UNREACHED}
        levels[list(front)] = level
    return levels


def bfs_step(given):
    """The levels after one more step, and how many are new."""
    after = levels_of(given.starts, given.neighbors, given.level + 1)
    return {"levels": after, "found": numpy.array([(after != given.levels).sum()])}


STARTS, SPARSE_COLUMNS = random_lists(ROWS, COLUMNS, 13)
EDGES, NEIGHBORS = random_lists(VERTICES, VERTICES, 8)
# Adding up the accesses of both loops by hand gives exactly these numbers.
UNROLLED = (
    "ptxas takes two trips of the loop over four elements at once and an odd last trip after them, so a warp whose "
    "rows need one and two trips (4 of the 7 do) makes the 12 loads of a trip three times instead of twice."
)
RACE = "Lanes whose offers come first count the vertices found: how many of one warp do so together is a race."
CASES = (
    Case(
        "softmax",
        grid=(5, 1, 1),
        block=(64, 1, 1),
        arguments={"scores": reals((5, 150)), "out": output((5, 150)), "columns": 150},
        expected=softmax,
        tolerance=1e-6,
    ),
    Case(
        "layer_norm",
        grid=(3, 1, 1),
        block=(32, 4, 1),
        arguments={
            "x": reals((10, 75)),
            "gain": reals(75),
            "bias": reals(75),
            "out": output((10, 75)),
            "rows": 10,
            "columns": 75,
            "epsilon": 1e-5,
        },
        expected=layer_norm,
        tolerance=1e-6,
    ),
    Case(
        "matvec_row_per_thread",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        arguments={"A": reals((100, 45)), "x": reals(45), "y": output(100), "m": 100, "n": 45},
        expected=product_with_vector,
        tolerance=1e-6,
    ),
    Case(
        "matvec_row_per_warp",
        grid=(7, 1, 1),
        block=(128, 1, 1),
        arguments={"A": reals((25, 110)), "x": reals(110), "y": output(25), "m": 25, "n": 110},
        expected=product_with_vector,
        tolerance=1e-6,
    ),
    Case(
        "sgemm_register_tile",
        grid=(2, 2, 1),
        block=(256, 1, 1),
        arguments={"A": reals((100, 33)), "B": reals((33, 70)), "C": output((100, 70)), "m": 100, "n": 70, "k": 33},
        expected=product,
        tolerance=1e-6,
    ),
    Case(
        "matmul_double_buffer",
        grid=(3, 4, 1),
        block=(16, 16, 1),
        arguments={"A": reals((50, 41)), "B": reals((41, 35)), "C": output((50, 35)), "m": 50, "n": 35, "k": 41},
        dynamic_shared_bytes=4 * 16 * 16 * 4,
        expected=product,
        tolerance=1e-6,
    ),
    Case(
        "sgemm_float4",
        grid=(2, 1, 1),
        block=(256, 1, 1),
        arguments={"A": reals((64, 48)), "B": reals((48, 128)), "C": output((64, 128)), "n": 128, "k": 48},
        expected=product,
        tolerance=1e-6,
    ),
    Case(
        "spmv_csr",
        grid=(2, 1, 1),
        block=(128, 1, 1),
        arguments={
            "starts": fixed(STARTS),
            "columns": fixed(SPARSE_COLUMNS),
            "values": reals(SPARSE_COLUMNS.size, float),
            "x": reals(COLUMNS, float),
            "y": output(ROWS, float),
            "rows": ROWS,
        },
        expected=spmv_csr,
        tolerance=1e-14,
        differences={
            "global_load_requests": Difference(281, 329, UNROLLED),
            "global_load_sectors": Difference(3200, 3296, UNROLLED),
        },
    ),
    Case(
        "bfs_step",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        arguments={
            "starts": fixed(EDGES),
            "neighbors": fixed(NEIGHBORS),
            "levels": fixed(levels_of(EDGES, NEIGHBORS, LEVEL)),
            "found": zeros(1, "u4"),
            "level": numpy.uint32(LEVEL),
            "vertices": VERTICES,
        },
        expected=bfs_step,
        matters_of_order={"atomic_requests": RACE},
    ),
)
