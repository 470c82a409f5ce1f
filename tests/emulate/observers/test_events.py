"""What observers are told, event by event."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import launch
from tilewright.emulate import Emulator, MemoryFault
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, SHARED
from tilewright.emulate.observers.observer import EventRecorder

SOURCE = r"""
extern "C" __global__ void kernel(const float *in, float *out, unsigned *count, int n) {
    __shared__ float row[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n) return;
    for (int trip = 0; trip < 3; ++trip) {
        row[threadIdx.x] = in[i + trip];
        __syncthreads();
        out[i] = row[63 - threadIdx.x];
        __syncthreads();
    }
    __threadfence();
    atomicInc(count, 7u);
}
"""


def record(recorder, n=128, size=130):
    """Run the kernel with a recorder."""
    arrays = np.arange(size, dtype=np.float32), np.zeros(128, np.float32), np.zeros(1, np.uint32)
    result = launch(SOURCE, *arrays, n, grid=2, block=64, observers=[recorder])
    return result, recorder.rows


def of(rows, *kinds, space=None):
    """Return the events of some kinds, and of accesses those of one memory."""
    chosen = np.isin(rows[:, ev.KIND], kinds)
    if space is not None:
        chosen &= rows[:, ev.SPACE] == space
    return rows[chosen]


def test_events_agree_with_the_counts():
    """As many loads and stores as were counted, by space; as many barriers, openings, blocks and ends."""
    result, rows = record(EventRecorder())
    counts = result.counts
    assert len(of(rows, ev.LOAD, space=GLOBAL)) == counts.global_load_requests == 12
    assert len(of(rows, ev.STORE, space=GLOBAL)) == counts.global_store_requests == 12
    assert len(of(rows, ev.LOAD, space=SHARED)) == counts.shared_load_requests == 12
    assert len(of(rows, ev.STORE, space=SHARED)) == counts.shared_store_requests == 12
    assert len(of(rows, ev.BARRIER)) == counts.barriers == 24
    assert len(of(rows, ev.BARRIER_OPEN)) == 12
    assert len(of(rows, ev.ATOMIC)) == counts.atomic_requests == 4
    assert len(of(rows, ev.FENCE)) == 4
    assert [len(of(rows, kind)) for kind in (ev.BLOCK_START, ev.EXIT, ev.BLOCK_END)] == [2, 4, 2]


def test_addresses_lanes_and_trips():
    """An event says which lanes access which bytes, and how often the warp has been here."""
    _, rows = record(EventRecorder(), n=128)
    loads = of(rows, ev.LOAD, space=GLOBAL)
    first = loads[(loads[:, ev.BLOCK] == 1) & (loads[:, ev.WARP_IN_BLOCK] == 1)]
    assert len(set(first[:, ev.PC])) in (1, 3)  # a loop, or three copies of its body
    steps = first[:, ev.ADDRESSES : ev.ADDRESSES + 32]
    assert (np.diff(steps, axis=1) == 4).all()
    assert (np.diff(steps[:, 0]) == 4).all()
    assert (first[:, ev.NBYTES] == 4).all()
    assert (first[:, ev.LANES] == 0xFFFFFFFF).all()
    assert (first[:, ev.ALLOCATION] == 0).all()
    shared = of(rows, ev.LOAD, space=SHARED)
    shared = shared[shared[:, ev.WARP_IN_BLOCK] == 0]
    assert shared[0, ev.ADDRESSES : ev.ADDRESSES + 32].tolist() == [4 * (63 - lane) for lane in range(32)]


def test_openings_name_their_threads():
    """A barrier that all live threads reach opens with their number."""
    _, rows = record(EventRecorder(), n=100)
    openings = of(rows, ev.BARRIER_OPEN)
    assert openings[:, ev.ARRIVED].tolist() == openings[:, ev.EXPECTED].tolist()
    assert {tuple(pair) for pair in openings[:, [ev.BLOCK, ev.ARRIVED]].tolist()} == {(0, 64), (1, 36)}
    early = of(rows, ev.EXIT)
    assert 0xFFFFFFF0 in early[:, ev.LANES]


def test_order_and_scope():
    """Fences and atomics say what they promise."""
    _, rows = record(EventRecorder())
    (fence,) = {tuple(row) for row in of(rows, ev.FENCE)[:, [ev.ORDER, ev.SCOPE]].tolist()}
    assert fence == (op.STRONG | op.ACQUIRES | op.RELEASES, op.SCOPE_GPU)
    atomics = of(rows, ev.ATOMIC)
    assert (atomics[:, ev.ORDER] == op.STRONG).all()
    assert (atomics[:, ev.SCOPE] == op.SCOPE_GPU).all()
    assert (atomics[:, ev.RETURNS] == 0).all()


def test_an_access_that_faults_is_told_of():
    """The last event before a fault is the access itself, outside of every allocation."""
    recorder = EventRecorder()
    with pytest.raises(MemoryFault):
        record(recorder, size=100)
    assert recorder.rows[-1, ev.KIND] == ev.LOAD
    assert recorder.rows[-1, ev.ALLOCATION] == -1


def test_capacity():
    """A full recorder counts what it does not keep."""
    full, part = EventRecorder(), EventRecorder(capacity=10)
    record(full)
    record(part)
    assert len(part.rows) == 10
    assert part.dropped == len(full.rows) - 10
    # the registers lie anew in each launch
    compared = np.delete(np.arange(ev.EVENT_WORDS), ev.FRAME)
    assert (part.rows[:, compared] == full.rows[:10, compared]).all()


def test_an_observed_launch_computes_and_counts_the_same():
    """Observers change neither results nor counts."""
    inputs = np.arange(130, dtype=np.float32), np.uint32(0)
    results = []
    for observers in ([], [EventRecorder()]):
        out, count = np.zeros(128, np.float32), np.zeros(1, np.uint32)
        result = launch(SOURCE, inputs[0], out, count, 128, grid=2, block=64, observers=observers, emulator=Emulator())
        results.append((out.tolist(), int(count[0]), result.counts))
    assert results[0] == results[1]


GROUPS = r"""
extern "C" __global__ void kernel() {
    if (threadIdx.x % 2)
        return;
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 1;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
"""


def test_groups_of_copies():
    """Two are closed, then all but one is waited for, then every one: by the lanes that do."""
    recorder = EventRecorder(events=ev.mask(ev.ORDERING))
    launch(GROUPS, block=32, observers=[recorder])
    close, wait = op.ORDER_GROUP_CLOSE, op.ORDER_GROUP_WAIT
    assert recorder.rows[:, ev.OPERATION].tolist() == [close, close, wait, wait]
    assert set(recorder.rows[:, ev.LANES].tolist()) == {0x55555555}
