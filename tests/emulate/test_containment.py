"""No emulated access touches the process that emulates, whatever its address."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tests.emulate.running import PTX_HEADER, entry_of, launch
from tilewright.emulate import Emulator, MemoryFault

EDGES = [
    0x7FFFFFFFFFFFFFF0, 0x7FFFFFFFFFFFFFF8, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFF0,
    0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFF8, 0x00000FFFFFFFFFF8, 0x0000100000000000, 0x00001000FFFFFFF0,
    0x00001FFFFFFFFFF8, 0x0000200000000000, 0x0000200100000000, 0x00002FFFFFFFFFF8, 0x0000300000000000,
    0xFFFFFFF0, 0x7FFFFFF8, 0x80000000, 0x100000000, 16, 4096,
]  # fmt: skip
ACCESSES = [
    f"{operation}{space}{kind}"
    for operation, kinds in (("ld", ("u8", "u32", "u64", "v2.u64", "v4.u32")), ("st", ("u8", "u32", "u64", "v4.u32")))
    for space in (".", ".global.", ".shared.", ".local.")
    for kind in kinds
] + ["ld.const.u64", "atom.global.add.u64", "atom.add.u32", "atom.shared.cas.b32"]


def instruction(access: str) -> str:
    """Return one access at the address %a (or its low half %w) as PTX."""
    kind = access.rsplit(".", 1)[1]
    wide = "64" in kind or kind == "f64"
    registers = ["%d0", "%d1", "%d2", "%d3"] if wide else ["%r0", "%r1", "%r2", "%r3"]
    count = 4 if ".v4." in access else 2 if ".v2." in access else 1
    value = f"{{{', '.join(registers[:count])}}}" if count > 1 else registers[0]
    address = "%w" if ".shared" in access or ".local" in access else "%a"
    if access.startswith("atom"):
        third = f", {registers[2]}" if ".cas." in access else ""
        return f"{access} {registers[0]}, [{address}], {registers[1]}{third};"
    return f"{access} {value}, [{address}];" if access.startswith("ld") else f"{access} [{address}], {value};"


def module() -> str:
    """Return PTX with an entry per access: one thread of the warp uses the address that it is given."""
    text = PTX_HEADER + ".const .align 8 .b8 c[64];\n"
    for number, access in enumerate(ACCESSES):
        body = f"""
            .shared .align 16 .b8 s[64]; .local .align 16 .b8 l[64];
            .reg .b64 %a, %d<4>; .reg .b32 %w, %t, %r<4>; .reg .pred %p;
            ld.param.u64 %a, [p0]; cvt.u32.u64 %w, %a; mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 13;
            mov.u64 %d0, c; mov.u32 %r0, s; mov.u32 %r1, l; mov.u64 %d1, %d0; mov.b32 %r2, 0; mov.b32 %r3, 0;
            mov.b64 %d2, 0; mov.b64 %d3, 0;
            @%p {instruction(access)}
            ret;"""
        text += entry_of(f"kernel_{number}", ["u64"], body).removeprefix(PTX_HEADER)
    return text


def probe(addresses: list[int]) -> tuple[int, int]:
    """Let every access use every address; return how many passed and how many were stopped."""
    emulator = Emulator(workers=1)
    kernels = emulator.load(module())
    buffer = emulator.allocate(64, name="A")
    outcomes = [0, 0]
    inside = [buffer.address, buffer.address + 32, buffer.address + 64, buffer.address - 16]
    for address in [*addresses, *inside, buffer.data.ctypes.data]:
        for number in range(len(ACCESSES)):
            try:
                emulator.launch(kernels, f"kernel_{number}", grid=1, block=32, arguments=[address])
                outcomes[0] += 1
            except MemoryFault:
                outcomes[1] += 1
    return outcomes[0], outcomes[1]


def random_addresses() -> list[int]:
    """Return addresses of every magnitude."""
    generator = np.random.default_rng(0)
    return [int(generator.integers(0, 1 << 62)) >> int(generator.integers(0, 62)) for _ in range(20)]


@pytest.mark.slow
def test_no_address_reaches_the_process():
    """Every access at every odd address is stopped with a fault or stays inside; the process lives on."""
    program = "from tests.emulate.test_containment import *; print(*probe(EDGES + random_addresses()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    passed, stopped = map(int, done.stdout.split())
    assert passed > 0
    assert stopped > passed


@pytest.mark.parametrize("address", [0x7FFFFFFFFFFFFFF8, 0xFFFFFFFFFFFFFFF8])
def test_address_whose_end_overflows(address):
    """The end of an access at the top of the address space does not wrap around to a valid one."""
    body = ".reg .b64 %a, %d; ld.param.u64 %a, [p0]; ld.global.u64 %d, [%a]; st.global.u64 [%a], %d; ret;"
    emulator = Emulator(workers=1)
    kernels = emulator.load(entry_of("kernel", ["u64"], body))
    with pytest.raises(MemoryFault):
        emulator.launch(kernels, "kernel", grid=1, block=1, arguments=[address])


def outcome_of(program: str) -> str:
    """Run Python in a process of its own, which a stray access would kill; return what it printed."""
    head = "from tests.emulate.running import *\nfrom tilewright.emulate import *\ny = np.zeros(64, np.int32)\n"
    done = subprocess.run([sys.executable, "-c", head + program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout


@pytest.mark.slow
def test_prototype_that_is_not_the_callee_s():
    """A call through a pointer copies what its prototype says, even where the function has less: never outside."""
    text = """
    .func (.param .b32 r) small() { .reg .b32 %x; mov.b32 %x, 5; st.param.b32 [r], %x; ret; }
    .visible .entry kernel(.param .u64 p0) { .reg .b64 %f, %d; .reg .b32 %v;
    mov.u64 %f, small; ld.param.u64 %d, [p0];
    { .param .align 16 .b8 big[400000]; .param .b32 r0; mov.b32 %v, 1; st.param.b32 [big+0], %v;
    P: .callprototype (.param .b32 _) _ (.param .align 16 .b8 _[400000]);
    call (r0), %f, (big), P; ld.param.b32 %v, [r0]; }
    st.global.u32 [%d], %v; ret; }"""
    printed = outcome_of(f"""
try:
    launch({PTX_HEADER + text!r}, y)
except EmulationError as error:
    print(type(error).__name__)
""")

    assert printed.strip() == "BudgetExceeded"


@pytest.mark.slow
def test_local_memory_has_the_extent_of_a_gpu_s():
    """More local memory than a GPU's 512 KiB is refused, and all of that much can be used, by every lane."""
    body = """.local .align 4 .b8 l[{0}]; .reg .b64 %d, %a; .reg .b32 %r<6>; mov.u32 %r1, %tid.x; mov.u32 %r2, l;
    add.s32 %r2, %r2, {0} - 4; st.local.u32 [%r2], %r1; ld.local.u32 %r3, [%r2]; ld.param.u64 %d, [p0];
    mul.wide.u32 %a, %r1, 4; add.s64 %d, %d, %a; st.global.u32 [%d], %r3; ret;"""
    sizes = [
        entry_of("kernel", ["u64"], body.format(n).replace(f"{n} - 4", str(n - 4))) for n in (1 << 19, 100_000_000)
    ]
    printed = outcome_of(f"""
launch({sizes[0]!r}, y, block=64)
assert list(y) == list(range(64))
try:
    launch({sizes[1]!r}, y)
except ValueError as error:
    print(error)
""")

    assert "100000000 bytes of local memory" in printed


@pytest.mark.parametrize("access", ["st.u32 [%a], %r;", "ld.u32 %r, [%a];", "atom.add.u32 %r, [%a], 1;"])
def test_generic_address_far_beyond_a_window(access):
    """4 GiB past a byte of shared or local memory lies nothing: the offset does not wrap around."""
    for space in ("shared", "local"):
        body = f""".{space} .align 16 .b8 s[64]; .reg .b64 %a; .reg .b32 %r; mov.u64 %a, s;
        cvta.{space}.u64 %a, %a; add.s64 %a, %a, 4294967300; mov.b32 %r, 7; {access} ret;"""
        emulator = Emulator(workers=1)
        with pytest.raises(MemoryFault, match="4294967300"):
            emulator.launch(emulator.load(entry_of("kernel", [], body)), "kernel", grid=1, block=1)


def test_offset_of_more_than_32_bits():
    """An instruction's own offset may be as large as an address."""
    y = np.zeros(2, np.int32)
    body = """.reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [p0]; sub.s64 %d, %d, 8589934592; mov.b32 %r, 7;
    st.global.u32 [%d+8589934596], %r; ret;"""
    launch(entry_of("kernel", ["u64"], body), y, block=1)

    assert list(y) == [0, 7]
