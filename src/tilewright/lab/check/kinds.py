"""The kinds of kernels besides products that check recognizes: what each computes from A and B, as data.

Inputs are small whole numbers, so that sums are exact in any order, with one largest and one least in every row; a
kernel of floats that is right with these is judged with quarters of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy
from numpy.typing import NDArray

from .kind import ALPHA, BETA, LARGEST, SMALLER, Kind, Result, in_parts
from .neighbours import with_borders
from .normalised import FROM_EXPONENTS, NORMALISED, Normalised

Array = NDArray[Any]
MOST_WEIGHTS, PARTS = 1024, 16
"""Of a filter whose sums are added up one by one; the parts of 1 that products of quarters are made of."""
_VECTOR, _MATRIX = ("inner",), ("rows", "cols")
_SUM = (
    r"sum|som[am]|suma|sou[cč][eě]?t|zbroj|[oö]sszeg|total|reduc|reduz|acc?umul|toplam|\u03ac\u03b8\u03c1\u03bf\u03b9|\u5408\u8ba1|"
    r"\u0441\u0443\u043c\u043c|\u6c42\u548c|\u7dcf\u548c|\u603b\u548c|\u5408\u8a08|\ud569"
)
_MAX = (
    r"max|m[aá]xim|massim|maksim|maggior|gr(?:oe|ö|o)ss|grootste|plus.grand|st[oø]rst|st\u00f6rst|najwi|nejv[eě]t|najv|en_?.?b[uü]y|"
    r"suurin|legnagyobb|largest|biggest|peak|\u6700\u5927|\ucd5c\ub313|\u043c\u0430\u043a\u0441|\u043d\u0430\u0438\u0431\u043e\u043b|"
    r"\u043d\u0430\u0439\u0431\u0456\u043b\u044c\u0448|m[eé]gist|\u03bc\u03ad\u03b3\u03b9\u03c3\u03c4|l[o\u1edb]n.?nh[a\u1ea5]t|terbesar|handien"
)
_MIN = (
    r"min|m[ií]nim|klein|mindst|minst|najmn|nejmen|en_?.?k[uü][cç]|pienin|legkisebb|smallest|least|\u6700\u5c0f|\u043c\u0438\u043d|"
    r"\u043d\u0430\u0438\u043c|"
    r"\u043d\u0430\u0439\u043c\u0435\u043d\u0448|el[aá][xk]h?ist|\u03b5\u03bb\u03ac\u03c7\u03b9\u03c3\u03c4|nh[o\u1ecf].?nh[a\u1ea5]t|terkecil|txikien"
)
_ABSOLUTE = "abs|betr"
_TRANSPOSED = (
    r"trans?p|traspu|traspo|\^\s*T\b|k[aä]{2}nt|devri[kğ]|tenchi|zhuanzhi|\u8ee2\u7f6e|\u8f6c\u7f6e|\u8f49\u7f6e|"
    r"\uc804\uce58|\u0442\u0440\u0430\u043d\u0441\u043f|"
    r"an[aá]strof|\u03b1\u03bd\u03ac\u03c3\u03c4\u03c1\u03bf\u03c6|\u03b1\u03bd\u03b1\u03c3\u03c4\u03c1\u03bf\u03c6|omv[aä]nd|chuy[e\u1ec3]n.?v[i\u1ecb]|irauli"
)
_SQUARES = r"squar|quadra|cuadra|norm|carr|\bl2\b|\bss\b"


_Ufunc = numpy.ufunc | None
_ADD, _MAXIMUM, _MINIMUM = numpy.add, numpy.maximum, numpy.minimum
_OF_NUMBERS: tuple[tuple[str, str, Callable[[Array, int], Array], _Ufunc, str, int], ...] = (
    ("sum", "the sum of", lambda a, axis: a.sum(axis), _ADD, _SUM, 0),
    ("absolute_sum", "the sum of the absolute values of", lambda a, axis: abs(a).sum(axis), _ADD, _ABSOLUTE, 0),
    ("sum_of_squares", "the sum of the squares of", lambda a, axis: (a * a).sum(axis), _ADD, _SQUARES, 0),
    ("max", "the maximum of", lambda a, axis: a.max(axis), _MAXIMUM, _MAX, 1),
    ("min", "the minimum of", lambda a, axis: a.min(axis), _MINIMUM, _MIN, -1),
    ("absolute_max", "the largest absolute value of", lambda a, axis: abs(a).max(axis), _MAXIMUM, _ABSOLUTE, 0),
    ("norm", "the norm of", lambda a, axis: numpy.sqrt((a * a).sum(axis)), None, _SQUARES, 0),
    ("mean", "the mean of", lambda a, axis: a.mean(axis), None, "mean|mitte|medi|avg|average|moyen", 0),
)
"""Of a vector, each row or column: name, words, result along an axis, what combines partial ones, pattern, sign."""


def _reductions() -> Iterator[Kind]:
    for prefix, noun, sides, c, axis in (
        ("", "a vector", _VECTOR, (), -1),
        ("row_", "each row", _MATRIX, ("rows",), 1),
        ("column_", "each column", _MATRIX, ("cols",), 0),
    ):
        for name, said, result, combine, words, sign in _OF_NUMBERS:
            along = partial(_along, result, axis)
            kind = Kind(prefix + name, f"{said} {noun}", sides, c, along, words, axis=axis, sign=sign)
            yield kind if prefix else replace(kind, combine=combine)
            if kind.name == "max":
                yield replace(
                    kind,
                    name="natural_max",
                    said="the maximum of a vector without negative numbers",
                    combine=combine,
                    is_natural=True,
                    sign=0,
                    only=r"__float_as_u?int|\(\s*(?:unsigned\s+)?(?:int|unsigned)\s*\*\s*\)",
                )


def _along(result: Callable[[Array, int], Array], axis: int, a: Array, _: Array) -> Array:
    return result(a, axis)


_MAPS: tuple[tuple[str, str, Result, bool, int, str], ...] = (
    ("copy", "a copy of", lambda a, _: a, False, 0, "cop[yi]|kopi"),
    ("negative", "the negative of", lambda a, _: -a, False, 0, "neg"),
    ("absolute", "the absolute values of", lambda a, _: abs(a), False, 0, _ABSOLUTE),
    ("squares", "the squares of", lambda a, _: a * a, False, 0, _SQUARES),
    ("relu", "the positive part (ReLU) of", lambda a, _: numpy.maximum(a, 0), False, 0, "relu|rect"),
    ("scale", "a multiple of", lambda a, _: ALPHA * a, False, 1, "s[ck]al|mul|fa[ck]t"),
    ("shift", "a number added to", lambda a, _: a + ALPHA, False, 1, "add|plus|shift|offset|bias|inc"),
    ("affine", "alpha A + beta of", lambda a, _: ALPHA * a + BETA, False, 2, "s[ck]al|affin|linear|alpha|norm"),
    ("add", "the sum of two", lambda a, b: a + b, True, 0, r"add|sum|som[am]|plus"),
    ("subtract", "the difference of two", lambda a, b: a - b, True, 0, "sub|diff|minus|rest"),
    ("multiply", "the product, element by element, of two", lambda a, b: a * b, True, 0, "mul|prod|hadam"),
    ("axpy", "alpha A + B of", lambda a, b: ALPHA * a + b, True, 1, "axpy|add|sum|alpha"),
    ("combine", "alpha A + beta B of", lambda a, b: ALPHA * a + BETA * b, True, 2, "axpby|axpy|add|sum|comb|alpha"),
)


def _maps() -> Iterator[Kind]:
    """Yield what is computed element by element, of vectors and of matrices, into another array or in place."""
    for sides, noun in ((_VECTOR, "vector"), (_MATRIX, "matrix")):
        plural = {"vector": "vectors", "matrix": "matrices"}[noun]
        for name, said, result, is_of_two, factors, words in _MAPS:
            whole = f"{said} {plural if is_of_two else f'a {noun}'}"
            b = sides if is_of_two else ()
            kind = Kind(f"{noun}_{name}", whole, sides, sides, result, words, b, factors=factors)
            yield kind
            others = ("A",) if name not in ("copy", "add", "multiply") else ()
            for starts in ("B", *others) if is_of_two else others:
                mark = "_into_a" if starts == "A" and is_of_two else "_in_place"
                yield replace(kind, name=kind.name + mark, said=f"{whole}, in place", starts=starts)


def _with_vectors() -> Iterator[Kind]:
    """Yield what is computed of each element of a matrix and of one of its row or its column, as a layer's bias."""
    words = r"bias|broadcast|layer|schicht|couche|capa|camada|strat"
    also = r"row|col|lin|fil|spalt|zeil|rad|kol|add|mul|s[ck]al|plus|each|max|relu"
    for name, side, of_b in (("row", "cols", (None, slice(None))), ("column", "rows", (slice(None), None))):
        for does, said, result in (
            ("add", f"a matrix plus a vector, added to each {name}", lambda a, b: a + b),
            ("relu_of_add", f"the positive part (ReLU) of a matrix plus a vector, added to each {name}", _positive_sum),
            ("multiply", f"a matrix times a vector, element by element of each {name}", lambda a, b: a * b),
        ):
            along = partial(_beside, result, of_b)
            kind = Kind(f"{name}_vector_{does}", said, _MATRIX, _MATRIX, along, words, (side,), also=also)
            yield kind
            yield replace(kind, name=f"{kind.name}_in_place", said=f"{said}, in place", starts="A")
    words = r"outer|ext[eé]r|ger\b|rank|rang|au[sß]+er|produ"
    yield Kind("outer", "the outer product of two vectors", ("rows",), _MATRIX, numpy.outer, words, ("cols",))
    words = (
        r"conv|konv|filt|falt|mask|kernel|stencil|correl|korrel|splot|evri[sş]im|wyg[lł]ad|smooth|gl[aä]tt|svert|svjort|"
        r"\u0441\u0432[\u0451\u0435]\u0440\u0442|\u5377\u79ef|\u7573\u307f|\u7573\u307f\u8fbc|\ud569\uc131|moving.average|glid"
    )
    for name, said, turn in (("correlate", "filtered", 1), ("convolve", "convolved", -1)):
        for border, outside in (("", "zeros"), ("_edges_repeated", "the nearest elements")):
            result = partial(_filtered, turn, "edge" if border else "constant")
            end = f"with {outside} outside"
            yield Kind(f"{name}_line{border}", f"a vector {said} by another, {end}", _VECTOR, _VECTOR, result, words,
                       ("cols",), is_one_of_many=True)  # fmt: skip
            yield Kind(f"{name}_plane{border}", f"a matrix {said} by a square, {end}", _MATRIX, _MATRIX, result, words,
                       ("inner", "inner"), is_one_of_many=True)  # fmt: skip


def _positive_sum(a: Array, b: Array) -> Array:
    return numpy.asarray(numpy.maximum(a + b, 0))


def _beside(result: Result, of_b: tuple[slice | None, ...], a: Array, b: Array) -> Array:
    return numpy.asarray(result(a, b[of_b]))


def _filtered(turn: int, mode: Literal["constant", "edge"], a: Array, b: Array) -> Array:
    """Return each element's neighbours times those of a filter, added up; mode: what is outside, as in `numpy.pad`."""
    weights = b[(slice(None, None, turn),) * b.ndim]
    padded = numpy.pad(a, [(side // 2, side - 1 - side // 2) for side in b.shape], mode)
    if b.size > MOST_WEIGHTS:  # by Fourier transforms, whose sums of products of quarters are rounded to what they are
        axes = range(padded.ndim)
        spectrum = numpy.fft.rfftn(padded) * numpy.fft.rfftn(weights, padded.shape, axes).conj()
        sums = numpy.fft.irfftn(spectrum, padded.shape, axes)[tuple(slice(side) for side in a.shape)]
        return numpy.asarray(numpy.round(sums * PARTS) / PARTS)
    spans = numpy.lib.stride_tricks.sliding_window_view(padded, b.shape)
    return numpy.asarray((spans * weights).sum(tuple(range(a.ndim, 2 * a.ndim))))


def _others() -> Iterator[Kind]:
    words = (
        r"scan|skan|pr[eäé]fi|prefij|przedrost|[oö]nek|varred|varrid|tara\b|cumul|kumul|acumul|running.(?:sum|total)|l[oö]pende|blelloch|hillis|"
        r"proth[eé]m|\u03c0\u03c1\u03bf\u03b8\u03b5\u03bc|\u03c0\u03c1\u03bf\u03b8\u03ad\u03bc|ti[e\u1ec1]n.?t[o\u1ed1]\b|etuliite|nambura|partial_?sum|somas?_?parc|sumas?_?parc|누적|累|префикс|前缀|前綴"
    )
    sums = Kind("prefix_sums", "the prefix sums of a vector", _VECTOR, _VECTOR, lambda a, _: a.cumsum(), words)
    exclusive = replace(
        sums,
        name="exclusive_prefix_sums",
        said="the prefix sums of a vector, each without its own element",
        result=lambda a, _: a.cumsum() - a,
    )
    own = "each without its own element"
    of_rows = replace(sums, name="row_prefix_sums", said="the prefix sums of each row", a=_MATRIX, c=_MATRIX,
                      is_by_rows=True, result=lambda a, _: a.cumsum(1))  # fmt: skip
    without = replace(of_rows, name="exclusive_row_prefix_sums", said=f"{of_rows.said}, {own}",
                      result=lambda a, _: a.cumsum(1) - a)  # fmt: skip
    of_blocks = replace(sums, name="block_prefix_sums", said="the prefix sums of each block's part of a vector",
                        b=("cols",), is_by_blocks=True,
                        result=lambda a, b: in_parts(a, b).cumsum(1).ravel()[: a.size])  # fmt: skip
    before = replace(of_blocks, name="exclusive_block_prefix_sums", said=f"{of_blocks.said}, {own}",
                     result=lambda a, b: (in_parts(a, b).cumsum(1) - in_parts(a, b)).ravel()[: a.size])  # fmt: skip
    for kind in (sums, exclusive, of_rows, without, of_blocks, before):
        yield kind
        yield replace(kind, name=f"{kind.name}_in_place", said=f"{kind.said}, in place", starts="A")
    yield from _normalised()
    words = (
        r"stencil|st[eê]ncil|plantill|filt|blur|smooth|heat|w[aä]e?rme|v[aä]rme|chaleur|calor|ciep|tepl|\u0442\u0435\u043f\u043b|diff?us|dif[uú]s|dyfuz|"
        r"jacobi|lapla|neighbo|nachbar|vizin|vecin|voisin|buur|s[aą]siad|soused|kom[sş]u|\u0441\u043e\u0441\u0435\u0434|\u70ed|\u6269\u6563"
    )
    for each in with_borders():
        sides = _MATRIX if each.is_of_matrix else _VECTOR
        result = partial(each.result, ALPHA)
        kind = Kind(each.name, each.said, sides, sides, result, words, factors=int(each.is_step), is_one_of_many=True)
        yield kind
        if each.border == "copied":
            said = each.said.replace("as they were", "left as they are")
            yield replace(kind, name=f"{each.name.replace('copied', 'left')}", said=said, holds="A")
    yield from _pairs()
    transposed = Kind(
        "transpose", "the transpose of a matrix", _MATRIX, ("cols", "rows"), lambda a, _: a.T, _TRANSPOSED
    )
    yield transposed
    yield replace(transposed, name="transpose_in_place", said=f"{transposed.said}, in place", starts="A")
    counts = Kind(
        "histogram",
        "a histogram of whole numbers",
        _VECTOR,
        ("cols",),
        lambda a, b: numpy.bincount(a.astype(int), minlength=b.size),
        r"hist|istogr|count|freq|bin|zaehl|z[aä]hl|\btelling|\bcontagem|conteo|contegg|tongji|say[\u0131i]m|sayac|"
        r"\u03b9\u03c3\u03c4\u03cc\u03b3\u03c1|t[a\u1ea7]n.?s[uu\u1ea5\u1ed1]|gistogr|zlicz|[cč]etn|\bkova|\bbakken\b|\u30d2\u30b9\u30c8|\u5ea6\u6570|\u76f4\u65b9|\u7edf\u8ba1|\u0433\u0438\u0441\u0442",
    )
    yield counts
    yield replace(
        counts,
        name="byte_histogram",
        said="a histogram of bytes, several in a bin",
        result=lambda a, b: numpy.bincount((a * b.size).astype(int) >> 8, minlength=b.size),
    )
    yield replace(
        counts,
        name="histogram_of_widths",
        said="a histogram of whole numbers from a least one on, by bins of one width",
        result=lambda a, b: numpy.bincount(((a - ALPHA) // BETA).astype(int), minlength=b.size),
        factors=2,
    )
    words, also = (
        r"vec|vet+or|wektor|\u03b4\u03b9\u03b1\u03bd\u03c5\u03c3|mv\b|gemv|matv",
        r"vek|\u5411\u91cf|\u30d9\u30af\u30c8\u30eb|\ubca1\ud130|\u0432\u0435\u043a\u0442|\by\s*:?=[^;=\n]*\b(?:A\W[^;=\n]*\bx|x\W[^;=\n]*\bA)\b",
    )
    said = "a matrix times a vector"
    yield Kind("matvec", said, ("rows", "inner"), ("rows",), lambda a, b: a @ b, words, ("inner",), also=also)
    said = "a transposed matrix times a vector"
    yield Kind("transposed_matvec", said, _MATRIX, ("cols",), lambda a, b: b @ a, words, ("rows",), also=also)
    words = "dot|inner|s[ck]al|prod|punkt|intern"
    for name, of_what, axis in (("row_dots", "rows", 1), ("column_dots", "columns", 0)):
        along = partial(_dots, axis)
        said = f"the dot products of the {of_what} of two matrices"
        yield Kind(name, said, _MATRIX, ("rows" if axis else "cols",), along, words, _MATRIX, axis=axis)
    words = r"gram|syrk|covar|kovar|transp|\^\s*T\b|\bA_?[tT]\b"
    yield Kind("gram", "A times its own transpose", _MATRIX, ("rows", "rows"), lambda a, _: a @ a.T, words)
    yield Kind("transposed_gram", "the transposed A times A", _MATRIX, ("cols", "cols"), lambda a, _: a.T @ a, words)


def _pairs() -> Iterator[Kind]:
    """Yield what is left of a matrix before or after a reduced product: rows or columns added in pairs, or squares."""
    words = r"(?:pair|paar|\bpar[ei]?s?)\w*[ _]*(?:of|von|de|di|d\W)?[ _]*(?:row|col|zeil|spalt|fil|lin|righ|rig)"
    also = rf"{_SUM}|pair|paar|\bpar[ei]?s?(?![a-z])|coppi|dvoj|zwei|halb|halv|half|fold|add|comb"
    said = "added in pairs of neighbours"
    yield Kind("row_pairs", f"the rows of a matrix, {said}", ("2*rows", "cols"), _MATRIX,
               lambda a, _: a[::2] + a[1::2], words, also=also)  # fmt: skip
    yield Kind("column_pairs", f"the columns of a matrix, {said}", ("rows", "2*cols"), _MATRIX,
               lambda a, _: a[:, ::2] + a[:, 1::2], words, also=also)  # fmt: skip
    of_squares = r"2 ?[x\u00d7] ?2|pool"
    yield Kind("square_sums", "the squares of 2 x 2 elements of a matrix, added up", ("2*rows", "2*cols"), _MATRIX,
               lambda a, _: a[::2, ::2] + a[1::2, ::2] + a[::2, 1::2] + a[1::2, 1::2], of_squares)  # fmt: skip


def _normalised() -> Iterator[Kind]:
    """Yield softmax and what makes the numbers of each row alike in size, with factors and a bias of each column."""
    for each in NORMALISED:
        of_epsilon = replace(each, epsilon=ALPHA)
        sides = _MATRIX if each.is_of_rows else _VECTOR
        divisor, rounds = (SMALLER, FROM_EXPONENTS) if each.is_of_exponents else (1, FROM_EXPONENTS)
        plain = Kind(each.name, each.said, sides, sides, partial(_of_numbers, each), each.words, roundings=rounds,
                     scale=each.scale, divisor=divisor, is_by_rows=each.is_of_rows)  # fmt: skip
        yield plain
        yield replace(plain, name=f"{each.name}_in_place", said=f"{each.said}, in place", starts="A")
        if not each.has_epsilon:
            continue
        scaled = replace(plain, name=f"{each.name}_scaled", said=f"{each.said}, times a factor of each column",
                         b=("cols",), scale=LARGEST * each.scale, result=partial(_of_numbers_scaled, each))  # fmt: skip
        said = f"{scaled.said}, plus a bias of each column"
        moved = replace(scaled, name=f"{each.name}_scaled_and_shifted", said=said, side_of_bias="cols")
        for kind in (plain, scaled, moved):
            if kind is not plain:
                yield kind
            said = f"{kind.said}, with an epsilon that is an argument"
            result = _of_numbers_scaled if kind.b else _of_numbers
            yield replace(kind, name=f"{kind.name}_with_epsilon", said=said, factors=1,
                          result=partial(result, of_epsilon))  # fmt: skip


def _of_numbers(each: Normalised, a: Array, _: Array) -> Array:
    return each.result(a)


def _of_numbers_scaled(each: Normalised, a: Array, b: Array) -> Array:
    return each.result(a) * b


def _dots(axis: int, a: Array, b: Array) -> Array:
    return numpy.asarray((a * b).sum(axis))


KINDS: dict[str, Kind] = {kind.name: kind for kind in (*_reductions(), *_maps(), *_with_vectors(), *_others())}


def is_partial(operation: str) -> bool:
    """Return whether each block may have a result of its own, as of the dot product."""
    return operation == "dot" or (operation in KINDS and KINDS[operation].combine is not None)


def is_of_vectors(operation: str) -> bool:
    """Return whether the work is along one size, `inner`."""
    return operation == "dot" or (operation in KINDS and KINDS[operation].a == _VECTOR)


def families() -> list[list[Kind]]:
    """Return the kinds, together with those that one launch can tell them apart from."""
    found: dict[tuple[object, ...], list[Kind]] = {}
    for kind in KINDS.values():
        found.setdefault(kind.family, []).append(kind)
    return list(found.values())
