"""State spaces: module variables, shared and local memory, vectors, generic pointers, ids."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import PTX_HEADER, entry_of, launch, ptx_of
from tilewright.emulate import Emulator


def test_ids_in_three_dimensions():
    """Every thread of a 3-D grid of 3-D blocks knows its place and the extents."""
    source = """extern "C" __global__ void kernel(int* y) {
        int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        int* mine = y + 12 * (block * (blockDim.x * blockDim.y * blockDim.z) + thread);
        mine[0] = threadIdx.x; mine[1] = threadIdx.y; mine[2] = threadIdx.z;
        mine[3] = blockIdx.x; mine[4] = blockIdx.y; mine[5] = blockIdx.z;
        mine[6] = blockDim.x; mine[7] = blockDim.y; mine[8] = blockDim.z;
        mine[9] = gridDim.x; mine[10] = gridDim.y; mine[11] = gridDim.z;
    }"""
    grid, block = (3, 2, 4), (5, 3, 2)
    y = np.full((4, 2, 3, 2, 3, 5, 12), -1, dtype=np.int32)
    launch(source, y, grid=grid, block=block)

    places = np.indices((4, 2, 3, 2, 3, 5))
    for field, axis in enumerate([5, 4, 3, 2, 1, 0]):
        np.testing.assert_array_equal(y[..., field], places[axis])
    np.testing.assert_array_equal(y[..., 6:], np.broadcast_to([*block, *grid], (*y.shape[:-1], 6)))


MODULE_VARIABLES = """__device__ int table[6] = {10, 20, 30, 40, 50, 60};
__device__ int* inside = &table[2];
__device__ double zeroed[3];
__constant__ float weights[4] = {1.5f, 2.5f};
__device__ unsigned char small = 200;
__device__ int runs = 5;
extern "C" __global__ void kernel(double* y) {
    int t = threadIdx.x;
    if (t == 0) { atomicAdd(&runs, 1); inside[1] += 1; }
    __syncthreads();
    if (t < 6) y[t] = table[t];
    if (t < 3) y[6 + t] = zeroed[t];
    if (t < 4) y[9 + t] = weights[t];
    y[13] = small; y[14] = runs;
}"""


def test_module_variables_and_their_initializers():
    """Initialized, zeroed, constant and pointer variables have their values; a launch's changes stay."""
    emulator = Emulator(workers=1)
    module = emulator.load(ptx_of(MODULE_VARIABLES))
    y = emulator.allocate(15 * 8, name="y")
    for launches in (1, 2):
        emulator.launch(module, "kernel", grid=(1, 1, 1), block=(32, 1, 1), arguments=[y])
        want = [10, 20, 30, 40 + launches, 50, 60, 0, 0, 0, 1.5, 2.5, 0, 0, 200, 5 + launches]
        assert y.read(np.float64, (15,)).tolist() == want
    assert emulator.get_variable(module, "runs", np.int32, (1,)).tolist() == [7]


def test_module_variables_are_set_by_name():
    """set_variable reaches .global and .const variables; another load of the text has its own."""
    emulator = Emulator(workers=1)
    module, other = emulator.load(ptx_of(MODULE_VARIABLES)), emulator.load(ptx_of(MODULE_VARIABLES))
    emulator.set_variable(module, "weights", np.array([9, 8, 7, 6], dtype=np.float32))
    emulator.set_variable(module, "zeroed", np.array([0.25, 0.5, 0.75]))
    y = emulator.allocate(15 * 8, name="y")
    emulator.launch(module, "kernel", grid=(1, 1, 1), block=(32, 1, 1), arguments=[y])
    assert y.read(np.float64, (15,))[6:13].tolist() == [0.25, 0.5, 0.75, 9, 8, 7, 6]
    emulator.launch(other, "kernel", grid=(1, 1, 1), block=(32, 1, 1), arguments=[y])

    assert y.read(np.float64, (15,))[6:13].tolist() == [0, 0, 0, 1.5, 2.5, 0, 0]
    assert emulator.get_variable(module, "weights", np.float32, (4,)).tolist() == [9, 8, 7, 6]


def test_unknown_variable_is_refused_by_name():
    """A variable that the module lacks is named in the error."""
    emulator = Emulator(workers=1)
    module = emulator.load(ptx_of(MODULE_VARIABLES))
    with pytest.raises((KeyError, ValueError, LookupError), match="nothing_here"):
        emulator.set_variable(module, "nothing_here", np.zeros(1))


def test_constant_array_indexed_by_lane():
    """Lanes may read different elements of constant memory in one instruction."""
    source = """__constant__ int c[64];
    extern "C" __global__ void kernel(int* y) { y[threadIdx.x] = c[(threadIdx.x * 7) % 64]; }"""
    emulator = Emulator(workers=1)
    module = emulator.load(ptx_of(source))
    emulator.set_variable(module, "c", np.arange(64, dtype=np.int32) * 3)
    y = emulator.allocate(256, name="y")
    result = emulator.launch(module, "kernel", grid=(1, 1, 1), block=(64, 1, 1), arguments=[y])

    np.testing.assert_array_equal(y.read(np.int32, (64,)), np.arange(64) * 7 % 64 * 3)
    assert result.counts.constant_loads == 64
    assert result.counts.constant_load_requests == 2


def test_static_and_dynamic_shared_memory():
    """Static arrays and the dynamic one lie apart, and each block has its own."""
    source = """extern __shared__ double dynamic[];
    extern "C" __global__ void kernel(double* y, int n) {
        __shared__ int first[33]; __shared__ char second[7];
        int t = threadIdx.x;
        for (int i = t; i < 33; i += 32) first[i] = i + blockIdx.x;
        if (t < 7) second[t] = -t;
        for (int i = t; i < n; i += 32) dynamic[i] = i * 0.5 + blockIdx.x;
        __syncthreads();
        double sum = 0;
        for (int i = 0; i < 33; ++i) sum += first[i];
        for (int i = 0; i < 7; ++i) sum += second[i];
        for (int i = 0; i < n; ++i) sum += dynamic[i];
        y[blockIdx.x * 32 + t] = sum;
    }"""
    y = np.zeros((3, 32))
    launch(source, y, 100, grid=3, dynamic_shared_bytes=800)

    for block in range(3):
        want = sum(range(33)) + 33 * block - 21 + sum(range(100)) * 0.5 + 100 * block
        np.testing.assert_array_equal(y[block], want)


def test_more_dynamic_shared_memory_than_48_kib():
    """A block may ask for the 227 KiB that an H100 gives it, and no more."""
    source = """extern __shared__ int s[];
    extern "C" __global__ void kernel(int* y, int last) { s[last] = 9; s[0] = 1; y[0] = s[last] + s[0]; }"""
    y = np.zeros(1, dtype=np.int32)
    size = 227 * 1024
    launch(source, y, size // 4 - 1, dynamic_shared_bytes=size)

    assert y[0] == 10
    with pytest.raises(Exception, match=r"232[, ]?448|227|shared"):
        launch(source, y, 0, dynamic_shared_bytes=size + 4)


def test_local_array_with_computed_index():
    """Each thread has its own local array, indexed by values known only at run time."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int a[24], t = blockIdx.x * blockDim.x + threadIdx.x;
        for (int i = 0; i < 24; ++i) a[i] = i;
        for (int i = 0; i < 24; ++i) {
            int j = (x[t] * (i + 1)) % 24, k = (x[t] + i) % 24, v = a[j]; a[j] = a[k]; a[k] = v + t;
        }
        int sum = 0;
        for (int i = 0; i < 24; ++i) sum = sum * 3 + a[i];
        y[t] = sum;
    }"""
    x = np.random.default_rng(0).integers(1, 100, 128, dtype=np.int32)
    y = np.zeros(128, dtype=np.int32)
    result = launch(source, x, y, grid=2, block=64)

    for t in range(128):
        a = list(range(24))
        for i in range(24):
            j, k = int(x[t]) * (i + 1) % 24, (int(x[t]) + i) % 24
            v = a[j]
            a[j] = a[k]
            a[k] = v + t
        total = 0
        for v in a:
            total = (total * 3 + v) & 0xFFFFFFFF
        assert int(y[t]) & 0xFFFFFFFF == total
    assert result.counts.local_loads > 0
    assert result.counts.local_stores > 0


@pytest.mark.parametrize(
    ("kind", "dtype", "width"),
    [
        ("float4", np.float32, 4), ("float2", np.float32, 2), ("double2", np.float64, 2), ("int4", np.int32, 4),
        ("longlong2", np.int64, 2), ("uchar4", np.uint8, 4), ("short2", np.int16, 2), ("ushort4", np.uint16, 4),
        ("char2", np.int8, 2),
    ],
)  # fmt: skip
def test_vector_accesses(kind, dtype, width):
    """A vector load and store moves each component to its place, through global and shared memory."""
    members = "xyzw"[:width]
    swap = " ".join(f"w.{a} = v.{b} + 1;" for a, b in zip(members, reversed(members), strict=True))
    source = f"""extern "C" __global__ void kernel(const {kind}* x, {kind}* y) {{
        __shared__ {kind} s[64];
        int t = threadIdx.x;
        {kind} v = x[t], w;
        {swap}
        s[63 - t] = w;
        __syncthreads();
        y[t] = s[t];
    }}"""
    x = np.random.default_rng(0).integers(0, 100, (64, width)).astype(dtype)
    y = np.zeros_like(x)
    result = launch(source, x, y, block=64)

    np.testing.assert_array_equal(y, x[::-1, ::-1] + 1)
    if dtype().itemsize >= 4:
        assert result.counts.global_load_requests == 2
        assert result.counts.shared_load_requests == 2
        assert result.counts.global_load_sectors == 64 * dtype().itemsize * width // 32
        assert result.counts.shared_store_requests == 2


def test_narrow_accesses_extend_by_sign_or_zero():
    """Loads of 8 and 16 bits extend as their type says, and stores cut off."""
    source = """extern "C" __global__ void kernel(const signed char* a, const unsigned char* b, const short* c,
                                                  const unsigned short* d, int* y, signed char* e, short* f) {
        int t = threadIdx.x;
        y[4 * t] = a[t]; y[4 * t + 1] = b[t]; y[4 * t + 2] = c[t]; y[4 * t + 3] = d[t];
        e[t] = (signed char)(a[t] * 5); f[t] = (short)(c[t] * 5);
    }"""
    generator = np.random.default_rng(0)
    a, b = generator.integers(-128, 128, 32, dtype=np.int8), generator.integers(0, 256, 32, dtype=np.uint8)
    c, d = generator.integers(-32768, 32768, 32, dtype=np.int16), generator.integers(0, 65536, 32, dtype=np.uint16)
    y, e, f = np.zeros((32, 4), dtype=np.int32), np.zeros(32, dtype=np.int8), np.zeros(32, dtype=np.int16)
    launch(source, a, b, c, d, y, e, f)

    np.testing.assert_array_equal(y.T, [a, b, c, d])
    np.testing.assert_array_equal(e, a * np.int8(5))
    np.testing.assert_array_equal(f, c * np.int16(5))


def test_generic_pointers():
    """One pointer variable may hold global, shared and local addresses, lane by lane."""
    source = """__device__ __noinline__ int swap_in(int* p, int v) { int old = *p; *p = v; return old; }
    extern "C" __global__ void kernel(int* x, int* y) {
        __shared__ int s[32]; int mine[4] = {7, 8, 9, 10};
        int t = threadIdx.x;
        s[t] = 100 + t;
        int* p = t % 3 == 0 ? &x[t] : t % 3 == 1 ? &s[t] : &mine[t % 4];
        int old = swap_in(p, -t);
        y[3 * t] = old; y[3 * t + 1] = s[t]; y[3 * t + 2] = mine[0] + 1000 * mine[1] + mine[2] + mine[3];
    }"""
    x, y = np.arange(200, 232, dtype=np.int32), np.zeros((32, 3), dtype=np.int32)
    result = launch(source, x, y)

    for t in range(32):
        mine = [7, 8, 9, 10]
        old = [200 + t, 100 + t, mine[t % 4]][t % 3]
        if t % 3 == 2:
            mine[t % 4] = -t
        want = [old, -t if t % 3 == 1 else 100 + t, mine[0] + 1000 * mine[1] + mine[2] + mine[3]]
        assert y[t].tolist() == want
        assert x[t] == (-t if t % 3 == 0 else 200 + t)
    assert result.counts.global_loads == 11


def test_address_spaces_are_told_apart():
    """Isspacep and the conversions between generic and state-space addresses agree."""
    source = """__device__ int g; __constant__ int c = 3;
    extern "C" __global__ void kernel(int* y, int* x) {
        __shared__ int s; int l = 5;
        const void* p[4] = {&g, &s, &l, &c};
        for (int i = 0; i < 4; ++i)
            y[i] = (__isGlobal(p[i]) != 0) + 2 * (__isShared(p[i]) != 0)
                 + 4 * (__isLocal(p[i]) != 0) + 8 * (__isConstant(p[i]) != 0);
        unsigned offset = (unsigned)__cvta_generic_to_shared(&s);
        *(int*)__cvta_shared_to_generic(offset) = 77;
        y[4] = s; y[5] = *(const int*)p[3]; y[6] = *(const int*)p[2];
        *(int*)__cvta_global_to_generic(__cvta_generic_to_global(x)) = 88;
    }"""
    y, x = np.zeros(7, dtype=np.int32), np.zeros(1, dtype=np.int32)
    launch(source, y, x, block=1)

    assert y.tolist() == [1, 2, 4, 8, 77, 3, 5]
    assert x[0] == 88


def test_spaces_of_addresses_that_the_compiler_does_not_know():
    """`isspacep` when it runs: constants are not global, and a kernel's parameters are both."""
    names = ("global", "shared", "local", "const", "param", "shared::cta", "param::entry")
    tests = "".join(
        f'asm("{{.reg .pred p; isspacep.{name} p, %1; selp.u32 %0, 1, 0, p;}}" : "=r"(is) : "l"(p));'
        f"y[threadIdx.x * {len(names)} + {place}] = is;\n"
        for place, name in enumerate(names)
    )
    source = f"""__device__ int g; __constant__ int c = 3;
    struct Box {{ int values[9]; }};
    extern "C" __global__ void kernel(int* y, const __grid_constant__ Box box) {{
        __shared__ int s; int l = 5;
        const void* all[6] = {{&g, &s, &l, &c, &box, 0}};
        const void* p = all[threadIdx.x];
        int is;
        {tests}
    }}"""
    y = np.full((6, len(names)), -1, np.int32)
    launch(source, y, bytes(36), block=6)

    assert y.tolist() == [
        [1, 0, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 1, 0],
        [0, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 0],
        [1, 0, 0, 0, 1, 0, 1],
        [1, 0, 0, 0, 0, 0, 0],
    ]


def test_volatile_cached_and_relaxed_accesses():
    """The ordering and caching forms of ld and st are ordinary accesses here."""
    body = """
        .reg .b32 %r<9>; .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [x]; cvta.to.global.u64 %rd1, %rd1;
        ld.global.nc.u32 %r1, [%rd1]; ld.global.cg.u32 %r2, [%rd1+4]; ld.volatile.global.u32 %r3, [%rd1+8];
        ld.relaxed.gpu.global.u32 %r4, [%rd1+12]; ld.acquire.sys.global.u32 %r5, [%rd1+16];
        ld.global.L1::no_allocate.u32 %r6, [%rd1+20];
        st.global.wt.u32 [%rd1], %r6; st.volatile.global.u32 [%rd1+4], %r5; st.relaxed.gpu.global.u32 [%rd1+8], %r4;
        st.release.gpu.global.u32 [%rd1+12], %r3; st.global.cs.u32 [%rd1+16], %r2; st.global.u32 [%rd1+20], %r1;
        membar.gl; fence.acq_rel.gpu; fence.sc.sys; membar.cta; prefetch.global.L2 [%rd1]; ret;"""
    source = PTX_HEADER + ".visible .entry kernel(.param .u64 x)\n{" + body + "\n}"
    x = np.arange(6, dtype=np.uint32)
    launch(source, x, block=1)

    assert x.tolist() == [5, 4, 3, 2, 1, 0]


def test_extern_shared_symbol_with_offsets():
    """Addresses as symbol plus constant, and mov of a symbol, in shared memory."""
    source = (
        PTX_HEADER
        + """.extern .shared .align 8 .b8 pool[];
        .visible .entry kernel(.param .u64 y) {
        .reg .b32 %r<6>; .reg .b64 %rd<4>; .shared .align 4 .b8 own[64];
        ld.param.u64 %rd1, [y]; cvta.to.global.u64 %rd1, %rd1;
        mov.u32 %r1, pool; mov.u32 %r2, own;
        st.shared.u32 [own+8], 5; st.shared.u32 [pool+12], 6; st.shared.u32 [%r2+12], 7;
        ld.shared.u32 %r3, [%r1+12]; ld.shared.u32 %r4, [%r2+8]; ld.shared.u32 %r5, [own+12];
        st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r4; st.global.u32 [%rd1+8], %r5;
        ret; }"""
    )
    y = np.zeros(3, dtype=np.uint32)
    launch(source, y, block=1, dynamic_shared_bytes=16)

    assert y.tolist() == [6, 5, 7]


def test_allocations_are_written_and_read_back():
    """What is written is read, in any type that fits; uninitialized contents never leave the process's memory."""
    emulator = Emulator(workers=1)
    a = emulator.allocate(64, name="A")
    a.write(np.arange(8.0))

    np.testing.assert_array_equal(a.read(np.float64, (2, 4)), np.arange(8.0).reshape(2, 4))
    assert a.nbytes == 64
    assert a.name == "A"
    assert a.address % 256 == 0
    with pytest.raises(ValueError, match=r"64|72"):
        a.read(np.float64, (9,))
    with pytest.raises(ValueError, match=r"64|72"):
        a.write(np.zeros(9))
    assert a.address != emulator.allocate(0, name="empty").address


def test_what_belongs_to_another_emulator():
    """Allocations and modules of another emulator are refused: its addresses mean something else here."""
    ours, other = Emulator(workers=1), Emulator(workers=1)
    module = ours.load(entry_of("kernel", ["u64"], "ret;"))
    with pytest.raises(ValueError, match="A was allocated by another emulator"):
        ours.launch(module, "kernel", grid=1, block=1, arguments=[other.allocate(4, name="A")])
    with pytest.raises(ValueError, match="loaded by another emulator"):
        other.launch(module, "kernel", grid=1, block=1, arguments=[0])
