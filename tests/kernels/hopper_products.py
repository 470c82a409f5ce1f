"""Products with awkward sizes for each path of the Hopper kernels, with the tile that takes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.kernels.integer_product import PLAIN, IntegerProduct
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Epilogue

Sizes = tuple[int, int, int]

FULL = Epilogue(0.5, -2, bias=True, activation="relu")
ONE, TWO = WgmmaTile(64, 64, 2, consumers=1), WgmmaTile(128, 64, 3)
WIDE, NARROW = WgmmaTile(128, 256, 3), WgmmaTile(64, 16, 3, consumers=1)
SMALL, SMALL_TWO = WgmmaTile(64, 64, 3, 1, small=True), WgmmaTile(128, 128, 2, small=True)
FEW = WgmmaTile(64, 8, 3, 1, transposed_problem=True, small=True)
DOWN, ACROSS = WgmmaTile(64, 64, 2, 1, cluster_m=2), WgmmaTile(64, 64, 2, 1, cluster_n=2)
SQUARE = WgmmaTile(64, 64, 2, 1, cluster_m=2, cluster_n=2)
ALIGNED: tuple[Sizes, ...] = (
    *((8, 8, 8), (64, 64, 64), (56, 72, 120), (136, 72, 200), (72, 136, 8), (200, 8, 136), (8, 264, 72)),
)
ODD: tuple[Sizes, ...] = ((1, 1, 1), (63, 65, 67), (65, 1, 129), (1, 67, 64), (131, 61, 37))
"""Rows, columns and inner size: around the tile and one more, primes, single rows and columns."""


@dataclass(frozen=True)
class HopperCase:
    """A product m x n x k with a tile. layouts: of A, B and C, N along rows, T along columns. sms: what it is for."""

    sizes: Sizes
    tile: WgmmaTile
    layouts: str = "NNN"
    dtype: str = "float16"
    out_dtype: str = ""
    batch: int = 0
    epilogue: Epilogue = PLAIN
    offset: int = 0
    gap: int = 0
    sms: int = 2

    def __str__(self) -> str:
        """Return it in a few letters, for a test's name."""
        tile, batch = self.tile, f"{self.batch}x" if self.batch else ""
        words = [batch + "x".join(map(str, self.sizes)), f"{tile.block_m}x{tile.block_n}s{tile.stages}"]
        words += [f"cluster{tile.cluster_m}{tile.cluster_n}"] if tile.cluster > 1 else []
        words += [f"split{tile.splits}"] if tile.splits > 1 else []
        words += ["small"] if tile.small else []
        words += ["persistent"] if tile.persistent else []
        words += ["eighths"] if tile.k_classes else []
        words += [f"shared{self.sms}"] if tile.stream_k else []
        words += [f"chunks{tile.k_per_split}"] if tile.chunked else []
        words += ["transposed"] if tile.transposed_problem else []
        words += ["epilogue"] if self.epilogue.beta else []
        words += [self.layouts, self.dtype, self.out_dtype or self.dtype]
        return "-".join(words + [f"offset{self.offset}" for _ in range(bool(self.offset))])

    def product(self) -> IntegerProduct:
        """Return the product on buffers of its own."""
        m, n, k = self.sizes
        shapes = [(m, k), (k, n), (m, n), *([(m, n)] if self.epilogue.beta else [])]
        layouts = self.layouts + self.layouts[2:]
        strides: list[tuple[int, ...]] = []
        for (rows, columns), layout in zip(shapes, layouts, strict=False):
            lines, width = (rows, columns) if layout == "N" else (columns, rows)
            step = width + self.gap
            strides.append((lines * step, step, 1) if layout == "N" else (lines * step, 1, step))
        if not self.batch:
            strides = [stride[1:] for stride in strides]
        full = [(self.batch, *shape) if self.batch else shape for shape in shapes]
        out_dtype = self.out_dtype or self.dtype
        return IntegerProduct(self.dtype, out_dtype, full, strides, offset=self.offset, epilogue=self.epilogue)

    def launches(self, product: IntegerProduct) -> Launches:
        """Return its launches with the tile."""
        (part,) = slices(product.multiplication())
        return part_launches(part, self.tile, self.sms)


def thin_cases() -> Iterator[HopperCase]:
    """Yield clusters that share k, and B's that threads copy."""
    for sizes in ALIGNED:
        for splits in (2, 3, 8):
            yield HopperCase(sizes, replace(SMALL, splits=splits))
        yield HopperCase(sizes, replace(SMALL_TWO, splits=2), "NTT", batch=2, epilogue=FULL)
    for k in (64, 128, 192, 256, 1024):
        for layouts in ("NNN", "TNN", "NTN", "TTN"):
            yield HopperCase((8, 200, k), replace(FEW, splits=4), layouts, "bfloat16")
    for width in (8, 16, 24, 40):
        for splits in (1, 3):
            tile = WgmmaTile(64, width, 3, 1, small=True, splits=splits)
            yield HopperCase((136, 72, 200), tile, "NNN", "bfloat16", batch=2, gap=8)
            yield HopperCase((136, 72, 520), tile, "TNT", "bfloat16", "float32", epilogue=FULL)


def persistent_cases() -> Iterator[HopperCase]:
    """Yield small tiles whose blocks go on: more tiles than blocks, more stages than a tile fills, and fewer."""
    few, wide = replace(FEW, persistent=True), replace(SMALL, persistent=True)
    for sizes in ((8, 520, 72), (8, 328, 200), (72, 136, 8), (136, 72, 520)):
        for layouts in ("NNN", "TNN", "NTT"):
            yield HopperCase(sizes, few if sizes[0] == 8 else wide, layouts, "bfloat16")
    yield HopperCase((136, 72, 200), wide, "TNT", batch=3, epilogue=FULL, gap=8)
    yield HopperCase((136, 72, 200), wide, "NNN", "bfloat16", "float32", batch=3, epilogue=FULL)
    yield HopperCase((8, 520, 200), replace(few, chunked=True, k_per_split=64), "NNN", "bfloat16")
    yield HopperCase((264, 16, 136), replace(wide, block_m=128, block_n=16), "NNN", epilogue=FULL, sms=1)


def turned_cases() -> Iterator[HopperCase]:
    """Yield transposed problems, which store C by its columns: 16-bit columns as boxes, where the copy engine can."""
    for sizes in ALIGNED:
        for tile in (ONE, TWO, DOWN, WIDE):
            yield HopperCase(sizes, replace(tile, transposed_problem=True), dtype="bfloat16")
        yield HopperCase(sizes, replace(ONE, transposed_problem=True, splits=2), "TTN", epilogue=FULL)
        yield HopperCase(sizes, replace(TWO, transposed_problem=True), "NTN", batch=2, gap=8, epilogue=FULL)
        yield HopperCase(sizes, TWO, "NTT", "bfloat16")
    for width in (16, 32, 40, 48, 88, 96, 136, 160, 176, 224):
        yield HopperCase((2 * width, 136, 72), WgmmaTile(128, width, 2, transposed_problem=True), "NTN")
    for width in (40, 48, 72, 88, 136, 144, 168, 176, 184, 208, 240):
        yield HopperCase((72, 2 * width - 8, 72), WgmmaTile(64, width, 2, consumers=1), "NTN", "bfloat16", batch=2)
        yield HopperCase((136, width, 72), WgmmaTile(128, width, 2), epilogue=FULL)


EIGHTHS = WgmmaTile(64, 64, 2, 1, splits=2, k_classes=True)


def class_cases() -> Iterator[HopperCase]:
    """Yield products whose splits take every eighth k: rows of k of any size, and C at any row and column of a tile."""
    for m, n in ((57, 64), (58, 65), (67, 121), (2, 3), (70, 66), (64, 8)):
        for k in (512, 513, 1031):
            yield HopperCase((m, n, k), EIGHTHS, "TNN", "bfloat16")
        yield HopperCase((m, n, 1030), replace(EIGHTHS, splits=1, transposed_problem=True), "TNN", gap=3)
        yield HopperCase((m, n, 519), replace(EIGHTHS, block_m=128, consumers=2), "TNT", "bfloat16", epilogue=FULL)
        yield HopperCase((m, n, 519), replace(EIGHTHS, cluster_m=2), "TNN", "float16", "float32")
    for m, n, k in ((67, 61, 513), (2, 3, 519), (70, 130, 1030), (129, 66, 639)):
        yield HopperCase((m, n, k), EIGHTHS, "NNN", "bfloat16", gap=k % 2)
        yield HopperCase((m, n, k), replace(EIGHTHS, transposed_problem=True), "TTN", epilogue=FULL)


ODD_WIDTHS_SHARED = (
    HopperCase((136, 168, 520), replace(ONE, block_n=88, stream_k=True), epilogue=FULL, sms=4),
    HopperCase((72, 136, 328), replace(ONE, block_n=40, cluster_n=2, stream_k=True), batch=2, epilogue=FULL, sms=4),
    HopperCase(
        (136, 72, 456),
        replace(ONE, block_n=56, stream_k=True, transposed_problem=True),
        out_dtype="float32",
        epilogue=FULL,
        sms=4,
    ),
)
"""Shared tiles that leave a narrower box to store, and in the registers an odd number of fours to hand over."""


def shared_cases() -> Iterator[HopperCase]:
    """Yield products whose last tiles clusters share: some whole tiles before, none, and fewer tiles than clusters."""
    one, two, down = (replace(tile, stream_k=True) for tile in (ONE, TWO, DOWN))
    for k in (512, 520, 1032):
        for sms in (2, 3, 4, 5, 7):
            yield HopperCase((136, 136, k), one, "NTN", "bfloat16", sms=sms)
            yield HopperCase((200, 72, k), two, sms=sms)
        for sms in (4, 6, 10):
            yield HopperCase((264, 136, k), down, "TNN", epilogue=FULL, sms=sms)
            yield HopperCase((136, 264, k), replace(ACROSS, stream_k=True), out_dtype="float32", sms=sms)
        yield HopperCase((63, 129, k), one, "NTT", batch=3, epilogue=FULL, sms=4)
        yield HopperCase((72, 136, k), replace(two, transposed_problem=True), "TTN", "bfloat16", sms=4)
        yield HopperCase((64, 64, k), one, sms=3)
        yield HopperCase((128, 512, k), replace(WIDE, stream_k=True), sms=3)
        yield HopperCase((192, 160, k), WgmmaTile(192, 160, 3, consumers=3, stream_k=True), sms=2)
    yield from ODD_WIDTHS_SHARED


WAITING = WgmmaTile(64, 256, 3, 1, chunked=True, k_per_split=128)
HOLDING, SMALL_HOLDING = (replace(tile, chunked=True, k_per_split=128) for tile in (ONE, SMALL))
"""Tiles whose chunks of k wait for the next one in memory, and in registers."""
IN_CHUNKS = (
    HopperCase((200, 264, 328), WAITING),
    HopperCase((200, 263, 328), WAITING, "NTN", "bfloat16", epilogue=FULL),
    HopperCase((200, 264, 328), WAITING, "NNT", "bfloat16", epilogue=FULL),
    HopperCase((199, 264, 328), WAITING, "NNT", "bfloat16", "float32"),
    HopperCase((199, 263, 328), WAITING, "NNT", batch=2),
    HopperCase((136, 264, 264), replace(WAITING, cluster_m=2, transposed_problem=True), out_dtype="float32", sms=4),
    HopperCase((136, 136, 328), HOLDING, epilogue=FULL),
    HopperCase((72, 136, 264), SMALL_HOLDING, batch=2, epilogue=FULL),
)
"""Several tiles for a block, stored in every way through where sums waited."""


def chunk_cases() -> Iterator[HopperCase]:
    """Yield products whose k a block has in chunks: of one step and more, the last one shorter and not."""
    yield from IN_CHUNKS
    for k in (136, 256, 520):
        for tile in (WAITING, HOLDING, SMALL_HOLDING):
            for k_per_split in (64, 128):
                cut = replace(tile, k_per_split=k_per_split)
                yield HopperCase((136, 136, k), cut, "TNN", "bfloat16")
                yield HopperCase((136, 136, k), replace(cut, transposed_problem=True), "NTN", epilogue=FULL)


def hopper_cases() -> Iterator[HopperCase]:
    """Yield every case, each path of the kernels with the sizes that it gets wrong first."""
    yield from class_cases()
    yield from thin_cases()
    yield from persistent_cases()
    yield from turned_cases()
    yield from shared_cases()
    yield from chunk_cases()
    for sizes in ALIGNED:
        for tile in (ONE, TWO, DOWN, ACROSS, SQUARE, WIDE):
            yield HopperCase(sizes, tile)
        for tile in (SMALL, SMALL_TWO):
            yield HopperCase(sizes, tile)
            yield HopperCase(sizes, replace(tile, transposed_problem=True), dtype="bfloat16", layouts="NNT")
        for layouts in ("NTN", "TNN", "TTN", "NNT"):
            yield HopperCase(sizes, ONE, layouts)
        for out_dtype in ("bfloat16", "float32"):
            yield HopperCase(sizes, TWO, "NTN", "bfloat16", out_dtype, epilogue=FULL)
            yield HopperCase(sizes, SMALL, "NTN", "bfloat16", out_dtype, epilogue=FULL)
        yield HopperCase(sizes, ONE, out_dtype="float32")
        yield HopperCase(sizes, replace(ONE, splits=3), dtype="bfloat16")
        yield HopperCase(sizes, ONE, batch=3)
        yield HopperCase(sizes, SMALL, batch=3)
    for sizes in ODD:
        for tile in (ONE, TWO, DOWN, NARROW):
            yield HopperCase(sizes, tile)
            yield HopperCase(sizes, tile, "TTN", "bfloat16", "float32")
        yield HopperCase(sizes, replace(ONE, splits=2), epilogue=FULL)
        yield HopperCase(sizes, ONE, "NTT", epilogue=FULL)
        yield HopperCase(sizes, ONE, batch=2)
        yield HopperCase(sizes, ONE, offset=1)
        yield HopperCase(sizes, replace(ONE, transposed_problem=True))
    for k in (64, 128, 192, 256, 1024):
        yield HopperCase((64, 64, k), ONE)
        yield HopperCase((128, 128, k), SQUARE)
        yield HopperCase((64, 64, k), SMALL)
        yield HopperCase((64, 64, k), replace(ONE, splits=4))
    for width in (8, 16, 24, 32, 48, 96, 128, 160, 192, 224):
        yield HopperCase((64, width, 72), WgmmaTile(64, width, 2, consumers=1))
        yield HopperCase((128, 2 * width, 72), WgmmaTile(128, width, 2), "NTN", "bfloat16", "float32")
    yield HopperCase((192, 128, 64), WgmmaTile(192, 128, 3, consumers=3))
    yield HopperCase((256, 128, 136), WgmmaTile(256, 128, 2))
    yield HopperCase((64, 128, 256), WgmmaTile(64, 64, 2, consumers=1, block_k=128))
    yield HopperCase((640, 640, 72), ONE)


QUICK = (
    *ODD_WIDTHS_SHARED,
    *IN_CHUNKS,
    HopperCase((64, 64, 64), ONE),
    HopperCase((136, 72, 200), ONE),
    HopperCase((136, 72, 200), TWO, "NTN", "bfloat16"),
    HopperCase((136, 72, 200), SQUARE),
    HopperCase((72, 136, 72), DOWN, "TTN"),
    HopperCase((72, 136, 72), ACROSS, out_dtype="float32"),
    HopperCase((72, 136, 72), TWO, epilogue=FULL),
    HopperCase((56, 72, 200), replace(ONE, splits=3)),
    HopperCase((56, 72, 136), ONE, batch=3),
    HopperCase((63, 65, 67), ONE),
    HopperCase((63, 65, 67), ONE, "NTT", epilogue=FULL),
    HopperCase((1, 67, 64), replace(ONE, transposed_problem=True)),
    HopperCase((8, 264, 72), WgmmaTile(64, 16, 3, 1, transposed_problem=True)),
    HopperCase((136, 200, 72), replace(TWO, transposed_problem=True), "NTN", "bfloat16", epilogue=FULL),
    HopperCase((72, 136, 200), WgmmaTile(64, 96, 2, 1, transposed_problem=True), batch=2),
    HopperCase((64, 64, 200), SMALL),
    HopperCase((136, 72, 72), SMALL_TWO, "NTN", "bfloat16"),
    HopperCase((72, 136, 72), SMALL, epilogue=FULL, out_dtype="float32"),
    HopperCase((72, 136, 72), replace(SMALL, cluster_m=2), "TNN"),
    HopperCase((64, 64, 1024), SMALL),
    HopperCase((56, 72, 200), replace(SMALL, splits=3)),
    HopperCase((72, 136, 200), replace(SMALL_TWO, splits=2), "NTT", batch=2, epilogue=FULL),
    HopperCase((8, 136, 520), replace(FEW, splits=2), "TNN"),
    HopperCase((72, 24, 136), WgmmaTile(64, 16, 2, 1, small=True), batch=2, epilogue=FULL),
    HopperCase((8, 136, 520), replace(FEW, splits=8)),
    HopperCase((1, 1, 1), ONE),
    HopperCase((128, 256, 64), WIDE),
    HopperCase((67, 61, 1033), EIGHTHS, "TNN", "bfloat16", epilogue=FULL),
    HopperCase((58, 66, 1030), replace(EIGHTHS, splits=1, transposed_problem=True), "TNN", gap=3),
    HopperCase((67, 61, 521), EIGHTHS, "NNN", "bfloat16"),
    HopperCase((61, 66, 530), EIGHTHS, "TTN"),
    HopperCase((136, 168, 72), WgmmaTile(128, 88, 2), "NTN", "bfloat16", epilogue=FULL),
    HopperCase((136, 200, 72), WgmmaTile(128, 104, 2, transposed_problem=True), "NTN", "bfloat16"),
    HopperCase((136, 136, 520), replace(ONE, stream_k=True), "NTN", "bfloat16", sms=4),
    HopperCase((264, 136, 520), replace(DOWN, stream_k=True), epilogue=FULL, sms=6),
    HopperCase((64, 64, 1032), replace(TWO, stream_k=True, transposed_problem=True), sms=3),
)
