"""How a product of sharded arrays is computed with least traffic: which arrays move, by which collective, how far.

Every device computes a product of what it holds; beforehand arrays are brought to placements that fit each other. All
ways to place the product over the mesh are compared by the bytes that a device receives until C is whole or sharded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from tilewright.choose.many.layout import INNER, OTHER, PARTIAL, REPLICATED, Contraction, Placement, boundaries

Placements = tuple[Placement, ...]
MOST_PIECES = 4
"""Into how many pieces, at most, an operand is cut that every device holds a part of the inner dimension of."""


class Asked(NamedTuple):
    """A product of sharded arrays: a placement of A and of B for each mesh dimension, and bytes of an element each.

    ``is_linear``: C is A B but for a factor, so that summands of C may stay on their devices.
    """

    product: Contraction
    mesh: tuple[int, ...]
    a: Placements
    b: Placements
    a_bytes: int = 4
    b_bytes: int = 4
    c_bytes: int = 4
    is_linear: bool = True


@dataclass(frozen=True)
class Move:
    """An array brought to another placement over one mesh dimension; ``bytes`` are received by each device."""

    array: str
    mesh_dimension: int
    source: Placement
    target: Placement
    collective: str
    bytes: int


@dataclass(frozen=True)
class Pieces:
    """What is sent by pieces, while the product of another piece is computed.

    array: "A" or "B", which every device gathers over ``mesh_dimension``, or "C", whose summands are added there.
    label: the dimension that is cut. sent: the label that is sharded. is_all_to_all: each device takes a part of the
    cut dimension, and not all of it.
    """

    array: str
    mesh_dimension: int
    label: str
    sent: str
    is_all_to_all: bool = False


@dataclass(frozen=True)
class Sharding:
    """The way of a product over a mesh: placements that A and B are brought to, C's, and what moves for it.

    ``summed``: C's placements when the local product is done; ``c``: when the call is. ``moves`` of A and B come
    before the product, those of C after it.
    """

    asked: Asked
    a: Placements
    b: Placements
    summed: Placements
    c: Placements
    moves: tuple[Move, ...]
    pieces: Pieces | None
    reasons: tuple[str, ...] = ()

    @property
    def bytes(self) -> int:
        """The bytes that each device receives."""
        return sum(move.bytes for move in self.moves)

    @property
    def all_bytes(self) -> int:
        """The bytes that all devices together receive."""
        return self.bytes * prod(self.asked.mesh)

    def moves_of(self, array: str) -> tuple[Move, ...]:
        """The moves of "A", "B" or "C"."""
        return tuple(move for move in self.moves if move.array == array)


class _Way(NamedTuple):
    """The placements of A, B and C over one mesh dimension."""

    a: Placement
    b: Placement
    c: Placement
    label: str | None


@lru_cache(maxsize=1024)
def choose_sharding(asked: Asked) -> Sharding:
    """The way with the fewest bytes; among equals the one that changes fewest placements."""
    found = (_sharding(asked, ways) for ways in product(_ways(asked), repeat=len(asked.mesh)))
    best = min((each for each in found if each is not None), key=_cost)
    best = replace(best, pieces=_pieces(best))
    return replace(best, reasons=_reasons(best))


def move_between(array: str, mesh: int, size: int, source: Placement, target: Placement, whole: int) -> Move | None:
    """The move over one mesh dimension of ``size`` devices; None for one that needs no traffic.

    ``whole``: the bytes of the array as one device holds it when it is replicated over this mesh dimension.
    """
    others = size - 1
    if source in {target, REPLICATED} or size == 1:
        return None
    if source == PARTIAL and isinstance(target, int):
        return Move(array, mesh, source, target, "reduce-scatter", whole * others // size)
    if source in {PARTIAL, OTHER}:
        return Move(array, mesh, source, target, "all-reduce", 2 * whole * others // size)
    if isinstance(target, int):
        return Move(array, mesh, source, target, "all-to-all", whole * others // size**2)
    return Move(array, mesh, source, target, "all-gather", whole * others // size)


def moves_between(array: str, mesh: tuple[int, ...], source: Placements, target: Placements, whole: int) -> list[Move]:
    """The moves from the last mesh dimension to the first; ``whole``: the bytes of the whole array."""
    now, moves = list(source), []
    for at in reversed(range(len(mesh))):
        held = whole // prod(mesh[each] for each in range(len(mesh)) if each != at and isinstance(now[each], int))
        move = move_between(array, at, mesh[at], now[at], target[at], held)
        moves += [] if move is None else [move]
        now[at] = target[at]
    return moves


def _ways(asked: Asked) -> tuple[_Way, ...]:
    """All placements over one mesh dimension with which local products are products of the whole."""

    def at(operand: str, label: str) -> Placement:
        dimension = asked.product.dimension(operand, label)
        return REPLICATED if dimension is None else dimension

    ways = [
        _Way(at("A", label), at("B", label), PARTIAL if label not in asked.product.c else at("C", label), label)
        for label in asked.product.labels
    ]
    return (
        *ways,
        _Way(REPLICATED, REPLICATED, REPLICATED, None),
        _Way(PARTIAL, REPLICATED, PARTIAL, None),
        _Way(REPLICATED, PARTIAL, PARTIAL, None),
    )


def _sharding(asked: Asked, ways: tuple[_Way, ...]) -> Sharding | None:
    """The product placed so; None if it cannot be: pairs would be split, or summands made where there are none."""
    a, b, c = (tuple(getattr(way, name) for way in ways) for name in ("a", "b", "c"))
    for given, target in ((asked.a, a), (asked.b, b)):
        if any(to == PARTIAL != one for one, to in zip(given, target, strict=True)):
            return None
    if any(_splits_pairs(asked, label, ways) for label in asked.product.paired):
        return None
    finished = c
    if not asked.is_linear:
        finished = tuple(_finished(asked, c) if each == PARTIAL else each for each in c)
    moves = []
    for array, source, target, shape, item in (
        ("A", asked.a, a, asked.product.a_shape, asked.a_bytes),
        ("B", asked.b, b, asked.product.b_shape, asked.b_bytes),
        ("C", c, finished, asked.product.c_shape, asked.c_bytes),
    ):
        moves += moves_between(array, asked.mesh, source, target, item * prod(shape))
    return Sharding(asked, a, b, c, finished, tuple(moves), None)


def _finished(asked: Asked, c: Placements) -> Placement:
    """Where a sum over devices is kept: sharded by rows, or by columns where the rows are sharded already."""
    free = [dimension for dimension in range(len(asked.product.c)) if dimension not in c]
    label_of = asked.product.c
    return next((at for at in free if (label_of[at] or "").startswith(("m", "row"))), free[-1] if free else REPLICATED)


def _splits_pairs(asked: Asked, label: str, ways: tuple[_Way, ...]) -> bool:
    """Whether shards of the label would end between the two neighbours of a pair."""
    parts = tuple(size for size, way in zip(asked.mesh, ways, strict=True) if way.label == label)
    extent = asked.product.extents[label]
    ends, halves = boundaries(extent, parts), boundaries(extent // 2, parts)
    return any(end != 2 * half for end, half in zip(ends, halves, strict=True))


def _cost(way: Sharding) -> tuple[int, int, int]:
    """Bytes, with those that pending sums still take; then changed placements; then sums that are pending."""
    asked = way.asked
    whole = asked.c_bytes * prod(asked.product.c_shape)
    pending = tuple(_finished(asked, way.c) if each == PARTIAL else each for each in way.c)
    later = sum(move.bytes for move in moves_between("C", asked.mesh, way.c, pending, whole))
    changed = sum(one != other for one, other in zip((*asked.a, *asked.b), (*way.a, *way.b), strict=True))
    return way.bytes + later, changed, sum(each == PARTIAL for each in way.summed)


def _pieces(way: Sharding) -> Pieces | None:
    """What is sent by pieces: the largest array that is gathered, or else C, if its summands are added at once."""
    candidates = list(_gathered(way))
    if candidates:
        return max(candidates, key=lambda each: each[0].bytes)[1]
    added = [move for move in way.moves if move.array == "C" and move.collective == "reduce-scatter"]
    if len(added) != 1 or len(way.moves_of("C")) != 1 or not isinstance(added[0].target, int):
        return None
    label = way.asked.product.c[added[0].target]
    if label is None or way.c.count(added[0].target) > 1:
        return None
    return Pieces("C", added[0].mesh_dimension, label, INNER)


def _gathered(way: Sharding) -> Iterator[tuple[Move, Pieces]]:
    asked, contracted = way.asked, way.asked.product
    for move in way.moves:
        if move.array == "C" or move.collective not in {"all-gather", "all-to-all"}:
            continue
        if not isinstance(move.source, int):
            continue
        source, target, labels = (asked.a, way.a, contracted.a) if move.array == "A" else (asked.b, way.b, contracted.b)
        sent = labels[move.source]
        if sent is None or source.count(move.source) > 1 or move.source in target:
            continue
        if isinstance(move.target, int):
            label = labels[move.target]
            is_whole = move.target not in source and target.count(move.target) == 1
            if sent == INNER and label is not None and label not in contracted.paired and is_whole:
                yield move, Pieces(move.array, move.mesh_dimension, label, sent, is_all_to_all=True)
            continue
        if sent in contracted.c:
            parts = (asked.mesh[move.mesh_dimension],)
            if sent not in contracted.paired or not _ends_in_pairs(contracted.extents[sent], parts):
                yield move, Pieces(move.array, move.mesh_dimension, sent, sent)
            continue
        free = [at for at, label in enumerate(labels) if label in contracted.c and at not in (*source, *target)]
        if free:
            cut = max(free, key=lambda at: contracted.extents[labels[at] or ""])
            yield move, Pieces(move.array, move.mesh_dimension, labels[cut] or "", sent)


def _ends_in_pairs(extent: int, parts: tuple[int, ...]) -> bool:
    return any(end % 2 for end in boundaries(extent, parts))


def _reasons(way: Sharding) -> tuple[str, ...]:
    asked = way.asked
    said = []
    for array, placements in (("A", asked.a), ("B", asked.b)):
        labels = asked.product.a if array == "A" else asked.product.b
        for at, placement in enumerate(placements):
            label = labels[placement] if isinstance(placement, int) else None
            if label in asked.product.paired and _ends_in_pairs(
                asked.product.extents[label or ""], tuple(asked.mesh[at : at + 1])
            ):
                said.append(f"{array}'s shards end within pairs of neighbours, which are added on one device.")
    if not way.moves:
        said.append("Nothing moves: what each device holds of A and B is what its part of C takes.")
    else:
        said.append("Of all placements of A, B and C this one needs the fewest bytes, with those of sums still to add.")
    if PARTIAL in way.c:
        said.append("C is left as summands, as torch's own product leaves it; they are added when C is redistributed.")
    if way.pieces is not None:
        what = "summands of C are added" if way.pieces.array == "C" else f"{way.pieces.array} is brought"
        said.append(f"{what[0].upper()}{what[1:]} by pieces, each while another is multiplied.")
    return tuple(said)
