"""Slips of a reduced product, which adds two rows of A and two columns of B, mended in a file's text (plain_slips.py).

Of a half-wide C hardly anything is right if its stride is that of B, and a sum of the wrong two rows is no part of any
product: results and addresses then name no roles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_INDEX = r"(?:[^\[\]]|\[[^\[\]]*\])+"
_BETWEEN = r"\s*(?:\+|[;,]\s*(?:const\s+)?(?:\w+\s+)?\w+\s*\+?=)\s*"
_PAIR = re.compile(rf"\b(?P<name>\w+)\s*\[(?P<first>{_INDEX})\]{_BETWEEN}(?P=name)\s*\[(?P<second>{_INDEX})\]")
"""Two elements of an array that are added, or read one behind the other."""
_DOUBLED = re.compile(r"\b(?P<name>\w+)\s*=\s*(?P<value>2\s*\*\s*\w+|\w+\s*\*\s*2)\s*[;,]")
_CAST = re.compile(r"\((?=\w)(?:size_t|(?:unsigned)?(?:long)*(?:int)?|u?int64_t)\)(?=[\w(])")
_STORE = re.compile(r"\b\w+\s*\[[^\[\]=;]*?\*\s*(?P<stride>[A-Za-z_]\w*)\s*\+[^\[\]=;]*\]\s*=(?!=)")
_TURNED = re.compile(
    r"\b\w+\s*\[\s*(?P<index>(?P<cast>\(\s*\w+\s*\)\s*)?(?P<row>\w+)\s*\*\s*\(\s*(?P<side>\w+)\s*/\s*2\s*\)\s*\+\s*(?P<col>\w+))"
    r"\s*\]\s*=(?!=)"
)
_EVEN_ROW = re.compile(r"\(?(?:2\*(?P<one>\w+)|(?P<two>\w+)\*2)\)?\*(?P<stride>\w+)\+(?P<rest>.+)")
_EVEN_COLUMN = re.compile(r".+\+\(?(?:2\*\w+|\w+\*2)\)?")
_SHARED = re.compile(r"__shared__\s+\w+\s+(?P<name>\w+)\s*\[(?P<rows>[^\[\]]+)\]\s*\[(?P<cols>[^\[\]]+)\]")
_ROW = re.compile(r"\(?(?P<row>\w+)\)?\*(?P<stride>\w+)\+(?P<rest>.+)")
_LATER_ROW = re.compile(r"\((?P<row>\w+)\+\(?[\w/]+\)?\)\*(?P<stride>\w+)\+(?P<rest>.+)")
_COLUMN = re.compile(r"(?P<before>.+\+)(?P<column>[A-Za-z_]\w*)")
_TERM = r"[\w.]+(?:\s*\[[^\[\]]*\])*"
_ADDED = re.compile(
    rf"\b(?P<sum>\w+)(?P<at>(?:\s*\[[^\[\]]*\])*)\s*\+=\s*(?P<terms>{_TERM}\s*\*\s*{_TERM}(?:\s*\+\s*{_TERM}\s*\*\s*{_TERM})*)\s*;"
)
_UNCLOSED = re.compile(
    rf"\+=\s*(?P<one>\(\s*{_TERM}\s*\+\s*{_TERM}\s*\))\s*\*\s*(?P<two>{_TERM}\s*\+\s*{_TERM})\s*;"
    rf"|\+=\s*(?P<left>{_TERM}\s*\+\s*{_TERM})\s*\*\s*(?P<right>\(\s*{_TERM}\s*\+\s*{_TERM}\s*\))\s*;"
)
_TILES = re.compile(
    r"\b(?P<name>\w+)\s*\[(?P<row>[^\[\]]+)\]\s*\[(?P<column>[^\[\]]+)\]\s*\+\s*"
    r"(?P=name)\s*\[(?P<other_row>[^\[\]]+)\]\s*\[(?P<other_column>[^\[\]]+)\]"
)
_STRIP = re.compile(r"\b(?P<name>\w+)\s*=\s*(?P<value>(?=[^;,=]*\b2\b)[\w.*+() ]+?)\s*[;,]")
"""A row or column from which a block's strip of twice so many begins: `2 * TILE * blockIdx.y + threadIdx.y`."""
_NEIGHBOUR = r"(?:\b2\s*\*\s*\w+|\w+\s*\*\s*2)\s*\+\s*1\s*<\s*{width}\b"
"""The second of two columns compared with a width: `2 * j + 1 < n`."""
_TWO = re.compile(
    r"\b(?=(?P<first>[A-Za-z_]\w*)\s*=\s*(?P<one>[^,;={}]+)[,;]\s*(?:const\s+)?(?:(?:int|unsigned|size_t|auto)\s+)*"
    r"(?P<second>[A-Za-z_]\w*)\s*=\s*(?P<two>[^,;={}]+)[,;])"
)
"""Two variables that are declared one behind the other."""
_HALF = r"\b{half}\s*=\s*(\w+)\s*/\s*2\s*[;,]"
_TWO_ROWS = re.compile(
    r"\b(?P<one>\w+)\s*=\s*\w+\s*\+\s*(?P<first>\(?\s*(?P<row>[A-Za-z_]\w*)\s*\)?\s*\*\s*(?P<width>\w+))\s*[;,][^;,=]*=\s*"
    r"(?P=one)\s*\+\s*(?P<step>\(?\s*(?P<half>\w+)\s*(?:/\s*(?P<two>2))?\s*\)?\s*\*\s*(?P=width))\s*[;,]"
)
"""Pointers to two rows, the second so many rows behind the first: `top = A + i * k, low = top + half * k`."""
_ODD = re.compile(r"\(?(?:2\*\w+|\w+\*2)\)?\+1")


@dataclass(frozen=True)
class PairSlip:
    """A slip in a text. start, end: where it stands. now: what is put there. says: the change, as a clause."""

    start: int
    end: int
    now: str
    says: str


def pair_slips(code: str) -> Iterator[PairSlip]:
    """Yield each slip of code without comments."""
    pairs = list(_PAIR.finditer(code))
    doubled = {match["name"]: match["value"] for match in _DOUBLED.finditer(code)}
    for pair in pairs:
        yield from _of_second(pair, doubled)
        yield from _of_halves(pair)
        yield from _of_row_pointers(pair)
        yield from _of_halved_rows(pair)
    yield from _of_declared(code, pairs)
    yield from _of_two_rows(code)
    yield from _of_strips(code)
    if any(_is_even(pair) for pair in pairs):  # so that pairs of neighbours are meant
        for pair in pairs:
            yield from _of_both(pair)
    yield from _of_strides(code) if pairs or re.search(_NEIGHBOUR.format(width=r"\w+"), code) else ()
    yield from _of_tiles(code)
    yield from _of_shared(code)
    yield from _of_sums(code)
    yield from _of_four(code)
    yield from _of_four_sums(code)


def _of_second(pair: re.Match[str], doubled: Mapping[str, str]) -> Iterator[PairSlip]:
    """Yield `A[(2 * i + 1) * n + k]` for another second row, `B[k * n + 2 * j + 1]` for another second column.

    doubled: names of the first of two rows or columns, with their values.
    """
    names = re.compile(rf"\b(?:{'|'.join(doubled)})\b" if doubled else r"(?!)")
    if names.search(pair["first"]) and not names.search(pair["second"]):
        return  # the second may be declared as well
    first, second = (
        _CAST.sub("", _bare(names.sub(lambda each: doubled[each[0]], pair[n]))) for n in ("first", "second")
    )
    wanted = []
    if row := _EVEN_ROW.fullmatch(first):
        wanted.append(f"(2 * {row['one'] or row['two']} + 1) * {row['stride']} + {row['rest']}")
    if _EVEN_COLUMN.fullmatch(first):
        wanted.append(f"{' '.join(pair['first'].split())} + 1")
    if any(_same(_CAST.sub("", _bare(each)), second) for each in wanted):
        return
    for now in wanted:
        says = f"with `{now}` in place of `{' '.join(pair['second'].split())}`"
        yield PairSlip(pair.start("second"), pair.end("second"), now, says)


def _of_halves(pair: re.Match[str]) -> Iterator[PairSlip]:
    """Yield `row[2 * j + 1]` for `row[j + n]` beside `row[2 * j]`."""
    first = re.fullmatch(r"2\*(\w+)|(\w+)\*2", _bare(pair["first"]))
    name = (first[1] or first[2]) if first else ""
    if name and re.fullmatch(rf"\(?{name}\)?\+[\w.]+", _bare(pair["second"])):
        now = f"{pair['first'].strip()} + 1"
        says = f"with `{now}` in place of `{' '.join(pair['second'].split())}`"
        yield PairSlip(pair.start("second"), pair.end("second"), now, says)


def _of_row_pointers(pair: re.Match[str]) -> Iterator[PairSlip]:
    """Yield `row[2 * j] + row[2 * j + 1]` for `row[j] + row[j + n / 2]`, where row is a row of n elements.

    A name may stand for n / 2. That the row is n long is what its pointer shows: `row = B + k * n` or `&B[k * n]`.
    """
    name, column, code = pair["name"], _bare(pair["first"]), pair.string
    later = re.fullmatch(rf"{re.escape(column)}\+\(?(?P<half>\w+)(?:/(?P<two>2))?\)?", _bare(pair["second"]))
    if not column.isidentifier() or later is None:
        return
    named = None if later["two"] else re.search(_HALF.format(half=later["half"]), code)
    width = later["half"] if later["two"] else named and named[1]
    if width and re.search(rf"\*\s*(?:const\s+|__restrict__\s+)*{name}\s*=[^;=]*\*\s*{width}\b", code[: pair.start()]):
        between = code[pair.end("first") : pair.start("second")]
        now = f"2 * {column}{between}2 * {column} + 1"
        says = f"with `{name}[{' '.join(now.split())}]` in place of `{' '.join(pair[0].split())}`"
        yield PairSlip(pair.start("first"), pair.end("second"), now, says)


def _of_halved_rows(pair: re.Match[str]) -> Iterator[PairSlip]:
    """Yield rows of n elements for rows of n / 2 in both subscripts: only the result is half as wide."""
    for stride in dict.fromkeys(re.findall(r"\*\s*(\w+|\(\s*\w+\s*/\s*2\s*\))\s*\+", pair[0])):
        named = re.search(_HALF.format(half=re.escape(stride)), pair.string)
        width = re.sub(r"[()\s]|/\s*2", "", stride) if "/" in stride else named and named[1]
        if width:
            now = re.sub(rf"(\*\s*){re.escape(stride)}(?!\w)", rf"\g<1>{width}", pair[0])
            says = f"with `{' '.join(now.split())}` in place of `{' '.join(pair[0].split())}`"
            yield PairSlip(pair.start(), pair.end(), now, says)


def _of_two_rows(code: str) -> Iterator[PairSlip]:
    """Yield `top = A + 2 * i * k, low = top + k` for `top = A + i * k, low = top + m / 2 * k`."""
    for two in _TWO_ROWS.finditer(code):
        if two["two"] or re.search(_HALF.format(half=two["half"]), code):
            first = f"2 * {two['row']} * {two['width']}"
            now = f"{first}{code[two.end('first') : two.start('step')]}{two['width']}"
            was = " ".join(code[two.start("first") : two.end("step")].split())
            says = f"with `{' '.join(now.split())}` in place of `{was}`"
            yield PairSlip(two.start("first"), two.end("step"), now, says)


def _of_declared(code: str, pairs: Sequence[re.Match[str]]) -> Iterator[PairSlip]:
    """Yield `c0 = 2 * j, c1 = 2 * j + 1` for `c0 = j, c1 = j + n / 2`, where elements at c0 and c1 are a pair."""
    for two in _TWO.finditer(code):
        first, second = two["first"], two["second"]
        if not any(_same(re.sub(rf"\b{first}\b", second, each["first"]), each["second"]) for each in pairs):
            continue
        one, even = _bare(two["one"]), re.fullmatch(r"\(?(?:2\*(\w+)|(\w+)\*2)\)?", _bare(two["one"]))
        base = (even[1] or even[2]) if even else one
        is_pair = even and _bare(two["two"]).strip("()") in (f"{one}+1", f"{first}+1", f"2*{base}+1", f"{base}*2+1")
        if is_pair or not base.isidentifier() or base == second:
            continue
        between = code[two.end("one") : two.start("two")]
        now = f"2 * {base}{between}2 * {base} + 1"
        was = " ".join(code[two.start("first") : two.end("two")].split())
        says = f"with `{first} = {' '.join(now.split())}` in place of `{was}`"
        yield PairSlip(two.start("one"), two.end("two"), now, says)


def _of_strips(code: str) -> Iterator[PairSlip]:
    """Yield `2 * (TILE * block + x)` and the next for `2 * TILE * block + x` and the one TILE behind it."""
    for strip in _STRIP.finditer(code):
        name, (factors, x) = strip["name"], _strip_of(strip["value"])
        behind = set(re.findall(rf"\b{name}\s*\+\s*([A-Za-z_]\w*)", code[strip.end() :]))
        side = next((each for each in factors if each in behind), None)
        if side is None or not re.search(rf"\[[^\[\]]*\b{name}\b", code[strip.end() :]):
            continue
        later = list(re.finditer(rf"\b{name}\s*\+\s*{re.escape(side)}\b", code[strip.end() :]))
        now, end = f"2 * ({' * '.join(factors)} + {x})", strip.end()
        pieces, last = [now], strip.end("value")
        for each in later:
            pieces += [code[last : end + each.start()], f"{name} + 1"]
            last = end + each.end()
        was = " ".join(strip["value"].split())
        says = f"with `{name} = {now}` and `{name} + 1` in place of `{was}` and `{name} + {side}`"
        yield PairSlip(strip.start("value"), last, "".join(pieces), says)


def _strip_of(value: str) -> tuple[list[str], str]:
    """Return the two factors beside a 2, and what is added to their product; nothing for another sum."""
    terms = [re.sub(r"[()\s]", "", term).split("*") for term in value.split("+")]
    product, plain = (max(terms, key=len), min(terms, key=len)) if len(terms) == 2 else ([], [])
    is_strip = len(product) == 3 and len(plain) == 1 and product.count("2") == 1
    return ([each for each in product if each != "2"], plain[0]) if is_strip else ([], "")


def _is_even(pair: re.Match[str]) -> bool:
    """Return whether a pair is that of the rows or the columns 2 i and 2 i + 1."""
    first, second = _bare(pair["first"]), _bare(pair["second"])
    row = _EVEN_ROW.fullmatch(first)
    is_of_rows = row and _same(second, f"(2*{row['one'] or row['two']}+1)*{row['stride']}+{row['rest']}")
    return bool(is_of_rows) or (bool(_EVEN_COLUMN.fullmatch(first)) and _same(second, f"{first}+1"))


def _of_both(pair: re.Match[str]) -> Iterator[PairSlip]:
    """Yield rows 2 i and 2 i + 1 for i and i + m / 2, or the columns 2 j and 2 j + 1 for j and j + 1."""
    name, first, second = pair["name"], _bare(pair["first"]), _bare(pair["second"])
    row, later = _ROW.fullmatch(first), _LATER_ROW.fullmatch(second)
    found = []
    if row and later and row.groupdict() == later.groupdict():
        rest = f"* {row['stride']} + {row['rest']}"
        found.append((f"2 * {row['row']} {rest}", f"(2 * {row['row']} + 1) {rest}"))
    column = _COLUMN.fullmatch(first)
    if column and re.fullmatch(rf"{re.escape(first)}\+\(?[\w/]+\)?", second):
        before = pair["first"].rstrip()[: -len(column["column"])]
        found.append((f"{before}2 * {column['column']}", f"{before}2 * {column['column']} + 1"))
    for one, two in found:
        between = pair.string[pair.end("first") : pair.start("second")]
        shown = " ".join(f"{name}[{one}{between}{two}]".split())
        says = f"with `{shown}` in place of `{' '.join(pair[0].split())}`"
        yield PairSlip(pair.start("first"), pair.end("second"), f"{one}{between}{two}", says)


def _of_sums(code: str) -> Iterator[PairSlip]:
    """Yield `(a + b) * (c + d)` for `(a + b) * c + d`."""
    for match in _UNCLOSED.finditer(code):
        place = "two" if match["two"] else "left"
        says = f"with `({match[place]})` in place of `{match[place]}` in a product of sums"
        yield PairSlip(match.start(place), match.end(place), f"({match[place]})", says)


def _of_four(code: str) -> Iterator[PairSlip]:
    """Yield the fourth of the products of two numbers with two others, of which a sum has three."""
    for name, added, terms in _sums_of_products(code):
        lefts, rights = (dict.fromkeys(term[side] for term in terms) for side in (0, 1))
        pairs = [(a, b) for a in lefts for b in rights]
        missing = [pair for pair in pairs if pair not in terms]
        if len(lefts) == len(rights) == 2 and len(missing) == 1 and len(terms) in (3, 4):
            product = f"{missing[0][0]} * {missing[0][1]}"
            yield from _completed(added, terms, f"{name} += {product};", product, pairs.index(missing[0]))


def _of_four_sums(code: str) -> Iterator[PairSlip]:
    """Yield the product that four sums lack, one of each two with each two others, where two sums have the same."""
    added = list(_ADDED.finditer(code))
    for four in zip(added, added[1:], added[2:], added[3:], strict=False):
        terms = [tuple(map(_bare, each["terms"].split("*"))) for each in four]
        is_in_a_row = all(not code[one.end() : other.start()].strip() for one, other in pairwise(four))
        sums = {(each["sum"], _bare(each["at"])) for each in four}
        if not is_in_a_row or len(sums) < len(four) or any("+" in each["terms"] for each in four):
            continue
        lefts, rights = (dict.fromkeys(term[side] for term in terms) for side in (0, 1))
        pairs = [(a, b) for a in lefts for b in rights]
        missing = [pair for pair in pairs if pair not in terms]
        if len(lefts) == len(rights) == 2 and len(missing) == 1:
            product = f"{missing[0][0]} * {missing[0][1]}"
            yield from _completed(list(four), terms, "", product, pairs.index(missing[0]))


def crossed_slips(code: str) -> Iterator[PairSlip]:
    """Yield `(a0 + a1) * (b0 + b1)` for `a0 * b0 + a1 * b1`, a sum that somebody may mean: ask what the file says."""
    for _, added, terms in _sums_of_products(code):
        lefts, rights = (list(dict.fromkeys(term[side] for term in terms)) for side in (0, 1))
        if len(terms) == len(lefts) == len(rights) == 2:
            end = added[-1].end("terms")
            says = f"with `({' + '.join(lefts)}) * ({' + '.join(rights)})` in place of two of its four products"
            yield PairSlip(end, end, f" + {lefts[0]} * {rights[1]} + {lefts[1]} * {rights[0]}", says)


def _sums_of_products(code: str) -> Iterator[tuple[str, list[re.Match[str]], list[tuple[str, ...]]]]:
    """Yield the name of each sum to which only products of two are added, the statements, and the products."""
    sums: dict[str, list[re.Match[str]]] = {}
    for match in _ADDED.finditer(code):
        if not match["at"]:
            sums.setdefault(match["sum"], []).append(match)
    for name, added in sums.items():
        terms = [tuple(map(_bare, term.split("*"))) for each in added for term in each["terms"].split("+")]
        if all(len(term) == 2 for term in terms):
            yield name, added, terms


def _completed(
    added: list[re.Match[str]], terms: list[tuple[str, ...]], statement: str, product: str, place: int
) -> Iterator[PairSlip]:
    """Yield the sum with a product more, or of four with it in place of the one that is there twice."""
    if len(terms) == 3:
        last = added[-1]
        yield PairSlip(last.end(), last.end(), f" {statement}", f"with `{statement}` behind it")
    if len(terms) == len(added) == 4:  # all in their order but one: that one is meant to be what is missing
        added = [added[place], *added[:place], *added[place + 1 :]]
    for each in added if len(terms) == 4 else ():
        if len(each["terms"].split("+")) == 1 and terms.count(tuple(map(_bare, each["terms"].split("*")))) == 2:
            says = f"with `{product}` in place of `{' '.join(each['terms'].split())}`"
            yield PairSlip(each.start("terms"), each.end("terms"), product, says)


def _of_tiles(code: str) -> Iterator[PairSlip]:
    """Yield `B[k][2 * j] + B[k][2 * j + 1]` for `B[k][j] + B[k][j + HALF]`, and so for rows, of tiles."""
    for pair in _TILES.finditer(code):
        name, row, column = pair["name"], pair["row"].strip(), pair["column"].strip()
        if row == pair["other_row"].strip() and _is_later(column, pair["other_column"]):
            now = f"{name}[{row}][2 * {column}] + {name}[{row}][2 * {column} + 1]"
        elif column == pair["other_column"].strip() and _is_later(row, pair["other_row"]):
            now = f"{name}[2 * {row}][{column}] + {name}[2 * {row} + 1][{column}]"
        else:
            continue
        yield PairSlip(pair.start(), pair.end(), now, f"with `{now}` in place of `{' '.join(pair[0].split())}`")


def _is_later(index: str, other: str) -> bool:
    """Return whether an index is a name, and another one that name and some more."""
    return index.isidentifier() and re.fullmatch(rf"{index}\s*\+\s*\w+", other.strip()) is not None


def _of_strides(code: str) -> Iterator[PairSlip]:
    """Yield `C[i * (n / 2) + j]` for `C[i * n + j]`, where n / 2 is spoken of, or column 2 j + 1 of n."""
    for store in _STORE.finditer(code):
        stride = store["stride"]
        is_halved = re.search(rf"\b{stride}\s*/\s*2\b", code)
        if is_halved or re.search(_NEIGHBOUR.format(width=stride), code):
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


def turned_stores(code: str) -> Iterator[PairSlip]:
    """Yield `C[i * (n / 2) + j]` for `C[j * (m / 2) + i]` and the other way round, if `i < m / 2` and `j < n / 2`."""
    for store in _TURNED.finditer(code):
        row, side, col = store["row"], store["side"], store["col"]
        width = re.search(rf"\b{row}\s*[<>]=?\s*\(?\s*(?P<side>\w+)\s*/\s*2\b", code)
        if width and width["side"] != side and re.search(rf"\b{col}\s*[<>]=?\s*\(?\s*{side}\s*/\s*2\b", code):
            now = f"{store['cast'] or ''}{col} * ({width['side']} / 2) + {row}"
            says = f"with `{now}` in place of `{' '.join(store['index'].split())}`"
            yield PairSlip(store.start("index"), store.end("index"), now, says)


def _bare(index: str) -> str:
    return "".join(index.split())


def _same(one: str, other: str) -> bool:
    """Return whether two indices have the same terms, brackets aside."""
    return re.sub(r"[()\s]", "", one) == re.sub(r"[()\s]", "", other)
