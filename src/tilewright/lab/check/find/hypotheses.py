"""All assignments of an operation's matrices and sizes to a kernel's parameters, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice, permutations, product, takewhile
from typing import Any

import numpy

from tilewright.lab.check.element_types import dtype_of, is_integer
from tilewright.lab.check.sizes import FAMILIES
from tilewright.lab.source import Parameter
from tilewright.lab.source.unpacking import BETWEEN

from .roles import BATCH, BIAS, COUNTER, MATRICES, NULL, PASSED, PLAIN_ALPHA, PLAIN_BETA, SCRATCH, Roles, RolesError
from .struct_sizes import StructSizes, struct_sizes
from .unfillable import why_unfillable

FREE_SIZES, WITH_STRIDES, WITH_STEPS = 3, 6, 9
"""The number of sizes of a product, with leading dimensions, and with the steps between many products' matrices too."""
_ELEMENTS = {"A": "rows*inner", "B": "inner*cols", "C": "rows*cols"}
VECTOR = re.compile(r"\b(?:float|double|u?int|u?short|u?char|(?:__)?half|__nv_bfloat16)([248])\b")
MOST = 800
"""The most guesses per operation; more would take minutes."""


@dataclass(frozen=True)
class Slots:
    """The slots to fill: positions among the parameters, by kind, and the file's constants that are sizes.

    may_be_c: pointers that the kernel may write through. dtypes: by position. said: words already known, by position.
    settled: constants already known. counts: those that may be a number of products or of slices. places: where the
    file's own launch passes a constant. steps: places of the steps of vectors, with the vector's. is_added: whether the
    kernel adds to memory with atomics, as slices of a product do.
    """

    parameters: tuple[Parameter, ...]
    pointers: tuple[int, ...]
    may_be_c: tuple[int, ...]
    sizes: tuple[int, ...]
    factors: tuple[int, ...]
    constants: tuple[str, ...]
    dtypes: dict[int, numpy.dtype[Any]]
    said: dict[int, str] = field(default_factory=dict)
    settled: tuple[tuple[str, str], ...] = ()
    counts: tuple[str, ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)
    steps: Mapping[int, int] = field(default_factory=dict)
    is_added: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether everything is known, and nothing is left to find."""
        return not self.count and not self.factors and set(MATRICES) <= set(self.said.values())

    @property
    def count(self) -> int:
        """The number of sizes to find."""
        return len(self.keys)

    @property
    def keys(self) -> list[int | str]:
        """The sizes to find: places of arguments, then names of constants."""
        return [*self.sizes, *self.constants]


def slots_of(
    parameters: Sequence[Parameter],
    kernel: str,
    *,
    constants: Sequence[str] = (),
    said: Mapping[int, str] | None = None,
    settled: Sequence[tuple[str, str]] = (),
    is_other: bool = False,
    counts: Sequence[str] = (),
    places: Mapping[str, int] | None = None,
    steps: Mapping[int, int] | None = None,
    is_added: bool = False,
) -> Slots:
    """Return a kernel's slots; raise RolesError if they can't be two matrices, a result and their sizes.

    is_other: they may also be one to three arrays of a kernel of another kind.
    """
    said = dict(said or {})
    pointers = [
        i for i, p in enumerate(parameters) if p.is_pointer and said.get(i) not in (NULL, SCRATCH, COUNTER, BIAS)
    ]
    dtypes = {i: dtype_of(parameters[i].element_type) for i in range(len(parameters))}
    others = ", ".join(f"{p.type_text} {p.name}".strip() for p in parameters) or "nothing"
    how = f"give its arrays, as in {arrays_to_give(parameters)}"
    for parameter in parameters:
        if reason := why_unfillable(parameter):
            raise RolesError(f"{kernel} takes {others}: {reason}.")
    strange = [p.name for i, p in enumerate(parameters) if dtypes[i] is None]
    kinds = {is_integer(dtype) for i in pointers if (dtype := dtypes[i]) is not None}
    is_product = len(pointers) == len(MATRICES) and len(kinds) == 1
    if strange or not (is_product or (is_other and 0 < len(pointers) <= len(MATRICES))):
        raise RolesError(f"{kernel} takes {others}, which is no A, B, C with sizes and factors; {how}.")
    writable = [i for i in pointers if not parameters[i].is_const]
    if not writable:
        raise RolesError(f"{kernel} takes {others}, and all its arrays are const, so none can be the result; {how}.")
    plain = [i for i in range(len(parameters)) if i not in pointers]
    known = {i: dtype for i, dtype in dtypes.items() if dtype is not None}
    return Slots(
        parameters=tuple(parameters),
        pointers=tuple(pointers),
        may_be_c=tuple(writable),
        sizes=tuple(i for i in plain if is_integer(known[i]) and i not in said),
        factors=tuple(i for i in plain if not is_integer(known[i]) and i not in said),
        constants=tuple(constants),
        dtypes=known,
        said=said,
        settled=tuple(settled),
        counts=tuple(counts),
        places=dict(places or {}),
        steps=dict(steps or {}),
        is_added=is_added,
    )


def arrays_to_give(parameters: Sequence[Parameter]) -> str:
    """Return options, with example file names, that check a kernel with these parameters that is not a product."""
    pointers = [parameter for parameter in parameters if parameter.is_pointer]
    if not pointers:
        return "--array x=x.npy --expect x=x_expected.npy for a __device__ variable x"
    read = [parameter for parameter in pointers if parameter.is_const] or pointers[:-1] or pointers
    written = [parameter for parameter in pointers if parameter not in read] or pointers[-1:]
    words = [f"--array {parameter.name}={parameter.name}.npy" for parameter in read]
    words += [f"--scalar {parameter.name}=5" for parameter in parameters if not parameter.is_pointer]
    words += [f"--expect {parameter.name}={parameter.name}_expected.npy" for parameter in written]
    return " ".join(words)


def families_of(operation: str, slots: Slots) -> list[str]:
    """Return the families of sizes to try: three different ones if the parameters or the grid can tell them apart."""
    said = {
        word for word in (*slots.said.values(), *(w for _, w in slots.settled)) if word in ("rows", "inner", "cols")
    }
    if operation == "dot" or slots.count + len(said) >= 3:
        return [""]
    if slots.count == 0 and said:
        return ["" if len(said) == 2 else "rows=inner=cols"]
    if slots.count == 2:
        return [family for family in FAMILIES if operation == "matmul" or "=1" not in family]
    return ["rows=inner=cols"]


def hypotheses(operation: str, family: str, slots: Slots, rarer_for_tile: int | None = None) -> Iterator[Roles]:
    """Return the guesses; with a tile, those where some size is a number of tiles, of elements or of half the rows."""
    if len(slots.counts) == 1 and not rarer_for_tile and operation != "dot" and slots.count != FREE_SIZES:
        yield from of_many(operation, family, slots)
    structs = struct_sizes(slots.parameters, slots.sizes, slots.constants, slots.said)
    strided: list[Roles] = []
    if not rarer_for_tile and (structs is None or family or structs.plain == FREE_SIZES):
        strided = list(with_strides(operation, family, slots))
        yield from strided
    if strided or (not rarer_for_tile and operation == "dot" and slots.count >= WITH_STRIDES):
        return
    if structs is not None and not family:
        yield from _of_structs(operation, slots, structs) if operation != "dot" and not rarer_for_tile else ()
        return
    words = _words(operation, family)
    fillings: Iterator[tuple[str, ...]]
    if rarer_for_tile:
        fillings = _with_one_rarer(words, _rare_words(operation, words, rarer_for_tile), slots.count)
    else:
        fillings = chain(_in_vectors(slots, words), _plain_fillings(operation, words, slots.count))
        if operation == "matmul":
            fillings = chain(fillings, _passed_as_doubles(slots, words), _passed_as_halves(slots, words))
    ordered = sorted(islice(fillings, MOST), key=lambda filling: len(set(filling)) < len(filling))
    for filling in ordered:
        for pointers in _orders(slots):
            for factors in plain_factors(len(slots.factors)):
                yield roles_of(operation, family, slots, pointers, filling, factors)


def _plain_fillings(operation: str, words: Sequence[str], count: int) -> Iterator[tuple[str, ...]]:
    """Yield the meanings of so many sizes; of more than a product has, each is there."""
    every = product(words, repeat=count)
    yield from (each for each in every if count <= FREE_SIZES or set(words) <= set(each))
    if operation == "reduced_matmul":
        halved = [word if word == "inner" else f"{word}/2" for word in words]
        yield from product(halved, repeat=count)


def _passed_as_doubles(slots: Slots, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the meanings of the host's names if it passes twice some of them: of a product that others add in pairs."""
    passed = " ".join(word for word in slots.said.values() if word[0] == PASSED)
    twice = [
        isinstance(key, str) and re.search(rf"\b(?:2 ?\* ?{key}|{key} ?\* ?2)\b", passed) is not None
        for key in slots.keys
    ]
    if any(twice) and len(twice) == len(words) == FREE_SIZES:
        for each in permutations(words):
            yield tuple(f"{word}/2" if is_half else word for word, is_half in zip(each, twice, strict=True))


def _passed_as_halves(slots: Slots, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the meanings of the host's names if it passes the halves of some: of a product whose rows and columns other
    kernels have added in pairs. Names that are passed themselves are what they are.
    """
    factors = ["" if not isinstance(key, str) or PASSED + key in slots.said.values() else "2*" for key in slots.keys]
    if any(factors) and len(factors) == len(words) == FREE_SIZES:
        yield from (tuple(map("".join, zip(factors, each, strict=True))) for each in permutations(words))


def _in_vectors(slots: Slots, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the meanings of sizes of which that along the sums counts vectors: `n4` of a `float4 *`."""
    types = (slots.parameters[at].element_type for at in slots.pointers)
    widths = sorted({int(found[1]) for each in types if (found := VECTOR.search(each))}, reverse=True)
    for width in widths if "inner" in words and len(words) == slots.count else ():
        yield from permutations([f"{word}/{width}" if word == "inner" else word for word in words])


def of_many(operation: str, family: str, slots: Slots, transposed: str = "") -> Iterator[Roles]:
    """Yield the guesses for many products, whose operands are their own or in common, and for slices of one."""
    name = slots.counts[0]
    one = replace(slots, constants=tuple(each for each in slots.constants if each != name), counts=())
    for batched in ("", "AB", "A", "B") if slots.is_added else ("AB", "A", "B", ""):
        steps = _with_steps_alone(operation, one) if batched or not slots.is_added else ()
        plain = chain(steps, hypotheses(operation, family, one))
        likely = with_strides(operation, family, one, transposed) if transposed else plain
        for roles in takewhile(lambda roles: roles.is_bijective, likely):
            many, count = roles.with_operands(batched), "batch" if batched else str(BATCH)
            yield replace(many, constants=(*many.constants, (name, count)))


def _with_steps_alone(operation: str, slots: Slots) -> Iterator[Roles]:
    """Yield the guesses for three sizes and the steps between matrices: behind each matrix, or on a side of the sizes.

    A transposed matrix has the same step.
    """
    places = _size_places(slots)
    if slots.count != WITH_STRIDES or -1 in places:
        return
    behind = [min((at for at in places if at > pointer), default=-1) for pointer in slots.pointers]
    for steps in (behind, sorted(places)[FREE_SIZES:], sorted(places)[:FREE_SIZES]):
        for pointers in _orders(slots) if len({*steps} - {-1}) == FREE_SIZES else ():
            named = dict(zip(pointers, MATRICES, strict=True))
            owners = {at: named[pointer] for at, pointer in zip(steps, slots.pointers, strict=True)}
            for main in permutations(_words(operation, "")):
                rest = iter(main)
                filling = tuple(_ELEMENTS[owners[at]] if at in owners else next(rest) for at in places)
                for factors in plain_factors(len(slots.factors)):
                    roles = roles_of(operation, "", slots, pointers, filling, factors)
                    yield replace(roles, steps=tuple((owner, _key(slots, at)) for at, owner in owners.items()))


def _of_structs(operation: str, slots: Slots, structs: StructSizes, transposed: str = "") -> Iterator[Roles]:
    """Yield the guesses for matrices in structs that hold their own sizes, as they lie."""
    for pointers in _orders(slots):
        matrices = dict(zip(pointers, MATRICES, strict=True))
        for filling in dict.fromkeys(structs.fillings(matrices, _words(operation, ""), operation, transposed)):
            leading, steps = (
                tuple((name, slots.keys[at]) for name, at in each)
                for each in structs.placed(filling, operation, matrices, transposed)
            )
            for factors in plain_factors(len(slots.factors)):
                roles = roles_of(operation, "", slots, pointers, filling, factors)
                yield replace(roles, is_of_structs=True, leading=leading, steps=steps)


def of_transposed_structs(slots: Slots, transposed: str) -> Iterator[Roles]:
    """Yield the guesses for a product of matrices in structs, of which some lie transposed."""
    structs = struct_sizes(slots.parameters, slots.sizes, slots.constants, slots.said)
    yield from _of_structs("matmul", slots, structs, transposed) if structs is not None else ()


def with_strides(operation: str, family: str, slots: Slots, transposed: str = "") -> Iterator[Roles]:
    """Yield the guesses for six sizes, three of them leading dimensions: `m, n, k, A, lda, B, ldb, C, ldc`.

    The leading dimensions are in elements, then in bytes, as cudaMallocPitch returns them. Of nine sizes the steps from
    one matrix to the next stand behind them: `A, lda, stepA, B, ldb, stepB, C, ldc, stepC`.
    """
    has_steps = slots.count == WITH_STEPS
    if slots.count not in (WITH_STRIDES, WITH_STEPS) or operation == "dot":
        return
    lying = {"A": ("rows", "inner"), "B": ("inner", "cols"), "C": ("rows", "cols")}
    lying |= {name: lying[name][::-1] for name in transposed}
    lying |= {"C": ("rows/2", "cols/2")} if operation == "reduced_matmul" else {}
    places = _size_places(slots)
    if places.count(-1) not in (0, 0 if has_steps else FREE_SIZES):
        return  # of matrices in structs, the sides are passed several times, and the leading dimensions once
    behind = [sorted(at for at in places if at > pointer)[: 1 + has_steps] for pointer in slots.pointers]
    are_behind = all(len(each) == 1 + has_steps for each in behind)
    choices = [([each[0] for each in behind], [at for each in behind for at in each[1:]])] if are_behind else []
    last = sorted(places)[3:6], sorted(places)[6:]
    choices += [] if last in choices else [last]
    for in_bytes, (strides, steps) in product((False, True)[: 2 - has_steps], choices):
        if len({*strides, *steps}) != len(strides) + len(steps) or not set(strides) <= set(places):
            continue
        for pointers in _orders(slots):
            named = dict(zip(pointers, MATRICES, strict=True))
            words = {
                at: f"{slots.dtypes[pointer].itemsize}*{lying[named[pointer]][1]}"
                if in_bytes
                else lying[named[pointer]][1]
                for at, pointer in zip(strides, slots.pointers, strict=True)
            }
            words |= {at: "*".join(lying[named[pointer]]) for at, pointer in zip(steps, slots.pointers, strict=False)}
            owners = [named[pointer] for pointer in slots.pointers]
            leading, between = (
                tuple((name, _key(slots, at)) for name, at in zip(owners, each, strict=False))
                for each in (strides, steps)
            )
            halved = [("rows/2", "inner", "cols/2")] if operation == "reduced_matmul" else []  # the sides of C
            for main in chain.from_iterable(permutations(words_of, 3) for words_of in (_words(operation, ""), *halved)):
                rest = iter(main)
                filling = tuple(words[at] if at in words else next(rest) for at in places)
                for factors in plain_factors(len(slots.factors)):
                    roles = roles_of(operation, family, slots, pointers, filling, factors)
                    yield replace(roles, leading=leading, steps=between)


def _key(slots: Slots, place: int) -> int | str:
    """Return the place of an argument, or the name of the constant that is passed there."""
    return next((name for name in slots.constants if _place_of(slots, name) == place), place)


def _size_places(slots: Slots) -> list[int]:
    """Return where each size is passed; -1 for a constant that is nowhere."""
    return [*slots.sizes, *(_place_of(slots, name) for name in slots.constants)]


def _place_of(slots: Slots, name: str) -> int:
    """Return the position at which the file's own launch passes a name, or a field of that name."""
    own = (i for i, word in slots.said.items() if word == PASSED + name or word.endswith(BETWEEN + name))
    return next(own, slots.places.get(name, -1))


def strided_fillings(
    slots: Slots, shapes: Mapping[int, Sequence[str]], words: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Yield the meanings of sizes of which the first behind a matrix may be the length of its rows."""
    places = _size_places(slots)
    matrices = [pointer for pointer, shape in shapes.items() if len(shape) > 1]
    for chosen in (matrices, *([each] for each in matrices if len(matrices) > 1)):
        behind = {min((at for at in places if at > pointer), default=-1): pointer for pointer in chosen}
        if -1 in behind or len(behind) < len(chosen) or len(places) - len(behind) != len(words):
            continue
        for main in permutations(words):
            rest = iter(main)
            yield tuple(shapes[behind[at]][-1] if at in behind else next(rest) for at in places)


def leading_behind(
    slots: Slots, shapes: Mapping[int, Sequence[str]], filling: Sequence[str]
) -> Iterator[tuple[int, int | str]]:
    """Yield each matrix's place with that of the size behind it, where that is its width and another size is, too."""
    places = _size_places(slots)
    for pointer, shape in shapes.items():
        behind = min((at for at in places if at > pointer), default=-1)
        word = filling[places.index(behind)] if behind >= 0 else ""
        if len(shape) > 1 and word == shape[-1] and list(filling).count(word) > 1:
            yield pointer, _key(slots, behind)


def _words(operation: str, family: str) -> list[str]:
    if operation == "dot":
        return ["inner"]
    names = ["rows", "inner", "cols"]
    return [names[index] for index in dict.fromkeys(FAMILIES[family]) if index is not None]


def _rare_words(operation: str, words: Sequence[str], tile: int) -> list[str]:
    halves = [f"{word}/2" for word in words if word != "inner"] if operation == "reduced_matmul" else []
    counts = [f"ceil({'inner' if 'inner' in words else 'rows'}/{tile})"]
    products = [f"{a}*{b}" for a, b in combinations(words, 2)]
    return [*halves, *counts, *products]


def _with_one_rarer(words: Sequence[str], rare: Sequence[str], count: int) -> Iterator[tuple[str, ...]]:
    if all(word.endswith("/2") for word in rare[:2]) and len(rare) > 1:
        yield from (f for f in product([*words, *rare[:2]], repeat=count) if any("/" in word for word in f))
    for word in rare:
        for at in range(count):
            for rest in permutations(words, min(count - 1, len(words))):
                if len(rest) == count - 1:
                    yield (*rest[:at], word, *rest[at:])


def _orders(slots: Slots) -> list[tuple[int, int, int]]:
    """Return positions of A, B and C, starting with C last, which is the most common."""
    said = {word: i for i, word in slots.said.items() if word in MATRICES}
    if said:
        return [(said["A"], said["B"], said["C"])]
    orders = [order for order in permutations(slots.pointers, 3) if order[2] in slots.may_be_c]
    return sorted(orders, key=lambda order: (-order[2] if order[2] != slots.pointers[0] else -0.5, order))


def plain_factors(count: int) -> list[tuple[str, ...]]:
    """Return alpha = 1 and beta = 0 in either order, so that C is the plain product."""
    return [tuple(PLAIN_ALPHA if i == one else PLAIN_BETA for i in range(count)) for one in range(count)] or [()]


def roles_of(
    operation: str,
    family: str,
    slots: Slots,
    pointers: tuple[int, ...],
    filling: tuple[str, ...],
    factors: tuple[str, ...],
    names: Sequence[str] = MATRICES,
) -> Roles:
    """Return the roles with these words in the slots."""
    words = dict(zip(pointers, names, strict=True)) | slots.said
    words |= dict(zip(slots.sizes, filling, strict=False))
    words |= dict(zip(slots.factors, factors, strict=True))
    constants = zip(slots.constants, filling[len(slots.sizes) :], strict=True)
    arguments = tuple(words[i] for i in range(len(slots.parameters)))
    leading = tuple((words[vector], place) for place, vector in slots.steps.items()) if operation == "dot" else ()
    return Roles(operation, arguments, (*slots.settled, *constants), family, leading=leading)
