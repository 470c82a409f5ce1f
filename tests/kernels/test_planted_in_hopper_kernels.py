"""Mistakes planted in the Hopper kernels and their headers: each is a wrong result or a fault on the emulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from tests.kernels.hopper_products import FEW, FULL, ONE, SMALL, SQUARE, TWO, HopperCase
from tilewright.compile.nvrtc import compile_with_headers
from tilewright.compile.planned import KERNELS, own_headers
from tilewright.emulate import EmulationError, Emulator
from tilewright.emulate.observers import Observer, SwizzleObserver
from tilewright.kernels.launch import BUFFERS
from tilewright.launch.emulator import EmulatorRun

LONG, SHARED = HopperCase((72, 136, 392), ONE), HopperCase((136, 136, 392), SQUARE)
IN_PARTS = HopperCase((136, 136, 520), replace(ONE, stream_k=True), sms=4)
WAITING = HopperCase((72, 88, 520), replace(ONE, block_n=88, stream_k=True), sms=3)
NARROW_REST = HopperCase((72, 88, 72), replace(ONE, block_n=88))
TWO_TILES = HopperCase((200, 136, 200), ONE, sms=1)
IN_STAGES = HopperCase((72, 136, 200), TWO, epilogue=FULL)
SPLIT = HopperCase((56, 72, 392), replace(ONE, splits=3))
UNALIGNED = HopperCase((63, 65, 67), ONE)
ONE_WAVE = HopperCase((136, 72, 520), SMALL)
SHARED_K, COPIED = HopperCase((72, 72, 712), replace(SMALL, splits=3)), HopperCase((8, 136, 328), FEW, "TNN")
COMPLETIONS = "early", "late", "random"
"""When asynchronous copies and products happen; a mistake need not show in all of them."""


@dataclass(frozen=True)
class Planted:
    """A mistake: what of a file is replaced by what, and a product that shows it."""

    name: str
    file: str
    old: str
    new: str
    case: HopperCase


BARRIER, STAGES, TILE = (f"device/sm90/{name}.cuh" for name in ("barrier", "stages", "tile"))
TMA, STORES = "device/sm90/tma.cuh", "device/sm90/box_stores.cuh"
OPERANDS, WGMMA = "device/mma/wgmma_operands.cuh", "device/mma/wgmma.cuh"
EXPECTING = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
LOOKS = """mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\\n"
                 "@done bra"""
ARRIVES = "            leave_stage(stages, previous, lane);\n\n"
CLUSTER_SUMS, PARTS, HANDED = (f"device/sm90/{name}.cuh" for name in ("cluster_sums", "parts", "handed_tiles"))
PLANTED = (
    Planted("expect_tx is lost", BARRIER, EXPECTING, "mbarrier.arrive.shared::cta.b64 _, [%0];", LONG),
    Planted("an arrival too many is awaited", BARRIER, '"r"(arrivals)', '"r"(arrivals + 1)', LONG),
    Planted("the other parity is waited for", BARRIER, '"r"(parity)', '"r"(parity ^ 1)', LONG),
    Planted("a wait looks once", BARRIER, LOOKS, LOOKS.replace("try", "test").replace("@done ", ""), LONG),
    Planted("arrivals go to the first block alone", BARRIER, '"r"(block)', '"r"(0 * block)', SHARED),
    Planted("nobody waits for the cluster", BARRIER, "barrier.cluster.wait.acquire;", "", SHARED),
    Planted("the parity stays", STAGES, "parity ^= 1", "parity ^= 0", LONG),
    Planted("the last stage is never used", STAGES, "++stage == STAGES", "++stage == STAGES + 1", LONG),
    Planted("a part is loaded twice", STAGES, "mn + part * ROWS", "mn", SHARED),
    Planted("rows of k are not shared", STAGES, "k + part * ROWS", "k", SHARED),
    Planted("a box arrives at its row", TMA, '"r"(at.column), "r"(at.row), "r"(shared_address(barrier))\n',
            '"r"(at.row), "r"(at.column), "r"(shared_address(barrier))\n', LONG),
    Planted("the store's row is its column", STORES, '"r"(at.column), "r"(at.row), "r"(shared_address(from))',
            '"r"(at.row), "r"(at.column), "r"(shared_address(from))', LONG),
    Planted("another swizzle", OPERANDS, "1ull << 62", "2ull << 62", LONG),
    Planted("no swizzle", OPERANDS, "1ull << 62", "0ull << 62", LONG),
    Planted("atoms half as far apart", OPERANDS, "SWIZZLE_ATOM_BYTES, block_bytes",
            "SWIZZLE_ATOM_BYTES / 2, block_bytes", LONG),
    Planted("steps of k do not advance", TILE, "step % K_STEPS_OF_ROW * K_STEP_BYTES", "0", LONG),
    Planted("sums are kept from before", TILE, "keep || step > first_step", "true", TWO_TILES),
    Planted("wgmma is not waited for", WGMMA, "wgmma.wait_group.sync.aligned %0;", "", LONG),
    Planted("a stage is never given back", "matmul/wgmma.cu", ARRIVES, "", LONG),
    Planted("fewer bytes are expected", "matmul/wgmma.cu", "A_BYTES) + B_BYTES)", "A_BYTES))", LONG),
    Planted("stages are given back too early", "matmul/wgmma.cu", "leave_stage(stages, previous, lane)",
            "leave_stage(stages, turn.stage, lane)", LONG),
    Planted("fewer bytes are expected, small", "matmul/wgmma_small.cu", "(full, LOADED_BYTES)", "(full, B_BYTES)",
            ONE_WAVE),
    Planted("k stays at its begin, small", "matmul/wgmma_small.cu", "(first_k_block + block) * BLOCK_K", "0",
            ONE_WAVE),
    Planted("the sums of a block are left out", CLUSTER_SUMS, "part < CLUSTER_K;", "part < CLUSTER_K - 1;", SHARED_K),
    Planted("sums of another cluster are left out", "matmul/wgmma.cu", "other <= parts.others(part)", "other < 1",
            IN_PARTS),
    Planted("sums are not waited for", HANDED, "while (!find_word(from.word, word))", "find_word(from.word, word);\n",
            WAITING),
    Planted("sums are waited for at another's word", HANDED, "to.word, 1", "to.word + 1, 1", IN_PARTS),
    Planted("a share begins a step later", PARTS, "shared * k_blocks / clusters", "shared * k_blocks / clusters + 1",
            IN_PARTS),
    Planted("a narrow box lies where a wide one would", "device/epilogue/store.cuh", "IS_SWIZZLED ? swizzled",
            "true ? swizzled", NARROW_REST),
    Planted("sums arrive in one place", CLUSTER_SUMS, "(part - 1) * SUMS_OF_BLOCK_BYTES", "0", SHARED_K),
    Planted("nobody waits for the sums", CLUSTER_SUMS, "barrier_wait(arrived, 0);", "", SHARED_K),
    Planted("stages are given back to the first block", STAGES, "barrier_arrive(&stages.empty[stage])",
            "barrier_arrive_at(&stages.empty[stage], 0)", SHARED_K),
    Planted("rows behind the last of k are copied", "device/sm90/narrow_copies.cuh", "k + row + lane < rows", "true",
            COPIED),
    Planted("copies are not counted", "matmul/wgmma_small.cu", "B_COPIED ? 1 + 32 : 1;", "1;", COPIED),
    Planted("a split is left out", "matmul/splitk_reduce.cu", "split < product.splits;", "split < product.splits - 1;",
            SPLIT),
    Planted("the tail of a row is lost", "matmul/repack.cu", "(matrix.inner + 7) / 8", "matrix.inner / 8", UNALIGNED),
)  # fmt: skip


def outcome(
    case: HopperCase, file: str, old: str, new: str, completion: str, observers: Sequence[Observer] = ()
) -> str:
    """Run a case with a text replaced; return what is wrong, or nothing."""
    product = case.product()
    plan = case.launches(product)
    emulator, used = Emulator(), False
    modules = []
    for launch in plan.launches:
        text, headers = (KERNELS / launch.source).read_text(encoding="utf-8"), own_headers(launch.source)
        used |= old in (text if launch.source == file else headers.get(file, ""))
        changed = text.replace(old, new) if launch.source == file else text
        if file in headers:
            headers[file] = headers[file].replace(old, new)
        code = compile_with_headers(
            changed, launch.source, architecture="compute_90a", macros=dict(launch.macros), headers=headers
        ).code
        assert isinstance(code, str)
        modules.append(emulator.load(code))
    assert used, "the kernel does not have the text that is replaced"
    held = {name: emulator.allocate(array.nbytes, name) for name, array in product.buffers.items()}
    for name, array in product.buffers.items():
        held[name].write(array)
    held["workspace"] = emulator.allocate(plan.workspace_bytes, "workspace")
    firsts = {**product.firsts, "workspace": 0}
    addresses = [held[name].address + firsts[name] if name in held else 0 for name in BUFFERS]
    run = EmulatorRun(emulator, plan.launches, modules)
    try:
        run.run(addresses, observers=observers, completion=completion, budget=20_000_000)
        product.check(held["C"].read(product.buffers["C"].dtype, product.buffers["C"].shape))
    except (EmulationError, AssertionError) as wrong:
        return str(wrong) or "wrong"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [LONG, SHARED, TWO_TILES, IN_STAGES, SPLIT, UNALIGNED, ONE_WAVE, SHARED_K, COPIED, IN_PARTS, NARROW_REST],
    ids=str,
)
@pytest.mark.parametrize("completion", COMPLETIONS)
def test_nothing_is_wrong_without_them(case, completion):
    """Whenever asynchronous copies and products happen."""
    (first, *_) = case.launches(case.product()).launches
    assert outcome(case, first.source, "{", "{", completion) == ""


@pytest.mark.parametrize(
    "planted",
    [
        pytest.param(each, id=each.name, marks=() if index < 3 else pytest.mark.slow)
        for index, each in enumerate(PLANTED)
    ],
)
def test_each_is_found(planted):
    """By a wrong element of C, or by a fault that stops the launch."""
    said = (outcome(planted.case, planted.file, planted.old, planted.new, each) for each in COMPLETIONS)
    assert any(said)


@pytest.mark.slow
@pytest.mark.parametrize("planted", [each for each in PLANTED if "swizzle" in each.name], ids=lambda each: each.name)
def test_a_wrong_swizzle_is_named(planted):
    """With the lines where the kernel asks for the product and for the copy."""
    observer = SwizzleObserver()
    assert outcome(planted.case, planted.file, planted.old, planted.new, "early", [observer])
    found, *_ = observer.findings

    assert found.other is not None
    (first, *_) = planted.case.launches(planted.case.product()).launches
    assert (found.place[0], found.other[0]) == (first.source, first.source)
