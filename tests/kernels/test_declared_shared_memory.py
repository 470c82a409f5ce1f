"""What the float32 and float64 kernels declare in shared memory fits a block, and an SM, beside their stages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tilewright.choose import find_chip
from tilewright.compile.planned import ptx_of
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Launch
from tilewright.kernels.matmul import cuda_cores_float32, mma_sync_float64
from tilewright.kernels.matmul.float_output import declared_bytes
from tilewright.kernels.matmul.float_tile import FloatTile, Shares
from tilewright.kernels.matmul.multistage import LEAST_STAGES
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem

KERNELS = {"float32": cuda_cores_float32.KERNEL, "float64": mma_sync_float64.KERNEL}
CHIPS = {"float32": ("t4", "a100", "rtx-4090", "h200"), "float64": ("a100", "rtx-3090", "rtx-5090", "h200", "b200")}
DECLARED = re.compile(r"^\s*\.shared \.align \d+ \.[bu](\d+) \w+(?:\[(\d+)\])?;", re.MULTILINE)


def layouts(m, n, k, dtype):
    """A and B along k or across it: stages of the kernel differ in size."""
    plain = Problem.of("matmul", m, n, k, dtype)
    for a in (plain.a, packed((k, m)).transposed):
        for b in (plain.b, packed((n, k)).transposed):
            yield replace(plain, a=a, b=b)


def launched(problem, chip, tile, shares) -> Launch:
    """The last launch of a product on a chip."""
    (part,) = slices(problem)
    return KERNELS[problem.dtype].divided(part, find_chip(chip), tile, shares).launches[-1]


def declared(launch: Launch, tile: FloatTile, shares: Shares) -> int:
    """What the planning counts for what the kernel declares."""
    return declared_bytes(tile, shares, dict(launch.macros)["STORE"])


@pytest.mark.parametrize(
    ("dtype", "chip", "tile"),
    [
        pytest.param(dtype, chip, tile, id=f"{dtype} {chip} {tile.block_m}x{tile.block_n}{'s' * tile.stays}")
        for dtype, kernel in KERNELS.items()
        for chip in CHIPS[dtype]
        for tile in kernel.tiles
    ],
)
def test_a_block_has_room_for_what_its_kernel_declares(dtype, chip, tile):
    """Stages, results and what is declared are no more than a launch may ask for, nor than an SM has for its blocks."""
    facts, kernel = find_chip(chip), KERNELS[dtype]
    of_sm, reserved = facts.shared_bytes_per_sm, facts.reserved_shared_bytes_per_block
    assert facts.shared_bytes_per_block_optin
    assert of_sm
    assert reserved is not None
    for problem in layouts(300, 400, 500, dtype):
        (part,) = slices(problem)
        if tile not in kernel._fitting([tile], facts, part.part):
            continue
        for shares in (Shares(), *([Shares(whole=1, blocks=5)] if tile.streams else [])):
            launch = launched(problem, chip, tile, shares)
            of_block = launch.shared_bytes + declared(launch, tile, shares)
            assert int(dict(launch.macros)["STAGES"]) >= LEAST_STAGES
            assert of_block <= facts.shared_bytes_per_block_optin
            assert not tile.stays or tile.blocks_per_sm * (of_block + reserved) <= of_sm


@pytest.mark.parametrize(
    ("dtype", "chip", "architecture", "stays", "shares"),
    [
        ("float32", "t4", "compute_75", False, Shares(whole=1, blocks=5)),
        ("float64", "rtx-4090", "compute_89", False, Shares(whole=1, blocks=5)),
        ("float64", "h200", "compute_90", True, Shares()),
        ("float64", "a100", "compute_80", True, Shares()),
        ("float64", "a100", "compute_80", False, Shares()),
    ],
)
def test_kernels_declare_what_is_counted(dtype, chip, architecture, stays, shares):
    """As the compiled kernel says: nothing but tiles that are taken in turn, or the steps that blocks share."""
    tile = next(each for each in KERNELS[dtype].tiles if each.stays == stays)
    (problem, *_) = layouts(300, 400, 500, dtype)
    launch = launched(problem, chip, tile, shares)
    variables = DECLARED.findall(ptx_of(launch, architecture))
    found = sum(int(bits) // 8 * int(count or 1) for bits, count in variables)

    assert (found > 0) == (stays or shares.blocks > 0)
    assert (
        found <= declared(launch, tile, shares) < found + (1024 if dict(launch.macros)["STORE"] == "BY_BOXES" else 64)
    )
