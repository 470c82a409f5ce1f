"""The role of each parameter of a kernel: a matrix, a size, a factor."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.check.element_types import unset
from tilewright.lab.check.expressions import FormulaError, evaluate, names, split
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import Parameter
from tilewright.lab.source.unpacking import BETWEEN

MATRICES = ("A", "B", "C")
PASSED = "@"
"""Prefix of an argument whose value is the expression that the file's own launch passes."""


NULL = "0"
"""The argument for a pointer that the kernel never uses."""
SCRATCH, COUNTER = "scratch", "counter"
"""The arguments for partial sums that the kernel adds up itself, and for its counter of finished blocks."""
BIAS = "bias"
"""The argument for a vector that is added to each row or each column of a product, as in a layer."""
BATCH = 3
"""The products, or the slices of the inner dimension, that are tried where their number is free."""
NAMED = (*MATRICES, SCRATCH, COUNTER, BIAS)
PLAIN_ALPHA, PLAIN_BETA = "1.0", "0.0"
"""The factors of the plain product."""
SCALED = {PLAIN_ALPHA: 2.0, PLAIN_BETA: 0.5}
"""Others, by which a sum is multiplied without a rounding."""


class RolesError(ValueError):
    """The arguments' roles cannot be determined; the message says which options to give."""


class QuestionError(RolesError):
    """No guess explains what the kernel does. pending: what its author has to answer."""

    def __init__(self, message: str, pending: str) -> None:
        super().__init__(message)
        self.pending = pending


_SIDE = re.compile(r"\b(?:rows|inner|cols)\b(?:/2)?|^1$")
Placed = tuple[str, int | str]
"""A matrix, and the place of an argument or the name of a constant."""


@dataclass(frozen=True)
class Roles:
    """The roles of a kernel's parameters.

    arguments: a word per parameter: `A`, `B`, `C`, a formula of rows, inner and cols, or `@text` for an expression of
    the file's own launch. constants: the same for sizes that are constants in the file. family: which sizes must be
    equal (sizes.FAMILIES). fixed: the only sizes to try, if they are hard-coded in the kernel. transposed: the
    matrices, `A`, `B` or `AB`, that are stored transposed. is_of_structs: whether each matrix is a struct with its own
    sizes. is_scaled: whether alpha and beta are not 1 and 0. batched: the operands, of A and B, of which each of many
    products has one. leading, steps: of matrices, with the place of the argument or the name of the constant that is
    the length of a row, or the elements from one matrix to the next. padding: elements behind each such row of A, twice
    that of B and thrice of C. row_multiple: what the length of such a row in memory is a multiple of, as where rows are
    read as vectors. layer: the side, `cols` or `rows`, that the bias has an element for each of, and the activation.
    sliced: the axis of the grid, `x`, `y` or `z`, along which each block leaves a product of its own part of the inner
    dimension, one behind the other, where C is their sum.
    """

    operation: str
    arguments: tuple[str, ...]
    constants: tuple[tuple[str, str], ...] = ()
    family: str = ""
    fixed: tuple[Sizes, ...] = ()
    transposed: str = ""
    is_of_structs: bool = False
    is_scaled: bool = False
    batched: str = ""
    layer: str = ""
    leading: tuple[Placed, ...] = ()
    steps: tuple[Placed, ...] = ()
    padding: int = 0
    row_multiple: int = 1
    sliced: str = ""

    def slices_in(self, grid: Sequence[int]) -> int:
        """Return how many slices of the inner dimension a grid leaves."""
        return grid["xyz".index(self.sliced)] if self.sliced else 1

    def sized(self, sizes: Sizes) -> Sizes:
        """Return the sizes with as many products as are tried."""
        if not self.batched:
            return sizes
        of_a, of_b = (BATCH if name in self.batched else 1 for name in "AB")
        return replace(sizes, batch=BATCH, of_a=of_a, of_b=of_b)

    @property
    def factors(self) -> tuple[float, float]:
        """Alpha and beta of C = alpha A B + beta C: 1 and 0, or others where that is to be seen."""
        alpha, beta = (self.is_scaled and plain in self.arguments for plain in (PLAIN_ALPHA, PLAIN_BETA))
        return SCALED[PLAIN_ALPHA] if alpha else 1.0, SCALED[PLAIN_BETA] if beta else 0.0

    @property
    def product(self) -> str:
        """The operation in words, naming a transposed operand."""
        if self.operation in KINDS:
            return KINDS[self.operation].said
        if self.batched:
            return f"{self.operation}, many products"
        if self.sliced:
            return f"{self.operation}, in slices of the inner dimension that are still to be added"
        if self.layer:
            side, _, activation = self.layer.partition(" ")
            plus = f"a layer: A times B plus a bias of each {'column' if side == 'cols' else 'row'}"
            lying = {"A": ", A transposed", "B": ", B transposed", "AB": ", both transposed"}.get(self.transposed, "")
            return f"{self.operation}, {plus}{f', {activation} of it' if activation else ''}{lying}"
        words = {
            "A": "the transposed A times B",
            "B": "A times the transposed B",
            "AB": "the transposed A times the transposed B",
        }
        return f"{self.operation}, {words[self.transposed]}" if self.transposed else self.operation

    def in_memory(self, name: str, matrix: NDArray[Any]) -> NDArray[Any]:
        """Return a matrix as the kernel expects it in memory; what is behind its rows counts as unwritten."""
        matrix = matrix.swapaxes(-1, -2).copy() if name in self.transposed else matrix
        if matrix.ndim == 1 and name in dict(self.leading):
            matrix = matrix[:, None]  # a vector, with a step from one element to the next
        room = self.room_behind(name, matrix.shape[-1])
        if not room:
            return matrix
        behind = unset(prod(matrix.shape[:-1]) * room, matrix.dtype)
        return numpy.concatenate([matrix, behind.reshape(*matrix.shape[:-1], room)], -1)

    def room_behind(self, name: str, width: int) -> int:
        """Return the elements behind each row of a matrix: of each another number, so that none stands for another."""
        if name not in dict(self.leading):
            return 0
        room = self.padding * (1 + MATRICES.index(name))
        return room + -(width + room) % self.row_multiple

    def without_padding(self, c: NDArray[Any], sizes: Sizes) -> NDArray[Any]:
        """Return the elements of C, without what is behind its rows."""
        width = (sizes.c_shape(self.operation) or (1,))[-1]
        room = self.room_behind("C", width)
        if not room:
            return c
        return c.reshape(-1, width + room)[:, :width].copy()

    def with_padding(self, padding: int, row_multiple: int = 1) -> Roles:
        """Return the roles with rows that are longer in memory than they are wide.

        row_multiple: rounds their lengths up; the roles may have one already, which stays.
        """
        leading, steps = ({at: name for name, at in each} for each in (self.leading, self.steps))

        def widened(place: int | str, word: str) -> str:
            if place in steps and word != NULL:
                height, _, width = word.partition("*")
                return f"{height}*{longer(width, steps[place])}"
            if place not in leading:
                return word
            return _SIDE.sub(lambda side: longer(side[0], leading[place]), word)

        def longer(width: str, name: str) -> str:
            widened = f"({width}+{padding * (1 + MATRICES.index(name))})" if padding else width
            return widened if row_multiple == 1 else f"({row_multiple}*ceil({widened}/{row_multiple}))"

        arguments = tuple(widened(place, word) for place, word in enumerate(self.arguments))
        constants = tuple((name, widened(name, word)) for name, word in self.constants)
        multiple = max(row_multiple, self.row_multiple)
        return replace(self, padding=padding, row_multiple=multiple, arguments=arguments, constants=constants)

    def with_operands(self, batched: str) -> Roles:
        """Return the roles with many products, of which these operands are their own and the others in common."""
        common = {at for name, at in self.steps if name not in (*batched, "C")}
        arguments = tuple(NULL if place in common else word for place, word in enumerate(self.arguments))
        constants = tuple((name, NULL if name in common else word) for name, word in self.constants)
        return replace(self, arguments=arguments, constants=constants, batched=batched)

    def values(self, sizes: Sizes, passed: Callable[[str], int]) -> list[str | int | float]:
        """Return the arguments at these sizes: the matrices' names, and numbers.

        passed: returns the value of an expression of the file's own launch.
        """
        known = sizes.values()
        return [
            word if word in NAMED else passed(word[1:]) if word[0] == PASSED else self._number(word, known)
            for word in self.arguments
        ]

    def _number(self, word: str, known: Mapping[str, int]) -> int | float:
        value = SCALED[word] if self.is_scaled and word in SCALED else evaluate(word, known)
        return float(value) if "." in word else int(value)

    def constants_at(self, sizes: Sizes) -> dict[str, int]:
        """Return the values of the file's constants that are sizes."""
        return {name: int(evaluate(formula, sizes.values())) for name, formula in self.constants}

    def __str__(self) -> str:
        """Return the roles as options: `--operation matmul --args C,A,B -D M=rows`."""
        words = [f"--operation {self.operation}", f"--args {self.words}"]
        words += [f"-D {name}={formula}" for name, formula in self.constants if PASSED + name not in self.arguments]
        return " ".join(words)

    @property
    def words(self) -> str:
        """The roles of the arguments, as `--args` takes them."""
        known = dict(self.constants)
        return ",".join(_shown(word, known) for word in self.arguments)

    @property
    def formulas(self) -> list[str]:
        """What each argument is: of one that the file's launch passes, the formula of its name, if that is known."""
        known = dict(self.constants)
        return [known.get(word[1:], word) if word[0] == PASSED else word for word in self.arguments]

    @property
    def is_bijective(self) -> bool:
        """Whether no two parameters are the same size (or each matrix has its own), as is usual."""
        if self.is_of_structs:
            return True
        leading = {at for _, at in self.leading}
        words = [
            word
            for place, word in enumerate(self.arguments)
            if word not in (*NAMED, NULL) and word[0] != PASSED and place not in leading
        ]
        words += [word for name, word in self.constants if name not in leading and word != NULL]
        return len(set(words)) == len(words)


def parse_roles(text: str, operation: str, parameters: Sequence[Parameter], constants: Mapping[str, str]) -> Roles:
    """Return the roles of `--args rows,inner,cols,A,B,C`.

    parameters: of the kernel, with `name` and `is_pointer`. Raises RolesError if the words don't fit them.
    """
    words = split(text)
    shown = ", ".join(f"{p.type_text} {p.name}".strip() for p in parameters)
    if len(words) != len(parameters):
        count = f"{len(words)} {'word' if len(words) == 1 else 'words'}"
        raise RolesError(f"--args {text} has {count}, and the kernel takes {len(parameters)}: {shown}.")
    for word, parameter in zip(words, parameters, strict=True):
        if parameter.is_pointer and word not in (*NAMED, NULL):
            raise RolesError(f"--args {text} gives {word} for the pointer {parameter.name}, which is A, B or C.")
        if not parameter.is_pointer:
            _refuse_unknown(word, parameter.name)
    arrays = list(KINDS[operation].arrays if operation in KINDS else MATRICES)
    if sorted(word for word in words if word in MATRICES) != arrays:
        raise RolesError(f"--args {text} must name {', '.join(arrays[:-1])} and {arrays[-1]} once each.")
    for name, formula in constants.items():
        _refuse_unknown(formula, name)
    return Roles(operation, tuple(words), tuple(constants.items()))


def _refuse_unknown(word: str, parameter: str) -> None:
    try:
        unknown = names(word) - {"rows", "inner", "cols"}
    except FormulaError as error:
        raise RolesError(str(error)) from error
    if unknown:
        raise RolesError(
            f"{parameter} is given as {word}; a size is a formula of rows, inner, cols, such as ceil(inner/16)."
        )


def _shown(word: str, constants: Mapping[str, str]) -> str:
    if word[0] != PASSED:
        return word
    return constants.get(word[1:], word[1:].replace(BETWEEN, "."))
