"""Events of kernels that really ran on the emulator."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.emulate.hopper_sources import DEVICE
from tests.emulate.running import launch
from tilewright.lab.pipeline.events import AccessEvent, BarrierEvent, GroupEvent, MultiplyEvent
from tilewright.lab.pipeline.recording import PipelineRecorder
from tilewright.lab.trace.subject import Listing

HANDED_OVER = (
    DEVICE
    + r"""
extern "C" __global__ void kernel(int* out) {
    __shared__ Barrier full[2], empty[2];
    __shared__ int values[2];
    if (threadIdx.x == 0)
        for (int stage = 0; stage < 2; ++stage) {
            init(full + stage, 1);
            init(empty + stage, 64);
        }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            for (int i = 0; i < 6; ++i) {
                wait(empty + i % 2, (i / 2 + 1) & 1);
                values[i % 2] = i * i;
                arrive(full + i % 2);
            }
    } else {
        int sum = 0;
        for (int i = 0; i < 6; ++i) {
            wait(full + i % 2, i / 2 & 1);
            sum += *(volatile int*)(values + i % 2);
            arrive(empty + i % 2);
        }
        out[threadIdx.x - 32] = sum;
    }
}
"""
)
MULTIPLIED = r"""
extern "C" __global__ void kernel(float* out) {
    __shared__ __align__(1024) unsigned char tiles[64 * 128 + 8 * 128];
    for (int i = threadIdx.x; i < 72 * 32; i += 128) ((int*)tiles)[i] = 0x3C003C00;
    __syncthreads();
    unsigned base = (unsigned)__cvta_generic_to_shared(tiles);
    unsigned long long a = (base >> 4) | 64ull << 32 | 1ull << 62, b = a + (64 * 128 >> 4);
    float s[4] = {0, 0, 0, 0};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int step = 0; step < 2; ++step)
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                     "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n}"
                     : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "l"(a + 2 * step), "l"(b + 2 * step));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = s[0];
}
"""


def events_of(source, out, **options):
    """Run a kernel and return what was recorded of block 0."""
    recorder = PipelineRecorder([0])
    launch(source, out, observers=[recorder], **options)
    assert recorder.lost == 0
    return list(recorder.told(Listing("test.cu", source)))


@pytest.mark.parametrize("schedule", ["round_robin", "random"])
def test_barriers_of_a_run(schedule):
    """Counts after each arrival, phases that alternate, each wait told once, and lines of the source."""
    out = np.zeros(64, np.int32)
    events = events_of(HANDED_OVER, out, block=96, schedule=schedule)
    told = [e for e in events if isinstance(e, BarrierEvent)]
    assert (out == sum(i * i for i in range(6))).all()
    assert [(e.expected, e.pending) for e in told[:4]] == [(1, 1), (64, 64), (1, 1), (64, 64)]
    for offset in {e.offset for e in told}:
        turns = [e.parity for e in told if e.offset == offset and e.kind == "turn"]
        assert turns == [1, 0, 1]
        pending = [e.pending for e in told if e.offset == offset and e.kind == "arrive"]
        count = max(e.expected for e in told if e.offset == offset)
        assert pending == 3 * list(range(count - 1, -1, -1))
    waits = [(e.warp, e.offset, e.kind) for e in told if e.kind in ("wait", "pass")]
    for warp in (0, 1, 2):
        own = [kind for who, _, kind in waits if who == warp]
        assert own.count("pass") == 6
        assert ("wait", "wait") not in pairwise(own)
    lines = HANDED_OVER.split("\n")
    assert all("mbarrier" in lines[e.line - 1] or "mbarrier" in lines[e.line] for e in told if e.line)
    stores = [e for e in events if isinstance(e, AccessEvent) and not e.is_load]
    assert [(e.warp, len(e.addresses)) for e in stores] in ([(1, 32), (2, 32)], [(2, 32), (1, 32)])


def test_products_of_a_run():
    """Each warp begins two, closes a group and waits; the descriptors say where the operands begin."""
    out = np.zeros(128, np.float32)
    events = events_of(MULTIPLIED, out, block=128)
    assert (out == 32).all()
    for warp in range(4):
        own = [e for e in events if e.warp == warp and isinstance(e, MultiplyEvent | GroupEvent)]
        first, second, closed, ended = own
        assert isinstance(first, MultiplyEvent)
        assert isinstance(second, MultiplyEvent)
        assert (first.m, first.n, first.k, first.a_along_k, first.b_along_k) == (64, 8, 16, True, True)
        assert (first.a, first.b) == (0, 64 * 128)
        assert (second.a, second.b) == (32, 64 * 128 + 32)
        assert isinstance(closed, GroupEvent)
        assert isinstance(ended, GroupEvent)
        assert (closed.left, ended.left) == (None, 0)
