"""float32 products by 16-bit parts on the emulator: matrices in, what the launches leave out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tests.kernels.integer_product import PLAIN, IntegerProduct
from tests.kernels.plan_on_emulator import held_by, run_on_emulator
from tilewright.emulate import Emulator
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.wgmma_split import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Epilogue, Problem

ARCHITECTURE = "compute_90a"
FULL = Epilogue(0.5, -2, bias=True, activation="relu")
ONE, TWO = WgmmaTile(64, 64, 4, consumers=1), WgmmaTile(128, 64, 4)
WIDE = WgmmaTile(128, 192, 4)
DOWN, ACROSS = WgmmaTile(64, 64, 4, 1, cluster_m=2), WgmmaTile(64, 64, 4, 1, cluster_n=2)
PRECISIONS = ("bf16x6", "fp16x3")


@dataclass(frozen=True)
class SplitCase:
    """A product m x n x k with a tile and a precision. layouts: of A, B and C, N along rows, T along columns."""

    sizes: tuple[int, int, int]
    tile: WgmmaTile = ONE
    layouts: str = "NNN"
    precision: str = "bf16x6"
    batch: int = 0
    epilogue: Epilogue = PLAIN
    offset: int = 0
    gap: int = 0

    def __str__(self) -> str:
        """Return it in a few letters, for a test's name."""
        batch = f"{self.batch}x" if self.batch else ""
        words = [batch + "x".join(map(str, self.sizes)), f"{self.tile.block_m}x{self.tile.block_n}", self.precision]
        words += [f"cluster{self.tile.cluster_m}{self.tile.cluster_n}"] if self.tile.cluster > 1 else []
        words += [f"split{self.tile.splits}"] if self.tile.splits > 1 else []
        words += ["epilogue"] if self.epilogue.beta else []
        words += [f"offset{self.offset}"] if self.offset else []
        return "-".join([*words, self.layouts])

    def product(self) -> IntegerProduct:
        """Return the product on buffers of its own."""
        m, n, k = self.sizes
        shapes = [(m, k), (k, n), (m, n), *([(m, n)] if self.epilogue.beta else [])]
        strides: list[tuple[int, ...]] = []
        for (rows, columns), layout in zip(shapes, self.layouts + self.layouts[2:], strict=False):
            lines, width = (rows, columns) if layout == "N" else (columns, rows)
            step = width + self.gap
            strides.append((lines * step, step, 1) if layout == "N" else (lines * step, 1, step))
        if not self.batch:
            strides = [stride[1:] for stride in strides]
        full = [(self.batch, *shape) if self.batch else shape for shape in shapes]
        return IntegerProduct("float32", "float32", full, strides, offset=self.offset, epilogue=self.epilogue)

    def launches(self, product: IntegerProduct) -> Launches:
        """Return its launches with the tile."""
        (part,) = slices(product.multiplication())
        return part_launches(part, self.tile, self.precision, 2)


def split_cases() -> Iterator[SplitCase]:
    """Yield every case, around the tile and one more, primes, single rows and columns."""
    every = ((64, 64, 64), (56, 72, 120), (136, 72, 200), (1, 1, 1), (63, 65, 67), (65, 1, 129), (1, 67, 64))
    for precision in PRECISIONS:
        for sizes in every:
            yield SplitCase(sizes, ONE, precision=precision)
        for sizes in every[2:5]:  # more than a tile, one number, primes
            for tile in (TWO, DOWN, ACROSS):
                yield SplitCase(sizes, tile, precision=precision)
            for layouts in ("NTN", "TNN", "TTN"):
                yield SplitCase(sizes, ONE, layouts, precision)
            yield SplitCase(sizes, replace(ONE, transposed_problem=True), "NNT", precision, epilogue=FULL)
            yield SplitCase(sizes, replace(ONE, splits=2), "NTN", precision, epilogue=FULL)
            yield SplitCase(sizes, ONE, "TNN", precision, batch=3, epilogue=FULL)
            yield SplitCase(sizes, replace(ONE, splits=3), precision=precision, batch=2)
            yield SplitCase(sizes, ONE, precision=precision, offset=1, gap=3)
        yield SplitCase((64, 72, 1300), ONE, precision=precision)
        yield SplitCase((129, 200, 130), replace(TWO, block_n=128), precision=precision)
    yield SplitCase((129, 200, 130), WIDE)


QUICK = (
    SplitCase((136, 72, 200), TWO),
    SplitCase((63, 65, 67), ONE, "TTN", "fp16x3"),
    SplitCase((65, 72, 130), DOWN, "NTN", "fp16x3", offset=1, gap=3),
    SplitCase((56, 72, 200), replace(ONE, splits=3, transposed_problem=True), "NNT", epilogue=FULL),
    SplitCase((63, 65, 67), ONE, "TNN", batch=3, epilogue=FULL),
    SplitCase((65, 67, 1100), TWO, precision="fp16x3", batch=2),
)


def multiplied(emulator: Emulator, a, b, precision: str, tile: WgmmaTile = ONE):
    """The product of two matrices of float32."""
    return multiplied_and_asked(emulator, a, b, precision, tile)[0]


def multiplied_and_asked(emulator: Emulator, a, b, precision: str, tile: WgmmaTile = ONE):
    """The product of two matrices of float32, and whether any of it was computed again."""
    (m, k), n = a.shape, b.shape[1]
    (part,) = slices(Problem(packed((m, k)), packed((k, n)), packed((m, n)), "float32", "float32"))
    plan = part_launches(part, tile, precision, 2)
    c = np.full((m, n), np.nan, np.float32)
    arrays = {"A": np.ascontiguousarray(a), "B": np.ascontiguousarray(b), "C": c}
    with held_by(emulator, arrays, plan.workspace_bytes) as held:
        run_on_emulator(emulator, plan, {name: buffer.address for name, buffer in held.items()}, ARCHITECTURE)
        was_suspect = bool(held["workspace"].read(np.int32, (1,))[0])  # any_suspect of wgmma_split.cu
        return held["C"].read(np.float32, (m, n)), was_suspect
