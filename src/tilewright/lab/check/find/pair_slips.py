"""Slips of a reduced product, which adds two rows of A and two columns of B, mended in a file's text (plain_slips.py).

Of a half-wide C hardly anything is right if its stride is that of B, and a sum of the wrong two rows is no part of any
product: results and addresses then name no roles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_INDEX = r"(?:[^\[\]]|\[[^\[\]]*\])+"
_PAIR = re.compile(rf"\b(?P<name>\w+)\s*\[(?P<first>{_INDEX})\]\s*\+\s*(?P=name)\s*\[(?P<second>{_INDEX})\]")
_STORE = re.compile(r"\b\w+\s*\[[^\[\]=;]*?\*\s*(?P<stride>[A-Za-z_]\w*)\s*\+[^\[\]=;]*\]\s*=(?!=)")
_EVEN_ROW = re.compile(r"\(?(?:2\*(?P<one>\w+)|(?P<two>\w+)\*2)\)?\*(?P<stride>\w+)\+(?P<rest>.+)")
_EVEN_COLUMN = re.compile(r".+\+\(?(?:2\*\w+|\w+\*2)\)?")
_SHARED = re.compile(r"__shared__\s+\w+\s+(?P<name>\w+)\s*\[(?P<rows>[^\[\]]+)\]\s*\[(?P<cols>[^\[\]]+)\]")
_ODD = re.compile(r"\(?(?:2\*\w+|\w+\*2)\)?\+1")


@dataclass(frozen=True)
class PairSlip:
    """A slip. start, end: where in the text it stands. now: what is put there. says: the change, as a clause."""

    start: int
    end: int
    now: str
    says: str


def pair_slips(code: str) -> Iterator[PairSlip]:
    """Yield each slip of code without comments."""
    pairs = list(_PAIR.finditer(code))
    for pair in pairs:
        yield from _of_second(pair)
    yield from _of_strides(code) if pairs else ()
    yield from _of_shared(code)


def _of_second(pair: re.Match[str]) -> Iterator[PairSlip]:
    """Yield `A[(2 * i + 1) * n + k]` for another second row, `B[k * n + 2 * j + 1]` for another second column."""
    first, second = _bare(pair["first"]), _bare(pair["second"])
    wanted = []
    if row := _EVEN_ROW.fullmatch(first):
        wanted.append(f"(2 * {row['one'] or row['two']} + 1) * {row['stride']} + {row['rest']}")
    if _EVEN_COLUMN.fullmatch(first):
        wanted.append(f"{' '.join(pair['first'].split())} + 1")
    if any(_same(each, second) for each in wanted):
        return
    for now in wanted:
        says = f"with `{now}` in place of `{' '.join(pair['second'].split())}`"
        yield PairSlip(pair.start("second"), pair.end("second"), now, says)


def _of_strides(code: str) -> Iterator[PairSlip]:
    """Yield `C[i * (n / 2) + j]` for `C[i * n + j]`, where n / 2 is spoken of."""
    for store in _STORE.finditer(code):
        stride = store["stride"]
        if re.search(rf"\b{stride}\s*/\s*2\b", code):
            says = f"with `({stride} / 2)` in place of `{stride}` as the length of a row"
            yield PairSlip(store.start("stride"), store.end("stride"), f"({stride} / 2)", says)


def _of_shared(code: str) -> Iterator[PairSlip]:
    """Yield twice the rows or columns of a shared tile whose elements 2 i + 1 are used."""
    for tile in _SHARED.finditer(code):
        used = re.findall(rf"\b{tile['name']}\s*\[({_INDEX})\]\s*\[({_INDEX})\]", code)
        for number, side in enumerate(("rows", "cols")):
            is_used = any(_ODD.fullmatch(_bare(indices[number])) for indices in used)
            if is_used and not re.search(r"\b2\b", tile[side]):
                now = f"2 * ({tile[side].strip()})"
                says = f"with `[{now}]` in place of `[{tile[side].strip()}]` in the declaration of `{tile['name']}`"
                yield PairSlip(tile.start(side), tile.end(side), now, says)


def _bare(index: str) -> str:
    return "".join(index.split())


def _same(one: str, other: str) -> bool:
    """Return whether two indices have the same terms, brackets aside."""
    return re.sub(r"[()\s]", "", one) == re.sub(r"[()\s]", "", other)
