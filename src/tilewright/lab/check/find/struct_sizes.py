"""Sizes that are fields of a struct per matrix: its rows and columns, in the same order for every matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from tilewright.lab.check.kinds import KINDS
from tilewright.lab.source import Parameter
from tilewright.lab.source.unpacking import BETWEEN

from .roles import MATRICES, PASSED

_ORDERS: dict[int, list[tuple[str, ...]]] = {
    1: [("cols",), ("rows",)],
    2: [("cols", "rows"), ("rows", "cols")],
    3: [
        ("cols", "rows", "cols"),
        ("rows", "cols", "cols"),
        ("cols", "cols", "rows"),
        ("rows", "cols", "size"),
        ("cols", "rows", "size"),
    ],
}
"""The meanings of a struct's whole numbers, by their count; of three, one is the leading dimension, or the elements
from one matrix to the next."""
_SIDES = {
    "A": {"rows": "rows", "cols": "inner", "size": "rows*inner"},
    "B": {"rows": "inner", "cols": "cols", "size": "inner*cols"},
    "C": {"rows": "rows", "cols": "cols", "size": "rows*cols"},
}
_HALVED = {"C": {"rows": "rows/2", "cols": "cols/2", "size": "rows*cols/4"}}
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

    def fillings(
        self, matrices: Mapping[int, str], words: Sequence[str], operation: str, transposed: str = ""
    ) -> Iterator[tuple[str, ...]]:
        """Yield possible meanings of the sizes, given the matrices' pointers."""
        sides, others, sets = _sides_of(operation, matrices.values(), transposed), self.plain, self.sets
        if not {matrices[at] for at in self.pointers.values()} <= set(sides):
            return
        for named in permutations(sides, min(len(self.loose), len(sides))):
            known = {owner: matrices[at] for owner, at in self.pointers.items()}
            known |= {owner: named[number % len(named)] for number, owner in enumerate(self.loose)}
            for orders in product(*(_ORDERS[len(fields)] for fields in sets)):
                meant = {
                    fields: dict(zip(fields, order, strict=True)) for fields, order in zip(sets, orders, strict=True)
                }
                side = {owner: meant[self._set_of(owner, sets)] for owner, _ in self.places if owner}
                for rest in product(words, repeat=others):
                    plain = iter(rest)
                    yield tuple(
                        sides[known[owner]][side[owner][field]] if owner else next(plain)
                        for owner, field in self.places
                    )

    def placed(
        self, filling: Sequence[str], operation: str, matrices: Mapping[int, str], transposed: str = ""
    ) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """Return each matrix of three numbers with the place of its leading dimension, and of its step to the next."""
        leading, steps, sides = [], [], _sides_of(operation, matrices.values(), transposed)
        for owner in dict.fromkeys(owner for owner, _ in self.places if owner):
            places = [at for at, (other, _) in enumerate(self.places) if other == owner]
            words = [filling[at] for at in places]
            names = [matrices[self.pointers[owner]]] if owner in self.pointers else list(sides)
            names = [name for name in names if name in sides and set(words) <= set(sides[name].values())]
            if len(places) != len("ABC") or len(names) != 1:
                continue
            own = sides[names[0]]
            if own["size"] in words:
                steps.append((names[0], next(at for at in places if filling[at] == own["size"])))
            elif own["rows"] != own["cols"]:
                leading.append((names[0], max(at for at in places if words.count(filling[at]) > 1)))
        return leading, steps

    @property
    def sets(self) -> list[tuple[str, ...]]:
        """Return the fields of each type of struct: a vector has others than a matrix."""
        owners = dict.fromkeys(owner for owner, _ in self.places if owner)
        own = [tuple(each for each in self.fields if (owner, each) in self.places) for owner in owners]
        return [each for each in dict.fromkeys(own) if not any(set(each) < set(other) for other in own)]

    def _set_of(self, owner: str, sets: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        own = {field for other, field in self.places if other == owner}
        return next(each for each in sets if own <= set(each))


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
    count = sum(parameter.is_pointer for parameter in parameters)
    if (len(pointers) < len("AB") or count < len(MATRICES)) and not (is_other and pointers):
        return None
    found = StructSizes(tuple(places), known, tuple(dict.fromkeys(loose)), fields)
    is_small = fields and all(len(each) in _ORDERS for each in found.sets)
    return found if is_small and found.plain <= MOST_OTHERS else None


def _sides_of(operation: str, matrices: Iterable[str], transposed: str) -> Mapping[str, Mapping[str, str]]:
    """Return what the rows and the columns of each matrix are as it lies; of a vector, both are its length."""
    if operation in KINDS:
        shapes = {name: KINDS[operation].shape_of(name) for name in matrices}
        known = {name: sides for name, sides in shapes.items() if sides}
        return {name: {"rows": own[0], "cols": own[-1], "size": "*".join(own)} for name, own in known.items()}
    turned = {
        name: {**own, "rows": own["cols"], "cols": own["rows"]} for name, own in _SIDES.items() if name in transposed
    }
    return _SIDES | (_HALVED if operation == "reduced_matmul" else turned)


def _member(name: str, members: set[str]) -> tuple[str, str]:
    owner, between, field = name.partition(BETWEEN)
    return (owner, field) if between and field in members else ("", "")
