"""The extents of a kernel's arrays that follow from its roles, in the kernel's own names."""

from __future__ import annotations

from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.sizes import FAMILIES
from tilewright.lab.source.changes import Bounds

from .candidate import Found
from .kernel_file import KernelFile
from .roles import MATRICES, PASSED

SIDES = ("rows", "inner", "cols")


def bounds_of(kernel: KernelFile, found: Found) -> Bounds:
    """Return the extents of A, B and C, by pointer name, where the kernel has names for its sizes."""
    roles = found.roles
    constants = dict(roles.constants)
    names: dict[str, str] = {}
    pointers: dict[str, str] = {}
    for parameter, word in zip(kernel.signature.parameters, roles.arguments, strict=True):
        if word in MATRICES:
            pointers[word] = parameter.name
            continue
        formula = constants.get(word[1:], word[1:]) if word[0] == PASSED else word
        names.setdefault(formula, parameter.name)
    for name, formula in constants.items():
        if name in kernel.body:
            names.setdefault(formula, name)
    family = FAMILIES.get(roles.family, FAMILIES[""])
    for index, side in enumerate(SIDES):
        same = [names[other] for at, other in enumerate(SIDES) if family[at] == family[index] and other in names]
        if same:
            names.setdefault(side, same[0])
    sizes = tuple(dict.fromkeys(names[side] for side in SIDES if side in names))
    for side in ("rows", "cols"):
        if side in names:
            names.setdefault(f"{side}/2", f"({names[side]} / 2)")
    extents = {name: sides for each, name in pointers.items() if (sides := _sides(roles.operation, each))}
    for name in roles.transposed:
        extents[pointers[name]] = extents[pointers[name]][::-1]
    known = {
        name: tuple(names[side] for side in sides)
        for name, sides in extents.items()
        if all(side in names for side in sides)
    }
    return Bounds(known, sizes)


def _sides(operation: str, name: str) -> tuple[str, ...]:
    """Return the sides of an array; none for a single number."""
    if operation in KINDS:
        return KINDS[operation].shape_of(name)
    if operation == "dot":
        return () if name == "C" else ("inner",)
    of_c = ("rows/2", "cols/2") if operation == "reduced_matmul" else ("rows", "cols")
    return {"A": ("rows", "inner"), "B": ("inner", "cols"), "C": of_c}[name]
