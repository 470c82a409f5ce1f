"""A kernel that is not a product as the subject of a trace, with arrays and numbers given by parameter name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.find.other_arguments import Reference, bind, type_of
from tilewright.lab.check.judge.other_kinds import budget_of_arrays, choose_named, launch_of, stand_of
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.run.execution import Pointer

from .file_subject import file_listing
from .subject import LARGEST_HALF, LARGEST_VALUE, MOST_CELLS, Subject, TraceError

Array = NDArray[Any]
Shape = tuple[int, ...]
EXAMPLE_SIDE = 8


@dataclass(frozen=True)
class Given:
    """A kernel's inputs, by parameter name.

    arrays: the pointers' contents; a shape stands for small whole numbers. results: shapes of pointers without initial
    contents (0 with `zero_output`). scalars: numbers. expect, reference: the expected results, as in
    tilewright.lab.check.judge.other_kinds; their shapes need not be given.
    """

    arrays: Mapping[str, Array | Shape] = field(default_factory=dict)
    results: Mapping[str, Shape] = field(default_factory=dict)
    scalars: Mapping[str, int | float] = field(default_factory=dict)
    expect: Mapping[str, Array] | None = None
    reference: Reference | None = None

    def __bool__(self) -> bool:
        """Return whether anything is given."""
        return bool(self.arrays or self.results or self.scalars or self.expect or self.reference)


def other_subject(path: str | Path, given: Given, options: Options) -> Subject:
    """Return a kernel of a user's file with its inputs. The launch comes from the options, or else from the file.

    Raises:
        SourceError, CompileError, CheckError: each with a sentence.
        TraceError: the arrays are too large, or are given twice.
    """
    opened = open_file(path)
    names = [*given.arrays, *given.results, *given.scalars, *(given.expect or {})]
    kernel = KernelFile(opened, choose_named(opened, options.symbol, names), options)
    twice = sorted(set(given.arrays) & set(given.results))
    if twice:
        raise TraceError(f"{twice[0]} is given as an array and as a result; it is one of the two.")
    arrays = _arrays(kernel, given, options.seed)
    expect = given.expect
    if given.reference is None:
        types = _types(kernel)
        shapes = {name: numpy.zeros(shape, types.get(name)) for name, shape in given.results.items()}
        expect = shapes | dict(expect or {})
    bound = bind(kernel, arrays, given.scalars, expect, given.reference)
    _check_cells([array for a in bound.arguments if isinstance(a, Pointer) for array in [a.array]])
    geometry, launch = launch_of(kernel, bound.scalars)
    stand = stand_of(kernel, bound)
    is_told = set(bound.expected) if given.reference is not None else set(given.expect or {})
    return Subject(
        name=kernel.signature.name,
        listing=file_listing(opened.file, stand),
        operation="",
        stand=stand,
        arguments=tuple(bound.arguments),
        geometry=geometry,
        budget=budget_of_arrays(bound),
        scalars=bound.scalars,
        expected={name: array for name, array in bound.expected.items() if name in is_told},
        notes=(*kernel.notes, f"Arguments: given by name; launch: {launch}."),
    )


def how_to_give(path: str | Path, options: Options) -> str:
    """Return example options for a kernel's inputs, one per parameter; empty if some can't be given."""
    opened = open_file(path)
    signature = choose_named(opened, options.symbol, []) if options.symbol else opened.kernels[0]
    kernel = KernelFile(opened, signature, options)
    try:
        for parameter in signature.parameters:
            type_of(kernel, parameter)
    except CheckError:
        return ""
    words = []
    for parameter in signature.parameters:
        if parameter.is_pointer:
            what = "--array" if parameter.is_const else "--result"
            words.append(f"{what} {parameter.name}={EXAMPLE_SIDE}x{EXAMPLE_SIDE}")
        else:
            words.append(f"--scalar {parameter.name}={EXAMPLE_SIDE}")
    return " ".join(words)


def _arrays(kernel: KernelFile, given: Given, seed: int) -> dict[str, Array]:
    """Return all arrays; those given as a shape hold small whole numbers."""
    generator, types = numpy.random.default_rng(seed), _types(kernel)
    found = {}
    for name, array in given.arrays.items():
        if isinstance(array, tuple):
            _check_shape(name, array)
            dtype = types.get(name, numpy.dtype("float32"))
            largest = {"float16": LARGEST_HALF, "bool": 1}.get(str(dtype), LARGEST_VALUE)
            found[name] = generator.integers(0 if dtype.kind == "b" else 1, largest + 1, array).astype(dtype)
        else:
            found[name] = array
    for name, shape in given.results.items():
        _check_shape(name, shape)
    return found


def _types(kernel: KernelFile) -> dict[str, numpy.dtype[Any]]:
    return {p.name: type_of(kernel, p) for p in kernel.signature.parameters if p.is_pointer}


def _check_shape(name: str, shape: Shape) -> None:
    if not shape or min(shape) < 1 or prod(shape) > MOST_CELLS:
        raise TraceError(
            f"{name} has the shape {shape}, and one element at least and {MOST_CELLS:,} at most are accepted."
        )


def _check_cells(arrays: list[Array]) -> None:
    cells = sum(array.size for array in arrays)
    if cells > MOST_CELLS:
        raise TraceError(
            f"The arrays have {cells:,} elements together; a trace takes at most {MOST_CELLS:,}, so that each can be "
            "seen: give smaller ones."
        )
