"""Layers: a product whose sums get a bias, of their column or of their row, and then pass an activation.

Which of both a kernel does is found as its roles are: one launch is compared with all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.check.element_types import fresh
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.run.execution import Pointer
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import Parameter

from .roles import BIAS, Roles

Array = NDArray[Any]
ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "": lambda x: x,
    "ReLU": lambda x: numpy.maximum(x, 0),
    "sigmoid": lambda x: (1 + numpy.tanh(x / 2)) / 2,
    "tanh": numpy.tanh,
}
SIDES = ("cols", "rows")
SEED = 7


def bias_word(body: str, parameters: Sequence[Parameter], taken: Sequence[int]) -> dict[int, str]:
    """Return the place of the only array that is read by a plain index, beside three others; none if there is none.

    taken: the places of arrays that are no operands.
    """
    pointers = [i for i, parameter in enumerate(parameters) if parameter.is_pointer and i not in taken]
    plain = [i for i in pointers if _is_plain(parameters[i].name, body)]
    return {plain[0]: BIAS} if len(pointers) == len("ABC") + 1 and len(plain) == 1 else {}


def shift_word(body: str, parameters: Sequence[Parameter], taken: Sequence[int]) -> dict[int, str]:
    """Return the place of the vector that is added to each row of normalized numbers, beside their factors.

    Of two arrays that are read by a plain index it is the one behind a plus, or else the second.
    """
    pointers = [i for i, parameter in enumerate(parameters) if parameter.is_pointer and i not in taken]
    plain = [i for i in pointers if _is_plain(parameters[i].name, body)]
    if len(pointers) != len("ABC") + 1 or len(plain) != len("AB") or "sqrt" not in body:
        return {}
    added = [i for i in plain if re.search(rf"\+\s*{re.escape(parameters[i].name)}\s*\[", body)]
    return {added[0] if len(added) == 1 else plain[-1]: BIAS}


def _is_plain(name: str, body: str) -> bool:
    """Return whether a kernel only reads an array, by indices without a product."""
    uses = re.findall(rf"\b{re.escape(name)}\b\s*\[([^\[\]]*)\](\s*[-+*/]?=(?!=))?", body)
    others = len(re.findall(rf"\b{re.escape(name)}\b", body)) - 1 - len(uses)
    tests = len(
        re.findall(rf"\b{re.escape(name)}\s*(?:[!=]=\s*(?:nullptr|NULL|0)|\?|&&|\))|!\s*{re.escape(name)}\b", body)
    )
    return bool(uses) and others <= tests and not any("*" in index or stored for index, stored in uses)


def layers_of(roles: Roles) -> list[Roles]:
    """Return roles with each bias and activation that they may have; those of no layer as they are."""
    if BIAS in roles.arguments and roles.operation in KINDS:
        return [replace(roles, layer=KINDS[roles.operation].side_of_bias)]
    if BIAS not in roles.arguments or roles.layer or roles.operation != "matmul" or roles.batched:
        return [roles]
    return [replace(roles, layer=f"{side} {name}".strip()) for side, name in product(SIDES, ACTIVATIONS)]


def bias_array(roles: Roles, sizes: Sizes, dtypes: Mapping[str, numpy.dtype[Any]], room: int = 0) -> dict[str, Pointer]:
    """Return the bias, as long as its side or, where that is not known, as the longest; none if there is no layer."""
    if BIAS not in roles.arguments:
        return {}
    side = roles.layer.partition(" ")[0]
    count = sizes.values()[side] if side else max(sizes.values().values())
    values = fresh(numpy.random.default_rng(SEED), (count + room,), dtypes[BIAS], positive=False)
    return {BIAS: Pointer(BIAS, values)}


def c_operand_of(roles: Roles, sizes: Sizes, arrays: Mapping[str, Pointer]) -> Array | None:
    """Return what is added to the product's elements; None if nothing is."""
    if not roles.layer or BIAS not in arrays:
        return None
    side = roles.layer.partition(" ")[0]
    bias = arrays[BIAS].array[: sizes.values()[side]].astype(numpy.float64)
    return numpy.broadcast_to(bias if side == "cols" else bias[:, None], (sizes.rows, sizes.cols))


def activation_of(roles: Roles) -> Callable[[Array], Array]:
    """Return the activation of a layer."""
    return ACTIVATIONS[roles.layer.partition(" ")[2]]
