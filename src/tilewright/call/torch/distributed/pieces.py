"""Products while their operands arrive: a piece is multiplied as soon as it is there, and the next is on its way.

Messages go from process to process on the communication library's own stream. On a GPU waiting for one makes our
stream wait, not the host. Each element of C is computed from whole rows and columns, or is the sum of the processes'
summands in the order of their ranks: bits do not depend on when a message arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import torch
from torch import distributed as dist

from tilewright.call.dot import dot
from tilewright.call.matmul import matmul
from tilewright.call.reduced_matmul import reduced_matmul
from tilewright.choose.many import Sharding
from tilewright.choose.many.layout import INNER, boundaries
from tilewright.choose.many.sharded import MOST_PIECES, Pieces

from .peers import PeerMemory, aligned_rows, peer_memory, row_bytes

Tensor = Any
Messages = list[Any]
FUNCTIONS: dict[str, Callable[..., Tensor]] = {"matmul": matmul, "reduced_matmul": reduced_matmul, "dot": dot}
LEAST_ELEMENTS = 128 * 256 * 132
"""The elements of C in a piece, at least: a tile for each multiprocessor of an H100, which would idle otherwise."""
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
    if held.ndim == 2 and (held.stride(1) != 1 or held.stride(0) < held.shape[1]):
        held = held.contiguous()  # rows that overlap, too
    extent = way.asked.product.extents[pieces.sent]
    at = way.asked.product.dimension(pieces.array, pieces.sent)
    if at is None:
        raise ValueError("What is sent has no such dimension.")
    if pieces.sent != INNER:
        c = held.new_empty(work.shape(pieces.label, extent), dtype=work.dtype)
        for operand, first, end in _shards(group, pieces, held, at, extent):
            work.compute(pieces.label, first, end, work.part_of_c(c, pieces.label, first, end), **operand)
        return c
    cut_at = way.asked.product.dimension(pieces.array, pieces.label) or 0
    most = max(1, min(MOST_PIECES, round(prod(way.asked.product.c_shape) / (prod(way.asked.mesh) * LEAST_ELEMENTS))))
    blocks = Blocks.of(group, pieces, held, (at, cut_at), extent, most)
    c = held.new_empty(work.shape(pieces.label, blocks.length), dtype=work.dtype)
    for operand, first, end in _blocks(group, pieces, held, blocks):
        work.compute(pieces.label, first, end, work.part_of_c(c, pieces.label, first, end), **operand)
    return c


Part = tuple[dict[str, Tensor], int, int]
"""A or B where it is a part of the whole, by its name, and the range of the label that is cut."""


def _shards(group: Group, pieces: Pieces, held: Tensor, at: int, extent: int) -> Iterator[Part]:
    """Each shard is a piece: this process's own while the others come, then theirs, the nearest rank's first."""
    ends = boundaries(extent, (group.size,))
    sources = [(group.rank + shift) % group.size for shift in range(1, group.size)]
    other = int(held.shape[1 - at]) if held.ndim == 2 else 0
    memory = group.peer_memory(held, ends[1] * other)
    shards, arrived = [], []
    for source in sources:
        shape = list(held.shape)
        shape[at] = ends[source + 1] - ends[source]
        shards.append(held.new_empty(shape) if memory is None else aligned_rows(held, *shape))
    if memory is None:
        for shift, source in enumerate(sources, 1):
            target = (group.rank - shift) % group.size
            messages = group.exchange([(held, target)], [(shards[shift - 1], source)])
            arrived.append(partial(group.wait, messages))
    else:
        memory.share(held)
        for source, shard in zip(sources, shards, strict=True):
            memory.fetch(source, 0, row_bytes(shard), shard)
            arrived.append(partial(memory.wait_for, memory.ready()))
        memory.end()
    try:
        yield {pieces.array: held}, ends[group.rank], ends[group.rank + 1]
        for source, shard, wait in zip(sources, shards, arrived, strict=True):
            wait()
            yield {pieces.array: shard}, ends[source], ends[source + 1]
    finally:
        if memory is not None:  # after an error, too: what arrives later must not find other data in its place
            memory.wait_for(memory.ready())


@dataclass(frozen=True)
class Blocks:
    """Of an operand of which each process has a part of the inner dimension: what each process takes, block by block.

    inner_at, cut_at: the dimensions of the inner extent and of the one that is cut. ends: where the parts of the inner
    extent begin and end. ranges: for each process, its blocks of the cut extent, as many for all; some may be empty.
    """

    inner_at: int
    cut_at: int
    ends: tuple[int, ...]
    ranges: tuple[tuple[tuple[int, int], ...], ...]
    first: int
    length: int

    @classmethod
    def of(cls, group: Group, pieces: Pieces, held: Tensor, at: tuple[int, int], extent: int, most: int) -> Blocks:
        """At most so many blocks of all of the cut extent for every process, or of a part of its own."""
        inner_at, cut_at = at
        whole = int(held.shape[cut_at])
        bounds = boundaries(whole, (group.size,))
        spans = [(bounds[rank], bounds[rank + 1]) if pieces.is_all_to_all else (0, whole) for rank in range(group.size)]
        count = max(len(list(cuts(end - first, most))) for first, end in spans)
        ranges = []
        for start, stop in spans:
            found = [(start + first, start + end) for first, end in cuts(stop - start, most)]
            ranges.append((*found, *[(stop, stop)] * (count - len(found))))
        first, end = spans[group.rank]
        return cls(inner_at, cut_at, boundaries(extent, (group.size,)), tuple(ranges), first, end - first)

    def inner(self, rank: int) -> tuple[int, int]:
        """Where a process's part of the inner dimension begins, and how long it is."""
        return self.ends[rank], self.ends[rank + 1] - self.ends[rank]

    def cut(self, array: Tensor, span: tuple[int, int], before: int = 0) -> Tensor:
        """The part of an array, of which `before` is missing at the beginning."""
        return array.narrow(self.cut_at, span[0] - before, span[1] - span[0])


def _blocks(group: Group, pieces: Pieces, held: Tensor, blocks: Blocks) -> Iterator[Part]:
    """Blocks of whole rows (or columns), each put together of all processes' parts of the inner dimension."""
    longest = blocks.ends[1] * int(held.shape[blocks.cut_at]) if held.ndim == 2 else 0
    memory = group.peer_memory(held, longest)
    parts = _by_messages(group, held, blocks) if memory is None else _by_copies(memory, held, blocks)
    for whole, first, end in parts:
        yield {pieces.array: whole}, first - blocks.first, end - blocks.first


def _by_messages(group: Group, held: Tensor, blocks: Blocks) -> Iterator[tuple[Tensor, int, int]]:
    begun = []
    others = [rank for rank in range(group.size) if rank != group.rank]
    for number, span in enumerate(blocks.ranges[group.rank]):
        sent: dict[tuple[int, int], Tensor] = {}
        for asked in blocks.ranges:
            sent.setdefault(asked[number], blocks.cut(held, asked[number]).contiguous())
        parts = []
        for rank in range(group.size):
            shape = list(held.shape)
            shape[blocks.inner_at], shape[blocks.cut_at] = blocks.inner(rank)[1], span[1] - span[0]
            parts.append(sent[span] if rank == group.rank else held.new_empty(shape))
        outgoing = [(sent[blocks.ranges[rank][number]], rank) for rank in others]
        begun.append((span, parts, group.exchange(outgoing, [(parts[rank], rank) for rank in others])))
    for span, parts, messages in begun:
        group.wait(messages)
        yield torch.cat(parts, blocks.inner_at), *span


def _by_copies(memory: PeerMemory, held: Tensor, blocks: Blocks) -> Iterator[tuple[Tensor, int, int]]:
    shape = list(held.shape)
    shape[blocks.inner_at], shape[blocks.cut_at] = blocks.ends[-1], blocks.length
    whole, arrived = aligned_rows(held, *shape), []
    memory.share(held)
    own = whole.narrow(blocks.inner_at, *blocks.inner(memory.rank))
    own.copy_(blocks.cut(held, (blocks.first, blocks.first + blocks.length)))
    for span in blocks.ranges[memory.rank]:
        block = blocks.cut(whole, span, blocks.first)
        for rank in memory.others:
            into = block.narrow(blocks.inner_at, *blocks.inner(rank))
            memory.fetch(rank, *_place(held, blocks, rank, span), into)
        arrived.append((block, span, memory.ready()))
    memory.end()
    try:
        for block, span, event in arrived:
            memory.wait_for(event)
            yield block, *span
    finally:
        memory.wait_for(memory.ready())  # after an error, too: what arrives later must not find other data in its place


def _place(like: Tensor, blocks: Blocks, rank: int, span: tuple[int, int]) -> tuple[int, int]:
    """Where a range of the cut dimension begins in a process's part, whose rows lie side by side, and their pitch."""
    item, inner = like.element_size(), blocks.inner(rank)[1]
    pitch = item * (inner if blocks.inner_at == 1 else int(like.shape[blocks.cut_at]))
    return span[0] * (pitch if blocks.cut_at == 0 else item), pitch


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


def cuts(extent: int, most: int) -> Iterator[tuple[int, int]]:
    """The ranges of an extent that are blocks: of even lengths but for the last, and none much too short."""
    count = max(1, min(most, extent // LEAST_EXTENT))
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
            for memory in [tensor.contiguous().as_strided((tensor.numel(),), (1,)).view(torch.uint8)]
        ]
        return [(operations, dist.batch_isend_irecv(operations))] if operations else []

    def wait(self, messages: Messages) -> None:
        """Wait until they are received and sent: the host for gloo, the current stream for NCCL."""
        for _operations, works in messages:
            for work in works:
                work.wait()

    def peer_memory(self, held: Tensor, elements: int) -> PeerMemory | None:
        """Memory for the largest part of a matrix that a process has; None where only messages go.

        elements: of that part; 0 for an array that is no matrix.
        """
        if not elements:
            return None
        return peer_memory(self._group, held, elements * held.element_size())
