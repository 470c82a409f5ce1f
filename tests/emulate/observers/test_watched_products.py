"""Observers of a kernel that multiplies with `wgmma` and stores with `stmatrix`: silent, or right about it."""

from __future__ import annotations

import numpy as np

from tests.emulate.observers.watched import watch
from tests.emulate.running import line_of
from tilewright.emulate.observers import UninitialisedObserver
from tilewright.emulate.observers.every import all_observers

SOURCE = """
extern "C" __global__ void kernel(const uint4 *A, const uint4 *B, uint4 *C, int k) {
    __shared__ __align__(1024) uint4 a[512], b[64];
    __shared__ __align__(16) uint4 c[64];
    int t = threadIdx.x, lane = t % 32;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    unsigned long long base = 1ull << 62 | 64ull << 32 | 1 << 16;
    unsigned long long of_a = base | __cvta_generic_to_shared(a) >> 4, of_b = base | __cvta_generic_to_shared(b) >> 4;
    for (int tile = 0; tile < k / 64; ++tile) {
        for (int i = t; i < 512; i += 128) a[i / 8 * 8 + (i % 8 ^ i / 8 % 8)] = A[i / 8 * k / 8 + tile * 8 + i % 8];
        if (t < 64) b[t / 8 * 8 + (t % 8 ^ t / 8)] = B[t / 8 * k / 8 + tile * 8 + t % 8];
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads(); // loaded
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int step = 0; step < 4; ++step)
            asm volatile("{.reg .pred keep; setp.ne.b32 keep, %6, 0;" // product
                         "FORM {%0, %1, %2, %3}, %4, %5, keep, 1, 1, 0, 0;}"
                         : "+f"(s0), "+f"(s1), "+f"(s2), "+f"(s3)
                         : "l"(of_a + 2 * step), "l"(of_b + 2 * step), "r"(KEEP) : "memory");
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads(); // used
    }
    unsigned low = __float_as_uint(s0) >> 16 | __float_as_uint(s1) & 0xFFFF0000;
    unsigned high = __float_as_uint(s2) >> 16 | __float_as_uint(s3) & 0xFFFF0000;
    unsigned to = __cvta_generic_to_shared(c + t / 32 * 16 + lane % 16);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" :: "r"(to), "r"(low), "r"(high) : "memory");
    __syncwarp();
    if (lane < 16) C[t / 32 * 16 + lane] = c[t / 32 * 16 + lane];
}""".replace("KEEP", "1").replace("FORM", "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16")


def matrices(k=128):
    """A (64, k), B as 8 columns of k, and C (64, 8), of whole numbers as bfloat16."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, shape).astype(np.float32) for shape in ((64, k), (8, k)))
    bits = [(x.view(np.uint32) >> 16).astype(np.uint16) for x in (a, b)]
    return {"A": bits[0], "B": bits[1], "C": np.zeros((64, 8), np.uint16), "k": k}, a @ b.T


def look(source, observers):
    """Watch one launch; return all findings."""
    watch(source, matrices()[0], observers, block=128)
    return [finding for observer in observers for finding in observer.findings]


def test_a_right_kernel():
    """Nobody has anything to say of it, bank conflicts included: swizzled tiles have none."""
    assert look(SOURCE, all_observers()) == []


def test_a_tile_that_is_not_loaded_whole():
    """The last columns of B are read as nobody wrote them: at the product's line."""
    findings = look(SOURCE.replace("if (t < 64)", "if (t < 56)"), [UninitialisedObserver()])

    assert {finding.kind for finding in findings} == {"uninitialised read"}
    assert findings[0].place == ("test.cu", line_of(SOURCE, "// product"))
    assert findings[0].address.startswith("b+")


def test_a_product_without_a_barrier_before():
    """Warps read what other warps have just stored."""
    findings = look(SOURCE.replace("__syncthreads(); // loaded", "// loaded"), all_observers())

    assert any("race" in finding.kind for finding in findings)
    assert any(line_of(SOURCE, "// product") == finding.place[1] for finding in findings)


def test_sums_without_a_value():
    """Registers of sums need a value only where the first product adds to them."""
    source = SOURCE.replace("float s0 = 0, s1 = 0, s2 = 0, s3 = 0;", "float s0, s1, s2, s3;")
    (finding,) = look(source, [UninitialisedObserver()])
    assert finding.kind == "uninitialised variable"
    assert finding.place == ("test.cu", line_of(SOURCE, "// product"))
    assert look(source.replace('"r"(1)', '"r"(tile + step)'), [UninitialisedObserver()]) == []
