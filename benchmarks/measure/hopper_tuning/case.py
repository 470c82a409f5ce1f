"""A product to be timed and a tile to time it with, as data that travels between processes as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tilewright.kernels.matmul.wgmma_tile import WgmmaTile

DTYPES = ("bfloat16", "float16")


@dataclass(frozen=True)
class Case:
    """``batch`` products of rows x inner x columns. ``layout``: N row-major, T column-major, of A and of B.

    ``views``: the operands are views into rows padded to 64 elements, so that strides are aligned where sizes are odd.
    """

    group: str
    rows: int
    inner: int
    columns: int
    batch: int = 0
    layout: str = "NN"
    views: bool = False
    dtype: str = "bfloat16"
    out_dtype: str = ""
    epilogue: bool = False

    @property
    def flops(self) -> int:
        """Two operations for each of the products."""
        return 2 * max(self.batch, 1) * self.rows * self.inner * self.columns

    def __str__(self) -> str:
        """Return the shape and what is special about it."""
        batch = f"{self.batch}x" if self.batch else ""
        special = [self.layout] if self.layout != "NN" else []
        special += ["views"] if self.views else []
        special += [self.dtype] if self.dtype != "bfloat16" else []
        special += [f"to {self.out_dtype}"] if self.out_dtype else []
        special += ["epilogue"] if self.epilogue else []
        return " ".join([f"{batch}{self.rows}x{self.inner}x{self.columns}", *special])


@dataclass(frozen=True)
class Job:
    """One tile for one case."""

    case: Case
    tile: WgmmaTile

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"case": asdict(self.case), "tile": asdict(self.tile)}

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Job:
        """Return what `as_json` made."""
        return cls(Case(**data["case"]), WgmmaTile(**data["tile"]))


def short(tile: WgmmaTile) -> str:
    """Return a tile in a few letters, as in ``128x256x64 s4 c2 cluster 2x1``."""
    text = f"{tile.block_m}x{tile.block_n}x{tile.block_k} s{tile.stages} c{tile.consumers}"
    text += f" cluster {tile.cluster_m}x{tile.cluster_n}" if tile.cluster > 1 else ""
    text += f" x{tile.blocks_per_sm}" if tile.blocks_per_sm > 1 else ""
    text += f" splits {tile.splits}" if tile.splits > 1 else ""
    text += f" group {tile.tile_group}" if tile.tile_group != 8 else ""
    text += " small" if tile.small else ""
    return text + (" transposed" if tile.transposed_problem else "")
