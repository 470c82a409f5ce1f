"""Operands against their instructions' types, slots against their frames: what a module's text may not do."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.emulate.running import PTX_HEADER, entry_of, launch, line_of, ptx_of
from tilewright.emulate import EmulationError, Emulator, PtxSyntaxError, UnsupportedInstruction
from tilewright.emulate import instruction_row as row
from tilewright.emulate.machine.module import LoadedModule
from tilewright.emulate.ptx.containment import check_containment
from tilewright.emulate.ptx.slots import ContainmentError

REGISTERS = (
    ".reg .b64 %d<4>; .reg .b32 %r<4>; .reg .b16 %h<4>; .reg .f32 %f<4>; .reg .f64 %e<4>; .reg .pred %p<4>; "
    ".reg .u64 %u; .reg .s32 %s; .shared .align 16 .b8 tile[64];"
)
REFUSED = {
    "add.s64 %r1, %d1, 0;": "%r1 is a register of type .b32, and the instruction takes .s64",
    "add.s64 %p1, %d1, %d1;": "%p1 is a register of type .pred",
    "add.s64 %d1, %d2, %p1;": "%p1 is a register of type .pred",
    "add.s32 %r1, %f1, %r2;": "%f1 is a register of type .f32, and the instruction takes .s32",
    "add.f64 %e1, %f1, %e2;": ".f32, and the instruction takes .f64",
    "mul.wide.s32 %r1, %r2, %r3;": "takes .s64",
    "ld.global.b64 %r1, [%d1];": "takes .b64",
    "ld.global.f32 %d1, [%p1];": "holds no address",
    "ld.global.v4.b32 {%r1, %r2, %r3}, [%d1];": "has 3 elements, and the instruction takes 4",
    "ld.global.pred %p1, [%d1];": "takes no type .pred",
    "st.shared.b64 [%r1], %r2;": "takes .b64",
    "setp.ne.s32 %r1, %r2, 0;": "takes .pred",
    "selp.b32 %r1, %r2, %r3, %r0;": "takes .pred",
    "mov.b32 %p1, %r1;": "takes .b32",
    "mov.pred %p1, %r1;": "takes .pred",
    "mov.b64 {%r1, %h1}, %d1;": "takes .b32",
    "mov.b32 %r1, {%r2, %r3};": "takes .b16",
    "mov.u32 %p1, %tid.x;": "takes .u32",
    "cvt.rn.f16x2.f32 %h1, %f1, %f2;": "takes .f16x2",
    "popc.b64 %d1, %d2;": "takes .u32",
    "shl.b64 %d1, %d2, %d3;": "takes .u32",
    "atom.global.add.u64 %r1, [%d1], %d2;": "takes .u64",
    "atom.shared.cas.b32 %r1, [%r2], %r3;": "takes 4 to 5 operands, and has 3",
    "shfl.sync.idx.b32 %r1|%r2, %r1, 1, 31, -1;": "takes .pred",
    "vote.sync.ballot.b32 %p1, %p2, -1;": "takes .b32",
    "match.any.sync.b64 %r1, %r2, -1;": "takes .b64",
    "bar.sync %d1;": "takes .u32",
    "cvta.to.global.u64 %d1, !%d2;": "takes .u64 or .u32",
    "bar.red.popc.u32 %p1, 0, %p2;": "takes .u32",
    "cp.async.ca.shared.global [%r1], [%d1], 16, %d2;": "takes .pred or .u32",
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2, %r3}, [%r1];": "has 3 elements",
    "@%r1 mov.b32 %r1, 0;": "%r1 is no predicate",
    "mov.b32 %r9, 0;": "%r9 is no register",
    "ad.s32 %r1, %r1, %r1;": "there is none called ad",
    "add.foo.s32 %r1, %r2, %r3;": "add has no .foo",
    "and.lo.b32 %r1, %r2, %r3;": "and has no .lo",
    "bar.sync 16;": "there are barriers 0 to 15, and none 16",
    "barrier.sync 1, 33;": "in whole warps of 32, and not 33 of them",
    "bar.red.popc.u32 %r1, 99, %p2;": "none 99",
    "st.shared.f32 [%r1], !%f1;": "!%f1 is negated",
    "cvta.global.u64 %p1, %d1, %d2;": "takes 2 operands, and has 3",
    "mov.b64 %d1, nothing;": "nothing is called nothing",
}
TAKEN = [
    *("add.s32 %s, %r1, %r2;", "and.b32 %r1, %f1, %r2;", "ld.global.u8 %d1, [%d2];", "st.global.u8 [%d1], %d2;"),
    *("cvt.u32.u16 %r1, %d1;", "cvt.rn.f16.f32 %r1, %f1;", "mov.b64 %d1, {%f1, %r1};", "mov.b32 %r1, {%h1, %h2};"),
    *("selp.f32 %f1, %r1, 0f3F800000, %p1;", "shfl.sync.bfly.b32 %f1|%p1, %f1, 1, 31, -1;", "add.s64 %u, %d1, %d2;"),
    *("ld.shared.v2.b64 {%d1, %e1}, [%r1];", "atom.global.exch.b32 %f1, [%d1], %f2;", "mov.u64 %d1, tile;"),
    *("setp.lt.and.f32 %p1|%p2, %f1, %f2, !%p3;", "ld.shared.b32 %r1, [%d1+4];", "mov.u32 %s, %laneid;"),
    *("cp.async.ca.shared.global [%r1], [%d1], 8, %p1;", "prmt.b32 %f1, %f1, %f2, %f3;", "popc.b64 %s, %e1;"),
]


@pytest.mark.parametrize("text", REFUSED)
def test_operand_of_another_type_is_refused(text):
    """What ptxas calls an arguments mismatch is refused when the module is loaded, with the reason."""
    with pytest.raises(PtxSyntaxError) as caught:
        Emulator(workers=1).load(entry_of("kernel", [], f"{REGISTERS}\n{text}\nret;"))

    assert REFUSED[text] in str(caught.value)
    assert caught.value.kernel == "kernel"


@pytest.mark.parametrize("text", TAKEN)
def test_operand_that_agrees_is_taken(text):
    """Bits agree with every type of their size, and loads, stores and conversions take wider registers."""
    module = Emulator(workers=1).load(entry_of("kernel", [], f"{REGISTERS}\n{text}\nret;"))

    assert module.kernels == ("kernel",)


@pytest.mark.parametrize(
    ("head", "block", "sentence"),
    [
        (".maxntid 128, 1, 1", (16, 16), "has 256 threads, and __launch_bounds__ promises 128 at most"),
        (".reqntid 64", (32, 1), "asks for blocks of (64, 1, 1)"),
        (".reqnctapercluster 8, 8, 8", (32, 1), "at most 16 blocks, and not 512"),
        (".reqnctapercluster 2", (32, 1), "no multiple of its clusters of (2, 1, 1)"),
    ],
)
def test_launch_that_the_kernel_rules_out(head, block, sentence):
    """As a driver refuses it; a bound that no block reaches is ignored, as by an assembler."""
    emulator = Emulator(workers=1)
    module = emulator.load(f"{PTX_HEADER}.visible .entry k() {head} {{ ret; }}")

    with pytest.raises(ValueError, match=re.escape(sentence)):
        emulator.launch(module, "k", grid=3, block=block, arguments=[])


def test_refusal_has_its_place_in_the_source():
    """NVRTC does not look inside of asm; the line of the source is told nevertheless."""
    source = """extern "C" __global__ void kernel(int* y) {
        unsigned long long q = threadIdx.x;
        asm volatile("{ .reg .b32 p; add.s64 p, %0, %0; }" :: "l"(q)); // here
        y[0] = 1;
    }"""
    with pytest.raises(PtxSyntaxError, match=r"kernel, test\.cu:3: .*p is a register of type \.b32") as caught:
        Emulator(workers=1).load(ptx_of(source))

    assert (caught.value.file, caught.value.line) == ("test.cu", line_of(source, "// here"))


def test_registers_of_two_scopes():
    """A range of registers belongs to its braces: another one may have the same name and another type."""
    body = """.reg .b64 %d<3>; ld.param.u64 %d1, [p0];
    { .reg .b32 t<3>; mov.b32 t1, 5; st.global.b32 [%d1], t1; }
    { .reg .b64 t<3>; mov.b64 t1, 7; st.global.b64 [%d1+8], t1; } ret;"""
    y = np.zeros(4, np.int32)
    launch(entry_of("kernel", ["u64"], body), y, block=1)

    assert list(y) == [5, 0, 7, 0]


@pytest.mark.parametrize(
    "text",
    [
        ".visible .entry kernel() { .reg .b32 %r<2>; .shared .align 3 .b8 s[4]; ret; }",
        ".visible .entry kernel(.param .b8 p[99999999999]) { ret; }",
        ".global .align 4 .b8 g[2] = {1, 2, 3}; .visible .entry kernel() { ret; }",
        ".global .b32 g = 08; .visible .entry kernel() { ret; }",
        ".global .f32 g = 99999999999999999999999999999999999999999999999; .visible .entry kernel() { ret; }",
        ".global " + ".a " * 40 + "; .visible .entry kernel() { ret; }",
        ".visible .entry other() { ret; } .visible .entry kernel() { call other; ret; }",
        ".visible .entry kernel() { T: .branchtargets A; .branchtargets A; A: ret; foo; }",
        """.func f(.param .align 4 .b8 x[4]) { ret; }
        .visible .entry kernel() { .param .b64 a; call f, (a); ret; }""",
        """.func f(.param .b32 x) { ret; }
        .visible .entry kernel() { .param .b32 a; call f, (a, a); ret; }""",
    ],
    ids=[
        *("alignment", "parameters", "initial values", "octal", "float", "declaration", "kernel called"),
        *("branch targets", "argument's size", "too many arguments"),
    ],
)
def test_text_that_no_assembler_takes(text):
    """Each slip is refused with a sentence, and none with an error of Python's."""
    with pytest.raises(PtxSyntaxError):
        Emulator(workers=1).load(PTX_HEADER + text)


def module_of(body: str) -> LoadedModule:
    """Return a loaded module of one kernel."""
    return Emulator(workers=1).load(entry_of("kernel", ["u64"], f"{REGISTERS}\n{body}\nret;"))


BODIES = {
    "vector": "add.s64 %d1, %d2, %d3;",
    "scalar": "cvt.rni.s32.f64 %r1, %e1;",
    "load": "ld.global.v2.b32 {%r1, %r2}, [%d1];",
    "store": "st.shared.b64 [%r1], %d1;",
    "atomic": "atom.global.add.u32 %r1, [%d1], %r2;",
    "shuffle": "shfl.sync.idx.b32 %r1|%p1, %r2, %r3, 31, %r0;",
    "barrier": "bar.red.popc.u32 %r1, %r2, %p1;",
    "copy": "cp.async.ca.shared.global [%r1], [%d1], 16, %r2;",
    "matrix": "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3];",
    "special": "mov.u32 %r1, %laneid;",
    "space": "isspacep.shared %p1, %d1;",
    "branch": "bra L; L:",
}
SLOTS = (
    *(row.RESULT, row.OPERAND_A, row.OPERAND_B, row.OPERAND_C, row.OPERAND_D, row.EXTRA_1, row.EXTRA_2, row.EXTRA_3),
    *(row.GUARD, row.TARGET),
)


@pytest.mark.parametrize("name", BODIES)
def test_row_that_leaves_its_frame(name):
    """Whatever column of a row names memory: an offset at or beyond the frame's last bytes is found at load."""
    code = module_of(BODIES[name]).code
    function = code.functions["kernel"]
    found = 0
    for number, line in enumerate(code.rows):
        for column in SLOTS:
            kept = line[column]
            line[column] = function.frame_bytes + 64 * 4096
            try:
                check_containment(code)
            except ContainmentError:
                found += 1
            line[column] = kept
        check_containment(code)
        assert code.rows[number] == line
    # Each body has a row with two places at the least (a branch: its target and its guard), and every row has a guard.
    assert found >= len(code.rows) + 1


def test_slot_whose_end_leaves_the_frame():
    """A slot of 64 bits in the place of the last one of 32 begins within the frame and ends behind it."""
    code = module_of("add.s64 %d1, %d2, %d3; add.s32 %r1, %r2, %r3;").code
    frame = code.functions["kernel"].frame_bytes
    line = next(line for line, text in zip(code.rows, code.texts, strict=True) if text.startswith("add.s64"))
    line[row.RESULT] = frame - 128
    with pytest.raises(ContainmentError, match=r"add\.s64"):
        check_containment(code)


def test_reserved_shared_memory():
    """A kernel that uses the system's part of shared memory has it before its own arrays, as on an H200."""
    body = """.reg .b64 %d; .reg .b32 %r<9>; .shared .align 16 .b8 own[64]; ld.param.u64 %d, [p0];
    mov.u32 %r0, %reserved_smem_offset_begin; mov.u32 %r1, %reserved_smem_offset_end;
    mov.u32 %r2, %reserved_smem_offset_cap; mov.u32 %r3, %reserved_smem_offset_1; mov.u32 %r4, own;
    mov.u32 %r5, %total_smem_size; mov.u32 %r6, %aggr_smem_size; ld.shared.u32 %r7, [%r3+4];
    st.global.v4.b32 [%d], {%r0, %r1, %r2, %r3}; st.global.v4.b32 [%d+16], {%r4, %r5, %r6, %r7}; ret;"""
    y = np.zeros(8, np.uint32)
    launch(entry_of("kernel", ["u64"], body), y, dynamic_shared_bytes=256)

    assert list(y) == [0, 288, 1024, 0, 1024, 384, 1344, 0]


def test_dynamic_shared_memory_at_its_alignment():
    """Dynamic shared memory begins at its alignment and keeps all its bytes there."""
    text = (
        PTX_HEADER
        + """.extern .shared .align 128 .b8 dynamic[];
    .visible .entry kernel(.param .u64 p0) { .reg .b64 %d; .reg .b32 %r<3>; .shared .b32 one; ld.param.u64 %d, [p0];
    mov.b32 %r1, dynamic; st.shared.b32 [%r1+60], %r1; ld.shared.b32 %r2, [%r1+60]; st.global.b32 [%d], %r2; ret; }"""
    )
    y = np.zeros(1, np.int32)
    launch(text, y, dynamic_shared_bytes=64)

    assert y[0] % 128 == 0


def test_a_chain_of_calls_that_doubles():
    """Forty functions that each call the next one twice are sized in an instant: the paths are not walked."""
    functions = "".join(
        f".func f{n}() {{ .local .b8 l[16]; " + (f"call f{n - 1}; call f{n - 1}; " if n else "") + "ret; }\n"
        for n in range(40)
    )
    module = Emulator(workers=1).load(PTX_HEADER + functions + ".visible .entry kernel() { call f39; ret; }")

    assert module.depth_bytes("kernel")[1] == 40 * 16


@pytest.mark.parametrize("text", ["set.lt.s32 %p1, %r1, %r2;", "cvt.s64 %r1, %d1;", "mov.wide.b64 %r1, %d1;"])
def test_form_that_nobody_knows(text):
    """What no signature describes is not encoded, so it is no way around the types: reaching it stops the launch."""
    with pytest.raises(UnsupportedInstruction):
        launch(entry_of("kernel", [], f"{REGISTERS}\n{text}\nret;"))


@pytest.mark.parametrize("text", ["", ".visible .entry kernel();", ".global .b32 x;"])
def test_module_without_code(text):
    """A text that only declares has no kernels, and is no error."""
    assert Emulator(workers=1).load(PTX_HEADER + text).kernels == ()


def test_nothing_else_is_raised_for_numbers_of_any_length():
    """Digits without end are no error of Python's."""
    for text in ("9" * 5000, "0x" + "f" * 5000, "1e" + "9" * 5000, "0f" + "0" * 5000):
        with pytest.raises(EmulationError):
            Emulator(workers=1).load(entry_of("kernel", [], f".reg .b32 %r; mov.b32 %r, {text}; ret;"))
