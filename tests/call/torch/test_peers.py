"""What is fetched of other processes' matrices: every element where it belongs, with the memory of all in this process.

How streams and flags order it is seen on two GPUs alone, in tests/gpu/test_two_gpus.py.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from tests.call.torch.test_operators import torch
from tilewright.choose.many.layout import boundaries
from tilewright.choose.many.sharded import Pieces

__all__ = ["torch"]  # a fixture
pytestmark = pytest.mark.slow  # torch takes seconds to import, and only `make test-all` installs it


@pytest.fixture
def modules(torch):
    """Those of this file's subject, which import torch."""
    if not torch.distributed.is_available():
        pytest.skip("this torch has no processes")
    from tilewright.call.torch.distributed import peers, pieces

    return peers, pieces


class Memory:
    """One process's memory of all of them, which hold parts of a whole: what they lay is known beforehand."""

    def __init__(self, torch, rank, parts):
        self._torch = torch
        self.rank = rank
        self.others = [(rank + shift) % len(parts) for shift in range(1, len(parts))]
        self._laid = [part.contiguous().numpy().tobytes() for part in parts]
        self.shared = self.ended = 0
        self.waited = []

    def share(self, matrix):
        assert matrix.contiguous().numpy().tobytes() == self._laid[self.rank]
        self.shared += 1

    def fetch(self, rank, address, pitch, into):
        assert not self.ended
        assert rank in self.others
        row_bytes = into.shape[1] * into.element_size()
        for number, row in enumerate(into):
            start = address + number * pitch
            found = self._laid[rank][start : start + row_bytes]
            assert len(found) == row_bytes
            row.copy_(self._torch.frombuffer(bytearray(found), dtype=into.dtype) if row_bytes else row)

    def ready(self):
        return "event"

    def wait_for(self, event):
        self.waited.append(event)

    def end(self):
        self.ended += 1


def parts_of(whole, dimension, count):
    """The shards of a matrix."""
    ends = boundaries(whole.shape[dimension], (count,))
    return [whole.narrow(dimension, first, end - first) for first, end in itertools.pairwise(ends)]


@pytest.mark.parametrize(("inner_at", "is_all_to_all"), [*itertools.product((0, 1), (False, True))])
@pytest.mark.parametrize(("count", "most"), [(2, 1), (2, 4), (3, 4), (5, 3)])
@pytest.mark.parametrize("sizes", [(7, 12), (33, 20), (3, 4), (130, 301)])
def test_blocks_are_whole_rows_or_columns(torch, modules, monkeypatch, inner_at, is_all_to_all, count, most, sizes):
    """Together they are the whole, or this process's part of it; rows begin on 16 bytes."""
    peers, pieces = modules
    monkeypatch.setattr(pieces, "LEAST_EXTENT", 2)
    cut_at = 1 - inner_at
    whole = torch.arange(sizes[0] * sizes[1], dtype=torch.float32).reshape(sizes)
    held = parts_of(whole, inner_at, count)
    of_pieces = Pieces("A", 0, "m", "k", is_all_to_all=is_all_to_all)
    for rank in range(count):
        memory: Any = Memory(torch, rank, held)
        group: Any = SimpleNamespace(rank=rank, size=count)
        blocks = pieces.Blocks.of(group, of_pieces, held[rank], (inner_at, cut_at), sizes[inner_at], most)
        found = list(pieces._by_copies(memory, held[rank], blocks))

        expected = parts_of(whole, cut_at, count)[rank] if is_all_to_all else whole
        assert torch.equal(torch.cat([block for block, _, _ in found], cut_at), expected)
        assert [end for _, _, end in found][-1] - found[0][1] == expected.shape[cut_at]
        assert all(block.stride(0) * 4 % peers.ALIGNED_BYTES == 0 for block, _, _ in found if block.numel())
        assert (memory.shared, memory.ended, len(memory.waited)) == (1, 1, len(found) + 1)


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize(("count", "sizes"), [(2, (8, 6)), (3, (7, 11)), (4, (5, 9)), (4, (3, 3))])
def test_shards_begin_with_its_own(torch, modules, at, count, sizes):
    """Then those of the next ranks; some may be empty."""
    whole = torch.arange(sizes[0] * sizes[1], dtype=torch.float64).reshape(sizes)
    held = parts_of(whole, at, count)
    for rank in range(count):
        memory = Memory(torch, rank, held)
        group: Any = SimpleNamespace(rank=rank, size=count, peer_memory=lambda *_, memory=memory: memory)
        found = list(modules[1]._shards(group, Pieces("A", 0, "m", "m"), held[rank], at, sizes[at]))

        assert found[0][0]["A"] is held[rank]
        assert len(found) == count
        for part, first, end in found:
            assert torch.equal(part["A"], whole.narrow(at, first, end - first))
        assert len(memory.waited) == count
