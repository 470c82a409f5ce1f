"""The block that a comment states, though its grid is not understood: `launch with dim3 block(32, 8)`.

Guessed launches then have this block: one with another block shows nothing about the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

from tilewright.lab.check.expressions import FormulaError, whole
from tilewright.lab.source.macros import split_arguments

from .block_shapes import MOST_THREADS, Block
from .described_launch import OF_BLOCK, OF_GRID, comments_of, dim3s_in, numbers_in
from .kernel_file import KernelFile

_NAMES = re.compile(r"block(?:_?(?:size|dim))?|threads(?:_?per_?block)?|tpb", re.IGNORECASE)
"""What a block of a single number is called; `per thread: 4` and `threadIdx.x = 0` speak of something else."""
_NUMBER = re.compile(rf"\b(?:{_NAMES.pattern})[ \t]*[:=][ \t]*(?P<one>\d+)\b(?![ \t]*[-+*/])", re.IGNORECASE)
_THREADS = re.compile(
    r"\b(?P<one>\d+)[ \t]+threads?[ \t]+(?:per|a|in[ \t]+(?:a|each|every))[ \t]+(?:thread[ \t]+)?block\b|"
    r"\bblocks?[ \t]+of[ \t]+(?P<two>\d+)[ \t]+threads\b",
    re.IGNORECASE,
)
_DIM3 = re.compile(r"dim3\s*[({](?P<sides>.*)[)}]", re.DOTALL)
_LINES = (32, 16, 64, 8, 128, 4, 256, 2)


def stated_shapes(kernel: KernelFile, shapes: Sequence[Block]) -> list[Block]:
    """Return those of the guessed blocks that agree with a kernel's comments; the stated block alone, if there is one.

    If the comments contradict each other or state no block, all shapes are returned.
    """
    stated = {block for block in _stated(kernel) if 1 < prod(block) <= MOST_THREADS}
    if len(stated) != 1:
        return list(shapes)
    (block,) = stated
    is_plane = "threadIdx.y" in kernel.indices
    if block[1:] == (1, 1) and is_plane:  # a number of threads, in whatever shape
        fitting = [shape for shape in shapes if prod(shape) == block[0]]
        return fitting or [(x, block[0] // x, 1) for x in _LINES if x < block[0] and block[0] % x == 0]
    return [block] if is_plane or block[1:] == (1, 1) else list(shapes)


def _stated(kernel: KernelFile) -> Iterator[Block]:
    """Yield the blocks that the comments of a kernel state, as often as they do."""
    said = _of_kernel(kernel)
    named = dict(dim3s_in(said))
    for name, sides in [*named.items(), *numbers_in(said)]:
        is_block = OF_BLOCK.search(name) and not OF_GRID.search(name) and "idx" not in name.lower()
        if is_block and (name in named or _NAMES.fullmatch(name)):
            yield from _block(kernel, sides[1:-1])
    for call in re.finditer(rf"\b{kernel.signature.name}\s*(?:<[^<>]*>)?\s*<<<(?P<how>[^;]*?)>>>", said):
        parts = split_arguments(call["how"])
        if len(parts) > 1 and parts[1].strip() not in named:
            inside = _DIM3.fullmatch(parts[1].strip())
            yield from _block(kernel, inside["sides"] if inside else parts[1])
    for match in (*_NUMBER.finditer(said), *_THREADS.finditer(said)):
        yield int(match["one"] or match.groupdict()["two"]), 1, 1


def _of_kernel(kernel: KernelFile) -> str:
    """Return the comments from the end of the kernel before to the kernel's own; of a single kernel, all."""
    said = comments_of(kernel.opened)
    if len(kernel.opened.kernels) == 1:
        return said
    own = kernel.signature
    first = max((each.last_line for each in kernel.opened.kernels if each.last_line < own.line), default=0)
    return "\n".join(said.split("\n")[first : own.last_line])


def _block(kernel: KernelFile, text: str) -> Iterator[Block]:
    try:
        x, y, z = (*(whole(side, kernel.known_numbers) for side in split_arguments(text)), 1, 1, 1)[:3]
    except FormulaError:
        return
    yield x, y, z
