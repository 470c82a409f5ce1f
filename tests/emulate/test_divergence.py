"""Branches: every lane takes its own way, and they meet again."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import PTX_HEADER, launch

THREADS = 192


def inputs(count: int = THREADS, high: int = 1000) -> np.ndarray:
    """Return varied positive integers, one per thread."""
    return np.random.default_rng(5).integers(1, high, count, dtype=np.int32)


def per_thread(source: str, x: np.ndarray, *more: object) -> np.ndarray:
    """Run `kernel(const int* x, int* y, ...)` with a thread per element and return y."""
    y = np.full(x.shape, -1, dtype=np.int32)
    launch(source, x, y, *more, grid=len(x) // 64, block=64)
    return y


def test_nested_conditions():
    """Lanes that disagree at every level of an if get their own branch's result."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int t = blockIdx.x * blockDim.x + threadIdx.x, v = x[t];
        if (v & 1) {
            if (v & 2) { v = v * 3; y[t] = 5; } else { v = v + 100; }
            if (v > 50) v -= y[t];
        } else if (v % 3 == 0) { y[t] = 9; v = -v * y[t]; }
        else { v ^= 0x55; if (v & 8) { v <<= 1; y[t] = v; v += 3; } }
        y[t] = v;
    }"""

    def one(v: int) -> int:
        y = -1
        if v & 1:
            if v & 2:
                v, y = v * 3, 5
            else:
                v += 100
            return v - y if v > 50 else v
        if v % 3 == 0:
            return -v * 9
        v ^= 0x55
        return (v << 1) + 3 if v & 8 else v

    x = inputs()
    np.testing.assert_array_equal(per_thread(source, x), [one(int(v)) for v in x])


def test_loops_of_different_length():
    """Each lane leaves its loop after its own number of rounds (Collatz)."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int t = blockIdx.x * blockDim.x + threadIdx.x, n = x[t], steps = 0;
        while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; ++steps; }
        y[t] = steps;
    }"""

    def steps(n: int) -> int:
        count = 0
        while n != 1:
            n = 3 * n + 1 if n & 1 else n // 2
            count += 1
        return count

    x = inputs()
    np.testing.assert_array_equal(per_thread(source, x), [steps(int(v)) for v in x])


def test_break_and_continue_in_nested_loops():
    """Break and continue leave the loop that they stand in, lane by lane."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int t = blockIdx.x * blockDim.x + threadIdx.x, v = x[t], sum = 0;
        for (int i = 0; i < v % 17; ++i) {
            if (i % 3 == v % 3) continue;
            for (int j = 0; ; ++j) {
                if (j > i) break;
                if ((i * j) % 4 == 1) continue;
                sum += i * j + 1;
                if (sum > v) break;
            }
            if (sum > 3 * v) break;
        }
        y[t] = sum;
    }"""

    def one(v: int) -> int:
        total = 0
        for i in range(v % 17):
            if i % 3 == v % 3:
                continue
            for j in range(i + 1):
                if (i * j) % 4 == 1:
                    continue
                total += i * j + 1
                if total > v:
                    break
            if total > 3 * v:
                break
        return total

    x = inputs(high=60)
    np.testing.assert_array_equal(per_thread(source, x), [one(int(v)) for v in x])


def test_early_returns_at_several_depths():
    """A lane that has returned writes nothing more, and the others go on together."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int t = blockIdx.x * blockDim.x + threadIdx.x, v = x[t];
        y[t] = 1;
        if (v % 7 == 0) return;
        for (int i = 0; i < 8; ++i) { if (v % 5 == i) { y[t] = 100 + i; if (v & 1) return; } }
        if (v > 500) { y[t] += 1000; if (v > 800) return; }
        y[t] += 10000;
    }"""

    def one(v: int) -> int:
        if v % 7 == 0:
            return 1
        y = 100 + v % 5
        if v & 1:
            return y
        y += 1000 if v > 500 else 0
        return y if v > 800 else y + 10000

    x = inputs()
    np.testing.assert_array_equal(per_thread(source, x), [one(int(v)) for v in x])


def test_dense_switch():
    """Every lane lands in its own case, or in the default."""
    bodies = ["z[t + 1] * 3", "v + z[t]", "v / 3", "z[t] - v", "v * v", "~v", "v << 3", "z[v & 31] + 7", "v % 11", "-v"]
    cases = "\n".join(f"case {place}: v = {body}; break;" for place, body in enumerate(bodies))
    source = f"""extern "C" __global__ void kernel(const int* x, int* y, const int* z) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x, v = x[t];
        switch (v % 12) {{ {cases} default: v = 12345; }}
        y[t] = v;
    }}"""
    x, z = inputs(), np.arange(5, THREADS + 6, dtype=np.int32)

    def one(t: int, v: int) -> int:
        answers = [(t + 6) * 3, v + t + 5, v // 3, t + 5 - v, v * v, ~v, v << 3, (v & 31) + 12, v % 11, -v]
        return answers[v % 12] if v % 12 < 10 else 12345

    np.testing.assert_array_equal(per_thread(source, x, z), [one(t, int(v)) for t, v in enumerate(x)])


def test_goto_into_shared_tail():
    """Unstructured jumps meet at their immediate post-dominator."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int t = blockIdx.x * blockDim.x + threadIdx.x, v = x[t], n = 0;
        if (v & 1) goto odd;
    even: n += 2; v >>= 1; if (v > 40) goto odd; goto tail;
    odd: n += 3; v = v - 5; if (v > 20 && (v & 1) == 0) goto even; if (v > 60) goto odd;
    tail: y[t] = v * 100 + n;
    }"""

    def one(v: int) -> int:
        n, at = 0, "odd" if v & 1 else "even"
        while at != "tail":
            if at == "even":
                n, v = n + 2, v >> 1
                at = "odd" if v > 40 else "tail"
            else:
                n, v = n + 3, v - 5
                at = "even" if v > 20 and v % 2 == 0 else "odd" if v > 60 else "tail"
        return v * 100 + n

    x = inputs()
    np.testing.assert_array_equal(per_thread(source, x), [one(int(v)) for v in x])


def test_lanes_meet_again_after_each_branch():
    """One store instruction per warp after the branches join, whichever ways its lanes took."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int t = blockIdx.x * blockDim.x + threadIdx.x, v = x[t];
        if (v & 1) { for (int i = 0; i < v % 9; ++i) v = v * 7 + y[i + 200]; }
        else if (v & 2) { for (int i = v % 5; i > 0; --i) v ^= y[i + 200] + i; }
        y[t] = v;
    }"""
    x = inputs()
    y = np.zeros(THREADS + 100, dtype=np.int32)
    result = launch(source, x, y, grid=THREADS // 64, block=64)

    assert result.counts.global_store_requests == THREADS // 32
    assert result.counts.global_stores == THREADS


def test_lanes_meet_again_after_each_round_of_a_loop():
    """Lanes that part inside a loop load together again in the next round."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int v = x[threadIdx.x], s = 0;
        for (int i = 0; i < 10; ++i) {
            s += ((volatile const int*)x)[threadIdx.x + 32 * i];
            if ((s + i) & 1) { s = s * 3; y[threadIdx.x] = s; } else { s = s + v; y[threadIdx.x] = -s; }
        }
        y[threadIdx.x] = s;
    }"""
    x = np.random.default_rng(1).integers(0, 100, 320, dtype=np.int32)
    result = launch(source, x, np.zeros(32, dtype=np.int32))

    assert result.counts.global_load_requests == 11
    assert result.counts.global_loads == 11 * 32


def test_early_return_leaves_the_rest_together():
    """Lanes that returned early do not split what the others do."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int t = threadIdx.x, v = x[t];
        if (v > 100) return;
        y[t] = v;
        if (v > 50) { y[t] = v * 2; return; }
        y[t + 32] = v;
    }"""
    x = np.array([101 if t % 3 == 0 else 60 if t % 3 == 1 else 10 for t in range(32)], dtype=np.int32)
    y = np.zeros(64, dtype=np.int32)
    result = launch(source, x, y)

    counts = (x <= 100).sum(), ((x <= 100) & (x > 50)).sum(), (x <= 50).sum()
    assert result.counts.global_stores == sum(counts)
    assert result.counts.global_store_requests == 3


def test_predicated_instructions_and_negated_guards():
    """A guard switches single lanes off, `@!p` the others, and a uniform branch takes all."""
    source = (
        PTX_HEADER
        + """.visible .entry kernel(.param .u64 y) {
        .reg .pred %p, %q; .reg .b32 %r<6>; .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [y]; cvta.to.global.u64 %rd1, %rd1;
        mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
        setp.lt.u32 %p, %r1, 10;
        mov.u32 %r2, 1;
        @%p mov.u32 %r2, 2;
        @!%p add.u32 %r2, %r2, 5;
        setp.gt.and.u32 %q, %r1, 20, !%p;
        @%q st.global.u32 [%rd1], %r2;
        @%q bra DONE;
        mul.lo.u32 %r2, %r2, 100;
        bra.uni NEXT;
    NEXT:
        st.global.u32 [%rd1], %r2;
    DONE:
        ret;
    }"""
    )
    y = np.zeros(32, dtype=np.int32)
    launch(source, y)

    np.testing.assert_array_equal(y, [200 if t < 10 else 600 if t <= 20 else 6 for t in range(32)])


def test_guarded_branch_where_lanes_meet():
    """The first instruction behind a branch may itself be guarded: two diamonds back to back."""
    source = (
        PTX_HEADER
        + """.visible .entry kernel(.param .u64 y) {
        .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [y]; cvta.to.global.u64 %rd1, %rd1;
        mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
        setp.lt.u32 %p, %r1, 40;
        @%p bra A; bra.uni B;
    A:  mov.u32 %r2, 1; bra.uni C;
    B:  mov.u32 %r2, 2;
    C:  @%p bra D; bra.uni E;
    D:  add.u32 %r2, %r2, 10; bra.uni F;
    E:  add.u32 %r2, %r2, 20;
    F:  @!%p add.u32 %r2, %r2, 100;
        st.global.u32 [%rd1], %r2; ret;
    }"""
    )
    y = np.zeros(96, dtype=np.int32)
    launch(source, y, block=96)

    np.testing.assert_array_equal(y, [11 if t < 40 else 122 for t in range(96)])


def test_branch_table_of_raw_ptx():
    """brx.idx sends every lane to the label of its index, even one and the same label twice."""
    source = (
        PTX_HEADER
        + """.visible .entry kernel(.param .u64 y) {
        .reg .b32 %r<6>; .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [y]; cvta.to.global.u64 %rd1, %rd1;
        mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
        and.b32 %r2, %r1, 3;
        table: .branchtargets A, B, A, C;
        brx.idx %r2, table;
    A:  mov.u32 %r3, 10; bra.uni END;
    B:  mov.u32 %r3, 20; bra.uni END;
    C:  mov.u32 %r3, 30;
    END: st.global.u32 [%rd1], %r3; ret;
    }"""
    )
    y = np.zeros(32, dtype=np.int32)
    result = launch(source, y)

    np.testing.assert_array_equal(y, [10, 20, 10, 30] * 8)
    assert result.counts.global_store_requests == 1


@pytest.mark.parametrize("block", [1, 31, 33, 100])
def test_block_that_is_no_multiple_of_a_warp(block):
    """The lanes beyond the block's last thread do not exist."""
    source = 'extern "C" __global__ void kernel(int* y) { y[threadIdx.x] = threadIdx.x + 1; }'
    y = np.zeros(block, dtype=np.int32)
    result = launch(source, y, block=block)

    np.testing.assert_array_equal(y, np.arange(1, block + 1))
    assert result.counts.global_stores == block
    assert result.counts.global_store_requests == -(-block // 32)
