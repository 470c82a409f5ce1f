"""Barriers that some threads never reach, hanging or not, and legal ones of which nothing is said."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.observers.watched import watch
from tests.emulate.running import line_of
from tilewright.emulate.observers import BarrierReachObserver

KERNEL = """extern "C" __global__ void kernel(float *x, int n) {
    __shared__ float own[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    own[t] = 0;
BODY
    x[i] = own[127 - t];
}"""


def look(body, n=300, **options):
    """Watch 3 blocks of 128 threads; return the source and the findings."""
    source = KERNEL.replace("BODY", body)
    observer = BarrierReachObserver()
    arguments = {"x": np.ones(384, np.float32), "n": n}
    watch(source, arguments, [observer], grid=3, block=128, may_fault=True, **options)
    return source, observer.findings


def test_return_before_a_barrier():
    """The threads behind the end of the array leave before the barrier that their block waits at."""
    source, (finding,) = look("""
    if (i >= n) return; // leave
    own[t] = x[i];
    __syncthreads(); // wait""")
    assert (finding.kind, finding.severity) == ("barrier not reached", "error")
    assert finding.place == ("test.cu", line_of(source, "// wait"))
    assert finding.other == ("test.cu", line_of(source, "// leave"))
    assert "84 threads of block (2, 0, 0), (44, 0, 0) first" in finding.message
    assert finding.threads[0] == ((2, 0, 0), (44, 0, 0))


def test_whole_warps_that_return():
    """A warp that leaves as a whole is no different."""
    source, (finding,) = look("""
    if (t >= 64) return; // leave
    __syncthreads(); // wait""")
    assert finding.other == ("test.cu", line_of(source, "// leave"))
    assert "64 threads of block (0, 0, 0), (64, 0, 0) first" in finding.message
    assert finding.times == 3


def test_whole_blocks_may_return():
    """Where all threads of a block leave, nobody waits for them; nor where they leave behind the last barrier."""
    assert look("    if (blockIdx.x == 1) return;\n    __syncthreads();")[1] == []
    assert look("    __syncthreads();\n    if (i >= n) return;")[1] == []


def test_two_barriers_in_two_branches():
    """Halves of a warp wait at barriers of their own: it does not hang here, and is wrong all the same."""
    source, (finding,) = look("""
    if (t % 2) {
        own[t] = 1;
        __syncthreads(); // odd
        own[t] += own[t ^ 1];
    } else {
        own[t] = 2;
        __syncthreads(); // even
    }""")
    lines = {line_of(source, "// odd"), line_of(source, "// even")}
    assert {finding.place[1], finding.other[1]} == lines
    assert "(0,0,0), (2,0,0), (4,0,0), (6,0,0) and 12 more" in finding.message


def test_warps_at_different_barriers():
    """Two warps wait at one barrier and two at another: what follows is not what either waited for."""
    source, (finding,) = look("""
    if (t < 64) __syncthreads(); // low
    else { own[t] = 3; __syncthreads(); own[t] *= 2; } // high""")
    lines = {line_of(source, "// low"), line_of(source, "// high")}
    assert {finding.place[1], finding.other[1]} == lines


def test_hang_says_where_everybody_is():
    """Half of each warp waits at a barrier in a branch, the rest for them; returned threads are told of, too."""
    source, (finding,) = look("""
    if (t >= 96) return; // leave
    if (t % 32 < 16) {
        own[t] = 1;
        __syncthreads(); // branch
        own[t] += own[t ^ 1];
    }
    __syncthreads(); // all""")
    assert finding.place == ("test.cu", line_of(source, "// branch"))
    assert "Block (0, 0, 0) hangs" in finding.message
    groups = finding.details["groups"]
    waiting = [t for t in range(96) if t % 32 < 16]
    assert groups[f"wait at the barrier at line {line_of(source, '// branch')}"] == waiting
    assert groups[f"left at line {line_of(source, '// leave')}"] == list(range(96, 128))
    assert sorted(number for numbers in groups.values() for number in numbers) == list(range(128))


def test_loop_with_a_number_of_turns_by_thread():
    """Threads that leave a loop before the others do don't come to its barrier again."""
    source, findings = look("""
    for (int turn = 0; turn < 1 + t % 3; ++turn) {
        own[t] += turn;
        __syncthreads(); // wait
    }""")
    assert {finding.place[1] for finding in findings} == {line_of(source, "// wait")}


def test_mask_of_lanes_that_never_come():
    """A shuffle that names lanes in another branch hangs its warp, though others wait at a barrier of the block."""
    source, (finding,) = look("""
    if (t < 8) own[t] = __shfl_down_sync(0xffffffff, own[t], 1); // shuffle
    __syncthreads();""")
    assert finding.place == ("test.cu", line_of(source, "// shuffle"))
    assert "mask" in finding.advice


def test_a_barrier_with_a_number_is_one_of_its_own():
    """Threads that have returned miss barrier 5, which waits for the whole block."""
    source, findings = look("""
    if (t < 32) return; // early
    asm volatile("bar.sync 5;" ::: "memory"); // wait
    own[t] = 1;""")
    places = {place[1] for finding in findings for place in (finding.place, finding.other) if place}
    assert places == {line_of(source, "// early"), line_of(source, "// wait")}


@pytest.mark.parametrize(
    "body",
    [
        # 64 threads hand over to the other 64.
        """
    if (t < 64) { own[t] = 1; asm volatile("bar.arrive 1, 128;" ::: "memory"); }
    else asm volatile("bar.sync 1, 128;" ::: "memory");
    __syncthreads();""",
        # Two warps wait for each other while the others have left.
        """
    if (t >= 64) return;
    asm volatile("bar.sync 2, 64;" ::: "memory");""",
        # All threads of a block take the same way, other blocks another.
        """
    if (blockIdx.x) { own[t] = 1; __syncthreads(); own[t] += own[t ^ 1]; __syncthreads(); }
    else { own[t] = 2; __syncthreads(); }""",
        # A barrier in a loop that all threads go through as often.
        """
    for (int turn = 0; turn < n % 7; ++turn) { own[t] += own[t ^ 1]; __syncthreads(); }""",
        # And one that adds up.
        """
    if (__syncthreads_or(t == 5)) own[t] = __syncthreads_count(t % 2);""",
    ],
)
def test_legal_barriers(body):
    """Numbered barriers for some threads, and branches that a whole block takes."""
    assert look(body)[1] == []
