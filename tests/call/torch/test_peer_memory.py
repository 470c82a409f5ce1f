"""Memory that processes share: which flags are written and awaited on which stream, and when it grows.

Streams, the driver and torch's symmetric memory are doubles; whether flags order copies is seen on two GPUs alone.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.call.torch.test_operators import torch

__all__ = ["torch"]  # a fixture
pytestmark = pytest.mark.slow  # torch takes seconds to import, and only `make test-all` installs it

RANK, SIZE = 1, 3
BASES = [0x1_0000_0000, 0x2_0000_0000, 0x3_0000_0000]
CURRENT, OWN = 70, 71
"""The handles of the current stream and of the memory's own."""


class Stream:
    """A stream that notes for which others it waits."""

    def __init__(self, steps, handle):
        self._steps, self.cuda_stream = steps, handle

    def wait_stream(self, other):
        """Wait for all that another stream has."""
        self._steps.append(("wait", self.cuda_stream, other.cuda_stream))

    def wait_event(self, event):
        """Wait for what was before an event."""
        self._steps.append(("wait event", self.cuda_stream, event.recorded))


class Event:
    """An event that knows its stream."""

    recorded: Any = None

    def record(self, stream):
        """Stand behind all that a stream has."""
        self.recorded = stream.cuda_stream


@pytest.fixture
def world(torch, monkeypatch):  # noqa: C901  (a double for each thing that is asked)
    """One of three processes, with all that it asks of torch and of the driver."""
    if not torch.distributed.is_available():
        pytest.skip("this torch has no processes")
    from tilewright.call.torch.distributed import peers

    found: Any = SimpleNamespace(steps=[], sizes=[], agree=[], fails=None, peers=peers, backend="nccl", priority=None)

    def stream(_device, priority):
        found.priority = priority
        return Stream(found.steps, OWN)

    def empty(nbytes, *, dtype, device):
        assert (dtype, str(device)) == (torch.uint8, "cpu")
        if found.fails == "empty":
            raise RuntimeError("no such memory")
        found.sizes.append(nbytes)
        found.memory = torch.full((nbytes,), 7, dtype=torch.uint8)
        return found.memory

    def rendezvous(memory, name):
        assert memory is found.memory
        if found.fails == "rendezvous":
            raise RuntimeError("not reached")
        return SimpleNamespace(buffer_ptrs=BASES, name=name)

    def all_reduce(agreed, op, group):
        assert op == torch.distributed.ReduceOp.MIN
        assert group is found.group
        found.agree.append(int(agreed))
        if found.fails == "another":
            agreed.zero_()

    def copy_rows(_device, source, target, nbytes, count, handle):
        assert not source.on_host
        assert not target.on_host
        found.steps.append(("copy", source.address, source.pitch, target.address, target.pitch, nbytes, count, handle))

    symmetric = ModuleType("torch.distributed._symmetric_memory")
    vars(symmetric).update(empty=empty, rendezvous=rendezvous)
    monkeypatch.setitem(sys.modules, symmetric.__name__, symmetric)
    monkeypatch.setattr(torch.distributed, "_symmetric_memory", symmetric, raising=False)
    monkeypatch.setattr(torch.distributed, "get_rank", lambda _: RANK)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda _: SIZE)
    monkeypatch.setattr(torch.distributed, "get_backend", lambda _: found.backend)
    monkeypatch.setattr(torch.distributed, "all_reduce", all_reduce)
    monkeypatch.setattr(torch.cuda, "Stream", stream)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: Stream(found.steps, CURRENT))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda _: found.steps.append("synchronize"))
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: found.is_capturing)
    monkeypatch.setattr(peers, "copy_rows", copy_rows)
    monkeypatch.setattr(peers, "_memories", {})
    flags = SimpleNamespace(CU_STREAM_WAIT_VALUE_GEQ="at least")
    driver = SimpleNamespace(CUstreamWaitValue_flags=flags)
    cuda = SimpleNamespace(
        driver=driver, entered=nullcontext, call=lambda name, *arguments: found.steps.append((name, *arguments))
    )
    monkeypatch.setattr(peers, "cuda_device", lambda index: cuda if index == 5 else None)
    found.is_capturing = False
    found.group = SimpleNamespace(group_name="all")
    device = torch.device("cpu")
    found.device = SimpleNamespace(index=5, type="cuda")
    found.new = lambda: peers.PeerMemory(found.group, SimpleNamespace(index=5, __str__=lambda: "cuda:5"))

    def made(self, size, made=peers.PeerMemory._made):
        self._device = device
        return made(self, size)

    monkeypatch.setattr(peers.PeerMemory, "_made", made)
    return found


def test_memory_grows_by_doubling(world):
    """From the least on; what is there already is kept, flags stand behind it and begin at 0."""
    memory, least = world.new(), world.peers.LEAST_BYTES
    world.peers.LEAST_BYTES, flags = 64, 2 * SIZE * world.peers.FLAG_BYTES
    try:
        assert memory.reserve(0)
        assert [memory.reserve(nbytes) for nbytes in (1, 64, 65, 128, 500)] == [True] * 5
    finally:
        world.peers.LEAST_BYTES = least
    assert world.sizes == [64 + flags, 128 + flags, 512 + flags]
    assert world.memory[:512].tolist() == [7] * 512
    assert world.memory[512:].tolist() == [0] * flags
    assert world.agree == [1, 1] * 3
    assert world.steps == ["synchronize"] * 6
    assert world.priority == -1
    assert memory.others == [2, 0]


@pytest.mark.parametrize(("fails", "agree"), [("empty", [0]), ("rendezvous", [1, 0]), ("another", [1])])
def test_what_one_process_cannot_have_none_has(world, monkeypatch, fails, agree):
    """They ask each other; a size that was refused, and larger ones, are not tried again, smaller ones are."""
    monkeypatch.setattr(world.peers, "LEAST_BYTES", 64)
    memory, world.fails = world.new(), fails
    assert not memory.reserve(200)
    assert world.agree == agree
    assert not memory.reserve(256)
    assert not memory.reserve(1000)
    assert world.agree == agree
    world.fails = None
    assert memory.reserve(128)
    assert memory.reserve(100)
    assert not memory.reserve(129)


def test_flags_say_what_was_laid_and_what_was_fetched(world, torch, monkeypatch):
    """Nothing is laid before all have fetched what was there, nor fetched before it was laid."""
    monkeypatch.setattr(world.peers, "LEAST_BYTES", 1024)
    memory = world.new()
    memory.reserve(1000)
    del world.steps[:]
    matrix = torch.zeros(6, 10, dtype=torch.float32)[:, :4]
    own, address = BASES[RANK], matrix.data_ptr()

    def flag(owner, kind, of):
        return BASES[owner] + 1024 + (kind * SIZE + of) * 4

    for turn in range(2):
        memory.share(matrix)
        assert world.steps == [
            *(("cuStreamWaitValue32", CURRENT, flag(RANK, 1, rank), turn, "at least") for rank in (2, 0)),
            ("copy", address, 40, own, 16, 16, 6, CURRENT),
            *(("cuStreamWriteValue32", CURRENT, flag(rank, 0, RANK), turn + 1, 0) for rank in (2, 0)),
            ("wait", OWN, CURRENT),
            *(("cuStreamWaitValue32", OWN, flag(RANK, 0, rank), turn + 1, "at least") for rank in (2, 0)),
        ]
        del world.steps[:]
        into = torch.zeros(3, 8, dtype=torch.float32)[:, :2]
        memory.fetch(2, 100, 48, into)
        memory.fetch(0, 0, 48, into[:0])
        event = memory.ready()
        memory.wait_for(event)
        memory.end()
        assert world.steps == [
            ("copy", BASES[2] + 100, 48, into.data_ptr(), 32, 8, 3, OWN),
            ("wait event", CURRENT, OWN),
            *(("cuStreamWriteValue32", OWN, flag(rank, 1, RANK), turn + 1, 0) for rank in (2, 0)),
        ]
        del world.steps[:]
    memory._shared = 2**32 - 1
    memory.share(matrix)
    assert [step[3] for step in world.steps if step[0] == "cuStreamWriteValue32"] == [0, 0]  # as 32 bits count


def test_new_memory_counts_from_0(world, torch, monkeypatch):
    """For its flags do."""
    monkeypatch.setattr(world.peers, "LEAST_BYTES", 64)
    memory = world.new()
    memory.reserve(64)
    memory.share(torch.zeros(2, 2))
    memory.reserve(65)
    del world.steps[:]
    memory.share(torch.zeros(2, 2))
    assert [step[3] for step in world.steps if step[0] == "cuStreamWaitValue32"] == [0, 0, 1, 1]


def test_where_there_is_none(world, monkeypatch):
    """On a CPU, where it is switched off, in a graph, or by another library than NCCL; else one for each group."""
    like = SimpleNamespace(device=world.device)
    memory = world.peers.peer_memory
    assert memory(world.group, SimpleNamespace(device=SimpleNamespace(type="cpu")), 10) is None
    monkeypatch.setenv(world.peers.SWITCH, "0")
    assert memory(world.group, like, 10) is None
    monkeypatch.setenv(world.peers.SWITCH, "1")
    world.is_capturing = True
    assert memory(world.group, like, 10) is None
    world.is_capturing = False
    monkeypatch.setattr(world.peers, "LEAST_BYTES", 64)
    found = memory(world.group, like, 10)
    assert found is memory(world.group, like, 20)
    assert world.sizes == [64 + 24]
    world.fails = "empty"
    assert memory(world.group, like, 1000) is None
    world.fails, world.group = None, SimpleNamespace(group_name="all")  # another, by the name of one that has ended
    assert memory(world.group, like, 10) is not found
    world.backend, world.group = "gloo", SimpleNamespace(group_name="other")
    assert memory(world.group, like, 10) is None
