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
from .described_launch import BLOCK_WORDS, OF_BLOCK, OF_GRID, comments_of, dim3s_in, numbers_in
from .kernel_file import KernelFile

_NAMES = re.compile(r"block(?:_?(?:size|dim))?|threads(?:_?per_?block)?|tpb", re.IGNORECASE)
"""What a block of a single number is called; `per thread: 4` and `threadIdx.x = 0` speak of something else."""
_NUMBER = re.compile(
    rf"\b(?:{_NAMES.pattern})[ \t]*[:=][ \t]*(?P<one>\d+)\b(?![ \t]*(?:[-+*/\u00d7]|x[ \t]*\d))", re.IGNORECASE
)
_EACH = r"[ \t]+(?:per|a|in[ \t]+(?:a|each|every))[ \t]+(?:thread[ \t]+)?block\b"
_THREADS = re.compile(
    r"(?<![x*\u00d7][ \t])(?<![x*\u00d7\d])(?P<one>\d+)[ \t]+threads?" + _EACH + "|"
    r"\bblocks?[ \t]+of[ \t]+(?P<two>\d+)[ \t]+threads\b",
    re.IGNORECASE,
)
_PLANE = re.compile(
    r"\bblocks?\b[ \t]*(?:of|[:=])?[ \t]*(?P<x>\d+)[ \t]*[x\u00d7*][ \t]*(?P<y>\d+)[ \t]+threads\b|"
    r"\b(?P<wide>\d+)[ \t]*[x*\u00d7][ \t]*(?P<high>\d+)[ \t]+threads" + _EACH,
    re.IGNORECASE,
)
_DIM3 = re.compile(r"dim3\s*[({](?P<sides>.*)[)}]", re.DOTALL)
_SIDES = r"(?<![\w.])(?P<x{0}>\d+)[ \t]*(?:[x*\u00d7\u0445]|,(?=[^()]*\)))[ \t]*(?P<y{0}>\d+)(?![\w.]|[ \t]*[-+*/])"
_LOOSELY = re.compile(
    rf"(?:{BLOCK_WORDS})[^\d\n]{{0,24}}{_SIDES.format(1)}|{_SIDES.format(2)}[^\d\n]{{0,24}}(?:{BLOCK_WORDS})",
    re.IGNORECASE,
)
"""Two sides near such a word: a guess to try first, since a tile may be meant."""
_MOST = re.compile(
    r"\b(?:blockDim(?:\.x)?|block[ _-]?size|blocks?|threads)\b[^.;\n]{0,50}?"
    r"(?:\bup to|\bat most|\bmaximum(?: of)?|<=|\u2264|\bbis zu|\bhasta|\bjusqu'[a\u00e0]|\btot|\bfino a|\bat\u00e9)"
    r"[ \t]*"
    r"(?P<most>1,024|\d{2,4})\b(?![ \t]*blocks?\b)",
    re.IGNORECASE,
)
"""The most threads of a block that may have fewer: with as many, sums of all its warps are needed."""
_LINES = (32, 16, 64, 8, 128, 4, 256, 2)


def stated_shapes(kernel: KernelFile, shapes: Sequence[Block]) -> list[Block]:
    """Return the blocks that a kernel's comments state, or those guessed blocks that agree; all, if none is stated."""
    if any(not each.startswith(("typename", "class")) for each in kernel.signature.template_parameters):
        return list(shapes)  # a stated block is that of one instance, and another may be guessed
    stated = list(dict.fromkeys(block for block in _stated(kernel) if 1 < prod(block) <= MOST_THREADS))
    if "threadIdx.y" not in kernel.indices:
        found = [block for block in stated if block[1:] == (1, 1)]
    else:  # a number of threads may have any shape, unless a shape is stated, too
        found = [block for block in stated if block[1:] != (1, 1)]
        found = found or [shape for threads, _, _ in stated for shape in _of_threads(threads, shapes)]
    return list(dict.fromkeys(found)) or list(dict.fromkeys([*_largest(kernel), *_loosely_stated(kernel), *shapes]))


def _largest(kernel: KernelFile) -> Iterator[Block]:
    """Yield the largest line of threads that a comment lets a block have, if the kernel takes any."""
    if "blockDim.x" not in kernel.indices or "threadIdx.y" in kernel.indices:
        return
    for match in _MOST.finditer(_of_kernel(kernel)):
        block = int(match["most"].replace(",", "")), 1, 1
        if 1 < prod(block) <= MOST_THREADS and block not in kernel.options.refused_blocks:
            yield block


def _loosely_stated(kernel: KernelFile) -> Iterator[Block]:
    """Yield the sides that stand beside a word for a block in any language, the kernel being one of a plane."""
    if "threadIdx.y" not in kernel.indices:
        return
    for match in _LOOSELY.finditer(_of_kernel(kernel)):
        block = int(match["x1"] or match["x2"]), int(match["y1"] or match["y2"]), 1
        if min(block[:2]) > 1 and prod(block) <= MOST_THREADS and block not in kernel.options.refused_blocks:
            yield block


def _of_threads(threads: int, shapes: Sequence[Block]) -> list[Block]:
    fitting = [shape for shape in shapes if prod(shape) == threads]
    return fitting or [(x, threads // x, 1) for x in _LINES if x < threads and threads % x == 0]


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
    for match in _PLANE.finditer(said):
        yield int(match["x"] or match["wide"]), int(match["y"] or match["high"]), 1
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
