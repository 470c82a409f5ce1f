"""Products while their operands arrive: a piece is multiplied as soon as it is there, and the next is on its way.

Messages go from process to process on the communication library's own stream. On a GPU waiting for one makes our
stream wait, not the host. Each element of C is computed from whole rows and columns, or is the sum of the processes'
summands in the order of their ranks: bits do not depend on when a message arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import distributed as dist

from tilewright.call.dot import dot
from tilewright.call.matmul import matmul
from tilewright.call.reduced_matmul import reduced_matmul
from tilewright.choose.many import Sharding
from tilewright.choose.many.layout import INNER, boundaries
from tilewright.choose.many.sharded import LEAST_PIECES

Tensor = Any
Messages = list[Any]
FUNCTIONS: dict[str, Callable[..., Tensor]] = {"matmul": matmul, "reduced_matmul": reduced_matmul, "dot": dot}
LEAST_EXTENT = 64
"""Pieces of fewer rows or columns keep a device less busy than the messages that they hide."""


class Product:
    """One process's product, of which pieces are computed into C's memory.

    operands: A, B, c and bias, of which one may still lack what other processes hold.
    """

    def __init__(self, operation: str, way: Sharding, operands: tuple[Tensor, ...], options: dict[str, Any]) -> None:
        self._function = FUNCTIONS[operation]
        self._labels = way.asked.product
        self._operands = dict(zip(("A", "B", "c", "bias"), operands, strict=True))
        a, b = operands[:2]
        named = {"kernel": options["kernel_name"], "tile": options["tile"]}
        named |= {name: options[name] for name in ("device", "precision")}
        dtype = torch.promote_types(a.dtype, b.dtype)
        if operation == "matmul":
            sides = options["tile"]
            named["tile"] = None if sides is None else sides[0] if len(sides) == 1 else tuple(sides)
            named |= {name: options[name] for name in ("alpha", "beta", "activation")}
            dtype = options["out_dtype"] or dtype
            named["out_dtype"] = str(dtype).removeprefix("torch.")
        self._options, self.dtype = named, dtype

    def shape(self, label: str, extent: int) -> tuple[int, ...]:
        """The shape of this process's C, with an extent of A's or B's in the dimension of a label."""
        extents: dict[str, int] = {}
        for name, labels in (("A", self._labels.a), ("B", self._labels.b)):
            shape = self._operands[name].shape
            extents |= {each: size for each, size in zip(labels, shape, strict=True) if each is not None}
        extents[label] = extent
        return tuple(
            1 if each is None else extents[each] // (1 + (each in self._labels.paired)) for each in self._labels.c
        )

    def compute(self, label: str, first: int, end: int, into: Tensor, **whole: Tensor) -> None:
        """Compute the part of C of a range of a label's extent, in A or B, into memory of its shape.

        whole: A or B where it is that range already.
        """
        operands = dict(whole)
        for name in {"A", "B"} - set(whole):
            at, given = self._labels.dimension(name, label), self._operands[name]
            operands[name] = given if at is None else given.narrow(at, first, end - first)
        beside = {}
        if self._operands["c"] is not None:
            beside["c"] = self._under(self._operands["c"], label, first, end)
        if self._operands["bias"] is not None:
            beside["bias"] = self._under(self._operands["bias"], label, first, end)
        if into.numel():
            self._function(operands["A"], operands["B"], out=into, **beside, **self._options)

    def part_of_c(self, c: Tensor, label: str, first: int, end: int) -> Tensor:
        """The part of C's memory for a range of a label's extent in A or B."""
        pair = 1 + (label in self._labels.paired)
        return c.narrow(self._labels.c.index(label), first // pair, (end - first) // pair)

    def _under(self, array: Tensor, label: str, first: int, end: int) -> Tensor:
        """The part of an array that broadcasts to C."""
        at = self._labels.c.index(label) - len(self._labels.c) + array.ndim
        return array if at < 0 or array.shape[at] == 1 else array.narrow(at, first, end - first)


def multiply_by_pieces(
    operation: str, way: Sharding, mesh: Any, operands: tuple[Tensor, ...], options: dict[str, Any]
) -> Tensor:
    """This process's part of C; what the plan's pieces are of is gathered or added here."""
    pieces = way.pieces
    if pieces is None:
        raise ValueError("This way has no pieces.")
    group = Group(mesh.get_group(pieces.mesh_dimension))
    work = Product(operation, way, operands, options)
    if pieces.array == "C":
        return _added(work, group, pieces.label, way.asked.product.extents[pieces.label], operands[0])
    held = operands[0 if pieces.array == "A" else 1]
    extent = way.asked.product.extents[pieces.sent]
    at = way.asked.product.dimension(pieces.array, pieces.sent)
    if at is None:
        raise ValueError("What is sent has no such dimension.")
    if pieces.sent != INNER:
        c = held.new_empty(work.shape(pieces.label, extent), dtype=work.dtype)
        _gathered_by_shards(work, group, pieces.array, pieces.label, held, at, extent, c)
        return c
    cut_at = way.asked.product.dimension(pieces.array, pieces.label) or 0
    c = held.new_empty(work.shape(pieces.label, held.shape[cut_at]), dtype=work.dtype)
    _gathered_by_blocks(work, group, pieces.array, pieces.label, held, (at, cut_at), extent, c)
    return c


def _gathered_by_shards(
    work: Product, group: Group, name: str, label: str, held: Tensor, at: int, extent: int, c: Tensor
) -> None:
    """Each shard is a piece; this process's own is multiplied while the others come, the nearest rank's first."""
    ends = boundaries(extent, (group.size,))
    rounds = []
    for shift in range(1, group.size):
        source, target = (group.rank + shift) % group.size, (group.rank - shift) % group.size
        shape = list(held.shape)
        shape[at] = ends[source + 1] - ends[source]
        shard = held.new_empty(shape)
        rounds.append((source, shard, group.exchange([(held, target)], [(shard, source)])))
    for source, shard, messages in ((group.rank, held, []), *rounds):
        group.wait(messages)
        first, end = ends[source], ends[source + 1]
        work.compute(label, first, end, work.part_of_c(c, label, first, end), **{name: shard})


def _gathered_by_blocks(
    work: Product, group: Group, name: str, label: str, held: Tensor, at: tuple[int, int], extent: int, c: Tensor
) -> None:
    """Each process has a part of the inner dimension: blocks of whole rows (or columns) are gathered in turn."""
    inner_at, cut_at = at
    ends = boundaries(extent, (group.size,))
    blocks = []
    for first, end in cuts(held.shape[cut_at]):
        own = held.narrow(cut_at, first, end - first).contiguous()
        parts = []
        for rank in range(group.size):
            shape = list(own.shape)
            shape[inner_at] = ends[rank + 1] - ends[rank]
            parts.append(own if rank == group.rank else own.new_empty(shape))
        others = [rank for rank in range(group.size) if rank != group.rank]
        messages = group.exchange([(own, rank) for rank in others], [(parts[rank], rank) for rank in others])
        blocks.append((first, end, parts, messages))
    for first, end, parts, messages in blocks:
        group.wait(messages)
        whole = torch.cat(parts, inner_at)
        work.compute(label, first, end, work.part_of_c(c, label, first, end), **{name: whole})


def _added(work: Product, group: Group, label: str, extent: int, like: Tensor) -> Tensor:
    """This process's shard of the sum: the others' summands are computed and sent first, its own last."""
    ends = boundaries(extent, (group.size,))
    own_shape = work.shape(label, ends[group.rank + 1] - ends[group.rank])
    summands: dict[int, Tensor] = {}
    rounds = []
    for shift in range(1, group.size + 1):
        target, source = (group.rank + shift) % group.size, (group.rank - shift) % group.size
        first, end = ends[target], ends[target + 1]
        made = like.new_empty(work.shape(label, end - first), dtype=work.dtype)
        work.compute(label, first, end, made)
        if target == group.rank:
            summands[target] = made
            continue
        summands[source] = like.new_empty(own_shape, dtype=work.dtype)
        rounds.append(group.exchange([(made, target)], [(summands[source], source)]))
    for messages in rounds:
        group.wait(messages)
    total = summands[0]
    for rank in range(1, group.size):
        total = total + summands[rank]
    return total


def cuts(extent: int) -> Iterator[tuple[int, int]]:
    """The ranges of an extent that are blocks: of even lengths but for the last, and none much too short."""
    count = max(1, min(LEAST_PIECES, extent // LEAST_EXTENT))
    size = max(2, -(-extent // count) + (-(-extent // count)) % 2)
    for first in range(0, extent, size):
        yield first, min(first + size, extent)


class Group:
    """The processes along one dimension of a mesh."""

    def __init__(self, group: Any) -> None:
        self._group = group
        self.rank, self.size = dist.get_rank(group), dist.get_world_size(group)

    def exchange(self, sent: list[tuple[Tensor, int]], received: list[tuple[Tensor, int]]) -> Messages:
        """Begin to send and to receive, all at once; what is returned keeps the memory until it is waited for."""
        operations = [
            dist.P2POp(way, memory, dist.get_global_rank(self._group, rank), group=self._group)
            for way, pairs in ((dist.isend, sent), (dist.irecv, received))
            for tensor, rank in pairs
            if tensor.numel()
            for memory in [tensor.contiguous().view(-1).view(torch.uint8)]
        ]
        return [(operations, dist.batch_isend_irecv(operations))] if operations else []

    def wait(self, messages: Messages) -> None:
        """Wait until they are received and sent: the host for gloo, the current stream for NCCL."""
        for _operations, works in messages:
            for work in works:
                work.wait()
