"""Launches as formulas of the sizes: given by the user, or guessed, and then named in the report.

See own_launch.py for the file's own `<<<>>>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from math import prod
from typing import Protocol

from tilewright.lab.check.expressions import FormulaError, extent, whole
from tilewright.lab.check.kind import Kind
from tilewright.lab.check.kinds import KINDS, is_of_vectors
from tilewright.lab.check.run.execution import Geometry
from tilewright.lab.check.sizes import Sizes, row_group

from .roles import BATCH, Roles

MAX_THREADS, WARP = 1024, 32
LINE_THREADS = 256
SQUARE_SIDE = 16
MAX_SIDE = 32
MAX_TILE = 256
FLAT_SIDES = (8, 16, 32, 64, 128)
PERIOD_SPAN = 46_080
"""A size that most tiles divide, and much larger than any tile."""
CAPPED_SPANS = (768, 192)
"""Smaller ones, for grids of at most some blocks."""


class LaunchError(ValueError):
    """There is no launch for these sizes; the message says why, and which options to give."""


class LaunchRule(Protocol):
    """A rule that gives the kernel's launch at given sizes."""

    @property
    def said(self) -> str:
        """The source of the launch, for the report."""

    @property
    def is_guess(self) -> bool:
        """Whether some of it was guessed, so that a kernel which is wrong with it may be right with another one."""

    def at(self, roles: Roles, sizes: Sizes) -> Geometry:
        """Return the launch; raise LaunchError if there is none."""

    def number(self, text: str, roles: Roles, sizes: Sizes) -> int:
        """Return the value of an expression that the file's own launch passes; raise LaunchError if it is unknown."""


@dataclass(frozen=True)
class FormulaLaunch:
    """`--block 32,8 --grid "ceil(cols/64),ceil(rows/64)"`: formulas of rows, inner, cols and the file's constants.

    is_guess: whether it was guessed. covers: whether the guess was observed to write each element of C once. c: the
    position of the pointer that was written.
    """

    block: str
    grid: str
    shared_bytes: str = "0"
    constants: tuple[tuple[str, int], ...] = ()
    is_guess: bool = False
    covers: bool = False
    c: int | None = None

    @property
    def said(self) -> str:
        """The options."""
        shared = f" --shared-bytes {self.shared_bytes}" if self.shared_bytes != "0" else ""
        return f'--block {self.block} --grid "{self.grid}"{shared}'

    def with_threads(self, threads: int) -> FormulaLaunch:
        """Return the launch with so many threads in a line, with a grid and shared memory that follow them."""
        own = rf"(?<![\w.]){self.block}(?![\w.])"
        bytes_each = int(self.shared_bytes) // int(self.block) if self.shared_bytes.isdigit() else 0
        shared = str(bytes_each * threads) if bytes_each else re.sub(own, str(threads), self.shared_bytes)
        return replace(self, block=str(threads), grid=re.sub(own, str(threads), self.grid), shared_bytes=shared)

    def at(self, roles: Roles, sizes: Sizes) -> Geometry:
        """Return the launch with the formulas' values."""
        values = dict(self.constants) | roles.constants_at(sizes) | sizes.values()
        try:
            block, grid = extent(self.block, values, "block"), extent(self.grid, values, "grid")
            shared = whole(self.shared_bytes, values)
        except FormulaError as error:
            raise LaunchError(str(error)) from error
        return Geometry(grid, block, shared)

    def number(self, text: str, roles: Roles, sizes: Sizes) -> int:
        """Raise LaunchError: only the file's own launch has such expressions."""
        raise LaunchError(f"What {text} is at {sizes.said(roles.operation)} is known to the file's own launch alone.")


Z = 2
"""The axis of the grid that counts products."""


@dataclass(frozen=True)
class SmallerGrid:
    """A launch with too few blocks for the data, along the axes (0 to 2) of its grid-stride loops.

    most: the blocks along an axis; a loop that goes on by the grid is right with any number of them.
    """

    rule: LaunchRule
    axes: tuple[int, ...]
    most: int = 2

    @property
    def said(self) -> str:
        """The source of the original launch."""
        return f"{self.rule.said}, with a smaller grid"

    @property
    def is_guess(self) -> bool:
        """Whether the original launch is a guess."""
        return self.rule.is_guess

    def at(self, roles: Roles, sizes: Sizes) -> Geometry:
        """Return the launch with two blocks, or a third of fewer than six, and at least one.

        Of three products along z two blocks take turns: with one, a step by the grid is a step by one product.
        """
        geometry = self.rule.at(roles, sizes)
        few = [2 if (axis, n) == (Z, BATCH) else max(1, min(self.most, n // 3)) for axis, n in enumerate(geometry.grid)]
        x, y, z = (few[axis] if axis in self.axes else n for axis, n in enumerate(geometry.grid))
        return replace(geometry, grid=(x, y, z))

    def number(self, text: str, roles: Roles, sizes: Sizes) -> int:
        """Return the value of an expression of the original launch."""
        return self.rule.number(text, roles, sizes)


@dataclass(frozen=True)
class LargerGrid(SmallerGrid):
    """A launch with more blocks than a block has threads, for a block that adds up what all of them leave."""

    @property
    def said(self) -> str:
        """The source of the original launch."""
        return f"{self.rule.said}, with more blocks"

    def at(self, roles: Roles, sizes: Sizes) -> Geometry:
        """Return the launch with a few blocks more than threads, along its first axis."""
        geometry = self.rule.at(roles, sizes)
        return replace(geometry, grid=(prod(geometry.block) + self.most, 1, 1))


def guesses(
    operation: str, shared_extents: Sequence[tuple[int, ...]], indices: AbstractSet[str], numbers: Sequence[int]
) -> list[FormulaLaunch]:
    """Return the usual launches of such a kernel, the likeliest first.

    shared_extents: of the kernel's shared arrays, often the block's sides. indices: the words `threadIdx.x`,
    `blockIdx.y` and so on that the kernel uses; an axis that it never uses has extent 1. numbers: those in the kernel,
    which include the block's sides if it does not use `blockDim`.
    """
    if not any(index.startswith("threadIdx") for index in indices):
        blocks = [["1"], ["rows"], ["cols,rows"]] if any(index.startswith("blockIdx") for index in indices) else [["1"]]
        return _made("1", [grid for grids in blocks for grid in grids])
    in_files_words = [] if any(index.startswith("blockDim") for index in indices) else list(numbers)
    squares = [extents[-2] for extents in shared_extents if len(extents) >= 2]
    lines = [extents[0] for extents in shared_extents if len(extents) == 1]
    if "blockDim.x" in indices and max(lines, default=0) <= MAX_SIDE:
        lines = [LINE_THREADS, *lines]  # a sum of each warp
    rows, cols = ("rows", "cols") if operation != "reduced_matmul" else ("rows/2", "cols/2")
    if operation != "dot" and (squares or "threadIdx.y" in indices):
        sides = [side for side in squares or in_files_words if 1 < side <= MAX_SIDE] or [SQUARE_SIDE]
        return [guess for side in sides[:2] for guess in _squares(side, rows, cols)]
    given = [count for count in lines or in_files_words if MAX_SIDE <= count <= MAX_THREADS] or [LINE_THREADS]
    return [guess for threads in given[:2] for guess in _lines(operation, threads, rows, cols, indices)]


def grids_of_kind(kind: Kind, block: tuple[int, int, int], extents: Sequence[tuple[int, ...]]) -> Iterator[str]:
    """Yield the usual grids of a kernel that is no product: blocks, warps or threads count the elements of its result.

    extents: of its shared arrays, whose sides may be those of a tile.
    """
    x, y, _ = block
    if len(kind.c) < 2 and not kind.is_of_lines and is_of_vectors(kind.name):
        yield from (f"ceil(inner/{x * y})", "1", f"ceil(inner/{2 * x * y})", f"ceil(inner/{4 * x * y})")
        return
    if len(kind.c) == 1:
        side = kind.c[0]
        counts = dict.fromkeys((x * y, x, max(x * y // WARP, 1), y, 1))
        yield from (side if count == 1 else f"ceil({side}/{count})" for count in counts)
        yield "1"
        return
    if kind.is_by_rows:
        counts = dict.fromkeys((1, max(x * y // WARP, 1), y, x * y))
        yield from ("rows" if count == 1 else f"ceil(rows/{count})" for count in counts)
        return
    tiles = [sides[-2] for sides in extents if len(sides) >= 2]
    is_of_a = len(kind.a) == len(kind.c) and all(side.isidentifier() for side in kind.a)
    height, width = kind.a if is_of_a else kind.c
    for across, down in dict.fromkeys([*((tile, tile) for tile in tiles), (x, y)]):
        yield f"ceil({width}/{across}),ceil({height}/{down})"
        yield f"ceil({height}/{across}),ceil({width}/{down})"
    yield f"ceil(rows*cols/{x * y})"


def in_words_of(kind: Kind, grid: str) -> str:
    """Return a grid that is a formula of C's rows and columns as one of the kind's own sizes."""
    return re.sub(r"\b(rows|cols)\b", lambda match: dict(zip(("rows", "cols"), kind.c, strict=True))[match[1]], grid)


def _squares(side: int, rows: str, cols: str) -> list[FormulaLaunch]:
    over_cols, over_rows = (f"ceil({size}/{side})" for size in (cols, rows))
    return _made(f"{side},{side}", [f"{over_cols},{over_rows}", f"{over_rows},{over_cols}"])


def _lines(operation: str, threads: int, rows: str, cols: str, indices: AbstractSet[str]) -> list[FormulaLaunch]:
    if operation == "dot":
        return _made(f"{threads}", [f"ceil(inner/{threads})", "1"])
    if "blockIdx.y" in indices:
        return _made(f"{threads}", [f"ceil({cols}/{threads}),{rows}", f"ceil({rows}/{threads}),{cols}"])
    return _made(f"{threads}", [f"ceil({rows}*{cols}/{threads})", rows, cols, "1"])


def _made(block: str, grids: Sequence[str]) -> list[FormulaLaunch]:
    return [FormulaLaunch(block, grid, is_guess=True) for grid in grids]


def tile_of(rule: LaunchRule, roles: Roles, shared_extents: Sequence[tuple[int, ...]]) -> int:
    """Return the tile around whose multiples sizes are tested: the rows or columns that add one block to the grid.

    If the grid does not depend on the sizes (one block, grid-stride loops), it is a shared array's side or 16.
    """
    if is_of_vectors(roles.operation):
        return _period(rule, roles, "inner") or LINE_THREADS
    block = _block_at(rule, roles)
    if block is not None and roles.operation in KINDS and KINDS[roles.operation].is_of_lines:
        return min(max(block[0], _period(rule, roles, KINDS[roles.operation].c[0])), MAX_TILE)
    sides = [extents[-2] for extents in shared_extents if len(extents) >= 2]
    group = row_group(roles.operation)
    periods = [(_period(rule, roles, side) or _capped(rule, roles, side)) // group for side in ("rows", "cols")]
    if flat := _flat_tile(rule, roles):
        return max([flat, *sides])
    if not sides and (block is None or block[1:] == (1, 1)) and not _is_tiled(periods, block):
        return SQUARE_SIDE
    return max([*(period for period in periods if 1 < period <= MAX_TILE), *sides], default=SQUARE_SIDE)


def _is_tiled(periods: Sequence[int], block: tuple[int, int, int] | None) -> bool:
    """Return whether a line of threads makes a tile of several rows and columns, and more elements than threads."""
    return block is not None and min(periods) > 1 and max(periods) <= MAX_TILE and prod(periods) >= prod(block)


def _flat_tile(rule: LaunchRule, roles: Roles) -> int:
    """Return the longer side of the tiles that a grid counts along one axis, as one that walks over them; or 0."""
    if roles.family or roles.operation in KINDS or is_of_vectors(roles.operation):
        return 0
    group = row_group(roles.operation)

    def grid(rows: int, cols: int) -> tuple[int, ...]:
        return rule.at(roles, Sizes(rows * group, SQUARE_SIDE, cols * group)).grid

    try:
        one, two = (1, 1, 1), (2, 1, 1)
        rows = next((n for n in FLAT_SIDES if grid(n, 1) == one and grid(n + 1, 1) == two), 0)
        cols = next((n for n in FLAT_SIDES if grid(1, n) == one and grid(1, n + 1) == two), 0)
        is_flat = rows and cols and grid(rows, cols) == one and grid(2 * rows, 2 * cols) == (4, 1, 1)
    except LaunchError:
        return 0
    return max(rows, cols) if is_flat else 0


def _block_at(rule: LaunchRule, roles: Roles) -> tuple[int, int, int] | None:
    try:
        return rule.at(roles, Sizes(256, 256, 256).of_operation(roles.operation)).block
    except LaunchError:
        return None


def _capped(rule: LaunchRule, roles: Roles, side: str) -> int:
    """Return the increase that adds one block to a grid that has no more than some blocks, or 0."""
    return next((found for span in CAPPED_SPANS if (found := _period(rule, roles, side, span))), 0)


def _period(rule: LaunchRule, roles: Roles, side: str, span: int = PERIOD_SPAN) -> int:
    """Return the increase of a size that adds one block to the grid, or 0 if the grid does not depend on the size.

    It is measured between two distant sizes, so that rounding up or down does not matter.
    """
    grids = []
    for size in (span, 2 * span):
        is_square = roles.family and not is_of_vectors(roles.operation)
        sizes = Sizes(size, size, size) if is_square else replace(Sizes(512, 512, 512), **{side: size})
        try:
            grids.append(rule.at(roles, sizes.of_operation(roles.operation)).grid)
        except LaunchError:
            return 0
    grown = [after - before for before, after in zip(*grids, strict=True) if after > before]
    return round(span / max(grown)) if grown else 0
