"""What is mutated: PTX that ships, PTX that NVRTC makes of kernels, and a text with what neither has."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.emulate.instructions.module import entry_text
from tests.emulate.instructions.table import ROWS
from tests.emulate.running import PTX_HEADER, entry_of, ptx_of
from tilewright.compile import CompileError
from tilewright.compile.shipped import FOLDER

PLANTED = Path(__file__).parents[2] / "lab" / "planted"
COMPILED = 24
"""Kernels that are compiled: as many of the planted ones, evenly chosen."""

CALLS = """
.global .align 4 .b8 format[8] = {37, 100, 32, 37, 102, 10, 0};
.const .align 8 .u64 table[2] = {generic(format), format+2};
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.func (.param .b32 r) twice(.param .b32 x)
{ .reg .b32 %r<4>; .local .align 8 .b8 l[16]; ld.param.u32 %r1, [x]; add.s32 %r2, %r1, %r1;
st.param.b32 [r], %r2; ret; }
.func (.param .b64 r) down(.param .b64 n)
{ .reg .b64 %rd<4>; .reg .pred %p<2>; ld.param.u64 %rd1, [n]; setp.eq.s64 %p1, %rd1, 0; @%p1 bra END;
{ .param .b64 a; .param .b64 b; add.s64 %rd2, %rd1, -1; st.param.b64 [a], %rd2; call (b), down, (a);
ld.param.b64 %rd3, [b]; add.s64 %rd1, %rd1, %rd3; }
END: st.param.b64 [r], %rd1; ret; }
.visible .entry kernel(.param .u64 p0, .param .align 8 .b8 p1[16], .param .f32 p2)
{
.reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .f32 %f<8>; .reg .b16 %h<4>; .reg .pred %p<6>;
.local .align 8 .b8 room[64];
.shared .align 16 .b8 tile[1024];
ld.param.u64 %rd1, [p0]; ld.param.u32 %r1, [p1+4]; ld.param.f32 %f1, [p2]; cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r2, %tid.x; and.b32 %r3, %r2, 3;
T: .branchtargets A, B, C;
brx.idx %r3, T;
A: add.s32 %r4, %r2, 1; @%p1 brx.idx %r4, T; bra.uni C;
B: { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), twice, (a); ld.param.b32 %r4, [b]; }
C: bar.sync 0;
{ .param .b32 a; .param .b32 b; .reg .b64 %q; mov.u64 %q, twice; st.param.b32 [a], %r2;
P: .callprototype (.param .b32 _) _ (.param .b32 _);
call (b), %q, (a), P; ld.param.b32 %r5, [b]; }
{ .param .b64 a; .param .b64 b; mov.b64 %rd3, 3; st.param.b64 [a], %rd3; call (b), down, (a); ld.param.b64 %rd4, [b]; }
setp.eq.u32 %p1, %r2, 0; mov.u64 %rd5, room; cvta.local.u64 %rd6, %rd5; st.local.u32 [%rd5], %r4; st.f32 [%rd6+8], %f1;
@!%p1 bra D;
{ .param .b64 a; .param .b64 b; .param .b32 c; mov.u64 %rd7, format; st.param.b64 [a], %rd7; st.param.b64 [b], %rd6;
call (c), vprintf, (a, b); }
D: mov.u32 %r6, tile; shl.b32 %r7, %r2, 4; add.s32 %r7, %r6, %r7; st.shared.v4.b32 [%r7], {%r1, %r2, %r4, %r5};
cp.async.ca.shared.global [%r7], [%rd2], 16; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r7];
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r8, %r9, %r10, %r11}, {%r4, %r5},
{%f1, %f1, %f1, %f1};
shfl.sync.bfly.b32 %r12|%p2, %r4, 1, 31, -1; vote.sync.ballot.b32 %r13, %p1, -1; match.any.sync.b32 %r14, %r3, -1;
redux.sync.add.s32 %r15, %r2, -1; bar.red.popc.u32 %r16, 0, %p2; elect.sync %r17|%p3, -1; bar.warp.sync -1;
atom.global.add.u32 %r18, [%rd2], 1; atom.shared.cas.b32 %r19, [%r6+4], %r1, %r2; red.global.add.f32 [%rd2+8], %f1;
cvt.rn.f16.f32 %h1, %f2; mov.b32 %r4, {%h1, %h1}; mov.b64 {%r5, %r6}, %rd4; isspacep.shared %p4, %rd6;
ld.const.u64 %rd8, [table]; ld.u8 %r7, [%rd8]; ld.local.v2.u32 {%r8, %r9}, [%rd5+8];
ld.global.nc.v2.f32 {%f6, %f7}, [%rd2];
mul.wide.u32 %rd9, %r2, 4; add.s64 %rd10, %rd2, %rd9; st.global.u32 [%rd10+16], %r12; @%p4 trap; nanosleep.u32 %r3;
vabsdiff4.u32.u32.u32.add %r12, %r2.b0123, %r3, %r4; vmad.s32.u32.s32.sat.shr7 %r13, %r2.b1, -%r3.h1, %r4;
vadd.s32.u32.s32.sat %r14.h1, %r2, %r3, %r4; vset2.u32.s32.lt %r15.h0, %r2, %r3, %r4; max.s16x2.relu %r16, %r2, %r3;
lop3.or.b32 %r17|%p2, %r2, %r3, %r4, 150, !%p3; isspacep.const %p4, %rd8; dp2a.lo.u32.s32 %r18, %r2, %r3, %r4;
atom.global.add.v2.f32 {%f2, %f3}, [%rd2], {%f3, %f2}; red.global.min.noftz.v4.f16 [%rd2], {%h1, %h1, %h2, %h3};
atom.shared.add.noftz.bf16x2 %r7, [%r6], %r8; atom.cas.b16 %h1, [%rd2], %h2, %h3;
wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%r8, %r9}, [%r6], %r3;
wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, {%r8, %r9},
{%r4, %r5}, {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1};
wmma.store.d.sync.aligned.col.m16n16k16.global.s32 [%rd2], {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, %r3;
membar.gl; fma.rn.f32 %f2, %f3, %f4, %f5; st.global.f32 [%rd10], %f2; ret;
}
"""


@cache
def texts() -> list[str]:
    """Return every text, those of one kind behind each other."""
    shipped = [gzip.decompress(path.read_bytes()).decode() for path in sorted(FOLDER.glob("*.gz"))]
    return [*shipped, *_compiled(), *_variants(), *[PTX_HEADER + CALLS] * 12]


def _compiled() -> Iterator[str]:
    files = sorted([*(PLANTED / "bad").glob("*.cu"), *(PLANTED / "correct").glob("*.cu")])
    for path in files[:: max(1, len(files) // COMPILED)]:
        try:
            yield ptx_of(path.read_text(encoding="utf-8"))
        except CompileError:
            continue  # one that needs macros or headers of its own


def _variants() -> Iterator[str]:
    """Some instructions of each family, a few in each text."""
    rows = ROWS[::4]
    for first in range(0, len(rows), 4):
        entries = [entry_text(row, f"case_{first + place}") for place, row in enumerate(rows[first : first + 4])]
        yield PTX_HEADER + "".join(entries)


def kernel_of(body: str) -> str:
    """Return a module with one kernel, for a text that a test mutates by hand."""
    return entry_of("kernel", ["u64"], body)
