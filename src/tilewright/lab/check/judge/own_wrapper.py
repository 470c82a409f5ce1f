"""What a function of the host shows that launches a right kernel: it is run with arrays of known products.

A kernel may be right alone, and what its caller makes of it wrong: parts of k whose sums begin anew, grids that end too
early at sizes that no launch alone is tried at. Which argument is what is known where the results are right: only what
is wrong at other sizes is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from math import prod
from pathlib import Path
from typing import Any

import numpy

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.described_launch import is_described
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.program.device import Device
from tilewright.lab.check.program.host_types import Number, PointerTo, UnreadError, VectorOf
from tilewright.lab.check.program.launching import Kernels
from tilewright.lab.check.program.memory import DeviceMemory, Pointer, Raw, Vector
from tilewright.lab.check.program.program import Ran, run_function
from tilewright.lab.check.run.execution import Pointer as Argued
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import CudaFile, SourceError, read_cuda_file
from tilewright.lab.source.callers import parameters_of_function
from tilewright.lab.source.declarations import listed_parameters
from tilewright.lab.source.macros import code_only, comments_only
from tilewright.lab.source.syntax import function_around

from .cases import Case, case_of, starts_at_zero
from .said_limits import said_limits
from .verdicts import Judgement

KIND = "host code"
SECONDS = 1.5
"""Of the processor, for a run."""
MOST_PRODUCTS = 1 << 23
LEAST_CONSTANT = 33
"""What is less is a side of a block or of a tile, whose multiples are tried alone."""
MOST_CONSTANTS = 3
_WHOLE = re.compile(r"(?:const\s+)?(?:std::)?(?:int|unsigned|long|size_t|u?int(?:32|64)_t)\b[^*&]*$")
OPERATIONS = ("matmul", "reduced_matmul", "dot")


@dataclass(frozen=True)
class _Wrapper:
    """A function of the host in a file. numbers: those of its parameters that are whole numbers."""

    path: Path
    name: str
    text: str
    parameters: Sequence[str]
    numbers: Sequence[str]

    @cached_property
    def file(self) -> CudaFile:
        """The file as it is, read when the function is to be run."""
        return read_cuda_file(self.path)

    @cached_property
    def kernels(self) -> Kernels:
        """The file's kernels, compiled when they are launched."""
        return Kernels(self.file)


def wrong_in_wrapper(kernel: KernelFile, found: Found, judgement: Judgement) -> Finding | None:
    """Return what is wrong where the function around a right kernel's launch is run at larger sizes, or None."""
    wrapper = _wrapper_of(kernel, found)
    if wrapper is None or found.roles.operation not in OPERATIONS or found.roles.is_scaled or judgement.failing:
        return None
    zero = starts_at_zero(kernel, found)
    limits = said_limits(comments_only(kernel.opened.file.text), wrapper.numbers)
    whole = [sizes for sizes in judgement.tested if _are_apart(sizes, found)]
    larger = list(_larger(kernel, wrapper, found, whole)) if whole else []
    for words in _meanings(wrapper, found, whole[0]) if larger else ():
        if not _is_right(_Run(wrapper, found, words, zero=zero), whole[0]):
            continue
        for sizes in larger:
            sides = sizes.named(found.roles.operation)
            if any(sides[words[name]] > most for name, most in limits.items()):
                continue
            mistake = _Run(wrapper, found, words, zero=zero).mistake(kernel, sizes)
            if mistake is not None:
                return mistake
        return None
    return None


def _are_apart(sizes: Sizes, found: Found) -> bool:
    """Return whether no two sides are equal, and none is 1 but that of a vector."""
    sides = [side for name, side in sizes.named(found.roles.operation).items() if f"{name}=1" != found.roles.family]
    return len(set(sides)) == len(sides) and 1 not in sides


def _wrapper_of(kernel: KernelFile, found: Found) -> _Wrapper | None:
    """Return the function around the file's own launch, if it can be called: it is no main, template or method."""
    rule = found.rule
    is_own = isinstance(rule, OwnLaunch) and not rule.is_guess and not is_described(kernel.opened)
    function = function_around(rule.site.node) if isinstance(rule, OwnLaunch) and is_own else None
    if function is None or not isinstance(rule, OwnLaunch):
        return None
    name, parameters = parameters_of_function(rule.site.syntax, function)
    texts = map(rule.site.syntax.source, listed_parameters(function))
    numbers = [each for each, text in zip(parameters, texts, strict=True) if _WHOLE.match(text)]
    is_plain = function.parent is not None and function.parent.type in ("translation_unit", "declaration_list")
    if name == "main" or not is_plain:
        return None
    return _Wrapper(kernel.opened.file.path, name, rule.site.syntax.code_of(function), parameters, numbers)


def _meanings(wrapper: _Wrapper, found: Found, sizes: Sizes) -> Iterator[Mapping[str, str]]:
    """Yield what the parameters may be: sizes by the names that are known, or in any order, and arrays likewise."""
    words = [word for word in sizes.named(found.roles.operation) if f"{word}=1" != found.roles.family]
    known = {name: word for name, word in found.roles.constants if name in wrapper.numbers and word in words}
    orders = permutations(words) if len(words) == len(wrapper.numbers) else ()
    meanings = [known, *(dict(zip(wrapper.numbers, each, strict=True)) for each in orders)]
    for meaning in (each for each in meanings if each.keys() == set(wrapper.numbers)):
        for order in ("A,B,C", "B,A,C", "C,A,B", "C,B,A"):
            yield {**meaning, "": order}


@dataclass
class _Run:
    """A run of a wrapper with some meanings of its parameters."""

    wrapper: _Wrapper
    found: Found
    words: Mapping[str, str]
    zero: bool

    def at(self, sizes: Sizes) -> tuple[Ran, Case, Any]:
        """Return a run, its inputs, and what C holds behind it, or None."""
        case = case_of(self.found, sizes, 1, zero=self.zero)
        arrays = {each.name: each.array for each in case.arguments if isinstance(each, Argued)}
        places: dict[str, Any] = {}

        def give(device: Device, types: Sequence[Any]) -> list[Any]:
            return self._given(device, types, arrays, case.sizes, places)

        self.wrapper.kernels.reset()
        ran = run_function(self.wrapper.file, self.wrapper.kernels, self.wrapper.name, give, SECONDS)
        c = places.get("C")
        data = None if c is None else _contents(c).view(arrays["C"].dtype)[: arrays["C"].size]
        if c is None and self.found.roles.operation == "dot" and isinstance(ran.status, int | float):
            data = numpy.array([ran.status]).astype(arrays["C"].dtype)
        return ran, case, data

    def _given(
        self, device: Device, types: Sequence[Any], arrays: Mapping[str, Any], sizes: Sizes, places: dict[str, Any]
    ) -> list[Any]:
        named, order = sizes.named(self.found.roles.operation), iter(self.words[""].split(","))
        copied = set(re.findall(r"\bcudaMemcpy\w*\s*\(([^;]*);", self.wrapper.text))
        reals, given = iter((1.0, 0.0)), list[Any]()
        for name, kind in zip(self.wrapper.parameters, types, strict=True):
            if isinstance(kind, PointerTo | VectorOf) and isinstance(kind.of, Number):
                word = next(order, "")
                if word not in arrays:
                    raise UnreadError("more arrays than a product has")
                data = numpy.ascontiguousarray(arrays[word])
                if kind.of.size != data.itemsize:
                    raise UnreadError("an array of another type")
                is_of_host = any(re.search(rf"\b{re.escape(name)}\b", each) for each in copied)
                places[word] = _placed(device, kind, name, data, is_of_host=is_of_host)
                given.append(places[word])
            elif isinstance(kind, Number) and name in self.words:
                given.append(named[self.words[name]])
            elif isinstance(kind, Number) and kind.is_real:
                given.append(next(reals, 0.0))
            elif isinstance(kind, PointerTo):
                given.append(None)  # a stream
            else:
                raise UnreadError(f"the parameter {name}")
        return given

    def mistake(self, kernel: KernelFile, sizes: Sizes) -> Finding | None:
        """Return what is wrong at these sizes, or None."""
        try:
            ran, case, data = self.at(sizes)
        except (LaunchError, SourceError, UnreadError):
            return None
        errors = [each for each in ran.found if each.severity == ERROR]
        said = f"where `{self.wrapper.name}` is called with {sizes.said(self.found.roles.operation)}"
        if errors:
            return replace(errors[0], message=f"{errors[0].message} So it is {said}.")
        if ran.stopped or data is None or not ran.launches:
            return None
        wrong = case.compare(data)
        if wrong.passed:
            return None
        last = ran.launches[-1]
        message = (
            f"{kernel.signature.name} alone is right, and what it leaves in C {said} is not: {len(ran.launches)} "
            f"launch{'es' if len(ran.launches) > 1 else ''} of the file make it."
        )
        advice = "Follow what each launch adds to C, and which part of the elements it takes."
        other = (self.wrapper.file.name, last.made) if last.made != last.line else None
        return Finding(KIND, ERROR, (self.wrapper.file.name, last.line), message, advice, other=other)


def _is_right(run: _Run, sizes: Sizes) -> bool:
    try:
        ran, case, data = run.at(sizes)
    except (LaunchError, SourceError, UnreadError):
        return False
    is_whole = not (ran.stopped or any(each.severity == ERROR for each in ran.found))
    return is_whole and bool(ran.launches) and data is not None and case.compare(data).passed


def _placed(device: Device, kind: Any, name: str, data: Any, *, is_of_host: bool) -> Any:
    """Return an array in memory of the device, or of the host."""
    if isinstance(kind, VectorOf):
        vector = Vector(kind.of, data.size)
        vector.s.raw.data[:] = data.tobytes()  # type: ignore[union-attr]
        return vector
    if is_of_host:
        raw = Raw(data.nbytes)
        raw.data[:] = data.tobytes()
        return Pointer(raw.typed(kind.of), 0, kind.of)
    memory = device.allocate(data.nbytes, name, 0)
    memory.allocation.write(numpy.frombuffer(data.tobytes(), numpy.uint8))
    memory.allocation.note_written(0, data.nbytes)
    return Pointer(memory, 0, kind.of)


def _contents(place: Any) -> Any:
    if isinstance(place.s, DeviceMemory):
        return numpy.array(place.s.allocation.read(numpy.uint8, place.s.nbytes))
    return numpy.frombuffer(bytes(place.s.raw.data), numpy.uint8)


def _larger(kernel: KernelFile, wrapper: _Wrapper, found: Found, whole: Sequence[Sizes]) -> Iterator[Sizes]:
    """Yield sizes of which one is larger than a constant that the function names, and the others are small."""
    code = code_only(wrapper.text)
    names = set(re.findall(r"[A-Za-z_]\w*", code))
    constants = {int(each) for each in re.findall(r"(?<![\w.])\d+(?![\w.])", code)}
    constants |= {value for name, value in kernel.known_numbers.items() if name in names}
    block = found.rule.at(found.roles, whole[0]).block
    constants -= {*block, prod(block), found.tile}
    operation = found.roles.operation
    least = {name: min(sizes.named(operation)[name] for sizes in whole) for name in whole[0].named(operation)}
    for constant in sorted(each for each in constants if each >= LEAST_CONSTANT)[:MOST_CONSTANTS]:
        for name in ("inner", "rows", "cols"):
            if name not in least or f"{name}=1" == found.roles.family:
                continue
            sides = {**least, name: constant + least[name]}
            if prod(sides.values()) <= MOST_PRODUCTS:
                yield found.roles.sized(replace(whole[0], **sides))
