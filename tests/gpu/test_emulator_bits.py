"""The emulator's tensor cores beside the chip's: the same launches on both, and every bit of C compared.

    python -m tests.gpu.test_emulator_bits    # how many elements of each product differ, and by how much

Elements of A and B are normal numbers, or those times powers of two drawn at random: then the terms of a sum lie far
apart, and its bits show where a tensor core cuts them off. C is float32, so that nothing is rounded afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.torch_tensors import first_hopper  # noqa: E402
from tests.kernels.hopper_products import ONE, SMALL, SQUARE  # noqa: E402
from tests.kernels.plan_on_emulator import run_on_emulator  # noqa: E402
from tilewright.choose.chips import find_chip  # noqa: E402
from tilewright.emulate import Emulator  # noqa: E402
from tilewright.kernels.batches import slices  # noqa: E402
from tilewright.kernels.launch import BUFFERS, Launches  # noqa: E402
from tilewright.kernels.matmul import mma_sync  # noqa: E402
from tilewright.kernels.matmul.wgmma import part_launches  # noqa: E402
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile  # noqa: E402
from tilewright.kernels.operand import packed  # noqa: E402
from tilewright.kernels.problem import Problem  # noqa: E402
from tilewright.launch.cuda.device import CudaDevice  # noqa: E402
from tilewright.launch.cuda.planned import PlannedRun  # noqa: E402

ARCHITECTURE = "compute_90a"
TYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}
MOST_EXPONENT = {"normal": {"float16": 0, "bfloat16": 0}, "wide": {"float16": 7, "bfloat16": 40}}
"""Elements are multiplied with 2^-this to 2^this: float16's stay finite, and the sums of bfloat16's products too."""
TILES: dict[str, tuple[WgmmaTile | tuple[int, int], ...]] = {
    "wgmma": (ONE, SQUARE, replace(ONE, splits=3)),
    "wgmma_small": (SMALL,),
    "mma_sync": ((64, 64),),
}
SIZES = ((64, 64, 16), (128, 128, 64), (72, 136, 520), (64, 192, 2048))
SEED = 7


@dataclass(frozen=True)
class Compared:
    """A product on both: how many of its elements differ, and by how many steps of float32 at most."""

    name: str
    elements: int
    different: int
    most_steps: int

    def __str__(self) -> str:
        """Return it as a line of a table."""
        return f"{self.name:60} {self.different:6,} of {self.elements:6,} differ, by {self.most_steps} steps at most"


def planned(kernel: str, tile: WgmmaTile | tuple[int, int], problem: Problem) -> Launches:
    """Return the launches of a kernel, forced upon a problem with a tile, for both machines."""
    if isinstance(tile, WgmmaTile):
        (part,) = slices(problem)
        return part_launches(part, tile)
    assert kernel == "mma_sync"
    return mma_sync.launches(problem, find_chip("h200"), tile)


def on_gpu(device: CudaDevice, plan: Launches, a: Any, b: Any) -> Any:
    """Return C as the GPU computes it."""
    c = torch.full((a.shape[0], b.shape[1]), float("nan"), device="cuda")
    workspace = torch.empty(max(plan.workspace_bytes, 1), dtype=torch.uint8, device="cuda")
    held = {"A": a.cuda(), "B": b.cuda(), "C": c, "workspace": workspace}
    addresses = [held[name].data_ptr() if name in held else 0 for name in BUFFERS]
    PlannedRun(plan, device).run(addresses, torch.cuda.current_stream().cuda_stream)
    return c.cpu().numpy()


def on_emulator(emulator: Emulator, plan: Launches, a: Any, b: Any) -> np.ndarray:
    """Return C as the emulator computes it."""
    shape = a.shape[0], b.shape[1]
    sizes = {"A": 2 * a.numel(), "B": 2 * b.numel(), "C": 4 * shape[0] * shape[1], "workspace": plan.workspace_bytes}
    held = {name: emulator.allocate(nbytes, name) for name, nbytes in sizes.items()}
    try:
        for name, matrix in (("A", a), ("B", b)):
            held[name].write(matrix.view(torch.int16).numpy())
        run_on_emulator(emulator, plan, {name: buffer.address for name, buffer in held.items()}, ARCHITECTURE)
        found: np.ndarray = held["C"].read(np.float32, shape)
        return found
    finally:
        for buffer in held.values():
            buffer.free()


def drawn(shape: tuple[int, int], dtype: str, inputs: str, generator: Any) -> Any:
    """Return a matrix of normal numbers, times powers of two."""
    most = MOST_EXPONENT[inputs][dtype]
    powers = torch.randint(-most, most + 1, shape, generator=generator)
    return torch.ldexp(torch.randn(shape, generator=generator), powers).to(TYPES[dtype])


def in_order(values: np.ndarray) -> np.ndarray:
    """Return float32 as integers in the same order, neighbours one apart."""
    bits = values.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def compared(device: CudaDevice) -> Iterator[Compared]:
    """Compare every product."""
    emulator, generator = Emulator(), torch.Generator().manual_seed(SEED)
    forced = [(kernel, tile) for kernel, tiles in TILES.items() for tile in tiles]
    for (kernel, tile), dtype, inputs, (m, n, k) in product(forced, TYPES, MOST_EXPONENT, SIZES):
        shapes = (m, k), (k, n)
        a, b = (drawn(shape, dtype, inputs, generator) for shape in shapes)
        problem = Problem(packed(shapes[0]), packed(shapes[1]), packed((m, n)), dtype, "float32")
        plan = planned(kernel, tile, problem)
        ours, chips = on_emulator(emulator, plan, a, b), on_gpu(device, plan, a, b)
        assert np.isfinite(ours).all()
        different = ours.view(np.uint32) != chips.view(np.uint32)
        names = "+".join(launch.kernel.removeprefix("matmul/") for launch in plan.launches)
        steps = int(np.abs(in_order(ours) - in_order(chips)).max())
        yield Compared(f"{names} {dtype} {inputs} {m} x {n} x {k}", different.size, int(different.sum()), steps)


def test_the_emulator_has_the_bits_of_a_hopper():
    """Every element of every product, of wgmma, of mma.sync and of split-K's sums."""
    assert [str(line) for line in compared(first_hopper()) if line.different] == []


if __name__ == "__main__":
    for line in compared(first_hopper()):
        sys.stdout.write(f"{line}\n")
