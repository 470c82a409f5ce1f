"""A launch that a comment describes in CUDA's words: `block = dim3(32, 8); grid = dim3((N + 31) / 32, (M + 7) / 8)`."""

from __future__ import annotations

import re
from dataclasses import replace

from tilewright.lab.source import KernelSignature, device_part
from tilewright.lab.source.macros import code_only, split_arguments

from .kernel_file import OpenedFile

_COMMENT_MARKS = re.compile(r"^[ \t]*(?://+|/\*+|\*+/?)|\*+/", re.MULTILINE)
_DIM3 = re.compile(
    r"\bdim3[ \t]+(?P<one>\w+)[ \t]*(?=[({=])(?:=[ \t]*(?:dim3[ \t]*)?)?|"
    r"\b(?P<two>\w+)(?:[ \t]*[:=][ \t]*(?:dim3[ \t]*)?|[ \t]+dim3[ \t]*)(?=\()|"
    r"\b(?P<three>\w+)[ \t]*(?=\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*,)"
)
"""`dim3 block(32, 8)`, `block = (32, 8)`, and `block (32, 8), grid (n / 32, m / 8)`."""
_NUMBER = re.compile(
    r"\b(?P<name>\w+)(?:[ \t]*\.[ \t]*(?P<axis>[xyz]))?[ \t]*[:=][ \t]*"
    r"(?P<value>\d+(?=[ \t]*(?:threads?\b)?[ \t]*(?:[.,;)\n]|$))|ceil(?=\())"
)
"""A single size of a block or a grid: a number, or a quotient rounded up."""
_BLOCK_WORDS = (
    r"block|thread|cta|bl[oó][ck]|bloq|blokk?|hilo|fils|f(?:ä|ae)den|w[aą]tk|блок|поток|块|塊|线程|ブロック|블록"
)
_GRID_WORDS = (
    r"grid|gr(?:ill|ad|el|igli)|gitt?er|raster|malla|rejilla|siatk|\wzgara|сетк|r(?:oo|u)ster|网格|グリッド|격자|"
    r"bl(?:ock|oco|oque|oc|ok)s$|blocchi$|blok[iy]$|bl(?:ö|oe)cke$|bloklar$|блоки$"
)
"""What a block and a grid are called in a dozen languages; several blocks are a grid."""
OF_BLOCK, OF_GRID = re.compile(_BLOCK_WORDS, re.IGNORECASE), re.compile(_GRID_WORDS, re.IGNORECASE)
_CEILING = re.compile(r"(?:\bceil[fl]?\s*(?=\()|⌈(?P<inside>[^⌉]*)⌉)", re.IGNORECASE)
_OPENING, _CLOSING = "({", ")}"
_DESCRIBES = "tilewright_describes"


def with_described_launch(opened: OpenedFile, signature: KernelSignature) -> OpenedFile | None:
    """Return the file with the launch that a comment near the kernel describes, or None.

    The launch is a line of host code behind the file's end, said to be at the comment's line.
    """
    if any(site.kernel == signature.name for site in opened.part.launches):
        return None
    found = _launch(opened, signature)
    if found is None:
        return None
    line, host = found
    text = f"{opened.file.text.rstrip()}\n{host}\n"
    part = device_part(text, opened.file.name)
    sites = [replace(s, line=line) if s.kernel == signature.name else s for s in part.launches]
    return OpenedFile(replace(opened.file, text=text), replace(part, launches=sites))


def is_described(opened: OpenedFile) -> bool:
    """Return whether the launch is one that a comment describes."""
    return f" {_DESCRIBES}(" in opened.file.text


def _launch(opened: OpenedFile, signature: KernelSignature) -> tuple[int, str] | None:
    """Return the comment's line, and a function of the host that launches the kernel as it says."""
    said = comments_of(opened)
    named = dict([*numbers_in(said), *dim3s_in(said)])
    call = re.search(rf"\b{signature.name}\s*(?P<types><[^<>]*>)?\s*<<<(?P<how>[^;]*?)>>>", said)
    arguments = [parameter.name for parameter in signature.parameters]
    if call is not None:
        how, types, start = call["how"], call["types"] or "", call.start()
        passed = split_arguments(_inside(said, call.end()))
        if len(passed) == len(arguments):
            arguments = passed
    else:
        block = next((name for name in named if OF_BLOCK.search(name) and not OF_GRID.search(name)), None)
        grid = next((name for name in named if OF_GRID.search(name)), None)
        if block is None or grid is None or len(opened.kernels) > 1:
            return None
        how, types, start = f"{grid}, {block}", "", said.find(grid)
    declared = " ".join(f"dim3 {name}{value};" for name, value in named.items())
    line = said.count("\n", 0, start) + 1
    numbers = ", ".join(
        f"int {name}"
        for name, parameter in zip(arguments, signature.parameters, strict=True)
        if name.isidentifier() and not parameter.is_pointer
    )
    launch = f"{signature.name}{types}<<<{how}>>>({', '.join(arguments)});"
    host = f"void {_DESCRIBES}({numbers}) {{ {declared} {launch} }}"
    return line, " ".join(host.split())


def comments_of(opened: OpenedFile) -> str:
    """Return the file's comments without their marks, each in its line, with what is rounded up in C's words."""
    text = opened.file.text
    lines, of_code = text.split("\n"), code_only(text).split("\n")
    return _with_ceilings("\n".join(_comment(*pair) for pair in zip(lines, of_code, strict=True)))


def _with_ceilings(said: str) -> str:
    """Return comments whose `ceil(n / 64)` and ⌈n / 64⌉ round up, as is meant; C would divide whole numbers before.

    What stands in inner parentheses stays a division of whole numbers: `ceil((n / 2) / 64)` counts the tiles of a half.
    """
    found, end = [], 0
    for match in _CEILING.finditer(said):
        if match.start() < end:
            continue
        inside = match["inside"] if match["inside"] is not None else _inside(said, match.end())
        found += [said[end : match.start()], f"ceil({_exact(inside)})"]
        end = match.end() if match["inside"] is not None else match.end() + len(inside) + 2
    return "".join([*found, said[end:]])


def _exact(quotient: str) -> str:
    """Return a formula whose outermost divisions are those of real numbers."""
    depth, parts = 0, []
    for letter in quotient:
        depth += (letter in _OPENING) - (letter in _CLOSING)
        parts.append(" * 1.0 /" if letter == "/" and depth == 0 else letter)
    return "".join(parts)


def _comment(line: str, code: str) -> str:
    """Return what of a line is comment, without its marks."""
    kept = "".join(had if had != left else " " for had, left in zip(line, code.ljust(len(line)), strict=True))
    return _COMMENT_MARKS.sub(" ", kept)


def dim3s_in(said: str) -> list[tuple[str, str]]:
    """Return names with the lists of up to three numbers that they are set to, `(32, 8)`."""
    found = []
    for match in _DIM3.finditer(said):
        inside = _inside(said, match.end())
        over = re.match(r"[ \t]*/[ \t]*\w+", said[match.end() + len(inside) + 2 :])
        inside = f"({inside}){over[0]}" if over else inside  # `grid: (n + 127) / 128`
        name = match["one"] or match["two"] or match["three"]
        is_meant = match["one"] or OF_BLOCK.search(name) or OF_GRID.search(name)
        if is_meant and 1 <= len(split_arguments(inside)) <= 3:
            found.append((name, f"({inside})"))
    return found


def numbers_in(said: str) -> list[tuple[str, str]]:
    """Return names of blocks and grids that are set to single sizes: `block = 256, grid.y = ceil(rows / 4)`."""
    sizes: dict[str, dict[str, str]] = {}
    for match in _NUMBER.finditer(said):
        if not (OF_BLOCK.search(match["name"]) or OF_GRID.search(match["name"])):
            continue
        is_quotient = match["value"] == "ceil"
        value = f"ceil({_inside(said, match.end())})" if is_quotient else match["value"]
        sizes.setdefault(match["name"], {}).setdefault(match["axis"] or "x", value)
    return [(name, f"({', '.join(each.get(axis, '1') for axis in 'xyz')})") for name, each in sizes.items()]


def _inside(text: str, start: int) -> str:
    depth = 0
    for at in range(start, min(len(text), start + 200)):
        depth += (text[at] in _OPENING) - (text[at] in _CLOSING)
        if depth == 0:
            return text[start + 1 : at]
    return ""
