"""Copies in bulk without a tensor map: where they go, when they come, what they add, and what no engine does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.emulate.hopper_sources import DEVICE
from tests.emulate.running import launch, line_of
from tilewright.emulate import BarrierFault, MemoryFault

COMPLETIONS = ("early", "late", "random")
COPIES = r"""
__device__ void load(void* to, const void* from, unsigned bytes, Barrier* barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" // load
                 ::"r"(at(to)), "l"(from), "r"(bytes), "r"(at(barrier)) : "memory");
}
__device__ void store(void* to, const void* from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" // store
                 ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
}
"""
THERE_AND_BACK = (
    DEVICE
    + COPIES
    + r"""
extern "C" __global__ void kernel(int* out, const int* in) {
    __shared__ alignas(16) int values[2][64];
    __shared__ Barrier full[2];
    if (threadIdx.x < 2)
        init(full + threadIdx.x, 1);
    __syncthreads();
    in += 256 * blockIdx.x;
    out += 256 * blockIdx.x;
    for (int i = 0; i < 4; ++i) {
        if (threadIdx.x == 0) {
            if (i >= 2)
                asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            expect(full + i % 2, 256);
            load(values[i % 2], in + 64 * i, 256, full + i % 2);
        }
        wait(full + i % 2, i / 2 & 1);
        values[i % 2][threadIdx.x] += i;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            store(out + 64 * i, values[i % 2], 256);
            end_group();
        }
    }
    if (threadIdx.x == 0)
        wait_for_groups();
}
"""
)


@pytest.mark.parametrize("completion", COMPLETIONS)
@pytest.mark.parametrize("schedule", ["round_robin", "random"])
def test_there_and_back(completion, schedule):
    """Two stages bring numbers to shared memory, and what was made of them back, whenever a copy happens."""
    numbers = np.arange(10 * 256, dtype=np.int32)
    out = np.zeros_like(numbers)
    result = launch(
        THERE_AND_BACK, out, numbers, grid=10, block=64, completion=completion, schedule=schedule, seed=5, workers=2
    )
    assert np.array_equal(out, numbers + np.arange(10 * 256) // 64 % 4)
    assert (result.counts.bulk_copies, result.counts.bulk_bytes) == (80, 80 * 256)
    assert result.counts.global_loads == result.counts.global_stores == 0


BETWEEN_BLOCKS = (
    DEVICE
    + r"""
extern "C" __global__ void __cluster_dims__(4) kernel(int* out, const int* in) {
    __shared__ alignas(16) int own[32], other[32], all[32];
    __shared__ Barrier full, shared_by_all;
    unsigned rank = cluster_rank(), thread = threadIdx.x;
    if (thread == 0) {
        init(&full, 1);
        init(&shared_by_all, 1);
        expect(&full, 128);
        expect(&shared_by_all, 128);
    }
    own[thread] = 100 * rank + thread;
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    cluster_sync();
    if (thread == 0) {
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(map(at(other), (rank + 1) % 4)), "r"(at(own)), "n"(128), "r"(map(at(&full), (rank + 1) % 4))
                     : "memory");
        unsigned long long policy;
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     ".L2::cache_hint [%0], [%1], 32, [%2], %3, %4;" ::"r"(at(all + 8 * rank)),
                     "l"(in + 32 * (blockIdx.x / 4) + 8 * rank), "r"(at(&shared_by_all)), "h"((short)15), "l"(policy)
                     : "memory");
    }
    wait(&full, 0);
    wait(&shared_by_all, 0);
    out[64 * blockIdx.x + thread] = other[thread];
    out[64 * blockIdx.x + 32 + thread] = all[thread];
    cluster_sync();
}
"""
)


@pytest.mark.parametrize("completion", COMPLETIONS)
def test_between_blocks(completion):
    """A copy goes to the shared memory of another block, or from global memory to all of a cluster."""
    numbers = np.arange(64, dtype=np.int32) * 7
    out = np.zeros((8, 2, 32), np.int32)
    launch(BETWEEN_BLOCKS, out, numbers, grid=8, block=32, completion=completion)
    ranks = np.arange(8) % 4
    assert np.array_equal(out[:, 0], 100 * ((ranks[:, None] + 3) % 4) + np.arange(32))
    assert np.array_equal(out[:, 1], numbers.reshape(2, 32)[np.arange(8) // 4])


REDUCTIONS: dict[str, tuple[Any, Any]] = {
    "add.u32": (np.uint32, lambda x, y: x + y),
    "add.s32": (np.int32, lambda x, y: x + y),
    "add.u64": (np.uint64, lambda x, y: x + y),
    "min.s32": (np.int32, np.minimum),
    "max.u32": (np.uint32, np.maximum),
    "min.s64": (np.int64, np.minimum),
    "max.u64": (np.uint64, np.maximum),
    "inc.u32": (np.uint32, lambda x, y: np.where(x >= y, 0, x + 1)),
    "dec.u32": (np.uint32, lambda x, y: np.where((x == 0) | (x > y), y, x - 1)),
    "and.b32": (np.uint32, lambda x, y: x & y),
    "or.b64": (np.uint64, lambda x, y: x | y),
    "xor.b32": (np.uint32, lambda x, y: x ^ y),
    "add.f32": (np.float32, lambda x, y: x + y),
    "add.f64": (np.float64, lambda x, y: x + y),
    "add.noftz.f16": (np.float16, lambda x, y: x + y),
    "min.f16": (np.float16, np.fmin),
    "max.f16": (np.float16, np.fmax),
}


def _numbers(dtype: Any, seed: int) -> Any:
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind != "f":
        return random.integers(0, 256, 64 * np.dtype(dtype).itemsize, np.uint8).view(dtype)
    numbers = (random.standard_normal(64) * 2.0 ** random.integers(-20, 14, 64)).astype(dtype)
    if dtype == np.float16:
        numbers[:8] = np.array([0, 0x8000, 1, 0x8001, 0x7BFF, 0x7C00, 0xFC00, 0x7FFF], np.uint16).view(np.float16)
    return numbers


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    """What a copy adds to memory, compares with it or makes of its bits."""
    source = (
        DEVICE
        + r"""
extern "C" __global__ void kernel(char* out, const char* in, unsigned bytes) {
    __shared__ alignas(16) char values[512];
    for (int i = threadIdx.x; i < bytes; i += 32)
        values[i] = in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.NAME [%0], [%1], %2;"
                     ::"l"(out), "r"(at(values)), "r"(bytes) : "memory");
        end_group();
        wait_for_groups();
    }
}
""".replace("NAME", name)
    )
    dtype, expected = REDUCTIONS[name]
    ours, theirs = _numbers(dtype, 1), _numbers(dtype, 2)
    out = ours.copy()
    launch(source, out, theirs, theirs.nbytes, block=32)
    with np.errstate(all="ignore"):
        wanted = expected(ours, theirs).astype(dtype)
    np.testing.assert_array_equal(out, wanted)


def test_additions_of_bfloat16():
    """A sum of two bfloat16 is the one nearest to the exact sum."""
    source = DEVICE + (
        r"""
extern "C" __global__ void kernel(short* out, const short* in) {
    __shared__ alignas(16) short values[64];
    values[threadIdx.x] = in[threadIdx.x];
    values[threadIdx.x + 32] = in[threadIdx.x + 32];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%0], [%1], 128;"
                     ::"l"(out), "r"(at(values)) : "memory");
        end_group();
        wait_for_groups();
    }
}
"""
    )
    random = np.random.default_rng(3)
    ours, theirs = ((random.standard_normal(64) * 8).astype(np.float32).view(np.uint32) >> 16 for _ in range(2))
    out = ours.astype(np.uint16)
    launch(source, out, theirs.astype(np.uint16), block=32)
    exact = (ours << 16).astype(np.uint32).view(np.float32) + (theirs << 16).astype(np.uint32).view(np.float32)
    bits = exact.view(np.uint32)
    assert np.array_equal(out, ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16))


def test_reduction_in_another_block():
    """Blocks add to numbers in the shared memory of the first one."""
    source = DEVICE + (
        r"""
extern "C" __global__ void __cluster_dims__(4) kernel(unsigned* out) {
    __shared__ alignas(16) unsigned sums[4], own[4];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        expect(&full, 64);
    }
    if (threadIdx.x < 4) {
        sums[threadIdx.x] = 0;
        own[threadIdx.x] = cluster_rank() + threadIdx.x;
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    cluster_sync();
    if (threadIdx.x == 0)
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32"
                     " [%0], [%1], 16, [%2];" ::"r"(map(at(sums), 0)), "r"(at(own)), "r"(map(at(&full), 0)) : "memory");
    if (cluster_rank() == 0) {
        wait(&full, 0);
        if (threadIdx.x < 4)
            out[threadIdx.x] = sums[threadIdx.x];
    }
    cluster_sync();
}
"""
    )
    for completion in COMPLETIONS:
        out = np.zeros(4, np.uint32)
        launch(source, out, grid=4, block=32, completion=completion)
        assert out.tolist() == [6, 10, 14, 18]


def test_late_copies_are_late():
    """A copy that nobody waits for has not come while others can go on; early, it has come at once."""
    source = DEVICE + (
        COPIES
        + r"""
extern "C" __global__ void kernel(int* out, const int* in) {
    __shared__ alignas(16) int values[4];
    __shared__ Barrier full;
    values[0] = 5;
    init(&full, 1);
    expect(&full, 16);
    load(values, in, 16, &full);
    out[0] = *(volatile int*)values;
    wait(&full, 0);
    out[1] = *(volatile int*)values;
}
"""
    )
    for completion, first in (("early", 9), ("late", 5)):
        out = np.zeros(2, np.int32)
        launch(source, out, np.full(4, 9, np.int32), block=1, completion=completion)
        assert out.tolist() == [first, 9]


def test_spinning_ends_when_a_late_copy_comes():
    """A thread that tests a barrier in a loop does not keep the copy from coming for ever."""
    source = DEVICE + (
        COPIES
        + r"""
extern "C" __global__ void kernel(int* out, const int* in) {
    __shared__ alignas(16) int values[4];
    __shared__ Barrier full;
    init(&full, 1);
    expect(&full, 16);
    load(values, in, 16, &full);
    unsigned done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(at(&full)) : "memory");
    out[0] = values[0];
}
"""
    )
    out = np.zeros(1, np.int32)
    launch(source, out, np.full(4, 9, np.int32), block=1, completion="late")
    assert out[0] == 9


def test_lost_bytes():
    """A phase that expects more bytes than a copy brings never ends, however late copies come."""
    source = THERE_AND_BACK.replace("expect(full + i % 2, 256)", "expect(full + i % 2, 272)")
    for completion in COMPLETIONS:
        with pytest.raises(BarrierFault) as fault:
            launch(source, np.zeros(256, np.int32), np.zeros(256, np.int32), block=64, completion=completion)
        assert "phase parity 0 of the mbarrier full+0 bytes: 16 bytes are missing" in str(fault.value)
        assert fault.value.line == line_of(source, "mbarrier.try_wait")


@pytest.mark.parametrize(
    ("call", "place", "said"),
    [
        ("load(values, in, 24, &full)", "load", "a copy in bulk of 24 bytes, which is no multiple of 16"),
        ("load(values + 1, in, 16, &full)", "load", "shared address 0x14, which is no multiple of 16"),
        ("load(values, in + 1, 16, &full)", "load", "which is no multiple of 16"),
        ("load(values, in + 60, 32, &full)", "load", "an asynchronous copy of 32 bytes"),
        ("load(values + 4, in, 256, &full)", "load", "of the block's shared memory, which has"),
        ("load(values, in, 16, &full + 1)", "load", "no mbarrier was initialised there"),
        ("load(values, in, 16, (Barrier*)((char*)&full + 4))", "load", "no multiple of 8"),
        ("store(out + 60, values, 32)", "store", "at byte 240 of array 0 (256 bytes)"),
        ("store(out, values + 2, 16)", "store", "no multiple of 16"),
    ],
)
@pytest.mark.parametrize("completion", ["early", "late"])
def test_refused(call, place, said, completion):
    """What no engine copies is found at the copy's line, even if it is done later."""
    source = DEVICE + (
        COPIES
        + r"""
extern "C" __global__ void kernel(int* out, const int* in) {
    __shared__ Barrier full, none;
    __shared__ alignas(16) int values[64];
    init(&full, 1);
    *(volatile Barrier*)&none = 0;
    expect(&full, 16);
    CALL;
}
""".replace("CALL", call)
    )
    with pytest.raises(MemoryFault) as fault:
        launch(source, np.zeros(64, np.int32), np.zeros(64, np.int32), block=1, completion=completion)
    assert said in str(fault.value)
    assert fault.value.line == line_of(source, f"// {place}")


def test_multicast_to_a_missing_block():
    """A multicast names blocks that the cluster has."""
    source = BETWEEN_BLOCKS.replace('"h"((short)15)', '"h"((short)23)')
    with pytest.raises(MemoryFault, match="to the block of rank 4, which its cluster lacks"):
        launch(source, np.zeros((4, 64), np.int32), np.zeros(32, np.int32), grid=4, block=32)
