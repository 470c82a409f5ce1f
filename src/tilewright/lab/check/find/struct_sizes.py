"""Sizes that are fields of a struct per matrix: its rows and columns, in the same order for every matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from tilewright.lab.check.kinds import KINDS
from tilewright.lab.source import Parameter
from tilewright.lab.source.unpacking import BETWEEN

from .roles import MATRICES, PASSED

_ORDERS: dict[int, list[tuple[str, ...]]] = {
    1: [("cols",), ("rows",)],
    2: [("cols", "rows"), ("rows", "cols")],
    3: [("cols", "rows", "cols"), ("rows", "cols", "cols"), ("cols", "cols", "rows")],
}
"""The meanings of a struct's whole numbers, by their count; of three, one is the leading dimension."""
_SIDES = {
    "A": {"rows": "rows", "cols": "inner"},
    "B": {"rows": "inner", "cols": "cols"},
    "C": {"rows": "rows", "cols": "cols"},
}
_HALVED = {"C": {"rows": "rows/2", "cols": "cols/2"}}
"""Of a reduced product."""
MOST_OTHERS = 3


@dataclass(frozen=True)
class StructSizes:
    """The sizes to find, in order: the struct and field of each; none for a plain number.

    pointers: the position of each struct's pointer. loose: structs whose matrix is not known.
    """

    places: tuple[tuple[str, str], ...]
    pointers: Mapping[str, int]
    loose: tuple[str, ...]
    fields: tuple[str, ...]

    @property
    def plain(self) -> int:
        """The number of sizes that are in no struct of a matrix."""
        return sum(not owner for owner, _ in self.places)

    def fillings(self, matrices: Mapping[int, str], words: Sequence[str], operation: str) -> Iterator[tuple[str, ...]]:
        """Yield possible meanings of the sizes, given the matrices' pointers."""
        sides = _SIDES | _HALVED if operation == "reduced_matmul" else _SIDES
        if operation in KINDS:
            shapes = {name: KINDS[operation].shape_of(name) for name in matrices.values()}
            sides = {name: {"rows": sides[0], "cols": sides[-1]} for name, sides in shapes.items() if sides}
        others = self.plain
        if not {matrices[at] for at in self.pointers.values()} <= set(sides):
            return
        for named in permutations(sides, min(len(self.loose), len(sides))):
            known = {owner: matrices[at] for owner, at in self.pointers.items()}
            known |= {owner: named[number % len(named)] for number, owner in enumerate(self.loose)}
            for order in _ORDERS[len(self.fields)]:
                side = dict(zip(self.fields, order, strict=True))
                for rest in product(words, repeat=others):
                    plain = iter(rest)
                    yield tuple(
                        sides[known[owner]][side[field]] if owner else next(plain) for owner, field in self.places
                    )


def struct_sizes(
    parameters: Sequence[Parameter],
    sizes: Sequence[int],
    constants: Sequence[str],
    said: Mapping[int, str],
    *,
    is_other: bool = False,
) -> StructSizes | None:
    """Return the sizes as fields of structs, one struct per matrix; None if they are not.

    is_other: of a kind that is no product, some arrays may be no structs. constants: the host's names of sizes.
    said: the expressions that the host passes, by position.
    """
    pointers = {p.name.partition(".")[0]: i for i, p in enumerate(parameters) if p.is_pointer and "." in p.name}
    owners = {}
    for i, word in said.items():
        owner = parameters[i].name.partition(".")[0]
        if word.startswith(PASSED) and BETWEEN in word and owner in pointers:
            owners[word.removeprefix(PASSED).partition(BETWEEN)[0]] = pointers[owner]
    numbers = [p.name.partition(".") for p in parameters if not p.is_pointer]
    members = {field for owner, _, field in numbers if owner in pointers}
    places = [_member(parameters[i].name.replace(".", BETWEEN), members) for i in sizes]
    places += [_member(name, members) for name in constants]
    known = {**owners, **(pointers if sizes else {})}
    loose = [owner for owner, _ in places if owner and owner not in known]
    fields = tuple(dict.fromkeys(field for owner, field in places if owner))
    if len(pointers) != len(MATRICES) and not (is_other and pointers):
        return None
    if len(fields) not in _ORDERS or not places:
        return None
    if sum(not owner for owner, _ in places) > MOST_OTHERS:
        return None
    return StructSizes(tuple(places), known, tuple(dict.fromkeys(loose)), fields)


def _member(name: str, members: set[str]) -> tuple[str, str]:
    owner, between, field = name.partition(BETWEEN)
    return (owner, field) if between and field in members else ("", "")
