"""Races with asynchronous copies: what they write is nobody's until their thread has waited and all have met."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.observers.race_kernels import races
from tests.emulate.running import launch, line_of, ptx_of
from tilewright.emulate import Emulator
from tilewright.emulate.observers.bounds import BoundsObserver
from tilewright.emulate.observers.coalescing import CoalescingObserver
from tilewright.emulate.observers.uninitialised import UninitialisedObserver

PIPELINE = """
__device__ inline void copy(float* to, const float* from) {
    unsigned target = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(target), "l"(from) : "memory"); // copies
}
extern "C" __global__ void kernel(const float* x, float* y, int phases) {
    __shared__ float tile[2][64];
    int t = threadIdx.x;
    float sum = 0;
    copy(&tile[0][t], x + t);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int phase = 0; phase < phases; ++phase) {
        if (phase + 1 < phases) copy(&tile[(phase + 1) % 2][t], x + 64 * (phase + 1) + t);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory"); // waits
        __syncthreads(); // first barrier
        sum += tile[phase % 2][63 - t]; // reads
        __syncthreads(); // second barrier
    }
    y[t] = sum;
}"""


def without(mark: str) -> str:
    """Return the kernel without the line of a mark."""
    return "\n".join("" if mark in line else line for line in PIPELINE.split("\n"))


def line_with(mark: str) -> int:
    """Return the number of a marked line."""
    return next(number for number, line in enumerate(PIPELINE.split("\n"), 1) if mark in line)


def run(source: str, **options):
    """Run five phases; the findings and the sums."""
    x, y = np.arange(5 * 64, dtype=np.float32), np.zeros(64, np.float32)
    return races(source, x, y, 5, block=64, **options), y


SCHEDULES = pytest.mark.parametrize(
    "schedule", [{}, {"schedule": "random", "seed": 1}, {"schedule": "random", "seed": 2}]
)


@SCHEDULES
def test_a_pipeline_is_silent(schedule):
    """Two buffers, a wait and two barriers for each."""
    found, y = run(PIPELINE, **schedule)

    assert found == []
    np.testing.assert_array_equal(y, np.arange(320, dtype=np.float32).reshape(5, 64).sum(axis=0)[::-1])


@SCHEDULES
def test_a_missing_wait_is_named(schedule):
    """Both lines, whichever order the warps take; and the advice is to wait."""
    found, _ = run(without("// waits"), **schedule)
    (race,) = [finding for finding in found if finding.details["pair"] == "read-write"]

    assert (race.other[1], race.place[1]) == (line_with("// copies"), line_with("// reads"))
    assert {finding.place[1] for finding in found if finding is not race} == {line_with("// copies")}
    assert "may still be under way: nobody has waited for it" in race.message
    assert "cp.async.wait_group" in race.advice


@SCHEDULES
@pytest.mark.parametrize("barrier", ["// first barrier", "// second barrier"])
def test_a_missing_barrier_is_named(barrier, schedule):
    """A copy's thread alone knows that it is done; and the next copy must not come before the last read."""
    found, _ = run(without(barrier), **schedule)

    assert found
    for race in found:
        assert {race.place[1], race.other[1]} == {line_with("// copies"), line_with("// reads")}


def test_two_copies_to_one_place():
    """Nothing says which arrives last."""
    twice = PIPELINE.replace("    copy(&tile[0][t], x + t);", "    copy(&tile[0][t], x + t); copy(&tile[0][t], x + t);")
    found, _ = run(twice)

    assert [race.details["pair"] for race in found] == ["write-write"]
    assert found[0].place[1] == line_with("// copies")


def test_what_has_not_arrived_is_uninitialised():
    """The first reads find what nobody has written."""
    observer = UninitialisedObserver()
    launch(without("// waits"), np.zeros(320, np.float32), np.zeros(64, np.float32), 5, block=64, observers=[observer])

    assert [finding.place[1] for finding in observer.findings] == [line_with("// reads")]
    silent = UninitialisedObserver()
    launch(PIPELINE, np.zeros(320, np.float32), np.zeros(64, np.float32), 5, block=64, observers=[silent])
    assert silent.findings == []


def test_bounds_and_sectors_of_a_copy():
    """A copy behind its own array is found; strided sources are uncoalesced loads."""
    source = """
    extern "C" __global__ void kernel(const float* x, float* y, int stride) {
        __shared__ float tile[2][32];
        __shared__ float next[32];
        int t = threadIdx.x;
        unsigned target = (unsigned)__cvta_generic_to_shared(&tile[2][0] + t);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(target), "l"(x + stride * t) : "memory"); // copy
        asm volatile("cp.async.wait_all;" ::: "memory");
        next[t] += 1;
        y[t] = next[t] + tile[0][t];
    }"""
    bounds, coalescing = BoundsObserver(), CoalescingObserver()
    launch(source, np.zeros(1024, np.float32), np.zeros(32, np.float32), 32, observers=[bounds, coalescing])
    line = next(number for number, text in enumerate(source.split("\n"), 1) if "// copy" in text)

    assert [finding.place[1] for finding in bounds.findings] == [line]
    assert "outside of" in bounds.findings[0].message
    assert line in [finding.place[1] for finding in coalescing.findings]


PARTIAL = """extern "C" __global__ void kernel(int* x, int* y, int size) {
    __shared__ __align__(16) int tile[64 * 4];
    int t = threadIdx.x;
    unsigned target = (unsigned)__cvta_generic_to_shared(tile + 4 * t);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(target), "l"(x + 4 * t), "r"(size) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    y[t] = tile[4 * t];
    STORE
}"""


@pytest.mark.parametrize(("size", "is_race"), [(4, False), (6, True), (12, True)])
def test_a_copy_of_part_of_an_element_races_with_who_writes_it(size, is_race):
    """Six bytes are an element and half of the next one, which a thread of the other warp writes."""
    source = PARTIAL.replace("STORE", "x[4 * (t ^ 32) + 1] = 1; // writes")
    found = races(source, np.zeros(64 * 4, np.int32), np.zeros(64, np.int32), size, block=64)

    assert [finding.details["pair"] for finding in found] == ["read-write"] * is_race
    assert all(race.other and line_of(source, "// writes") in (race.place[1], race.other[1]) for race in found)


@pytest.mark.parametrize("size", [1, 4, 6, 12, 14])
def test_a_copy_reads_no_more_than_its_source_size(size):
    """The bytes behind it need no values, and each before it does."""
    emulator = Emulator(workers=1)
    module = emulator.load(ptx_of(PARTIAL.replace("STORE", "")))
    for nbytes in (size, size - 1):
        x, y = (emulator.allocate(32 * 16, name) for name in "xy")
        for thread in range(32):
            x.write(np.zeros(nbytes, np.uint8), 16 * thread)
        observer = UninitialisedObserver()
        emulator.launch(module, "kernel", grid=1, block=32, arguments=[x, y, size], observers=[observer])

        assert [finding.times for finding in observer.findings] == ([] if nbytes == size else [32])
