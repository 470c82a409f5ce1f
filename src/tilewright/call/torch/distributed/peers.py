"""Operands of other GPUs of the same host, brought by copy engines while the tensor cores multiply.

A communication library's kernels take multiprocessors from a product, which then ends later by as much: on two H100s
nothing of a 64 MiB message was hidden. Copy engines take none. Each process lays its matrix into memory that the others
can reach (torch's symmetric memory), and counts up a flag at theirs; they wait for it on a stream, and fetch.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch import distributed as dist

from tilewright.launch.cuda.device import CudaDevice, cuda_device
from tilewright.launch.cuda.rows import Rows, copy_rows

Tensor = Any
SWITCH = "TILEWRIGHT_PEER_MEMORY"
FLAG_BYTES = 4
LAID, FETCHED = 0, 1
"""The flags that a process has of each other one: how many matrices that has laid, and how many it has fetched."""
LEAST_BYTES = 64 * 2**20
"""The least memory that is shared at a time; it grows by doubling."""
ALIGNED_BYTES = 16
"""Rows that are fetched begin on so many bytes, whatever the extents, so that products need no copy of them."""

_memories: dict[tuple[str, int], tuple[Any, PeerMemory | None]] = {}
"""A group and its memory, by the group's name and the GPU: another group may get the name of one that has ended."""


def peer_memory(group: Any, like: Tensor, nbytes: int) -> PeerMemory | None:
    """Memory of so many bytes that all processes of a group reach; None where there is none. All must call this.

    group: of torch.distributed. nbytes: the same in all processes.
    """
    if like.device.type != "cuda" or os.environ.get(SWITCH) == "0" or torch.cuda.is_current_stream_capturing():
        return None
    key = (str(group.group_name), int(like.device.index))
    if key not in _memories or _memories[key][0] is not group:
        reaches = dist.get_backend(group) == "nccl"
        _memories[key] = group, PeerMemory(group, like.device) if reaches else None
    memory = _memories[key][1]
    return memory if memory is not None and memory.reserve(nbytes) else None


class PeerMemory:
    """A buffer in each process of a group, and flags.

    A call is `reserve`, `share`, then `fetch` and `ready` for part after part, then `end`. Copies within a GPU take its
    multiprocessors, so they are on the current stream, before the product; those from other GPUs have one of their own.
    Matrices have rows of contiguous elements, which do not overlap.
    """

    def __init__(self, group: Any, device: torch.device) -> None:
        self._group, self._device = group, device
        self.rank, self.size = int(dist.get_rank(group)), int(dist.get_world_size(group))
        self._stream = torch.cuda.Stream(device, priority=-1)
        self._cuda: CudaDevice = cuda_device(device.index)
        self._shared = self._nbytes = 0
        self._refused: int | None = None
        self._addresses: list[int] = []

    def reserve(self, nbytes: int) -> bool:
        """Have room for so many bytes; False if a process cannot have it, or does not reach the others'."""
        if nbytes <= self._nbytes:
            return True
        size = LEAST_BYTES
        while size < nbytes:
            size *= 2
        if self._refused is not None and size >= self._refused:
            return False
        found = self._made(size)
        if found is None:
            self._refused = size
            return False
        self._memory, self._handle = found
        self._addresses = [int(address) for address in self._handle.buffer_ptrs]
        self._shared, self._nbytes = 0, size
        return True

    def _made(self, size: int) -> tuple[Tensor, Any] | None:
        """Memory with flags of 0, and torch's handle of it; None in all processes if one of them fails."""
        import torch.distributed._symmetric_memory as symmetric

        torch.cuda.synchronize(self._device)  # once all have agreed below, nobody reads the memory before this one
        memory = handle = None
        try:
            memory = symmetric.empty(size + 2 * self.size * FLAG_BYTES, dtype=torch.uint8, device=self._device)
            memory[size:] = 0
            torch.cuda.synchronize(self._device)
        except Exception:  # noqa: BLE001  (torch tells in many ways that it has no such memory; messages go anyway)
            memory = None
        if not self._all_agree(memory is not None):
            return None
        try:
            handle = symmetric.rendezvous(memory, self._group.group_name)
        except Exception:  # noqa: BLE001  (or that GPUs do not reach each other)
            handle = None
        return (memory, handle) if self._all_agree(handle is not None) else None

    def _all_agree(self, agrees: bool) -> bool:
        agreed = torch.tensor([agrees], dtype=torch.int32, device=self._device)
        dist.all_reduce(agreed, op=dist.ReduceOp.MIN, group=self._group)
        return bool(int(agreed))

    def share(self, matrix: Tensor) -> None:
        """Lay a matrix, row after row, where the others fetch it, once they have fetched what was laid before."""
        current = torch.cuda.current_stream(self._device)
        for rank in self.others:
            self._wait_for(self._flag(self.rank, FETCHED, rank), self._shared, current)
        self._shared += 1
        own = self._addresses[self.rank]
        self._copy(matrix.data_ptr(), _pitch(matrix), own, row_bytes(matrix), matrix, current)
        for rank in self.others:
            self._write(self._flag(rank, LAID, self.rank), self._shared, current)
        self._stream.wait_stream(current)
        for rank in self.others:
            self._wait_for(self._flag(self.rank, LAID, rank), self._shared, self._stream)

    def fetch(self, rank: int, address: int, pitch: int, into: Tensor) -> None:
        """Fetch a part of another process's matrix, which begins at `address`, its rows `pitch` bytes apart."""
        self._copy(self._addresses[rank] + address, pitch, into.data_ptr(), _pitch(into), into, self._stream)

    def ready(self) -> Any:
        """An event behind all that is fetched so far."""
        event = torch.cuda.Event()
        event.record(self._stream)
        return event

    def wait_for(self, event: Any) -> None:
        """Let the current stream wait for what was fetched before an event."""
        torch.cuda.current_stream(self._device).wait_event(event)

    def end(self) -> None:
        """Tell the others that what is needed of theirs is fetched."""
        for rank in self.others:
            self._write(self._flag(rank, FETCHED, self.rank), self._shared, self._stream)

    @property
    def others(self) -> list[int]:
        """The other processes, the next one first."""
        return [(self.rank + shift) % self.size for shift in range(1, self.size)]

    def _flag(self, owner: int, kind: int, of: int) -> int:
        """The address of a flag at `owner` that process `of` writes."""
        return self._addresses[owner] + self._nbytes + (kind * self.size + of) * FLAG_BYTES

    def _write(self, address: int, value: int, stream: Any) -> None:
        self._call("cuStreamWriteValue32", stream.cuda_stream, address, value % 2**32, 0)

    def _wait_for(self, address: int, value: int, stream: Any) -> None:
        """Let a stream wait until a flag is at least `value`, modulo 2**32."""
        at_least = self._cuda.driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ
        self._call("cuStreamWaitValue32", stream.cuda_stream, address, value % 2**32, at_least)

    def _copy(self, source: int, source_pitch: int, target: int, target_pitch: int, like: Tensor, stream: Any) -> None:
        if like.numel():
            count, nbytes, handle = int(like.shape[0]), row_bytes(like), stream.cuda_stream
            with self._cuda.entered():
                copy_rows(self._cuda, Rows(source, source_pitch), Rows(target, target_pitch), nbytes, count, handle)

    def _call(self, name: str, *arguments: Any) -> None:
        with self._cuda.entered():  # for the handle of the default stream is 0 in every context
            self._cuda.call(name, *arguments)


def aligned_rows(like: Tensor, rows: int, columns: int) -> Tensor:
    """A new matrix of another's type, on its device, whose rows begin ALIGNED_BYTES, or a multiple, apart."""
    each = max(1, ALIGNED_BYTES // like.element_size())
    return like.new_empty((rows, -(-columns // each) * each))[:, :columns]


def row_bytes(matrix: Tensor) -> int:
    """The bytes of a row."""
    return int(matrix.shape[1]) * int(matrix.element_size())


def _pitch(matrix: Tensor) -> int:
    return int(matrix.stride(0)) * int(matrix.element_size())
