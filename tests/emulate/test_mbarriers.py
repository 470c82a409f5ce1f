"""Barriers in shared memory: phases, counts, bytes, waits that go on and waits that never can."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.hopper_sources import DEVICE
from tests.emulate.running import launch, line_of
from tilewright.emulate import BarrierFault, MemoryFault

PIPELINE = (
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
            for (int i = 0; i < 9; ++i) {
                wait(empty + i % 2, (i / 2 + 1) & 1);
                values[i % 2] = i * i;
                arrive(full + i % 2);
            }
    } else {
        int sum = 0;
        for (int i = 0; i < 9; ++i) {
            wait(full + i % 2, i / 2 & 1);
            sum = 2 * sum + *(volatile int*)(values + i % 2);
            arrive(empty + i % 2);
        }
        out[threadIdx.x - 32] = sum;
    }
}
"""
)


@pytest.mark.parametrize("schedule", ["round_robin", "random"])
@pytest.mark.parametrize("seed", [0, 7])
def test_pipeline(schedule, seed):
    """A producer and two consumer warps hand over nine values in two stages."""
    out = np.zeros(64, np.int32)
    launch(PIPELINE, out, block=96, schedule=schedule, seed=seed)
    expected = 0
    for i in range(9):
        expected = 2 * expected + i * i
    assert (out == expected).all()


def _with_barrier(body: str, count: int = 1) -> str:
    head = 'extern "C" __global__ void kernel(int* out) {\n__shared__ Barrier barrier;\nunsigned long long state;\n'
    start = f"if (threadIdx.x == 0) init(&barrier, {count});\n__syncthreads();\n"
    return f"{DEVICE}{head}{start}{body}}}\n"


def test_states():
    """The state of an arrival is that of the phase before it; its pending count can be read."""
    source = _with_barrier(
        r"""
    unsigned count, done;
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(at(&barrier)));
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
    out[0] = count;
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(at(&barrier)), "l"(state) : "memory");
    out[1] = done;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 1;" : "=l"(state) : "r"(at(&barrier)));
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
    out[2] = count;
    asm volatile("{.reg .pred p; mbarrier.try_wait.b64 p, [%1], %2, 1000; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "l"(&barrier), "l"(state) : "memory");
    out[3] = done;
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(at(&barrier)) : "memory");
    out[4] = done;
    asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at(&barrier)) : "memory");
""",
        3,
    )
    out = np.zeros(5, np.int32)
    launch(source, out, block=1)
    assert out.tolist() == [3, 0, 1, 1, 0]


def test_bytes():
    """A phase ends when its arrivals and its bytes have come; bytes may come before they are expected."""
    source = _with_barrier(
        r"""
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 48;" :: "r"(at(&barrier)) : "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" :: "r"(at(&barrier)) : "memory");
    unsigned done;
    expect(&barrier, 64);
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(at(&barrier)) : "memory");
    out[0] = done;
    complete(&barrier, 32);
    wait(&barrier, 0);
    out[1] = 1;
"""
    )
    out = np.zeros(2, np.int32)
    launch(source, out, block=1)
    assert out.tolist() == [0, 1]


def test_threads_that_leave():
    """A dropped arrival is missing from all later phases."""
    source = _with_barrier(
        r"""
    if (threadIdx.x >= 8) {
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&barrier)) : "memory");
        return;
    }
    for (int round = 0; round < 3; ++round) {
        arrive(&barrier);
        wait(&barrier, round & 1);
    }
    out[threadIdx.x] = 1;
""",
        64,
    )
    out = np.zeros(8, np.int32)
    launch(source, out, block=64)
    assert out.all()


def test_spinning_on_test_wait():
    """A thread that tests a phase in a loop lets the others have their turns."""
    source = _with_barrier(
        r"""
    if (threadIdx.x >= 32) {
        unsigned done = 0, spins = 0;
        while (!done) {
            asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                         : "=r"(done) : "r"(at(&barrier)) : "memory");
            ++spins;
        }
        out[threadIdx.x - 32] = spins > 1;
    } else
        arrive(&barrier);
""",
        32,
    )
    out = np.zeros(32, np.int32)
    launch(source, out, block=64)
    assert out.all()


@pytest.mark.parametrize("noinc", ["", ".noinc"])
def test_after_copies(noinc):
    """The arrival of a thread's asynchronous copies says that they have come."""
    source = (
        DEVICE
        + r"""
extern "C" __global__ void kernel(int* out, const int* in) {
    __shared__ Barrier barrier;
    __shared__ int values[32];
    if (threadIdx.x == 0)
        init(&barrier, 32);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(values + threadIdx.x)), "l"(in + threadIdx.x));
    asm volatile("cp.async.mbarrier.arrive"""
        + noinc
        + r""".shared.b64 [%0];" ::"r"(at(&barrier)) : "memory");
"""
        + ("" if noinc else "    arrive(&barrier);")
        + r"""
    wait(&barrier, 0);
    out[threadIdx.x] = values[31 - threadIdx.x];
}
"""
    )
    out = np.zeros(32, np.int32)
    launch(source, out, np.arange(32, dtype=np.int32), block=32)
    assert np.array_equal(out, np.arange(31, -1, -1))


def test_arrivals_from_other_blocks():
    """Threads of every block of a cluster arrive at the mbarrier of the first one."""
    source = (
        DEVICE
        + r"""
extern "C" __global__ void __cluster_dims__(4) kernel(int* out) {
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, 4 * 32);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    cluster_sync();
    arrive_at(&barrier, 0);
    if (cluster_rank() == 0) {
        wait(&barrier, 0);
        out[blockIdx.x / 4] = 1;
    }
    cluster_sync();
}
"""
    )
    out = np.zeros(2, np.int32)
    launch(source, out, grid=8, block=32)
    assert out.all()


def test_lanes_that_wait_for_their_own_warp():
    """Lanes that would meet a waiting lane again go on without it where only they can end its wait."""
    source = _with_barrier(
        r"""
    if (threadIdx.x == 0)
        wait(&barrier, 0);
    else if (threadIdx.x == 1)
        out[1] = 1;
    if (threadIdx.x == 1)
        arrive(&barrier);
    out[0] = 1;
"""
    )
    out = np.zeros(2, np.int32)
    launch(source, out, block=32)
    assert out.all()


LOOK = r"""
    unsigned done = 0, looks = 0;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(at(&barrier)) : "memory");
        BETWEEN
    } while (!done && looks < MOST);
    out[threadIdx.x] = looks;
"""


@pytest.mark.parametrize(
    "between",
    [
        "if (++looks == 3 && threadIdx.x == 0) arrive(&barrier);",
        """++looks;
        if (threadIdx.x == 0) flag[0] = 1;
        if (threadIdx.x == 32 && !done && *(volatile int*)flag) arrive(&barrier);""",
    ],
)
def test_polling(between):
    """A thread may look with try_wait, and bring the end of the phase about itself, or let others do so."""
    source = _with_barrier("__shared__ int flag[1]; flag[0] = 0;" + LOOK.replace("BETWEEN", between), 1)
    out = np.zeros(64, np.int32)
    launch(source.replace("MOST", "100"), out, block=64)
    assert ((out > 0) & (out < 100)).all()


def test_polling_that_gives_up():
    """A wait that nothing can end is none as long as its thread counts how often it looks."""
    out = np.zeros(32, np.int32)
    launch(_with_barrier(LOOK.replace("BETWEEN", "++looks;").replace("MOST", "5000"), 1), out, block=32)
    assert (out == 5000).all()
    with pytest.raises(BarrierFault, match="waits for ever for phase parity 0"):
        launch(_with_barrier(LOOK.replace("BETWEEN", "++looks;").replace("MOST", "~0u"), 1), out, block=32)


@pytest.mark.parametrize(
    ("count", "body", "missing"),
    [
        (1, "wait(&barrier, 0);", "phase parity 0 of the mbarrier barrier+0 bytes: 1 of 1 arrivals is missing"),
        (2, "arrive(&barrier); wait(&barrier, 0);", "1 of 2 arrivals are missing"),
        (1, "arrive(&barrier); wait(&barrier, 1);", "phase parity 1"),
        (1, "expect(&barrier, 64); wait(&barrier, 0);", "parity 0 of the mbarrier barrier+0 bytes: 64 bytes are"),
        (2, "expect(&barrier, 64); wait(&barrier, 0);", "1 of 2 arrivals and 64 bytes are missing"),
        (
            1,
            "complete(&barrier, 16); arrive(&barrier); wait(&barrier, 0);",
            "16 bytes came that nobody expected",
        ),
    ],
)
def test_endless_waits(count, body, missing):
    """A wait that nothing can end is reported at its line, with what its phase lacks."""
    source = _with_barrier(body + "\n", count)
    with pytest.raises(BarrierFault) as fault:
        launch(source, np.zeros(1, np.int32), block=1)
    assert "waits for ever for " in str(fault.value)
    assert missing in str(fault.value)
    assert "; thread 0 waits at test.cu:" in str(fault.value)
    assert fault.value.line == line_of(source, "mbarrier.try_wait")


@pytest.mark.parametrize(
    ("body", "said", "kind"),
    [
        ("arrive(&barrier + 1);", "no mbarrier was initialised there", MemoryFault),
        ("barrier = 5; arrive(&barrier);", "the mbarrier there was overwritten", MemoryFault),
        ("wait((Barrier*)out - 1, 0);", "of the block's shared memory", MemoryFault),
        ("arrive((Barrier*)((char*)&barrier + 4));", "no multiple of 8", MemoryFault),
        ("expect(&barrier, 1 << 20);", "more than 1048575 bytes would be on their way", BarrierFault),
        ("init(&barrier, 0);", "a number of arrivals is 1 to 1048575", BarrierFault),
        ("expect(&barrier, 16); arrive(&barrier);", "more threads arrive than its phase waits for", BarrierFault),
        (
            'asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(state) : "r"(at(&barrier)));',
            "would end its phase",
            BarrierFault,
        ),
        (
            'asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at(&barrier)) : "memory"); arrive(&barrier);',
            "no mbarrier was initialised there",
            MemoryFault,
        ),
        (
            'asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(state) : "l"(out));',
            "an mbarrier lies in shared memory",
            MemoryFault,
        ),
    ],
)
def test_refused_operations(body, said, kind):
    """What an mbarrier cannot take is found where it is asked for."""
    source = _with_barrier(f"__shared__ long long more[4]; more[0] = 0; __syncthreads();\n{body} // here\n")
    with pytest.raises(kind) as fault:
        launch(source, np.zeros(2, np.int32), block=1)
    assert said in str(fault.value)
