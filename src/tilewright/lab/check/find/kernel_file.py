"""A kernel of a user's file, and what is known about it without running it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy

from tilewright.lab.check.element_types import dtype_of
from tilewright.lab.check.expressions import FormulaError, names, whole
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.run.execution import Stand
from tilewright.lab.check.run.not_emulated import refuse_missing, refuse_too_large
from tilewright.lab.source import (
    CompileError,
    CudaFile,
    DevicePart,
    KernelSignature,
    LaunchSite,
    Parameter,
    compile_user_file,
    device_part,
    read_cuda_file,
    resolve_number,
)
from tilewright.lab.source.arguments import with_plain_arguments
from tilewright.lab.source.callers import passed_type
from tilewright.lab.source.config_structs import configs_passed
from tilewright.lab.source.deduction import template_arguments_of
from tilewright.lab.source.includes import gather
from tilewright.lab.source.instrumenting import CheckedSubscripts
from tilewright.lab.source.macros import code_only

from .constants import VARIABLE, Constant, constants_of, with_values, with_variables
from .plain_numbers import with_bytes
from .size_variables import SizeVariable, size_variables
from .template_guesses import declares_type, instance_of_types, name_of

_INDEX = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*([xyz])\b")
_OF_GROUPS = (
    (re.compile(r"\bthread_index\s*\(\s*\)"), "threadIdx"),
    (re.compile(r"\b(?:group|block)_index\s*\(\s*\)"), "blockIdx"),
    (re.compile(r"\b(?:group_dim|dim_threads)\s*\(\s*\)"), "blockDim"),
    (re.compile(r"\b(?:grid_dim|dim_blocks)\s*\(\s*\)"), "gridDim"),
    (re.compile(r"\bthread_rank\s*\(\s*\)"), "threadIdx.x"),
    (re.compile(r"\bblock_rank\s*\(\s*\)"), "blockIdx.x"),
)
"""What cooperative groups call the indices, and what CUDA does."""
_VECTOR = re.compile(r"[a-z][1-4]$")
_NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
_MASK = re.compile(r"_sync(?:warp)?\s*\(\s*(?:\(\s*\w+\s*\)\s*)?([A-Za-z_]\w*)")
_HEAD_OF_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)\s*\([^;{}]*\)\s*\{")
_DYNAMIC = re.compile(r"\bextern\s+__shared__\b[^;\[]*?([A-Za-z_]\w*)\s*\[\s*\]")
MOST_KEPT = 32
"""Compilations of one kernel."""
_SIZE_NAMES = {"rows", "inner", "cols"}
Values = tuple[tuple[str, int], ...]
"""The constants' values for a compile, sorted by name."""


@dataclass(frozen=True)
class OpenedFile:
    """A file that was read and parsed."""

    file: CudaFile
    part: DevicePart

    @property
    def kernels(self) -> list[KernelSignature]:
        """Its kernels."""
        return self.part.kernels


def open_file(path: str | Path) -> OpenedFile:
    """Read and parse a file; raise SourceError if that fails, CheckError if it holds no kernel."""
    file = read_cuda_file(path)
    file = replace(file, text=with_plain_arguments(file.text, file.name))
    part = device_part(file.text, file.name)
    if not part.kernels:
        raise CheckError(_no_kernel(path, file))
    return OpenedFile(file, part)


def _no_kernel(path: str | Path, file: CudaFile) -> str:
    """Return why a file has no kernel: it is only declared, or commented out, or in an included file."""
    sentence = f"{path} holds no __global__ function."
    for name, header in gather(file).files.items():
        if kernels := device_part(header.text, name).kernels:
            return f"{sentence[:-1]}; {name}, which it includes, has {kernels[0].name}: check that file."
    for text, what in (
        (code_only(file.text), "only declares one, or cannot be read as a function"),
        (file.text, "has one only in a comment, in a string, or behind one that does not end"),
    ):
        if (at := text.find("__global__")) >= 0:
            return f"{sentence[:-1]} that can be checked: line {text.count(chr(10), 0, at) + 1} {what}."
    return sentence


def choose_kernels(opened: OpenedFile, symbol: str) -> list[KernelSignature]:
    """Return the kernels to check: the one called `symbol`, else all; raise CheckError if there is none."""
    if not symbol:
        return list(opened.kernels)
    found = [kernel for kernel in opened.kernels if symbol in (kernel.name, kernel.qualified_name)]
    if not found:
        known = ", ".join(kernel.name for kernel in opened.kernels)
        raise CheckError(f"{opened.file.path} has no kernel {symbol}; it has {known}.")
    return found[:1]


class KernelFile:
    """One kernel of a file, and the ways to compile it.

    defines: `-D` values that do not depend on the sizes. size_constants: those that are formulas of the sizes.
    """

    def __init__(self, opened: OpenedFile, signature: KernelSignature, options: Options) -> None:
        self.opened, self.signature, self.options = opened, signature, options
        self.defines = {n: v for n, v in options.defines.items() if not _is_formula(v)}
        self.size_constants = {n: v for n, v in options.defines.items() if _is_formula(v)}
        self.sites = [site for site in opened.part.launches if site.kernel == signature.name]
        self.notes: list[str] = list(opened.part.notes)
        self.template_arguments = options.template_arguments or self._template_arguments_of_launch()
        self._searching: dict[tuple[str, ...], Stand | None] = {}
        self._stands: dict[Values, Stand] = {}
        self._instrumented: dict[Values, tuple[Stand, CheckedSubscripts | None]] = {}

    @property
    def site(self) -> LaunchSite | None:
        """The file's first launch of this kernel."""
        return self.sites[0] if self.sites else None

    @cached_property
    def constants(self) -> dict[str, Constant]:
        """The file's named whole numbers, with the values of -D."""
        found = constants_of(self.opened.file.text)
        for name, value in self.defines.items():
            if value.isdigit() and name in found:
                found[name] = replace(found[name], value=int(value))
        return found

    @cached_property
    def known_numbers(self) -> dict[str, int]:
        """The values of names in the kernel: constants, macros of -D and the template's numbers."""
        known = {name: constant.value for name, constant in self.constants.items()}
        known |= {name: int(value) for name, value in self.defines.items() if value.isdigit()}
        for parameter, value in zip(self.signature.template_parameters, self.template_arguments, strict=False):
            if value.isdigit():
                known[name_of(parameter)] = int(value)
        return known

    @cached_property
    def body(self) -> str:
        """The kernel's text, without comments and strings."""
        lines = code_only(self.opened.file.text).split("\n")
        return "\n".join(lines[self.signature.line - 1 : self.signature.last_line])

    def line_at(self, place: int) -> int:
        """Return the line of the file in which a place of the body lies."""
        return self.signature.line + self.body.count("\n", 0, place)

    def line_start(self, place: int) -> int:
        """Return where in the file the line begins in which a place of the body lies."""
        return sum(len(each) + 1 for each in self.opened.file.text.split("\n")[: self.line_at(place) - 1])

    @property
    def text_with_head(self) -> str:
        """The kernel's text, including the lines before its name, which may hold attributes."""
        lines = code_only(self.opened.file.text).split("\n")
        return "\n".join(lines[max(0, self.signature.line - 3) : self.signature.last_line])

    @property
    def indices(self) -> set[str]:
        """The words `threadIdx.x` and so on in the kernel and in the functions that it may call."""
        where = _in_cuda(self.body)
        if not _INDEX.search(where):
            where = _in_cuda(code_only(self.opened.file.text))
        return {f"{match[1]}.{match[2]}" for match in _INDEX.finditer(where)}

    @property
    def looped_axes(self) -> tuple[int, ...]:
        """The axes of the grid (from 0) over which the kernel has grid-stride loops."""
        steps = dict(re.findall(r"\b(\w+)\s*=(?!=)([^;=]*\bgridDim\b[^;]*)", self.body))
        grown = " ".join(re.findall(r"\+=\s*([^;){\[]*)", self.body))  # not what is read by such a subscript
        texts = [grown, *(text for name, text in steps.items() if re.search(rf"\b{name}\b", grown))]
        found = {match[1] for match in re.finditer(r"\bgridDim\s*\.\s*([xyz])\b", " ".join(texts))}
        return tuple(axis for axis, name in enumerate("xyz") if name in found)

    @property
    def numbers(self) -> list[int]:
        """The whole numbers in the kernel, named or literal, in the text's order."""
        found = [self.known_numbers.get(word, -1) for word in re.findall(r"[A-Za-z_]\w*", self.body)]
        return [n for n in dict.fromkeys([*found, *(int(n) for n in _NUMBER.findall(self.body))]) if n > 1]

    @cached_property
    def shared_extents(self) -> list[tuple[int, ...]]:
        """The extents of the kernel's shared arrays that are known before the launch."""
        return [sides for _, sides in self.shared_tiles if sides]

    @cached_property
    def shared_tiles(self) -> list[tuple[str, tuple[int, ...]]]:
        """The kernel's shared arrays by name, with the extents that are known before the launch."""
        found = []
        for array in self.signature.shared_arrays:
            with suppress(FormulaError):
                sides = tuple(whole(text, self.known_numbers) for text in array.dimensions if text)
                found.append((array.name, sides))
        return found

    @cached_property
    def size_variables(self) -> dict[str, SizeVariable]:
        """The device variables of whole numbers that the kernel and the functions that it may call read."""
        known = {name: constant.value for name, constant in self.constants.items()}
        own = size_variables(self.opened.file.text, known, self.body)
        return own or size_variables(self.opened.file.text, known, _bodies(code_only(self.opened.file.text)))

    @property
    def has_dynamic_shared(self) -> bool:
        """Whether the kernel takes dynamic shared memory."""
        return bool(self.dynamic_arrays)

    @cached_property
    def dynamic_arrays(self) -> list[str]:
        """What the kernel, or a function that it calls, names dynamic shared memory."""
        code = code_only(self.opened.file.text)
        found = [array.name for array in self.signature.shared_arrays if array.is_dynamic]
        for array in _DYNAMIC.finditer(code):
            around = _HEAD_OF_FUNCTION.findall(code, 0, array.start())[-1:]
            if any(re.search(rf"\b{re.escape(name)}\b", self.body) for name in (array[1], *around)):
                found.append(array[1])
        return found

    def literal_constants_of_kernel(self) -> list[str]:
        """Return the literal constants that the kernel uses, except as extents of shared arrays and as masks."""
        sides = " ".join(text for array in self.signature.shared_arrays for text in array.dimensions)
        words = set(re.findall(r"[A-Za-z_]\w*", self.body)) - set(re.findall(r"[A-Za-z_]\w*", sides))
        words -= {parameter.name for parameter in self.signature.parameters}  # which hide them
        words -= set(_MASK.findall(code_only(self.opened.file.text)))
        return [name for name, constant in self.constants.items() if constant.is_literal and name in words]

    def stand(self, values: Mapping[str, int]) -> Stand:
        """Return the kernel compiled with these values of constants; raise what the compiler raises.

        The last ones are kept: a search may try hundreds, of many MB each.
        """
        own = self._own(values)
        kept = self._stands.pop(own) if own in self._stands else None
        self._stands[own] = kept or self._compile(dict(own))
        if len(self._stands) > MOST_KEPT:
            del self._stands[next(iter(self._stands))]
        return self.filled(self._stands[own], values)

    def instrumented(self, values: Mapping[str, int]) -> tuple[Stand, CheckedSubscripts]:
        """Return the kernel compiled with a bounds check of every subscript against its own dimension (kept)."""
        own = self._own(values)
        if own not in self._instrumented:
            file = replace(self.opened.file, text=with_values(self.opened.file.text, dict(own)))
            more = {name: str(v) for name, v in own if name not in self.constants}
            self._instrumented[own] = self._built(file, more, dict(own), first_line=1, instrument=True)
        stand, checks = self._instrumented[own]
        return self.filled(stand, values), checks or CheckedSubscripts([], [])

    def searching_stand(self, values: Mapping[str, int]) -> Stand:
        """Return the kernel with these values of constants, for trials: compiled once, with variables as constants.

        If the code needs true constants, it is compiled anew for each choice of values.
        """
        own = {name: value for name, value in values.items() if name in self.constants}
        if not own:
            return self.stand(values)
        names = tuple(sorted(own))
        if names not in self._searching:
            text = with_variables(self.opened.file.text, names, self.signature.line, self.signature.last_line)
            try:
                file = replace(self.opened.file, text=text)
                self._searching[names] = self._built(file, {}, {}, first_line=2, instrument=False)[0]
            except (CompileError, CheckError):
                self._searching[names] = None
        if (found := self._searching[names]) is None:
            return self.stand(values)
        self.filled(found, values)
        for name, value in own.items():
            if VARIABLE + name in found.module.variables:
                found.emulator.set_variable(found.module, VARIABLE + name, numpy.int32(value))
        return found

    def variables_at(self, values: Mapping[str, int]) -> dict[str, numpy.ndarray[Any, Any]]:
        """Return the contents of the file's variables whose numbers are among the values."""
        arrays: dict[str, numpy.ndarray[Any, Any]] = {}
        for name, value in values.items():
            if name in self.size_variables:
                place = self.size_variables[name]
                arrays.setdefault(place.variable, numpy.zeros(place.count, place.dtype))[place.index] = value
        return arrays

    def filled(self, stand: Stand, values: Mapping[str, int]) -> Stand:
        """Return the kernel with those variables set, and the others as they begin: each launch is the first."""
        stand.reset()
        for name, array in self.variables_at(values).items():
            if name in stand.module.variables:
                stand.emulator.set_variable(stand.module, name, array)
        return stand

    def element_type(self, text: str) -> str:
        """Return a type with the template's arguments in place of its parameters."""
        for parameter, value in zip(self.signature.template_parameters, self.template_arguments, strict=False):
            name = re.escape(name_of(parameter))
            text = re.sub(rf"\b{name}\b", lambda _, value=value: value, text)  # type: ignore[misc]
        return self.defines.get(text, text)

    def _own(self, values: Mapping[str, int]) -> Values:
        known = (
            name
            for name in values
            if (name in self.constants or name in self.size_constants) and name not in self.size_variables
        )
        return tuple((name, values[name]) for name in sorted(known))

    def _compile(self, values: Mapping[str, int]) -> Stand:
        file = replace(self.opened.file, text=with_values(self.opened.file.text, values))
        more = {name: str(v) for name, v in values.items() if name not in self.constants}
        return self._built(file, more, values, first_line=1, instrument=False)[0]

    def _built(
        self, file: CudaFile, more: Mapping[str, str], values: Mapping[str, int], *, first_line: int, instrument: bool
    ) -> tuple[Stand, CheckedSubscripts | None]:
        own = self.signature
        compiled = compile_user_file(
            file,
            defines=self.defines | dict(more),
            symbol=own.qualified_name or own.name,
            template_arguments=self.template_arguments,
            instrument=instrument,
        )
        self.notes += [note for note in compiled.notes if note not in self.notes]
        place = (own.name, own.line + first_line - 1)
        entries = [entry for entry, found in compiled.kernels.items() if (found.name, found.line) == place]
        if not entries:
            raise CheckError(f"{own.name} is not in the compiled file; it has {', '.join(compiled.kernels)}.")
        stand = Stand(compiled.ptx, entries[0], self._shared_arrays(values))
        refuse_missing(stand, own.name, file.name)
        if not values:  # at the file's own
            refuse_too_large(stand, own.name, file.name, own.line)
        return stand, compiled.subscripts

    def _shared_arrays(self, values: Mapping[str, int]) -> dict[str, tuple[numpy.dtype[Any], tuple[int, ...]]]:
        """Return type and shape of the shared arrays of numbers whose extents are known."""
        known, found = self.known_numbers | dict(values), {}
        for array in self.signature.shared_arrays:
            element = self.element_type(array.element_type)
            dtype = None if _VECTOR.search(element) else dtype_of(element)
            with suppress(FormulaError):
                sides = tuple(whole(text, known) for text in array.dimensions if text)
                if dtype is not None and sides:
                    found[array.name] = dtype, sides
        return found

    def _template_arguments_of_launch(self) -> tuple[str, ...]:
        if not self.signature.template_parameters:
            return ()
        for site in self.sites:
            if site.template_arguments:
                found = [str(self._number(site, text)) for text in site.template_arguments]
                if any(map(self._is_number_of_template, found)):
                    continue  # launched by a template of the host: its instances are not followed
                found += (template_arguments_of(site, self.signature) or [])[len(found) :]
                known = tuple(map(partial(self._known_type, site), self.signature.template_parameters, found))
                taken = tuple((name, kind) for name, kind in zip(found, known, strict=False) if name != kind)
                self.sites = [
                    replace(each, types=taken) if each.template_arguments == site.template_arguments else each
                    for each in self.sites
                ]
                return known
        if all(parameter.startswith(("typename ", "class ")) for parameter in self.signature.template_parameters):
            if types := instance_of_types(self.opened.file.text, self.signature):
                return types
            self.notes.append("Its template's types were taken for float; --template says which they are.")
            return ("float",) * len(self.signature.template_parameters)
        return ()

    def _is_number_of_template(self, argument: str) -> bool:
        """Return whether an argument of the launch is a number that a surrounding host template takes."""
        declared = rf"\btemplate\s*<[^>]*\b(?:int|unsigned|long|bool|size_t|auto)\s+{re.escape(argument)}\b"
        return argument.isidentifier() and re.search(declared, self.opened.file.text) is not None

    def _known_type(self, site: LaunchSite, parameter: str, argument: str) -> str:
        """Return a template's argument; what a call passes, or float, for a type parameter of a host's template."""
        is_type, text = parameter.startswith(("typename", "class")), self.opened.file.text
        is_spare = not re.search(rf"\b{re.escape(name_of(parameter))}\b", self.body)
        if is_type and is_spare and configs_passed(text):
            return "float"  # any type: the struct's numbers stand in the text
        if not is_type or dtype_of(argument) or not argument.isidentifier() or declares_type(text, argument):
            return argument
        passed = passed_type(site, argument)
        if passed is not None and dtype_of(passed) is not None:
            return passed
        self.notes.append(f"{argument} in the launch of {self.signature.name} was taken for float; --template says so.")
        return "float"

    def _number(self, site: LaunchSite, text: str) -> object:
        value = resolve_number(site, text, {})
        known = self.constants[text].value if text in self.constants else text  # of a class
        return value if isinstance(value, int) else known


def _in_cuda(code: str) -> str:
    for pattern, word in _OF_GROUPS:
        code = pattern.sub(word, code)
    return code


def _bodies(code: str) -> str:
    """Return code without the host's copies into variables and without their declarations."""
    code = re.sub(r"\bcudaMemcpy(?:To|From)Symbol\w*\s*\([^;]*;", "", code)
    return re.sub(r"\b__(?:constant|device|managed)__[^;(){}]*(?:\{[^{}]*\})?\s*;", "", code)


def _is_formula(value: str) -> bool:
    with suppress(FormulaError):
        return bool(names(value) & _SIZE_NAMES)
    return False


def parameters_of(kernel: KernelFile) -> Sequence[Parameter]:
    """Return the kernel's parameters with their element types resolved."""
    found = [replace(p, element_type=kernel.element_type(p.element_type)) for p in kernel.signature.parameters]
    return with_bytes(found, code_only(kernel.opened.file.text))
