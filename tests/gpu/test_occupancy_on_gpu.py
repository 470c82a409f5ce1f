"""The driver says as many blocks per SM, and as many registers, as the formulas and the cubin do."""

from __future__ import annotations

from math import prod

import pytest

from tilewright.choose import DeviceFacts, chip_names, find_chip, occupancy
from tilewright.compile import compile_kernel
from tilewright.compile.cubin import resources_in
from tilewright.compile.kept_code import Code
from tilewright.kernels import TAUGHT

CASES = [
    pytest.param(kernel, dtype, tile, id=f"{kernel.name}-{tile}-{dtype}")
    for kernel in TAUGHT
    if "gpu" in kernel.runs_on
    for tile in (kernel.tile.usual if kernel.tile else (None,))
    for dtype in kernel.dtypes
]
LIMITS = (
    "max_threads_per_block",
    "max_threads_per_sm",
    "max_blocks_per_sm",
    "shared_bytes_per_block",
    "shared_bytes_per_sm",
    "registers_per_sm",
    "warp_size",
)


@pytest.mark.parametrize(("kernel", "dtype", "tile"), CASES)
def test_the_driver_agrees(gpu, kernel, dtype, tile):
    """Its cuOccupancyMaxActiveBlocksPerMultiprocessor, and the loaded kernel's own attributes."""
    program = compile_kernel(kernel, dtype, tile, architecture=gpu.architecture)
    assert program.cubin is not None
    taken = resources_in(program.cubin)[program.entry]
    function, driver, checked = (
        gpu.device.function(Code(program.cubin), program.entry),
        gpu.device.driver,
        gpu.device.checked,
    )
    attributes = driver.CUfunction_attribute
    with gpu.device.entered():
        blocks = checked(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, prod(kernel.block(tile)), 0))
        registers = checked(driver.cuFuncGetAttribute(attributes.CU_FUNC_ATTRIBUTE_NUM_REGS, function))
        local_bytes = checked(driver.cuFuncGetAttribute(attributes.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function))

    ours = occupancy(kernel, gpu.facts(), taken.registers_per_thread, tile=tile, dtype=dtype)

    assert (ours.blocks_per_sm, ours.complete) == (blocks, True)
    assert taken.registers_per_thread == registers
    assert taken.local_bytes_per_thread == local_bytes


def test_the_table_agrees_with_the_driver(gpu):
    """Limits of the architecture, and the SMs of the chip where the table has it."""
    facts = gpu.facts()
    same = [find_chip(name) for name in chip_names() if find_chip(name).compute_capability == facts.compute_capability]
    if not same:
        pytest.skip(f"The table has no chip of compute capability {facts.compute_capability}.")

    assert _limits(facts) == _limits(same[0])
    assert facts.sm_count in {chip.sm_count for chip in same}


def _limits(facts: DeviceFacts) -> dict[str, object]:
    return {name: getattr(facts, name) for name in LIMITS}
