"""The Hopper kernels on the emulator: TMA, mbarriers, clusters and wgmma, over every path and awkward sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.kernels.hopper_products import EIGHTHS, IN_CHUNKS, ODD, ONE, QUICK, SMALL, TWO, HopperCase, hopper_cases
from tests.kernels.plan_on_emulator import check_on_emulator, held_by, run_on_emulator
from tests.lab.planted.watching import all_observers
from tests.repeats import sampled
from tilewright.emulate import Emulator
from tilewright.kernels.launch import Scalar
from tilewright.kernels.matmul import repack, row_classes
from tilewright.kernels.matmul.shared_tiles import handed_bytes
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile

ARCHITECTURE = "compute_90a"


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def checked(case: HopperCase, emulator: Emulator, watching=()) -> Any:
    """Compare every element, inside C and outside it, and return the counts; small integers are exact in any order."""
    product = case.product()
    return check_on_emulator(product, case.launches(product), emulator, ARCHITECTURE, watching).counts


@pytest.mark.parametrize("case", QUICK, ids=str)
def test_each_path(emulator, case):
    """Clusters, split-K, epilogues, a C operand by TMA, repacked operands, few rows: one case of each."""
    checked(case, emulator)


@pytest.mark.slow
@pytest.mark.parametrize("case", sampled(case for case in dict.fromkeys(hopper_cases()) if case not in QUICK), ids=str)
def test_awkward_products(emulator, case):
    """The same paths at sizes around their tiles."""
    checked(case, emulator)


@pytest.mark.parametrize("sizes", [(131, 64, 67), *(pytest.param(sizes, marks=pytest.mark.slow) for sizes in ODD)])
def test_row_classes(emulator, monkeypatch, sizes):
    """An A with rows of an odd size, by tiles of every eighth row, at sizes where it would be repacked."""
    monkeypatch.setattr(row_classes, "LEAST_COPY_BYTES", 0)
    monkeypatch.setattr(row_classes, "MOST_WORK_FOR_A_COPY", 1e9)
    checked(HopperCase(sizes, ONE), emulator)


def test_long_rows_are_repacked_by_several_blocks(emulator, monkeypatch):
    """The last block of a row has a shorter part, and the last vector of that is no whole one."""
    monkeypatch.setattr(repack, "LEAST_VECTORS", 1)
    case = HopperCase((5, 66, 2501), ONE, "NTN")
    product = case.product()
    launches = case.launches(product)

    first = launches.launches[0]
    assert first.kernel == "matmul/repack"
    assert [first.arguments[f"matrix_{number}.parts"] for number in (1, 2)] == [Scalar("int", 2)] * 2
    check_on_emulator(product, launches, emulator, ARCHITECTURE)


def test_row_classes_of_a_transposed_problem(emulator, monkeypatch):
    """C's columns, of which the copy engine would store boxes, have every eighth result of a tile."""
    monkeypatch.setattr(row_classes, "LEAST_COPY_BYTES", 0)
    monkeypatch.setattr(row_classes, "MOST_WORK_FOR_A_COPY", 1e9)
    case = HopperCase((64, 72, 67), replace(ONE, transposed_problem=True), "TTN")
    product = case.product()
    launches = case.launches(product)

    assert dict(launches.launches[-1].macros)["A_ROW_CLASSES"] == "1"
    check_on_emulator(product, launches, emulator, ARCHITECTURE)


def test_words_of_handed_sums_are_cleared(emulator):
    """So that none is taken for one of the next launch, in whose workspace it may lie."""
    case = HopperCase((136, 136, 520), replace(ONE, stream_k=True), sms=4)
    product = case.product()
    launches = case.launches(product)
    with held_by(emulator, product.buffers, launches.workspace_bytes) as held:
        held["workspace"].write(np.zeros(launches.workspace_bytes, np.uint8))
        firsts = {**product.firsts, "workspace": 0}
        addresses = {name: buffer.address + firsts[name] for name, buffer in held.items()}
        run_on_emulator(emulator, launches, addresses, ARCHITECTURE)
        places = held["workspace"].read(np.uint8, (case.sms, handed_bytes(case.tile, 1)))
    words = places[:, -128:-112]

    assert launches.launches[-1].has("STREAM_K")
    assert not words.any()
    assert places[:, :-128].any(), "sums were handed over"


@pytest.mark.parametrize("tile", [ONE, TWO, SMALL])
def test_counted_products(emulator, tile):
    """2 m n k operations where the tiles fit; an instruction of m64nNk16 is four warps'."""
    counts = checked(HopperCase((128, 64, 192), tile), emulator)

    assert counts.matrix_flops == 2 * 128 * 64 * 192
    assert counts.matrix_instructions == 4 * (128 // 64) * (192 // 16) * (64 // tile.block_n)


@pytest.mark.parametrize(
    "case",
    [
        HopperCase((72, 136, 200), WgmmaTile(64, 64, 2, 1)),
        HopperCase((72, 136, 200), WgmmaTile(64, 96, 2, 1, transposed_problem=True)),
        HopperCase((59, 61, 1033), EIGHTHS, "TNN"),
        HopperCase((59, 61, 521), EIGHTHS, "NNN", "bfloat16"),
        HopperCase((136, 136, 520), replace(ONE, stream_k=True), sms=4),
        HopperCase((72, 88, 200), WgmmaTile(64, 88, 2, 1)),
        *IN_CHUNKS,
    ],
    ids=str,
)
def test_no_observer_accuses(emulator, case):
    """Memory that the copy engine wrote counts as written, and no more is read; waiting for an mbarrier is no race."""
    watching = all_observers()

    checked(case, emulator, watching)

    assert [found for observer in watching for found in observer.findings if found.severity == "error"] == []
