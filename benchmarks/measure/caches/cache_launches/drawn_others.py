"""Families of drawn launches that are no products: stencils, gathers, strides."""

from __future__ import annotations

from math import ceil, exp, log
from random import Random
from types import SimpleNamespace

import numpy

from benchmarks.measure.caches.cache_launches.case import CacheCase
from benchmarks.measure.caches.cache_launches.drawn_launch import (
    BLOCKS,
    ROWS_OF_THREADS,
    TYPES,
    Launch,
    shape,
    size,
)
from tests.counters.corpus.case import Array, integers, output, reals, zeros
from tests.counters.corpus.neighbors import windows


def stencil(chosen: Random, launch: Launch) -> CacheCase:
    """The sum of an element's neighbors."""
    block, radius = chosen.choice(BLOCKS), chosen.choice((1, 2, 3))
    height, width, padding = size(chosen, 200), size(chosen, 200), chosen.choice((0, 0, 1, 13, 32))
    box = chosen.random() < 0.4

    def expected(given: SimpleNamespace) -> dict[str, Array]:
        source, sums = given.source.astype(float), numpy.zeros(given.source.shape)
        inner = (slice(radius, -radius), slice(radius, width - radius))
        around = windows(source[:, :width], radius, "edge")[inner]
        weights = numpy.ones((2 * radius + 1,) * 2)
        if not box:
            weights[:], weights[radius], weights[:, radius] = 0, 1, 1
        sums[inner] = numpy.einsum("yxij,ij->yx", around, weights)
        return {"target": sums}

    shape_of_all = (height, width + padding)
    return launch.case(
        "drawn_stencil",
        "drawn_others.cu",
        f"{height}x{width} of {width + padding}",
        (ceil(width / block[0]), ceil(height / block[1]), 1),
        block,
        {"FAMILY_STENCIL": "1", **shape(block), "RADIUS": str(radius), **({"BOX": "1"} if box else {})},
        {
            "source": reals(shape_of_all, TYPES[launch.kind]),
            "target": zeros(shape_of_all, TYPES[launch.kind]),
            "height": height,
            "width": width,
            "pitch": width + padding,
        },
        expected,
    )


def gather(chosen: Random, launch: Launch) -> CacheCase:
    """Sums of elements named by a list of places, anywhere or near the thread's own."""
    block, reads = chosen.choice(ROWS_OF_THREADS), chosen.choice((1, 4, 16))
    count, held = round(exp(chosen.uniform(log(1e4), log(2e5)))), round(exp(chosen.uniform(log(1e3), log(1e6))))
    window = chosen.choice((0, 64, 1024))

    def places(bits: numpy.random.PCG64) -> Array:
        if window:
            own = numpy.arange(count) * held // count
            return ((own + integers(0, window, (reads, count))(bits)) % held).astype("i4")
        return integers(0, held, (reads, count))(bits)

    return launch.case(
        "drawn_gather",
        "drawn_others.cu",
        f"{count} of {held}, window {window}",
        (ceil(count / block[0]), 1, 1),
        block,
        {"FAMILY_GATHER": "1", "BX": str(block[0]), "READS": str(reads)},
        {
            "source": reals(held, TYPES[launch.kind]),
            "places": places,
            "target": output(count, TYPES[launch.kind]),
            "count": count,
        },
        lambda given: {"target": given.source.astype(float)[given.places].sum(0)},
    )


def strides(chosen: Random, launch: Launch) -> CacheCase:
    """Sums of elements a distance apart, from places a stride apart."""
    block, reads = chosen.choice(ROWS_OF_THREADS), chosen.choice((2, 8, 32))
    count, held = round(exp(chosen.uniform(log(1e4), log(1e5)))), round(exp(chosen.uniform(log(1e4), log(2e6))))
    stride, distance = chosen.choice((1, 1, 2, 3, 5, 16, 33)), chosen.choice((1, 7, 32, 300, 4096, 20_000))

    def expected(given: SimpleNamespace) -> dict[str, Array]:
        first = numpy.arange(count) * stride
        source = given.source.astype(float)
        return {"target": sum((source[(first + read * distance) % held] for read in range(reads)), numpy.zeros(count))}

    return launch.case(
        "drawn_strides",
        "drawn_others.cu",
        f"{count} of {held}, stride {stride}, distance {distance}",
        (ceil(count / block[0]), 1, 1),
        block,
        {"FAMILY_STRIDES": "1", "BX": str(block[0]), "READS": str(reads)},
        {
            "source": reals(held, TYPES[launch.kind]),
            "target": output(count, TYPES[launch.kind]),
            "count": count,
            "size": held,
            "stride": stride,
            "distance": distance,
        },
        expected,
    )
