"""Instructions that are not emulated, texts that are no PTX, and launches that do not fit their kernel."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import entry_of, launch, line_of, ptx_of
from tilewright.compile import compile_source
from tilewright.emulate import (
    EmulationError,
    Emulator,
    PtxSyntaxError,
    UnsupportedInstruction,
)
from tilewright.emulate.features import feature_of


def test_unsupported_instruction_names_its_text_and_line():
    """An instruction that is not emulated stops with its text, its source line and what to do."""
    source = """extern "C" __global__ void kernel(int* y) {
        if (y[0] == 1)
            asm volatile("tcgen05.wait::ld.sync.aligned;"); // here
        y[0] = 5;
    }"""
    text = compile_source(source, "test.cu", architecture="compute_90a")
    assert isinstance(text, str)
    with pytest.raises(UnsupportedInstruction, match=r"tcgen05\.wait::ld\.sync\.aligned") as caught:
        launch(text, np.ones(1, dtype=np.int32))

    assert caught.value.line == line_of(source, "// here")
    assert caught.value.feature == "tcgen05 (tensor cores of the fifth generation)"
    assert len(str(caught.value).split()) > 8


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("wmma.load.a.sync.aligned.row.m8n8k128.b1 {%r1}, [%rd1]", "wmma (nvcuda::wmma) of bits or 4-bit integers"),
        ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}]", "textures"),
        ("call.uni (retval0), malloc, (param0)", "memory allocated in device code (malloc, new)"),
        ("call (r), cudaLaunchDeviceV2, (a, b)", "dynamic parallelism (launches in device code)"),
        (
            "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3]",
            "copies in bulk of this form (such as im2col)",
        ),
        (
            "tensormap.replace.tile.rank.global.b1024.b32 [%rd1], 2",
            "tensor maps that a kernel changes (tensormap.replace)",
        ),
        ("cvt.rn.relu.f16.f32 %h1, %f1", "the instruction cvt.rn.relu.f16.f32"),
        ("call (r), other, (a)", "the function other, which is only declared,"),
    ],
)
def test_what_is_not_emulated_has_a_name(text, feature):
    """A user who never wrote PTX is told what of CUDA it belongs to."""
    assert feature_of(text) == feature


@pytest.mark.parametrize(
    "text",
    [
        "cp.async.bulk.tensor.3d.shared::cta.global.im2col.COMPLETION [%r1], [%rd1, {%r1, %r1, %r1}], [%r1], {%h1}",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.COMPLETION [%r1], [%rd1, {%r1, %r1, %r1}], [%r1]",
        "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], 64, %h1",
        "st.async.mmio.release.sys.global.b32 [%rd1], %r1",
        "red.async.mmio.release.sys.global.add.u32 [%rd1], %r1",
    ],
)
def test_other_forms_of_copies_are_no_typing_errors(text):
    """They are of PTX, have operands of their own, and stop the kernel where they are reached."""
    text = text.replace("COMPLETION", "mbarrier::complete_tx::bytes")
    body = f".reg .b16 %h<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>; mov.u64 %rd1, 0; {text}; ret;"
    with pytest.raises(UnsupportedInstruction, match="not emulated: copies in bulk of this form"):
        launch(entry_of("kernel", [], body))


def test_unsupported_instruction_that_is_not_reached():
    """An instruction that is not emulated harms nobody who doesn't reach it."""
    body = """
        .reg .b32 %r<4>; .reg .pred %p; .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 100; @%p bra OVER;
        tcgen05.wait::ld.sync.aligned;
        OVER: st.global.u32 [%rd1], 4; ret;"""
    y = np.zeros(1, dtype=np.int32)
    try:
        launch(entry_of("kernel", ["u64"], body).replace("sm_90", "sm_100a"), y)
    except UnsupportedInstruction as error:
        pytest.fail(f"refused before it was reached: {error}")

    assert y[0] == 4


@pytest.mark.parametrize(
    "text",
    [
        "this is no PTX",
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry kernel() { ret;",
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry kernel() { bra NOWHERE; ret; }",
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry kernel( { ret; }",
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry kernel() { st.global.u32 [nothing], 1; ret; }",
    ],
    ids=["words", "unclosed body", "missing label", "missing parenthesis", "unknown name"],
)
def test_text_that_is_no_ptx(text):
    """Text that cannot be read is refused with a sentence when it is loaded."""
    with pytest.raises(PtxSyntaxError):
        Emulator(workers=1).load(text)


SIMPLE = 'extern "C" __global__ void kernel(int* y, float f) { extern __shared__ int s[]; y[threadIdx.x] = s[0] = f; }'


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"entry": "missing"}, "kernel"),
        ({"arguments": 1}, "2"),
        ({"arguments": 3}, "2"),
        ({"block": (1025, 1, 1)}, "1024"),
        ({"block": (32, 32, 2)}, "1024"),
        ({"block": (1, 1, 65)}, "64"),
        ({"block": (0, 1, 1)}, "0"),
        ({"grid": (0, 1, 1)}, "0"),
        ({"grid": (1, 65536, 1)}, "65535"),
        ({"schedule": "sideways"}, "round_robin"),
        ({"grid": (1.5, 1, 1)}, "1.5"),
        ({"grid": 2.5}, "1 to 3 sizes"),
        ({"dynamic_shared_bytes": -4}, "-4"),
        ({"instruction_budget": 0}, "instruction_budget"),
        ({"seed": 0.5}, "0.5"),
    ],
    ids=str,
)
def test_launches_that_are_refused(change, message):
    """A launch with a wrong name, number of arguments, extent or schedule is refused before it runs."""
    emulator = Emulator(workers=1)
    module = emulator.load(ptx_of(SIMPLE))
    y = emulator.allocate(128, name="y")
    arguments: list[object] = [y, 1.0, 2][: change.pop("arguments", 2)]
    entry = change.pop("entry", "kernel")
    options = {"grid": (1, 1, 1), "block": (32, 1, 1), "dynamic_shared_bytes": 4} | change
    with pytest.raises((ValueError, TypeError, LookupError, EmulationError), match=message):
        emulator.launch(module, entry, arguments=arguments, **options)
