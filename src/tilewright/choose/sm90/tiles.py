"""The tiles for products on Hopper, and those measured to be the fastest for a shape: the contents of tiles.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tilewright.choose.sm90.cost import CostModel, Occupied
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Problem

TABLE = Path(__file__).with_name("tiles.toml")


@dataclass(frozen=True)
class MeasuredTile:
    """The fastest tile of those tried for a shape on an H200."""

    shape: tuple[int, int, int]
    us: float
    tile: WgmmaTile
    batch: int = 1
    repacked: bool = False


@dataclass(frozen=True)
class TileTable:
    """The contents of tiles.toml; ``longer``: by how much products took longer with a candidate than modelled."""

    model: CostModel
    model_of_small: CostModel
    candidates: tuple[WgmmaTile, ...]
    small: tuple[WgmmaTile, ...]
    measured: tuple[MeasuredTile, ...]
    longer: Mapping[WgmmaTile, float]

    def us(self, product: Problem, tile: WgmmaTile, found: Occupied, bandwidth: float | None) -> float:
        """Return the modelled time of a product with a tile, without repacking."""
        model = self.model_of_small if tile.small else self.model
        return (1 + self.longer.get(_whole(tile), 0.0)) * model.us(product, tile, found, bandwidth)


@cache
def tile_table() -> TileTable:
    """Return the table of tiles.toml, read once."""
    read: Mapping[str, Any] = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    tiles = read["tiles"]
    longer = [each.pop("longer") for each in tiles["candidate"]]
    candidates = tuple(WgmmaTile(**tile) for tile in tiles["candidate"])
    return TileTable(
        CostModel.of(read["model"]),
        CostModel.of(read["model_of_small"]),
        candidates,
        tuple(WgmmaTile(**tile) for tile in tiles["small"]),
        tuple(
            MeasuredTile(**{**row, "shape": tuple(row["shape"]), "tile": WgmmaTile(**row["tile"])})
            for row in tiles["measured"]
        ),
        dict(zip(candidates, longer, strict=True)),
    )


@cache
def _whole(tile: WgmmaTile) -> WgmmaTile:
    """Return a tile as the table has it: with k whole, of the problem as it is."""
    return replace(tile, splits=1, transposed_problem=False)
