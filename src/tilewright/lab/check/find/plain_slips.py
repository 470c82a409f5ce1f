"""Slips that can hardly be meant, mended in a file's text: what is right then shows the roles of what is written.

Where no roles explain a kernel, its mistake may be so large that nothing of the product is left to see. If one of these
slips is in it, and roles fit the mended text, these are the roles that the kernel is judged with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.lab.source.macros import code_only

from .halving_slips import halving_slips
from .narrow_slips import narrow_slips
from .pair_slips import crossed_slips, pair_slips, turned_stores

_MACRO = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)\((?P<names>[^()]*)\)(?P<body>(?:\\\n|[^\n])*)", re.MULTILINE
)
_UNSIGNED = r"(?:unsigned(?:[ \t]+(?:int|long))?|size_t|uint(?:32|64)_t)"
_DOWN = re.compile(
    rf"\bfor\s*\(\s*(?P<type>(?:const\s+)?{_UNSIGNED})\s+(?P<name>\w+)\s*=[^;]*;\s*(?P=name)\s*>=\s*0\s*;"
    r"\s*(?:(?P=name)\s*--|--\s*(?P=name)|(?P=name)\s*-=)"
)
_VECTORS = re.compile(
    r"\b(?:float|double|int|uint|half)(?P<of>[24])\s*(?:const\s*)?\*\s*(?:__restrict__\s*)?(?P<name>\w+)\s*="
)
_UNSET = re.compile(r"\b(?:float|double|int|unsigned|long)\s+(?P<name>[A-Za-z_]\w*)\s*(?P<end>;)")
_TYPE = re.compile(r"\btypedef\s+(?P<of>unsigned\s+char|(?:u?int8_t)|(?:signed\s+)?char)\s+(?P<name>\w+)\s*;")
_NARROW = r"unsigned\s+char|signed\s+char|char|u?int8_t"
_COUNTED = r"=[^;]*\b(?:threadIdx|blockIdx|t[xyi]d?)\b"
_BARRIER = re.compile(r"__syncthreads\s*\(\s*\)\s*;")
_OTHERWISE = re.compile(r"[ck]ol\w*[- ]?(?:major|wise)|spaltenw|tran?s?p|\^\s*T\b", re.IGNORECASE)
"""Says that a matrix may lie otherwise than row by row."""
_SUM = r"\([^()=;]*\w[^()=;]*\+[^()=;]*\w[^()=;]*\)"
_OF_SUMS = re.compile(_SUM + r"\s*[*\u00b7\u00d7]\s*" + _SUM + r"|\brmm\b", re.IGNORECASE)
"""Says that the sums of two rows and of two columns are multiplied: as a formula, or by a reduced product's name."""
_BLOCKS = r"(?P<blocks>gridDim\s*\.\s*x(?:\s*\*\s*gridDim\s*\.\s*[yz])*|[A-Za-z_]\w*)"
_TICKET = re.compile(
    r"(?:\batomic(?:Add|Inc)\s*\([^;()]*\)|\b(?P<ticket>\w+))\s*[=>]=\s*" + _BLOCKS + r"(?=\s*(?:[;)]|&&))"
)
_BLOCK_AXIS = re.compile(r"\bblockIdx\s*\.\s*([xy])\b")


@dataclass(frozen=True)
class Slip:
    """A slip. line: of the text. says: the change that mends it, as a clause. text: of the file, mended."""

    line: int
    says: str
    text: str


def plain_slips(text: str) -> Iterator[Slip]:
    """Yield each slip of a file, mended alone."""
    mended = {text}
    for slip in _slips(text):
        if slip.text not in mended:
            mended.add(slip.text)
            yield slip


def _slips(text: str) -> Iterator[Slip]:
    yield from _bare_parameters(text)
    yield from _endless_countdowns(text)
    yield from _strides_in_elements(text)
    yield from _blocks_not_exchanged(text)
    yield from _sums_of_nothing(text)
    yield from _narrow_indices(text)
    yield from _tickets_never_drawn(text)
    code = code_only(text)
    for narrow in narrow_slips(code):
        yield _slip(text, narrow.start, narrow.end, narrow.now, narrow.says)
    stores = () if _OTHERWISE.search(text) else turned_stores(code)
    crossed = crossed_slips(code) if _OF_SUMS.search(text) else ()
    for each in (*halving_slips(code), *pair_slips(code), *crossed, *stores):
        yield _slip(text, each.start, each.end, each.now, f"{each.says},")


def _slip(text: str, start: int, end: int, now: str, says: str) -> Slip:
    return Slip(text.count("\n", 0, start) + 1, says, text[:start] + now + text[end:])


def _bare_parameters(text: str) -> Iterator[Slip]:
    """Yield `#define AT(i, j, n) ((i) * (n) + (j))` for `(i * n + j)`, where `AT(r + 1, c, n)` means something else."""
    for macro in _MACRO.finditer(text):
        names = [name.strip() for name in macro["names"].split(",") if name.strip().isidentifier()]
        body = macro["body"]
        if not names or "#" in body or not re.search(r"[-+*/%<>]", body):
            continue
        now = re.sub(rf"(?<![\w(])(?:{'|'.join(names)})\b|(?<=\()(?:{'|'.join(names)})\b(?!\s*\))", r"(\g<0>)", body)
        if now != body:
            says = f"with the parameters of `{macro['name']}` in parentheses"
            yield _slip(text, macro.start("body"), macro.end("body"), now, says)


def _endless_countdowns(text: str) -> Iterator[Slip]:
    """Yield `int k` for `unsigned k` in a loop to `k >= 0`, which holds for ever."""
    for loop in _DOWN.finditer(text):
        says = f"with `int` in place of `{loop['type']}`, of which every number is `>= 0`,"
        yield _slip(text, loop.start("type"), loop.end("type"), "int", says)


def _strides_in_elements(text: str) -> Iterator[Slip]:
    """Yield `rows4[k * (n / 4) + q]` for `rows4[k * n + q]`: a row of n elements has a quarter as many vectors."""
    for vectors in _VECTORS.finditer(text):
        name, of = vectors["name"], vectors["of"]
        for index in re.finditer(rf"\b{name}\s*\[\s*[^\][]*?\*\s*(?P<stride>[A-Za-z_]\w*)\s*\+", text):
            now = f"({index['stride']} / {of})"
            says = f"with `{now}` in place of `{index['stride']}` in a subscript of `{name}`, vectors of {of},"
            yield _slip(text, index.start("stride"), index.end("stride"), now, says)
        for index in re.finditer(rf"\b{name}\s*\[(?P<of>[^\][/]*\*[^\][/]*\+[^\][/]*)\]", text):
            now = f"({index['of'].strip()}) / {of}"
            says = f"with `{now}` in place of `{index['of'].strip()}` in a subscript of `{name}`, vectors of {of},"
            yield _slip(text, index.start("of"), index.end("of"), now, says)


def _blocks_not_exchanged(text: str) -> Iterator[Slip]:
    """Yield x and y of the block exchanged behind a barrier, as a tile is stored transposed."""
    for barrier in _BARRIER.finditer(text):
        end = text.find("\n}", barrier.end())
        behind = text[barrier.end() : end]
        found = list(_BLOCK_AXIS.finditer(behind))
        if {each[1] for each in found} == {"x", "y"}:
            now = _BLOCK_AXIS.sub(lambda each: f"blockIdx.{'y' if each[1] == 'x' else 'x'}", behind)
            at = barrier.end() + found[0].start()
            line = text.count("\n", 0, at) + 1
            says = "with x and y of the block exchanged from here on"
            yield Slip(line, says, text[: barrier.end()] + now + text[end:])


def _sums_of_nothing(text: str) -> Iterator[Slip]:
    """Yield `float sum = 0;` for `float sum;`, to which the first statement that writes it adds."""
    code = code_only(text)
    for unset in _UNSET.finditer(code):
        name = unset["name"]
        first = re.search(rf"\b{name}\b\s*(?P<how>\+=|=(?!=)|\[|,|\))", code[unset.end() :])
        if first is not None and first["how"] == "+=":
            yield _slip(text, unset.start("end"), unset.end("end"), " = 0;", f"with `{name} = 0` where the sum begins,")


def _tickets_never_drawn(text: str) -> Iterator[Slip]:
    """Yield `== gridDim.x - 1` for `== gridDim.x`, where what an atomicAdd returns is compared: it begins at 0."""
    code = code_only(text)
    for match in _TICKET.finditer(code):
        blocks, ticket = match["blocks"], match["ticket"]
        is_drawn = not ticket or re.search(rf"\b{ticket}\s*=\s*atomic(?:Add|Inc)\s*\([^;]*\)\s*;", code)
        is_grid = "gridDim" in blocks or re.search(rf"\b{blocks}\s*=\s*gridDim\s*\.\s*x\s*[;,]", code)
        if is_drawn and is_grid:
            says = f"with `{blocks} - 1` in place of `{blocks}`, a ticket that no block draws,"
            yield _slip(text, match.start("blocks"), match.end("blocks"), f"{blocks} - 1", says)


def _narrow_indices(text: str) -> Iterator[Slip]:
    """Yield `int e` for `unsigned char e`, where it counts threads and is used as an index: it ends at 255."""
    code = code_only(text)
    types = "|".join([_NARROW, *(match["name"] for match in _TYPE.finditer(code))])
    for index in re.finditer(
        rf"(?<![\w*])(?P<type>{types})\s+(?P<name>\w+)\s*=[^;]*\b(?:threadIdx|blockIdx|t[xyi]d?)\b", code
    ):
        if re.search(rf"\[[^\[\];]*\b{index['name']}\b|\b{index['name']}\s*[*/%+]", code[index.end() :]):
            says = f"with `int` in place of `{index['type']}`, which holds no more than 255,"
            yield _slip(text, index.start("type"), index.end("type"), "int", says)
