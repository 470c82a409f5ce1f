"""Which variable an access goes to."""

import pytest

from tilewright.emulate.ptx.parser import parse
from tilewright.lab.pointer_trace import accesses, called, local_places, virtual_registers

HEAD = (
    ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 4 .b8 table[64];\n.shared .align 4 .b8 tile[64];\n"
)
ENTRY = """.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u32 k_param_2)
{{
.local .align 4 .b8 depot[48];
.reg .pred %p<3>;
.reg .b32 %r<9>;
.reg .b64 %rd<20>;
{body}
ret;
}}
"""
START = """
ld.param.u64 %rd1, [k_param_0];
ld.param.u64 %rd2, [k_param_1];
ld.param.u32 %r1, [k_param_2];
cvta.to.global.u64 %rd3, %rd1;
mul.wide.s32 %rd4, %r1, 4;
"""


def traced(body):
    """(kind, where from) of each access."""
    function = parse(HEAD + ENTRY.format(body=START + body)).functions["k"]
    return [(access.kind, sorted(access.origins, key=str)) for access in accesses(function)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("add.s64 %rd5, %rd3, %rd4; ld.global.f32 %r2, [%rd5+8];", [("read", [("parameter", 0)])]),
        ("st.global.u32 [%rd2], %r1;", [("write", [("parameter", 1)])]),
        ("mad.wide.s32 %rd5, %r1, 4, %rd3; red.global.add.u32 [%rd5], 1;", [("read and write", [("parameter", 0)])]),
        ("ld.global.u32 %r2, [table+4];", [("read", [("variable", "table")])]),
        ("mov.u32 %r3, tile; add.s32 %r4, %r3, %r1; st.shared.u32 [%r4], %r1;", [("write", [("variable", "tile")])]),
        ("selp.b64 %rd5, %rd1, %rd2, %p1; ld.u32 %r2, [%rd5];", [("read", [("parameter", 0), ("parameter", 1)])]),
        ("ld.global.u64 %rd5, [%rd3]; ld.u32 %r2, [%rd5];", [("read", [("parameter", 0)]), ("read", [])]),
        (
            "mov.u64 %rd5, depot; add.u64 %rd6, %rd5, 16; st.local.u32 [%rd6+4], %r1;",
            [("write", [("local place", 16)])],
        ),
        ("mov.u64 %rd5, depot; ld.local.u32 %r2, [%rd5+8];", [("read", [("local place", 8)])]),
    ],
)
def test_addresses_are_followed(body, expected):
    """Through additions, selections and symbols, and no further than a load."""
    assert traced(body) == expected


def test_registers_are_those_that_the_code_names():
    """Not those that are declared, and no special ones."""
    function = parse(HEAD + ENTRY.format(body=START + "mov.u32 %r2, %tid.x; @%p1 bra L1; L1:")).functions["k"]

    assert virtual_registers(function) == 7  # rd1 to rd4, r1, r2, p1


def test_loops_are_followed_round():
    """A register that a later instruction writes is known at the loop's head the second time."""
    body = "L1: ld.global.u32 %r2, [%rd6]; add.s64 %rd6, %rd3, 4; @%p1 bra L1;"

    assert traced(body) == [("read", [("parameter", 0)])]


def test_places_in_local_memory():
    """Where objects begin, and accesses relative to the whole."""
    body = "mov.u64 %rd5, depot; add.u64 %rd6, %rd5, 0; add.u64 %rd7, %rd5, 32; st.local.u32 [%rd7], %r1;"
    function = parse(HEAD + ENTRY.format(body=START + body)).functions["k"]

    assert local_places(function) == [0, 32]


def test_addresses_handed_to_a_function():
    """It may do anything there, and its name is known."""
    body = """
    { .param .b64 param0; st.param.b64 [param0+0], %rd1; call.uni use, (param0); }
    """
    used = ".func use(.param .b64 use_param_0) { ret; }\n"
    function = parse(HEAD + used + ENTRY.format(body=START + body)).functions["k"]
    (access,) = accesses(function)

    assert (access.kind, set(access.origins), access.callee) == ("read and write", {("parameter", 0)}, "use")
    assert "use" in called(function)
