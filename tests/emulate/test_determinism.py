"""The same seed gives the same bits and counts, whatever the number of workers."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.emulate.running import PTX_HEADER, launch

SCHEDULES = [("round_robin", 0), ("random", 0), ("random", 7)]
WORKERS = (1, 2, 4)

FLOAT_SUM = """extern "C" __global__ void kernel(float* sum, const float* x, int* order, int* ticket) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < (t % 5); ++i) atomicAdd(&sum[1], x[t] * i);
    atomicAdd(&sum[0], x[t]);
    order[atomicAdd(ticket, 1)] = t;
}"""


def outcome(workers: int, schedule: str, seed: int) -> tuple[bytes, bytes, dict[str, int]]:
    """Return every bit that a racy reduction leaves, and its counts."""
    x = (
        np.random.default_rng(0).normal(size=40 * 96) * 10.0 ** np.random.default_rng(1).integers(-6, 6, 40 * 96)
    ).astype(np.float32)
    total, order = np.zeros(2, dtype=np.float32), np.zeros(40 * 96, dtype=np.int32)
    result = launch(
        FLOAT_SUM,
        total,
        x,
        order,
        np.zeros(1, dtype=np.int32),
        grid=40,
        block=96,
        workers=workers,
        schedule=schedule,
        seed=seed,
    )
    assert sorted(order) == list(range(40 * 96))
    return total.tobytes(), order.tobytes(), dataclasses.asdict(result.counts)


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_workers_change_nothing(schedule, seed):
    """Float atomics, the order of tickets and all counts are equal on one, two and four workers, and when repeated."""
    first = outcome(1, schedule, seed)

    for workers in (*WORKERS, 2):
        assert outcome(workers, schedule, seed) == first


def test_random_schedules_differ_by_seed():
    """Another seed gives another order, so a schedule really is drawn."""
    orders = {outcome(1, "random", seed)[1] for seed in range(4)}

    assert len(orders) == 4


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_waiting_blocks_change_nothing(schedule, seed):
    """Blocks that spin on each other spin the same number of times on any number of workers."""
    source = """extern "C" __global__ void kernel(int* lock, volatile int* list, volatile int* length) {
        if (threadIdx.x % 16 == 0) {
            while (atomicCAS(lock, 0, 1) != 0) { }
            __threadfence();
            int n = length[0];
            list[n] = blockIdx.x * blockDim.x + threadIdx.x;
            length[0] = n + 1;
            __threadfence();
            atomicExch(lock, 0);
        }
    }"""
    seen = set()
    for workers in WORKERS:
        entries, length = np.zeros(64, dtype=np.int32), np.zeros(1, dtype=np.int32)
        result = launch(
            source, np.zeros(1, dtype=np.int32), entries, length,
            grid=8, block=64, workers=workers, schedule=schedule, seed=seed, instruction_budget=10_000_000,
        )  # fmt: skip
        assert length[0] == 32
        assert len(set(entries[:32].tolist())) == 32
        seen.add((entries.tobytes(), str(result.counts)))
    assert len(seen) == 1


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_spinning_on_plain_loads_changes_nothing(schedule, seed):
    """Blocks that talk through loads and stores alone spin equally often on any number of workers."""
    source = """extern "C" __global__ void kernel(volatile int* flag, int* rounds) {
        int t = threadIdx.x, b = blockIdx.x, n = 0;
        if (b > 0) while (flag[b - 1] == 0) ++n;
        for (int i = 0; i < 20 * b; ++i) n += flag[gridDim.x + i % 7];
        rounds[b * blockDim.x + t] = n;
        __syncthreads();
        flag[b] = 1;
    }"""
    seen = set()
    for workers in WORKERS:
        rounds = np.zeros((5, 64), dtype=np.int32)
        result = launch(
            source, np.zeros(12, dtype=np.int32), rounds,
            grid=5, block=64, workers=workers, schedule=schedule, seed=seed, instruction_budget=10_000_000,
        )  # fmt: skip
        seen.add((rounds.tobytes(), str(result.counts)))
    assert len(seen) == 1


@pytest.mark.parametrize("workers", [2, 4])
def test_counts_per_line_do_not_depend_on_workers(workers):
    """The per-line counts are the same too."""
    x, y = np.arange(64 * 30, dtype=np.float32), np.zeros(64 * 30, dtype=np.float32)
    source = """extern "C" __global__ void kernel(const float* x, float* y) {
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        float v = x[t];
        for (int i = 0; i < t % 7; ++i)
            v = v * 1.5f + x[i];
        y[t] = v;
    }"""
    alone = launch(source, x, y, grid=30, block=64, workers=1)
    together = launch(source, x, y, grid=30, block=64, workers=workers)

    assert together.lines == alone.lines
    assert together.counts == alone.counts


@pytest.mark.slow
@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_printing_changes_nothing(schedule, seed):
    """Turns, clocks and output are the same however many blocks a worker prints for."""
    source = """extern "C" __global__ void kernel(int* y) {
        __shared__ int next;
        if (threadIdx.x == 0) next = 0;
        __syncthreads();
        for (int i = 0; i < 10; ++i) printf("%d\\n", atomicAdd(&next, 1));
        y[blockIdx.x * blockDim.x + threadIdx.x] = (int)clock();
    }"""
    seen = set()
    for workers in WORKERS:
        clocks = np.zeros(32 * 96, dtype=np.int32)
        result = launch(source, clocks, grid=32, block=96, workers=workers, schedule=schedule, seed=seed)
        seen.add((clocks.tobytes(), tuple(result.output), str(result.counts)))
    assert len(seen) == 1


def test_printed_string_that_another_block_writes():
    """A string that printf reads counts as read: blocks that print what others write do not run side by side."""
    source = """__device__ char text[400];
    extern "C" __global__ void kernel() { text[blockIdx.x] = 'a' + blockIdx.x % 26; printf("%s\\n", text); }"""
    outputs = {tuple(launch(source, grid=300, block=1, workers=workers).output) for workers in WORKERS}

    assert len(outputs) == 1
    assert len(max(outputs.pop(), key=len)) == 300


def test_registers_that_are_never_written():
    """What a register holds on a path that does not write it does not depend on which blocks ran before."""
    text = (
        PTX_HEADER
        + """
    .func (.param .b32 r) f(.param .b32 a) {
        .reg .b32 %u, %v; .reg .pred %p;
        ld.param.b32 %v, [a]; setp.ne.u32 %p, %v, 0; @%p bra L;
        mov.b32 %u, 77;
    L:  st.param.b32 [r], %u; mov.b32 %u, 99; ret;
    }
    .visible .entry kernel(.param .u64 p0) {
        .reg .b64 %d, %e; .reg .b32 %b, %v;
        mov.u32 %b, %ctaid.x; ld.param.u64 %d, [p0]; mul.wide.u32 %e, %b, 4; add.s64 %d, %d, %e;
        { .param .b32 a0; .param .b32 r0; st.param.b32 [a0], %b; call (r0), f, (a0); ld.param.b32 %v, [r0]; }
        st.global.u32 [%d], %v; ret;
    }"""
    )
    for workers in WORKERS:
        y = np.zeros(64, np.int32)
        launch(text, y, grid=64, block=1, workers=workers)
        assert list(y) == [77] + [0] * 63


def test_blocks_that_read_what_earlier_ones_wrote():
    """What blocks print, count and fault on when they ran side by side by mistake never comes out."""
    source = """extern "C" __global__ void kernel(int* next, int* y) {
        int b = blockIdx.x;
        if (b % 4 == 0) { printf("%d\\n", next[0]); y[next[0]] = b; next[0] = b % 50; }
    }"""
    seen = set()
    for workers in WORKERS:
        index, y = np.array([7], np.int32), np.zeros(64, np.int32)
        result = launch(source, index, y, grid=400, block=1, workers=workers)
        seen.add((y.tobytes(), tuple(result.output), str(result.counts)))
        assert len(result.output) == 100
    assert len(seen) == 1


def test_fault_of_a_mistaken_order():
    """A block that would only fault if it ran before an earlier one does not fault."""
    source = """extern "C" __global__ void kernel(int* index, int* y) {
        int b = blockIdx.x;
        if (b < 4) { if (b == 0) { for (int i = 0; i < 2000; ++i) y[1] += index[1]; index[0] = 5; } }
        else y[index[0]] = b;
    }"""
    for workers in WORKERS:
        index, y = np.array([1 << 28, 1], np.int32), np.zeros(8, np.int32)
        launch(source, index, y, grid=200, block=1, workers=workers)
        assert (y[1], y[5]) == (2000, 199)
