"""Clusters: ranks, the shared memory of other blocks, and the barrier of all their threads."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.hopper_sources import DEVICE
from tests.emulate.running import launch, line_of
from tilewright.emulate import BarrierFault, MemoryFault
from tilewright.emulate.faults import LaunchLimitError
from tilewright.emulate.observers import UninitialisedObserver

REGISTERS = ("cluster_ctarank", "cluster_nctarank", "cluster_ctaid.x", "cluster_ctaid.y", "cluster_nctaid.x")
MORE_REGISTERS = ("cluster_nctaid.y", "clusterid.x", "clusterid.y", "nclusterid.x", "nclusterid.y")


def _reading(names: tuple[str, ...]) -> str:
    return "".join(f'asm volatile("mov.u32 %0, %%{name};" : "=r"(value)); out[place++] = value;\n' for name in names)


PLACES = (
    r"""
extern "C" __global__ void kernel(unsigned* out) {
    unsigned value, place = 12 * (blockIdx.x + gridDim.x * blockIdx.y);
"""
    + _reading((*REGISTERS, *MORE_REGISTERS))
    + """
    asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(value));
    out[place++] = value;
}
"""
)


@pytest.mark.parametrize(("cluster", "schedule"), [((2, 3), "round_robin"), ((4, 1), "random"), (None, "round_robin")])
def test_places(cluster, schedule):
    """Each block knows its cluster and its rank in it, the first dimension fastest."""
    out = np.zeros((6, 8, 12), np.uint32)
    launch(PLACES, out, grid=(8, 6), block=1, cluster=cluster, schedule=schedule)
    width, height = cluster or (1, 1)
    y, x = np.mgrid[:6, :8]
    expected = [x % width + y % height * width, width * height, x % width, y % height, width, height]
    expected += [x // width, y // height, 8 // width, 6 // height, int(cluster is not None)]
    for place, value in enumerate(expected):
        assert np.array_equal(out[:, :, place], np.broadcast_to(value, (6, 8))), place


EXCHANGE = (
    DEVICE
    + r"""
extern "C" __global__ void __cluster_dims__(4) kernel(unsigned* out) {
    __shared__ unsigned values[4];
    __shared__ unsigned counter;
    unsigned rank = cluster_rank(), thread = threadIdx.x;
    counter = 0;
    cluster_sync();
    if (thread < 4) {
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(map(at(values + rank), thread)), "r"(10 * rank + thread));
        unsigned far = map(at(&counter), thread);
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(far), "r"(rank));
        unsigned long long there;
        asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(&counter), "r"(thread));
        atomicAdd((unsigned*)there, 100u);
        unsigned who, is_remote, is_own;
        asm volatile("getctarank.u64 %0, %1;" : "=r"(who) : "l"(there));
        asm volatile("{.reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p;}"
                     : "=r"(is_remote) : "l"(there));
        asm volatile("{.reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p;}"
                     : "=r"(is_own) : "l"(&counter));
        if (who != thread || !is_remote || !is_own)
            __trap();
    }
    cluster_sync();
    unsigned next;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(next) : "r"(map(at(values + thread % 4), (rank + 1) % 4)));
    if (thread < 4) {
        out[12 * blockIdx.x + thread] = values[thread];
        out[12 * blockIdx.x + 4 + thread] = next;
    }
    out[12 * blockIdx.x + 8] = counter;
    cluster_sync();
}
"""
)


@pytest.mark.parametrize("schedule", ["round_robin", "random"])
def test_exchange(schedule):
    """Blocks write, read and count in each other's shared memory, by shared and by generic addresses."""
    out = np.zeros((8, 12), np.uint32)
    launch(EXCHANGE, out, grid=8, block=64, schedule=schedule, workers=2)
    rank = np.arange(8) % 4
    assert np.array_equal(out[:, :4], 10 * np.arange(4)[None] + rank[:, None])
    assert np.array_equal(out[:, 4:8], 10 * np.arange(4)[None] + (rank[:, None] + 1) % 4)
    assert (out[:, 8] == 406).all()


def test_exited_threads_are_not_awaited():
    """A barrier of the cluster waits for live threads only."""
    source = (
        DEVICE
        + r"""
extern "C" __global__ void __cluster_dims__(2) kernel(int* out) {
    if (blockIdx.x == 1 && threadIdx.x >= 8)
        return;
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    out[32 * blockIdx.x + threadIdx.x] = 1;
}
"""
    )
    out = np.zeros(64, np.int32)
    launch(source, out, grid=2, block=32)
    assert out.tolist() == [1] * 40 + [0] * 24


def test_sides_of_a_split_barrier():
    """A thread may work between its arrival and its wait; those who wait see what was done before the arrivals."""
    source = (
        DEVICE
        + r"""
extern "C" __global__ void __cluster_dims__(2) kernel(int* out) {
    __shared__ int value;
    int total = 0;
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x == 33)
            value = 10 * round + cluster_rank();
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        total += 100;
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
        int other;
        asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(other) : "r"(map(at(&value), cluster_rank() ^ 1)));
        total += other;
        cluster_sync();
    }
    out[64 * blockIdx.x + threadIdx.x] = total;
}
"""
    )
    for schedule in ("round_robin", "random"):
        out = np.zeros((2, 64), np.int32)
        launch(source, out, grid=2, block=64, schedule=schedule, seed=3)
        assert (out[0] == 333).all()
        assert (out[1] == 330).all()


def test_missing_thread():
    """A barrier of the cluster that a warp never reaches is reported with where every block's threads are."""
    source = (
        DEVICE
        + r"""
extern "C" __global__ void __cluster_dims__(2) kernel(int* out) {
    if (blockIdx.x == 1 && threadIdx.x >= 32)
        __syncthreads(); // never
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory"); // waits
    out[0] = 1;
}
"""
    )
    with pytest.raises(BarrierFault) as fault:
        launch(source, np.zeros(1, np.int32), grid=2, block=64)
    assert fault.value.line == line_of(source, "// waits")
    assert "barrier.cluster is never completed" in str(fault.value)
    assert f"of rank 1 threads 0-31 wait at test.cu:{line_of(source, '// waits')}; threads 32-63" in str(fault.value)


@pytest.mark.parametrize(
    ("rank", "offset", "said"), [(2, 0, "cluster of 2 blocks has none of rank 2"), (1, 4096, "at byte 4096 of")]
)
def test_outside(rank, offset, said):
    """A rank that the cluster lacks, and a byte that the other block's shared memory lacks."""
    source = (
        DEVICE
        + r"""
extern "C" __global__ void __cluster_dims__(2) kernel(int rank, int offset) {
    __shared__ int value;
    asm volatile("st.shared::cluster.u32 [%0], 1;" ::"r"(map(at(&value), rank) + offset)); // here
    cluster_sync();
}
"""
    )
    with pytest.raises(MemoryFault) as fault:
        launch(source, rank, offset, grid=2, block=32)
    assert said in str(fault.value)
    assert fault.value.line == line_of(source, "// here")


def test_block_that_has_ended():
    """The shared memory of a block that has ended is gone."""
    source = (
        DEVICE
        + r"""
extern "C" __global__ void __cluster_dims__(2) kernel(int* out) {
    __shared__ int value;
    if (cluster_rank() == 1)
        return;
    for (int spin = 0; spin < 10000; ++spin)
        *(volatile int*)out = spin;
    asm volatile("st.shared::cluster.u32 [%0], 1;" ::"r"(map(at(&value), 1))); // here
}
"""
    )
    with pytest.raises(MemoryFault, match="the block of rank 1 in the cluster, which has ended"):
        launch(source, np.zeros(1, np.int32), grid=2, block=32)


def test_refused_launches():
    """Clusters have up to 16 blocks, divide the grid, and are those that the kernel was compiled for."""
    for cluster, grid, said in (
        ((4, 2), (8, 3), "no multiple"),
        (17, 34, "1 to 3 sizes"),
        ((4, 8), (8, 8), "at most 16"),
    ):
        with pytest.raises(LaunchLimitError, match=said):
            launch(PLACES, np.zeros(1, np.uint32), grid=grid, block=1, cluster=cluster)
    with pytest.raises(LaunchLimitError, match="asks for clusters"):
        launch(EXCHANGE, np.zeros(1, np.uint32), grid=8, block=64, cluster=2)


def test_observed():
    """What a block writes into another one counts as written there."""
    source = (
        DEVICE
        + r"""
extern "C" __global__ void __cluster_dims__(2) kernel(int* out) {
    __shared__ int given[32], blank[32];
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(map(at(given + threadIdx.x), cluster_rank() ^ 1)), "r"(7));
    cluster_sync();
    out[32 * blockIdx.x + threadIdx.x] = given[threadIdx.x];
    if (out[0] == 1)
        blank[threadIdx.x] = 1;
    out[32 * blockIdx.x + threadIdx.x] += blank[threadIdx.x]; // nobody wrote
}
"""
    )
    observer = UninitialisedObserver()
    launch(source, np.zeros(64, np.int32), grid=2, block=32, observers=[observer])
    (finding,) = observer.findings
    assert finding.place[1] == line_of(source, "// nobody wrote")


@pytest.mark.parametrize("completion", ["early", "late", "random"])
def test_values_for_another_block(completion):
    """st.async and red.async bring a thread's values to the other block and its mbarrier, which counts their bytes."""
    source = DEVICE + (
        r"""
extern "C" __global__ void __cluster_dims__(2) kernel(int* out) {
    __shared__ alignas(16) int4 values[32];
    __shared__ alignas(8) unsigned long long wide[32];
    __shared__ unsigned sum, most;
    __shared__ Barrier full;
    int lane = threadIdx.x, rank = cluster_rank();
    wide[lane] = 7;
    if (lane == 0) {
        sum = 1000, most = 5;
        init(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        expect(&full, 32 * (16 + 8 + 4 + 4));
    }
    __syncwarp();
    cluster_sync();
    unsigned barrier = map(at(&full), 1 - rank);
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];"
                 ::"r"(map(at(&values[lane]), 1 - rank)), "r"(lane), "r"(rank), "r"(-lane), "r"(9), "r"(barrier));
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];"
                 ::"r"(map(at(&wide[lane]), 1 - rank)), "l"((1ull << 40) + lane), "r"(barrier) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                 ::"r"(map(at(&sum), 1 - rank)), "r"(lane), "r"(barrier) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%0], %1, [%2];"
                 ::"r"(map(at(&most), 1 - rank)), "r"(lane - 3), "r"(barrier) : "memory");
    wait(&full, 0);
    int4 value = values[lane];
    bool is_wide = wide[lane] == (1ull << 40) + lane + 7;
    int* mine = out + 32 * 7 * rank + 7 * lane;
    mine[0] = value.x, mine[1] = value.y, mine[2] = value.z, mine[3] = value.w;
    mine[4] = sum, mine[5] = most, mine[6] = is_wide;
    cluster_sync();
}
"""
    )
    out = np.zeros((2, 32, 7), np.int32)
    launch(source, out, grid=2, block=32, completion=completion)
    lanes = np.arange(32)
    for rank in range(2):
        expected = [lanes, 0 * lanes + 1 - rank, -lanes, 9, 1000 + lanes.sum(), 28, 1]
        assert np.array_equal(out[rank].T, np.stack(np.broadcast_arrays(*expected)))


def test_a_value_that_is_written_out():
    """The last constant of a module has 32 bits, too."""
    source = DEVICE + (
        r"""
extern "C" __global__ void kernel(int* out) {
    __shared__ int value;
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        expect(&full, 4);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], 12345, [%1];"
                     ::"r"(map(at(&value), 0)), "r"(map(at(&full), 0)) : "memory");
        wait(&full, 0);
        out[0] = value;
    }
}
"""
    )
    out = np.zeros(1, np.int32)
    launch(source, out, block=32)

    assert out == 12345
