"""Kernels whose threads work out something together: sums, prefixes, histograms, orders."""

from __future__ import annotations

import numpy

from tests.counters.corpus.case import Array, Case, integers, output, reals, zeros


def rows(values: Array, length: int) -> Array:
    """The values as rows of `length`, filled up with zeros: a row per block."""
    return numpy.pad(values, (0, -values.size % length)).reshape(-1, length)


def reduce_shuffle(given):
    """Blocks of a grid-stride loop take turns."""
    turns = rows(given.values, given.totals.size * 160).reshape(-1, given.totals.size, 160)
    return {"totals": turns.sum((0, 2))}


def reduce_last_block(given):
    """Blocks take turns; the last adds all."""
    turns = rows(given.values, 5 * 128).reshape(-1, 5, 128)
    return {"partial": turns.sum((0, 2)), "total": given.values.sum(dtype="u4")}


def scan_blelloch(given):
    """What comes before each element of its block."""
    blocks = rows(given.values, 256)
    inclusive = blocks.cumsum(1)
    return {"out": (inclusive - blocks).ravel()[: given.count], "totals": inclusive[:, -1]}


def compaction_ballot(given):
    """The positive values of each segment, then what was there before."""
    for block, segment in enumerate(rows(given.values, 128)):
        positive = segment[segment > 0]
        given.kept[block, : positive.size] = positive
        given.counts[block] = positive.size
    return {"kept": given.kept, "counts": given.counts}


def warp_reduce_prefix(given):
    """Exclusive prefixes of the warps' sums."""
    sums = given.sizes.reshape(3, 5, 32).sum(2)
    return {"starts": sums.cumsum(1) - sums, "largest": given.sizes.max(1)}


def argmax(given):
    """Positive values: their bits with the sign bit set, above the inverted place."""
    place = int(given.values.argmax())
    bits = int(given.values[place].view("u4")) | 1 << 31
    return {"best": numpy.array([bits << 32 | ~place & 0xFFFFFFFF], "u8")}


def run_length(given):
    """Each block's symbols repeated, cut or filled up to 128 bytes."""
    blocks = zip(given.symbols.reshape(3, 32), given.lengths.reshape(3, 32), strict=True)
    return {"out": numpy.array([numpy.pad(numpy.repeat(*block), (0, 128))[:128] for block in blocks])}


CASES = (
    Case(
        "reduce_interleaved",
        grid=(4, 1, 1),
        block=(256, 1, 1),
        arguments={"values": integers(-1000, 1000, 900), "totals": output(4, "i4"), "count": 900},
        expected=lambda given: {"totals": rows(given.values, 256).sum(1)},
    ),
    Case(
        "reduce_sequential",
        grid=(4, 1, 1),
        block=(128, 1, 1),
        arguments={"values": reals(900), "totals": output(4), "count": 900},
        dynamic_shared_bytes=512,
        expected=lambda given: {"totals": rows(given.values.astype(float), 256).sum(1)},
        tolerance=1e-6,
    ),
    Case(
        "reduce_shuffle",
        grid=(3, 1, 1),
        block=(160, 1, 1),
        arguments={"values": reals(2000, float), "totals": output(3, float), "count": 2000},
        expected=reduce_shuffle,
        tolerance=1e-14,
    ),
    Case(
        "reduce_last_block",
        grid=(5, 1, 1),
        block=(128, 1, 1),
        arguments={
            "values": integers(0, 2**20, 3000, "u4"),
            "partial": output(5, "u4"),
            "total": output(1, "u4"),
            "count": 3000,
        },
        expected=reduce_last_block,
    ),
    Case(
        "scan_hillis_steele",
        grid=(4, 1, 1),
        block=(256, 1, 1),
        arguments={"values": integers(-1000, 1000, 900), "out": output(900, "i4"), "count": 900},
        expected=lambda given: {"out": rows(given.values, 256).cumsum(1).ravel()[:900]},
    ),
    Case(
        "scan_blelloch",
        grid=(4, 1, 1),
        block=(128, 1, 1),
        arguments={
            "values": integers(0, 1000, 901, "u4"),
            "out": output(901, "u4"),
            "totals": output(4, "u4"),
            "count": 901,
        },
        expected=scan_blelloch,
    ),
    Case(
        "histogram_global",
        grid=(5, 1, 1),
        block=(256, 1, 1),
        arguments={"bytes": integers(0, 256, 1200, "u1"), "bins": zeros(256, "u4"), "count": 1200},
        expected=lambda given: {"bins": numpy.bincount(given.bytes, minlength=256)},
    ),
    Case(
        "histogram_shared",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        arguments={"bytes": integers(60, 100, (700, 4), "u1"), "bins": zeros(256, "u4"), "quads": 700},
        expected=lambda given: {"bins": numpy.bincount(given.bytes.ravel(), minlength=256)},
    ),
    Case(
        "bitonic_sort",
        grid=(3, 1, 1),
        block=(256, 1, 1),
        arguments={"values": integers(0, 2**32, (3, 512), "u4")},
        expected=lambda given: {"values": numpy.sort(given.values, 1)},
    ),
    Case(
        "argmax",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        arguments={"values": reals(2000), "best": zeros(1, "u8"), "count": 2000},
        expected=argmax,
    ),
    Case(
        "compaction_ballot",
        grid=(4, 1, 1),
        block=(128, 1, 1),
        arguments={
            "values": integers(-100, 100, 500),
            "kept": output((4, 128), "i4"),
            "counts": output(4, "i4"),
            "count": 500,
        },
        expected=compaction_ballot,
    ),
    Case(
        "aggregate_match_any",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        arguments={"keys": integers(0, 10, 370), "counts": zeros(10, "i4"), "count": 370},
        expected=lambda given: {"counts": numpy.bincount(given.keys, minlength=10)},
    ),
    Case(
        "warp_reduce_prefix",
        grid=(3, 1, 1),
        block=(160, 1, 1),
        arguments={
            "sizes": integers(0, 1000, (3, 160), "u4"),
            "starts": output((3, 5), "u4"),
            "largest": output(3, "u4"),
        },
        expected=warp_reduce_prefix,
    ),
    Case(
        "run_length",
        grid=(3, 1, 1),
        block=(32, 1, 1),
        arguments={
            "symbols": integers(65, 91, 96, "u1"),
            "lengths": integers(0, 8, 96, "u1"),
            "out": output((3, 128), "u1"),
        },
        dynamic_shared_bytes=32 * 4 + 32,
        expected=run_length,
    ),
)
