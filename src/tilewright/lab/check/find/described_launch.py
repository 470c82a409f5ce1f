"""A launch that a comment describes in CUDA's words: `block = dim3(32, 8); grid = dim3((N + 31) / 32, (M + 7) / 8)`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tilewright.lab.source import KernelSignature, device_part
from tilewright.lab.source.macros import code_only, split_arguments

from .kernel_file import OpenedFile

_COMMENT_MARKS = re.compile(r"^[ \t]*(?://+|/\*+|\*+/?)|\*+/", re.MULTILINE)
BLOCK_WORDS = (
    r"block\w*|bloc[sk]?|blo[cq]\w{1,5}|blokk?\w{0,4}|lohko\w*|блок\w*|μπλοκ|ブロック|블록|(?:线程)?块|塊|بلوك|"
    r"threads?\w*|ctas?|hilos?|fils?|f(?:ä|ae)den|watki|wątki|vl[aá]kn\w+|draden|νήμα\w*|поток\w*|スレッド|스레드|线程|執行緒"
)
_GRID_WORDS = (
    r"\w*grids?(?:_?dim)?|grilles?|grill?as?|mallas?|rejillas?|griglia|gitt?er\w*|raster|rooster|siatk\w|m[rř]í?[zž]k\w|"
    r"[\u0131i]zgara\w*|"
    r"grelha|grade|grila|rács\w*|ruudukko|rutnät\w*|сетк\w|πλέγμα|网格|グリッド|그리드|격자"
)
_DIM3 = re.compile(
    r"\bdim3[ \t]+(?P<one>\w+)[ \t]*(?=[({=])(?:=[ \t]*(?:dim3[ \t]*)?)?|"
    r"\b(?P<two>\w+)(?:[ \t]*[:=][ \t]*(?:dim3[ \t]*)?|[ \t]+dim3[ \t]*)(?=\()|"
    rf"(?<!\w)(?P<three>{BLOCK_WORDS}|{_GRID_WORDS})[ \t]*(?=\()",
    re.IGNORECASE,
)
_AXES = re.compile(
    rf"(?<!\w)(?P<name>{BLOCK_WORDS}|{_GRID_WORDS})[ \t]*[:=]?[ \t]*(?P<sides>[xyz][ \t]*=[^\n;]*)", re.IGNORECASE
)
"""Sides by their axes: `grid: x = ceil(n / 64), y = ceil(m / 64)`."""
_NUMBER = re.compile(
    r"\b(?P<name>\w+)(?:[ \t]*\.[ \t]*(?P<axis>[xyz]))?[ \t]*[:=][ \t]*"
    r"(?P<value>\d+(?=[ \t]*(?:threads?\b)?[ \t]*(?:[.,;)\n]|$))|ceil(?=\())"
)
"""A single size of a block or a grid: a number, or a quotient rounded up."""
OF_BLOCK = re.compile(rf"block|thread|cta|(?:{BLOCK_WORDS})$", re.IGNORECASE)
OF_GRID = re.compile(rf"grid|blocks$|(?:{_GRID_WORDS})$", re.IGNORECASE)
"""What a block and a grid are called, in the languages of those who wrote in."""
_CEILING = re.compile(r"(?:\bceil[fl]?\s*(?=\()|⌈(?P<inside>[^⌉]*)⌉)", re.IGNORECASE)
_OPENING, _CLOSING = "({", ")}"
_DESCRIBES = "tilewright_describes"
_COUNT = "tilewright_count"
"""What the grid's z counts, if a comment says it in words."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_FACTOR = re.compile(r"\b(\d+)([A-Za-z_])")
_PROSE = re.compile(r"[^\W\d]\w*[ \t]+[^\W\d]|\b\d+[^\W\d]|[^\w\s.+\-*/()%,<>?:]")
_SAID_THREADS = (
    r"(?:threads?|hilos|fils|draden|f[aä]den|w[aą]tk\w+|vl[aá]ken|iplik|tr[aå]d\w+|поток\w+|s[aä]iett\w+|sz[aá]l\w*)\b"
)
_IN_WORDS = re.compile(
    rf"(?<![\w.])(?P<x>\d+)[ \t]*[x*\u00d7][ \t]*(?P<y>\d+)[ \t]+{_SAID_THREADS}"
    rf"|(?<![\w.x*\u00d7])(?<![x*\u00d7] )(?P<one>\d+)[ \t]+{_SAID_THREADS}(?![ \t]+(?:is|are|suffi|enough))",
    re.IGNORECASE,
)
"""A block's threads, counted in one of several languages."""

_DECLARED = re.compile(
    r"\b(?:int|unsigned|size_t)[ \t]+\w+[ \t]*=(?!=)[^;={}<>]*(?:,[ \t\n]*\w+[ \t]*=(?!=)[^;={}<>]*)*;"
)
"""Whole numbers that a comment's launch is made of: `int rows = (m + T - 1) / T, cols = (n + T - 1) / T;`."""
_SET = re.compile(r"(\w+)[ \t]*=")


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
    named = dict([*numbers_in(said), *dim3s_in(said, is_loose=True)])
    arguments = [parameter.name for parameter in signature.parameters]
    alike = [each.name for each in opened.kernels if [own.name for own in each.parameters] == arguments]
    launched = r"\b{}\s*(?P<types><[^<>]*>)?\s*<<<(?P<how>[^;]*?)>>>"  # such as the same kernel of doubles
    found = (re.search(launched.format(name), said) for name in (signature.name, *alike))
    call = next((each for each in found if each is not None), None)
    if call is not None:
        how, types, start = call["how"], call["types"] or "", call.start()
        passed = split_arguments(_inside(said, call.end()))
        if len(passed) == len(arguments):
            arguments = passed
    else:
        described = _block_and_grid(said, named, code_only(opened.file.text)) if len(opened.kernels) == 1 else None
        if described is None:
            return None
        named, grid = described
        how, types, start = "grid_, block_", "", said.find(grid)
    declared = " ".join(f"dim3 {name}{value};" for name, value in named.items() if name.isascii())
    line = said.count("\n", 0, start) + 1
    free = [_COUNT] if _COUNT in named.get("grid_", "") else []
    names = [
        name
        for name, parameter in zip(arguments, signature.parameters, strict=True)
        if name.isidentifier() and not parameter.is_pointer
    ]
    numbers = ", ".join(f"int {name}" for name in [*names, *free])
    counts = (each[0] for each in _DECLARED.finditer(said[:start]))
    counted = " ".join(each for each in counts if not set(_SET.findall(each)) & set(names))
    launch = f"{signature.name}{types}<<<{how}>>>({', '.join(arguments)});"
    host = f"void {_DESCRIBES}({numbers}) {{ {counted} {declared} {launch} }}"
    return line, " ".join(host.split())


def _block_and_grid(said: str, named: Mapping[str, str], code: str) -> tuple[dict[str, str], str] | None:
    """Return the values of a block and a grid that a comment describes, and what it calls the grid; or None.

    What a grid's z counts may be said in words: any number is meant.
    """
    blocks = (value for name, value in named.items() if OF_BLOCK.search(name) and not OF_GRID.search(name))
    block, known = next(filter(_is_block, blocks), None) or _block_in_words(said), _known_in(code)
    for name, value in named.items():
        if not OF_GRID.search(name) or block is None:
            continue
        sides = split_arguments(value[1:-1])
        if len(sides) > 2 and not (_is_formula(sides[2]) and set(_WORD.findall(sides[2])) <= known):
            sides[2] = _COUNT
        if all(map(_is_formula, sides)) and set(_WORD.findall(" ".join(sides[:2]))) <= known:
            return {"block_": block, "grid_": f"({', '.join(sides)})"}, name
    return None


def _known_in(code: str) -> set[str]:
    """Return the words of the code, and those of formulas."""
    return {*_WORD.findall(code), "ceil", "min", "max", _COUNT}


def _is_formula(text: str) -> bool:
    """Return whether a text may be a formula, and not words."""
    return text.isascii() and bool(text.strip()) and not _PROSE.search(text)


def _is_block(value: str) -> bool:
    """Return whether a text in parentheses may be the sides of a block: `(0, 0)` is a block's place."""
    sides = split_arguments(value[1:-1])
    return all(map(_is_formula, sides)) and any(side.strip() not in ("0", "1") for side in sides)


def _block_in_words(said: str) -> str | None:
    """Return the sides of a block that a comment states in words: `blok van 16 x 16 draden`, `256 threads`."""
    match = _IN_WORDS.search(said)
    return f"({', '.join(match[name] for name in ('x', 'y', 'one') if match[name])})" if match else None


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
    """Return a formula whose outermost divisions are those of real numbers, and whose `2n` is `2 * n`."""
    depth, parts = 0, []
    for letter in _FACTOR.sub(r"\1 * \2", quotient):
        depth += (letter in _OPENING) - (letter in _CLOSING)
        parts.append(" * 1.0 /" if letter == "/" and depth == 0 else letter)
    return "".join(parts)


def _comment(line: str, code: str) -> str:
    """Return what of a line is comment, without its marks."""
    kept = "".join(had if had != left else " " for had, left in zip(line, code.ljust(len(line)), strict=True))
    return _COMMENT_MARKS.sub(" ", kept)


def dim3s_in(said: str, *, is_loose: bool = False) -> list[tuple[str, str]]:
    """Return names with the lists of up to three numbers that they are set to, `(32, 8)`.

    is_loose: also what stands behind a word for a block or a grid without more, `grille(n / 64, m / 64)`.
    """
    found = []
    for match in _DIM3.finditer(said):
        if match["three"] and not is_loose:
            continue
        inside = _inside(said, match.end())
        over = re.match(r"[ \t]*/[ \t]*\w+", said[match.end() + len(inside) + 2 :])
        inside = f"({inside}){over[0]}" if over else inside  # `grid: (n + 127) / 128`
        name = match["one"] or match["two"] or match["three"]
        is_meant = match["one"] or OF_BLOCK.search(name) or OF_GRID.search(name)
        if is_meant and 1 <= len(split_arguments(inside)) <= 3:
            found.append((name, f"({inside})"))
    for match in _AXES.finditer(said) if is_loose else ():
        sides = {axis: _side(match["sides"], axis) for axis in "xyz"}
        if sides["x"]:
            found.append((match["name"], f"({', '.join(side for side in sides.values() if side)})"))
    return found


def _side(sides: str, axis: str) -> str:
    """Return the side along an axis in a list such as `x = ceil(n / 64), y = ceil(m / 64)`, or ""."""
    start = re.search(rf"\b{axis}[ \t]*=[ \t]*", sides)
    return split_arguments(sides[start.end() :])[0].strip(" .") if start else ""


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
