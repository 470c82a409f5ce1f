"""Calls of device functions: arguments, results, recursion, divergence, pointers."""

from __future__ import annotations

import numpy as np

from tests.emulate.running import launch, ptx_of


def test_function_with_many_parameters_and_a_struct_result():
    """Parameters of several types arrive, and a struct comes back."""
    source = """struct Pair { double a; int b; char c; };
    __device__ __noinline__ Pair make(int i, float f, double d, char c, long long l, const int* p) {
        Pair r; r.a = i * f + d + (double)l; r.b = p[1] + c; r.c = c + 1; return r;
    }
    extern "C" __global__ void kernel(const int* x, double* y) {
        int t = threadIdx.x;
        Pair r = make(x[t], t * 0.5f, t * 0.25, (char)(-t), 1000000000000ll * t, x + t);
        y[3 * t] = r.a; y[3 * t + 1] = r.b; y[3 * t + 2] = r.c;
    }"""
    assert "call" in ptx_of(source)
    x, y = np.arange(10, 43, dtype=np.int32), np.zeros((32, 3))
    launch(source, x, y)

    t = np.arange(32)
    np.testing.assert_array_equal(y.T, [(t + 10) * t * 0.5 + t * 0.25 + 1e12 * t, t + 11 - t, 1 - t])


def test_function_called_by_some_lanes():
    """A call in a branch runs for its lanes alone, returns early for some, and all meet behind it."""
    source = """__device__ __noinline__ int look(int v, int* trace) {
        trace[0] += 1;
        if (v % 4 == 0) return -1;
        for (int i = 0; i < v % 5; ++i) { if (i == 3) return 1000; v += i; }
        trace[0] += 10;
        return v;
    }
    extern "C" __global__ void kernel(const int* x, int* y, int* trace) {
        int t = threadIdx.x, v = x[t];
        if (v > 20) { v = look(v, trace + t); if (v > 30) v = look(v + 1, trace + t); }
        y[t] = v;
    }"""
    x = np.random.default_rng(6).integers(0, 60, 64, dtype=np.int32)
    y, trace = np.zeros(64, dtype=np.int32), np.zeros(64, dtype=np.int32)
    result = launch(source, x, y, trace, block=64)

    def look(v: int, seen: list[int]) -> int:
        seen[0] += 1
        if v % 4 == 0:
            return -1
        i = 0
        while i < v % 5:  # v changes under way
            if i == 3:
                return 1000
            v += i
            i += 1
        seen[0] += 10
        return v

    for t in range(64):
        v, seen = int(x[t]), [0]
        if v > 20:
            v = look(v, seen)
            if v > 30:
                v = look(v + 1, seen)
        assert (y[t], trace[t]) == (v, seen[0])
    lines = [number for number, line in enumerate(source.splitlines(), 1) if "y[t] = v" in line]
    (counts,) = [counts for (_, line), counts in result.lines.items() if line == lines[0]]
    assert counts.global_store_requests == 2


def test_launch_bounds():
    """The directives between a kernel's head and its body are read over."""
    source = """extern "C" __global__ void __launch_bounds__(128, 2) kernel(int* y) { y[threadIdx.x] = blockDim.x; }"""
    assert ".maxntid" in ptx_of(source)
    y = np.zeros(64, dtype=np.int32)
    launch(source, y, block=64)

    np.testing.assert_array_equal(y, 64)


def test_recursion_of_different_depth():
    """Each lane recurses to its own depth, with its own frame."""
    source = """__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
    extern "C" __global__ void kernel(int* y) { y[threadIdx.x] = fibonacci(threadIdx.x % 13); }"""
    y = np.zeros(32, dtype=np.int32)
    launch(source, y)

    numbers = [0, 1]
    while len(numbers) < 13:
        numbers.append(numbers[-1] + numbers[-2])
    np.testing.assert_array_equal(y, [numbers[t % 13] for t in range(32)])


def test_recursion_with_local_arrays():
    """A frame's local array survives the calls below it."""
    source = """__device__ __noinline__ int deep(int n, const int* above) {
        int mine[4];
        for (int i = 0; i < 4; ++i) mine[i] = above[(i + n) % 4] + i;
        int below = n == 0 ? 0 : deep(n - 1, mine);
        return below + mine[n % 4] * (n + 1);
    }
    extern "C" __global__ void kernel(int* y) {
        int start[4] = {1, 2, 3, (int)threadIdx.x};
        y[threadIdx.x] = deep(threadIdx.x % 6, start);
    }"""
    y = np.zeros(32, dtype=np.int32)
    launch(source, y)

    def deep(n: int, above: list[int]) -> int:
        mine = [above[(i + n) % 4] + i for i in range(4)]
        return (0 if n == 0 else deep(n - 1, mine)) + mine[n % 4] * (n + 1)

    np.testing.assert_array_equal(y, [deep(t % 6, [1, 2, 3, t]) for t in range(32)])


def test_mutual_recursion():
    """Two functions that call each other."""
    source = """__device__ __noinline__ int odd(int n);
    __device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
    __device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
    extern "C" __global__ void kernel(int* y) { y[threadIdx.x] = even(threadIdx.x); }"""
    y = np.zeros(32, dtype=np.int32)
    launch(source, y)

    np.testing.assert_array_equal(y, 1 - np.arange(32) % 2)


def test_barrier_and_shuffle_inside_a_function():
    """A function may hold a block's barrier and a warp's shuffle."""
    source = """__device__ __noinline__ int total(int v, int* s) {
        for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
        if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
        __syncthreads();
        int sum = 0;
        for (int i = 0; i < blockDim.x / 32; ++i) sum += s[i];
        __syncthreads();
        return sum;
    }
    extern "C" __global__ void kernel(int* y) {
        __shared__ int s[32];
        int t = threadIdx.x, v = total(t, s);
        y[t] = total(v + t, s);
    }"""
    y = np.zeros(128, dtype=np.int32)
    launch(source, y, block=128)

    first = 127 * 64
    np.testing.assert_array_equal(y, 128 * first + first)


def test_function_pointers():
    """Lanes call different functions through a pointer."""
    source = """__device__ int twice(int v) { return 2 * v; }
    __device__ int square(int v) { return v * v; }
    __device__ int negate(int v) { return -v; }
    __device__ int (*table[3])(int) = {twice, square, negate};
    extern "C" __global__ void kernel(int* y) { y[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x); }"""
    y = np.zeros(32, dtype=np.int32)
    result = launch(source, y)

    np.testing.assert_array_equal(y, [[2 * t, t * t, -t][t % 3] for t in range(32)])
    assert result.counts.global_store_requests == 1  # they meet again behind the call


def test_virtual_functions_through_a_template():
    """Templates and lambdas, as a student writes them, compile to plain code that runs."""
    source = """template <int N, class F> __device__ float fold(const float* x, F f) {
        float v = x[0];
        for (int i = 1; i < N; ++i) v = f(v, x[i]);
        return v;
    }
    extern "C" __global__ void kernel(const float* x, float* y) {
        float bias = threadIdx.x;
        y[threadIdx.x] = fold<8>(x + threadIdx.x, [=](float a, float b) { return a > b + bias ? a : b; });
    }"""
    x, y = np.random.default_rng(0).normal(size=40).astype(np.float32) * 9, np.zeros(32, dtype=np.float32)
    launch(source, x, y)

    for t in range(32):
        v = x[t]
        for i in range(1, 8):
            v = v if v > x[t + i] + np.float32(t) else x[t + i]
        assert y[t] == v


def test_a_shuffle_from_a_lane_that_takes_no_part_is_undefined():
    """Eight lanes of 32 shuffle, the others are gone: what those bring is NaN. Of lanes that no block has it is 0."""
    source = """extern "C" __global__ void kernel(float* y) {
        float v = 1;
        if (threadIdx.x < 8) y[threadIdx.x] = v + __shfl_down_sync(~0u, v, 4);
    }"""
    y = np.zeros(8, dtype=np.float32)
    launch(source, y, block=32)

    np.testing.assert_array_equal(y, [2, 2, 2, 2, np.nan, np.nan, np.nan, np.nan])

    launch(source, y, block=8)

    np.testing.assert_array_equal(y, [2, 2, 2, 2, 1, 1, 1, 1])
