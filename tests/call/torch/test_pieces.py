"""Products by pieces among processes that are threads here, with mailboxes in the place of messages.

Real processes, and DTensors, are in test_distributed.py.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from math import prod
from queue import Queue
from types import SimpleNamespace
from typing import Any

import pytest

from tests.call.torch.test_operators import torch
from tests.call.torch.test_peers import Memory
from tilewright.choose.many import PARTIAL, REPLICATED, Asked, choose_sharding, contraction
from tilewright.choose.many.layout import boundaries

__all__ = ["torch"]  # a fixture
pytestmark = pytest.mark.slow  # torch takes seconds to import, and only `make test-all` installs it

PLAIN = {"kernel_name": "auto", "tile": None, "device": "auto", "precision": "auto"}
MATMUL = {**PLAIN, "alpha": 1.0, "beta": 0.0, "activation": None, "out_dtype": None}


@pytest.fixture
def pieces(torch, monkeypatch):
    """The module, which imports torch; small matrices are cut, too."""
    if not torch.distributed.is_available():
        pytest.skip("this torch has no processes")
    from tilewright.call.torch.distributed import pieces

    monkeypatch.setattr(pieces, "LEAST_EXTENT", 2)
    monkeypatch.setattr(pieces, "LEAST_ELEMENTS", 1)
    monkeypatch.setattr(pieces, "Group", lambda group: group)
    return pieces


class Thread:
    """A process of a group, whose messages arrive when they are waited for."""

    def __init__(self, rank: int, size: int, mail: Any, memory: Any = None) -> None:
        self.rank, self.size, self._mail, self._memory = rank, size, mail, memory
        self.asked: list[int] = []

    def exchange(self, sent: Any, received: Any) -> list[Any]:
        """Send copies, and say what is to be received."""
        for tensor, rank in sent:
            self._mail[self.rank, rank].put(tensor.clone())
        return [(tensor, self._mail[rank, self.rank]) for tensor, rank in received]

    def wait(self, messages: list[Any]) -> None:
        """Receive them."""
        for tensor, box in messages:
            tensor.copy_(box.get(timeout=30))

    def peer_memory(self, held: Any, elements: int) -> Any:
        """What the processes share; the elements of the largest part."""
        self.asked.append(elements)
        return self._memory if held.ndim == 2 else None


def part(whole: Any, placement: Any, rank: int, count: int) -> Any:
    """What a process holds of an array."""
    if placement == PARTIAL:
        return whole * (2 * (rank + 1) / (count * (count + 1)))
    if placement == REPLICATED:
        return whole
    ends = boundaries(whole.shape[placement], (count,))
    return whole.narrow(placement, ends[rank], ends[rank + 1] - ends[rank])


def product(pieces: Any, operation: str, a: Any, b: Any, at: Any, count: int, **more: Any) -> Any:
    """The way, each thread's part of C, and the threads' groups; ``at``: the placements of A and B."""
    beside = more.get("beside", (None, None))
    options = {**(MATMUL if operation == "matmul" else PLAIN), **more.get("options", {})}
    contracted = contraction(operation, tuple(a.shape), tuple(b.shape))
    is_linear = beside == (None, None) and not more.get("is_whole")
    way: Any = choose_sharding(Asked(contracted, (count,), at[:1], at[1:], 8, 8, 8, is_linear))
    sent = way.pieces.array
    mail: Any = {(one, other): Queue() for one in range(count) for other in range(count)}

    def run(rank: int) -> Any:
        kept = [
            part(whole, placement if sent == name else target, rank, count)
            for name, whole, placement, target in (("A", a, at[0], way.a[0]), ("B", b, at[1], way.b[0]))
        ]
        memory = None
        if more.get("is_shared") and sent != "C":
            whole, placement = (a, at[0]) if sent == "A" else (b, at[1])
            laid = [part(whole, placement, each, count) for each in range(count)]
            memory = Memory(sys.modules["torch"], rank, laid)
        group = Thread(rank, count, mail, memory)
        mesh = SimpleNamespace(get_group=lambda dimension: group if dimension == 0 else None)
        own = [None if each is None else under(each, way.c[0], rank, count, contracted.c_shape) for each in beside]
        return pieces.multiply_by_pieces(operation, way, mesh, (*kept, *own), options), group

    with ThreadPoolExecutor(count) as pool:
        found = list(pool.map(run, range(count)))
    return way, [c for c, _ in found], [group for _, group in found]


def under(array: Any, placement: Any, rank: int, count: int, c_shape: Any) -> Any:
    """The part of an array that broadcasts to C."""
    if not isinstance(placement, int):
        return array
    dimension = placement - (len(c_shape) - array.ndim)
    if dimension < 0 or array.shape[dimension] != c_shape[placement]:
        return array
    return part(array, dimension, rank, count)


def numbers(torch: Any, *shape: int, dtype: Any = None) -> Any:
    """Small integers, so that sums are exact."""
    return (torch.arange(prod(shape)) % 7 - 3).reshape(shape).to(dtype or torch.float64)


@pytest.mark.parametrize(
    ("at", "array", "sent"),
    [
        ((0, 1), "A", "m"),
        ((1, 1), "A", "k"),
        ((0, 0), "B", "k"),
        ((1, REPLICATED), "A", "k"),
        ((REPLICATED, 0), "B", "k"),
        ((0, 1), "B", "n"),
    ],
)
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("is_shared", [False, True])
def test_what_is_gathered(torch, pieces, at, array, sent, count, is_shared):
    """By messages and from shared memory, of even and uneven shards: C's part is that of the whole product."""
    sizes = {("A", "m"): (14, 12, 40), ("B", "n"): (40, 12, 14), ("A", "k"): (13, 12, 40), ("B", "k"): (40, 12, 13)}
    m, k, n = sizes[array, sent]
    a, b = numbers(torch, m, k), numbers(torch, k, n)
    way, found, groups = product(pieces, "matmul", a, b, at, count, is_shared=is_shared)

    assert way.pieces.array == array
    for rank, c in enumerate(found):
        assert torch.equal(c, part(a @ b, way.c[0], rank, count))
    if way.pieces.sent == array or is_shared:
        held = a if array == "A" else b
        place = at[0] if array == "A" else at[1]
        whole = -(-held.shape[place] // count) * held.shape[1 - place]
        assert all(group.asked == [whole] for group in groups)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_summands_are_added(torch, pieces, count, dtype):
    """In the order of ranks, each process its rows; the type is the one that was asked for."""
    a, b = numbers(torch, 8, 600, dtype=torch.float32), numbers(torch, 600, 9, dtype=torch.float32)
    options = {"out_dtype": getattr(torch, dtype) if dtype != "float32" else None}
    if dtype == "float64":
        a, b = a.double(), b.double()
    way, found, _ = product(pieces, "matmul", a, b, (1, 0), count, is_whole=True, options=options)

    assert way.pieces.array == "C"
    for rank, c in enumerate(found):
        assert c.dtype == getattr(torch, dtype)
        assert torch.equal(c, part(a @ b, way.c[0], rank, count))


@pytest.mark.parametrize("at", [(0, 1), (1, REPLICATED), (0, 0), (1, 1)])
@pytest.mark.parametrize("kind", ["whole", "column", "row", "bias"])
def test_epilogues_of_pieces(torch, pieces, at, kind):
    """Each piece takes its own part of c and bias, of whatever broadcasts."""
    a, b = numbers(torch, 12, 8), numbers(torch, 8, 20)
    beside = {
        "whole": (numbers(torch, 12, 20), None),
        "column": (numbers(torch, 12, 1), None),
        "row": (numbers(torch, 20), numbers(torch, 20)),
        "bias": (None, numbers(torch, 20)),
    }[kind]
    options = {"alpha": 2.0, "beta": 3.0 if beside[0] is not None else 0.0, "activation": "relu"}
    way, found, _ = product(pieces, "matmul", a, b, at, 2, beside=beside, options=options)

    expected = 2 * (a @ b) + sum(scale * each for scale, each in zip((3, 1), beside, strict=True) if each is not None)
    for rank, c in enumerate(found):
        assert torch.equal(c, part(expected.relu(), way.c[0], rank, 2))


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("at", [(0, 1), (1, 1), (0, 0)])
def test_pairs_and_batches(torch, pieces, at, count):
    """reduced_matmul, whose pieces are of whole pairs, and batches of matrices, which go by messages."""
    a, b = numbers(torch, 120 if at == (0, 0) else 12, 8), numbers(torch, 8, 24)
    way, found, _ = product(pieces, "reduced_matmul", a, b, at, count)
    whole = (a[0::2] + a[1::2]) @ (b[:, 0::2] + b[:, 1::2])
    assert all(torch.equal(c, part(whole, way.c[0], rank, count)) for rank, c in enumerate(found))
    a, b = numbers(torch, 3, 12, 8), numbers(torch, 3, 8, 24)
    way, found, groups = product(pieces, "matmul", a, b, (at[0] + 1, at[1] + 1), count)
    assert all(group.asked in ([], [0]) for group in groups)
    assert all(torch.equal(c, part(a @ b, way.c[0], rank, count)) for rank, c in enumerate(found))


@pytest.mark.parametrize("turn", [lambda x: x.T.contiguous().T, lambda x: x[:, :1].expand(-1, x.shape[1])])
def test_rows_that_do_not_follow_are_copied_first(torch, pieces, turn):
    """What is sent has rows side by side, also of what lies column by column or repeats one element."""
    a, b = turn(numbers(torch, 12, 8)), numbers(torch, 8, 40)
    for is_shared in (False, True):
        way, found, _ = product(pieces, "matmul", a, b, (0, 1), 2, is_shared=is_shared)
        assert all(torch.equal(c, part(a @ b, way.c[0], rank, 2)) for rank, c in enumerate(found))


@pytest.mark.parametrize(("elements", "blocks"), [(640, 1), (214, 1), (160, 2), (91, 4), (1, 4)])
def test_how_many_pieces(torch, pieces, monkeypatch, elements, blocks):
    """As many as have so many elements of C for each process, four at most."""
    monkeypatch.setattr(pieces, "LEAST_ELEMENTS", elements)
    seen: list[Any] = []
    compute = pieces.Product.compute

    def noting(self, label, first, end, into, **whole):
        seen.append((label, first, end))
        compute(self, label, first, end, into, **whole)

    monkeypatch.setattr(pieces.Product, "compute", noting)
    a, b = numbers(torch, 16, 8), numbers(torch, 8, 40)
    product(pieces, "matmul", a, b, (1, 1), 2)
    assert len(set(seen)) == blocks


@pytest.mark.parametrize(
    ("extent", "most", "ends"),
    [
        (0, 4, []),
        (1, 4, [1]),
        (127, 4, [127]),
        (128, 4, [64, 128]),
        (130, 4, [66, 130]),
        (256, 4, [64, 128, 192, 256]),
        (1000, 4, [250, 500, 750, 1000]),
        (1001, 4, [252, 504, 756, 1001]),
        (1000, 1, [1000]),
        (1000, 3, [334, 668, 1000]),
    ],
)
def test_blocks_of_an_extent(torch, ends, extent, most):
    """Of an even number each, for pairs, and none of fewer than 64."""
    if not torch.distributed.is_available():
        pytest.skip("this torch has no processes")
    from tilewright.call.torch.distributed.pieces import cuts

    assert [end for _, end in cuts(extent, most)] == ends
    assert [first for first, _ in cuts(extent, most)] == [0, *ends[:-1]][: len(ends)]
