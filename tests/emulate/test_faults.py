"""Accesses that must stop a launch, and what the fault says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import launch, line_of, ptx_of
from tilewright.emulate import (
    EmulationError,
    Emulator,
    LaunchResult,
    MemoryFault,
)

TOUCH = """extern "C" __global__ void kernel(float* x, long long byte, int chosen, float* y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float* p = t == chosen ? (float*)((char*)x + byte) : x + t % 4;
    if (STORES) *p = 1.0f; // store
    else y[t] = *p + 1.0f; // load
}"""


class Bench:
    """Two neighboring allocations and a kernel that touches one byte offset from the first."""

    def __init__(self) -> None:
        self.emulator = Emulator(workers=1)
        self.a = self.emulator.allocate(256, name="A")
        self.b = self.emulator.allocate(100, name="B")
        self.y = self.emulator.allocate(4 * 128, name="Y")
        for allocation in (self.a, self.b, self.y):
            allocation.write(np.zeros(allocation.nbytes, dtype=np.uint8))

    def touch(self, address: int, *, store: bool = False, thread: int = 37) -> LaunchResult:
        """Let one of 128 threads access `address`; the others stay in A."""
        module = self.emulator.load(ptx_of(TOUCH.replace("STORES", str(store).lower())))
        arguments = [self.a, address - self.a.address, thread, self.y]
        return self.emulator.launch(module, "kernel", grid=(2, 1, 1), block=(64, 1, 1), arguments=arguments)


@pytest.fixture
def bench() -> Bench:
    """Return a fresh pair of allocations."""
    return Bench()


def test_accesses_within_an_allocation_pass(bench):
    """The first and the last element may be touched."""
    for store in (False, True):
        bench.touch(bench.a.address, store=store)
        bench.touch(bench.a.address + 252, store=store)
        bench.touch(bench.b.address + 96, store=store)


@pytest.mark.parametrize("store", [False, True])
@pytest.mark.parametrize(
    ("name", "place"),
    [("one past the end", 256), ("before the start", -4), ("far past", 1 << 33), ("far before", -(1 << 34))],
)
def test_outside_of_every_allocation(bench, name, place, store):
    """An access outside is a fault with kernel, line, block, thread, address and the nearest allocation."""
    address = bench.a.address + place
    with pytest.raises(MemoryFault) as caught:
        bench.touch(address, store=store, thread=101)
    fault, text = caught.value, str(caught.value)

    assert fault.address == address, name
    assert fault.kernel == "kernel"
    assert fault.line == line_of(TOUCH, "// store" if store else "// load")
    assert str(fault.file).endswith("test.cu")
    assert (fault.block, fault.thread) == ((1, 0, 0), (37, 0, 0))
    assert f"{address:x}" in text.lower()
    assert "kernel" in text
    assert "(37, 0, 0)" in text
    if abs(place) <= 256:
        assert "A" in text
        assert "256" in text


@pytest.mark.parametrize("store", [False, True])
@pytest.mark.parametrize("place", [100, 104, 128])
def test_gap_between_allocations(bench, place, store):
    """The bytes after an allocation's end belong to nobody, although another allocation follows."""
    with pytest.raises(MemoryFault, match="B"):
        bench.touch(bench.b.address + place, store=store)


def test_access_that_straddles_the_end():
    """The last bytes of an access count too: 8 bytes at 4 before the end are outside."""
    source = """extern "C" __global__ void kernel(char* x, double* y) { y[0] = *(double*)(x + 96); }"""
    with pytest.raises(MemoryFault):
        launch(source, np.zeros(100, dtype=np.uint8), np.zeros(1), block=1)


@pytest.mark.parametrize("nbytes", [1, 2, 3, 5, 6, 7])
def test_loads_at_the_end_of_a_few_bytes(nbytes):
    """What ends with an allocation of no whole word is read; a byte further is outside, in a load of any size."""
    source = """extern "C" __global__ void kernel(const char* x, int at, long long* y) {
        y[0] = KIND == 1 ? *(const signed char*)(x + at) : KIND == 2 ? *(const short*)(x + at) : *(const int*)(x + at);
    }"""
    held = np.arange(1, nbytes + 1, dtype=np.uint8)
    for kind in (1, 2, 4):
        program = source.replace("KIND", str(kind))
        for at in range(0, nbytes + 1, kind):
            y = np.zeros(1, np.int64)
            if at + kind <= nbytes:
                launch(program, held.copy(), at, y, block=1)
                assert y[0] == int.from_bytes(held[at : at + kind].tobytes(), "little")
            else:
                with pytest.raises(MemoryFault):
                    launch(program, held.copy(), at, y, block=1)


@pytest.mark.parametrize("address", [0, 4, 1024])
def test_null_pointer(bench, address):
    """An access through a null pointer, or near it, says so."""
    with pytest.raises(MemoryFault, match="null") as caught:
        bench.touch(address)

    assert caught.value.address == address


@pytest.mark.parametrize(("kind", "place"), [("float", 2), ("double", 4), ("float4", 8), ("short", 1), ("int2", 4)])
@pytest.mark.parametrize("space", ["global", "shared", "local"])
def test_misaligned_access(kind, place, space):
    """An access that is not aligned to its size is a fault that says so, in every space."""
    array = {"global": "x", "shared": "s", "local": "l"}[space]
    source = f"""extern "C" __global__ void kernel(char* x, int place) {{
        __shared__ __align__(16) char s[64]; __align__(16) char l[64];
        for (int i = 0; i < 64; ++i) {{ s[i] = i; l[(i * place) % 64] = i; }}
        {"volatile" if kind[-1] not in "24" and space != "local" else ""} {kind}* p = ({kind}*)({array} + place);
        *p = {kind}();
        x[0] = s[5] + l[place * 7 % 64];
    }}"""
    with pytest.raises(MemoryFault, match=r"no multiple of|align"):
        launch(source, np.zeros(64, dtype=np.uint8), place, block=1)


def test_freed_allocation(bench):
    """An access to freed memory is a fault, and the allocation cannot be used again."""
    address = bench.b.address
    bench.b.free()
    with pytest.raises(MemoryFault):
        bench.touch(address)
    with pytest.raises((EmulationError, ValueError), match="B"):
        bench.b.read(np.float32, (1,))


@pytest.mark.parametrize("index", [64, -1, 1 << 20])
@pytest.mark.parametrize("store", [False, True])
def test_shared_memory_out_of_range(index, store):
    """An index outside of the block's shared memory is a fault that names shared memory and its extent."""
    statement = "s[index] = 1.0f;" if store else "x[1] = s[index];"
    source = f"""extern "C" __global__ void kernel(float* x, int index) {{
        __shared__ volatile float s[64];
        s[threadIdx.x] = threadIdx.x;
        if (threadIdx.x == 5) {statement} // here
        x[0] = s[3];
    }}"""
    with pytest.raises(MemoryFault, match="shared") as caught:
        launch(source, np.zeros(2, dtype=np.float32), index, block=32)

    assert caught.value.thread == (5, 0, 0)
    assert caught.value.line == line_of(source, "// here")
    assert "256" in str(caught.value)


def test_local_memory_out_of_range():
    """An index far outside of a thread's local memory is a fault that names local memory."""
    source = """extern "C" __global__ void kernel(int* x, int index) {
        int a[8];
        for (int i = 0; i < 8; ++i) a[i] = x[i];
        a[(x[0] + index)] = 5;
        x[1] = a[x[2] & 7];
    }"""
    with pytest.raises(MemoryFault, match="local"):
        launch(source, np.zeros(8, dtype=np.int32), 1 << 22, block=1)


def test_constant_memory_out_of_range():
    """An index outside of constant memory is a fault."""
    source = """__constant__ int c[8];
    extern "C" __global__ void kernel(int* x, int index) { x[0] = c[index]; }"""
    with pytest.raises(MemoryFault):
        launch(source, np.zeros(8, dtype=np.int32), 1 << 20, block=1)


def test_module_variable_out_of_range():
    """A module variable has an extent too, and its name is in the fault."""
    source = """__device__ int table[16];
    extern "C" __global__ void kernel(int* x, int index) { x[0] = table[index]; }"""
    with pytest.raises(MemoryFault, match="table"):
        launch(source, np.zeros(8, dtype=np.int32), 16, block=1)


def test_atomic_out_of_range():
    """An atomic outside of every allocation is a fault."""
    source = 'extern "C" __global__ void kernel(int* x) { atomicAdd(&x[threadIdx.x], 1); }'
    with pytest.raises(MemoryFault) as caught:
        launch(source, np.zeros(31, dtype=np.int32))

    assert caught.value.thread == (31, 0, 0)


def test_first_faulting_block_is_named_on_any_number_of_workers():
    """When several blocks would fault, the same one is reported whatever the number of workers."""
    source = """extern "C" __global__ void kernel(int* x) {
        if (blockIdx.x >= 5) x[1 << 20] = 1;
        x[blockIdx.x] = threadIdx.x;
    }"""
    seen = set()
    for workers in (1, 2, 4):
        with pytest.raises(MemoryFault) as caught:
            launch(source, np.zeros(64, dtype=np.int32), grid=64, workers=workers)
        seen.add((caught.value.block, caught.value.thread, str(caught.value)))

    assert len(seen) == 1


def test_emulator_survives_a_fault(bench):
    """After a fault the same emulator launches again, and memory holds what was written before."""
    with pytest.raises(MemoryFault):
        bench.touch(0)
    bench.touch(bench.a.address, store=True)

    assert bench.a.read(np.float32, (1,))[0] == 1.0


def test_trap():
    """__trap() stops the launch."""
    source = 'extern "C" __global__ void kernel(int* x) { if (x[threadIdx.x] == 7) __trap(); }'
    with pytest.raises(EmulationError) as caught:
        launch(source, np.arange(32, dtype=np.int32))

    assert caught.value.thread == (7, 0, 0)


def test_a_fault_names_the_kernel_as_its_author_does() -> None:
    """Not by the mangled name; the cause is there without the place, too."""
    source = """namespace lab { template <int N> __global__ void fill(float* x) { x[N + threadIdx.x] = 1; } }
    template __global__ void lab::fill<70>(float*);"""
    emulator = Emulator(workers=1)
    module = emulator.load(ptx_of(source))
    with pytest.raises(MemoryFault) as caught:
        emulator.launch(module, module.kernels[0], grid=1, block=32, arguments=[emulator.allocate(256, name="x")])
    assert str(caught.value).startswith("fill, ")
    assert str(caught.value).endswith(caught.value.cause)
    assert caught.value.cause.startswith("a store of 4 bytes at ")


def test_a_fault_in_an_inlined_function_names_its_caller() -> None:
    """The line of the function is the place; where the kernel calls it is said too, through any number of calls."""
    source = """__device__ __forceinline__ float deep(const float* x, long long i) {
    return x[i]; // deep
}
__device__ __forceinline__ float middle(const float* x, long long i) { return 2 * deep(x, i); }
extern "C" __global__ void kernel(float* x) {
    x[0] = middle(x, 0);
    x[1] = middle(x, 1 << 30); // called
}"""
    with pytest.raises(MemoryFault) as fault:
        launch(source, np.zeros(4, np.float32), block=1)

    assert fault.value.line == line_of(source, "// deep")
    assert f"test.cu:2 (called at test.cu:{line_of(source, '// called')}), block" in str(fault.value)


@pytest.mark.parametrize(
    ("kind", "first", "inside"),
    [
        ("char", 6, True),
        ("short", 4, True),
        ("int", 0, True),
        ("short", 6, False),
        ("int", 4, False),
        ("char", 7, False),
    ],
)
def test_the_end_of_seven_bytes(kind, first, inside):
    """An allocation ends at its last byte, not at the next address that an access would be aligned to."""
    source = f"""extern "C" __global__ void kernel(char* x, long long* y) {{
        *y = *(volatile {kind}*)(x + {first});
    }}"""
    x, y = np.arange(1, 8, dtype=np.int8), np.zeros(1, np.int64)
    if inside:
        launch(source, x, y, block=1)
        size = {"char": 1, "short": 2, "int": 4}[kind]
        assert y[0] == int.from_bytes(x.tobytes()[first : first + size], "little")
    else:
        with pytest.raises(MemoryFault):
            launch(source, x, y, block=1)
