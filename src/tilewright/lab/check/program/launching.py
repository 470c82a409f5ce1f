"""The kernels of a running host program: compiled once, launched on the emulator, and watched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy

from tilewright.emulate import BudgetExceeded, EmulationError, Emulator, UnsupportedInstruction
from tilewright.lab.check.run.textbook_races import excused
from tilewright.lab.check.run.watching import ERROR, correctness_observers, of_fault
from tilewright.lab.source import CompiledUserFile, CompileError, CudaFile, SourceError, compile_user_file

from .compiler import Code, Compiler, Frame, converted
from .device import Device, Launched
from .functions import deduced, named, parameters_of
from .host_types import (
    DIM3,
    NOTHING,
    SIZE,
    ArrayOf,
    Number,
    PointerTo,
    RecordType,
    UnreadError,
)
from .memory import HostFaultError
from .packing import packed
from .type_names import declared, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from tilewright.emulate import LoadedModule

MOST_BLOCKS = 1 << 16
WATCHED_INSTRUCTIONS, MOST_INSTRUCTIONS = 3_000_000, 30_000_000


class Kernels:
    """The compiled kernels of a file."""

    def __init__(self, file: CudaFile) -> None:
        self._file = file
        self.emulator = Emulator(workers=1)
        self._compiled: dict[tuple[str, ...], CompiledUserFile] = {}
        self._modules: dict[tuple[str, ...], LoadedModule] = {}
        self.instructions = 0

    def entry(self, name: str, line: int, arguments: tuple[str, ...]) -> tuple[LoadedModule, str]:
        """Return the module and the name of a kernel in it."""
        key = (name, *arguments) if arguments else ()
        module = self._module(key)
        kernels = self._compiled[key].kernels
        entries = [each for each, found in kernels.items() if found.name == name]
        if len(entries) > 1:
            entries = [each for each in entries if kernels[each].line == line]
        if len(entries) != 1:
            raise UnreadError(f"the kernel {name}")
        return module, entries[0]

    def _module(self, key: tuple[str, ...]) -> LoadedModule:
        """Return a module of the file, or of one instance of a template."""
        try:
            if key not in self._compiled:
                instance = {"symbol": key[0], "template_arguments": key[1:]} if key else {}
                self._compiled[key] = compile_user_file(self._file, **instance)  # type: ignore[arg-type]
            if key not in self._modules:
                self._modules[key] = self.emulator.load(self._compiled[key].ptx)
        except (CompileError, SourceError, EmulationError) as error:
            raise UnreadError(str(error)) from error
        return self._modules[key]

    def reset(self) -> None:
        """Set the file's variables to what they begin as."""
        self._modules = {}
        self.instructions = 0

    def _variable(self, name: str) -> Any:
        module = self._module(())
        found = [each for each in module.variables if each == name or f"{len(name)}{name}E" in each]
        if len(found) != 1:
            raise UnreadError(f"the variable {name}")
        return module.variables[found[0]]

    def set_variable(self, name: str, data: bytes, offset: int) -> None:
        """Set a variable of the device."""
        memory = self._variable(name)
        memory.write(numpy.frombuffer(data, numpy.uint8), offset)

    def get_variable(self, name: str, nbytes: int, offset: int) -> bytes:
        """Return the contents of a variable of the device."""
        return bytes(self._variable(name).read(numpy.uint8, nbytes, offset=offset).tobytes())


def launch_reader(device: Device, kernels: dict[str, Node]) -> Any:
    """Return the reader of launches. kernels: the file's, by name."""

    def read(c: Compiler, node: Node, launch: Node) -> Code:
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        name, explicit = named(c, called) if called is not None else ("", [])
        if name not in kernels or given is None:
            raise UnreadError(f"the kernel {name}")
        kernel = kernels[name]
        arguments = [c.expression(each) for each in given.named_children if each.type != "comment"]
        template = kernel.parent if kernel.parent is not None and kernel.parent.type == "template_declaration" else None
        names: dict[str, Any] = {}
        if template is not None:
            names = deduced(c, template, parameters_of(kernel), arguments, explicit)
        types = parameter_types(c, kernel, names)
        if len(types) != len(arguments):
            raise UnreadError(f"a launch of {name} with {len(arguments)} arguments")
        runs = [converted(each, kind) for each, kind in zip(arguments, types, strict=True)]
        sides = [each for each in launch.named_children if each.type != "comment"]
        grid, block = (_extent(c, each) for each in sides[:2])
        shared = converted(c.expression(sides[2]), SIZE) if len(sides) > 2 else (lambda _: 0)
        texts = tuple(_template_text(each) for each in names.values())
        line, kernel_line, made = c.line(node), c.line(kernel), c.line_of_name(sides[0])

        def run(frame: Frame) -> None:
            values = [packed(each(frame), kind) for each, kind in zip(runs, types, strict=True)]
            _launch(
                device, name, kernel_line, texts, grid(frame), block(frame), shared(frame), values, types, line, made
            )

        return Code(run, NOTHING)

    return read


def parameter_types(c: Compiler, kernel: Node, names: dict[str, Any]) -> list[Any]:
    """Return the types of what a kernel or a function takes. names: what its template's parameters stand for."""
    types = []
    with c.scope() as scope:
        scope.names |= names
        for each in parameters_of(kernel):
            kind = declared(c, each.child_by_field_name("declarator"), type_of(c, each.child_by_field_name("type")))[1]
            kind = PointerTo(kind.of) if isinstance(kind, ArrayOf) else kind
            types.append(kind)
    return types


def _template_text(value: Any) -> str:
    if isinstance(value, Number | RecordType):
        return value.name
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    raise UnreadError(f"the template argument {value}")


def _extent(c: Compiler, node: Node) -> Any:
    code = c.with_values(DIM3, node) if node.type == "initializer_list" else c.expression(node)
    if isinstance(code.type, Number):
        run = code.run
        return lambda frame: (int(run(frame)) & 0xFFFFFFFF, 1, 1)
    if code.type is not DIM3:
        raise UnreadError(f"a grid of {code.type}")
    whole = code.run
    return lambda frame: tuple(int(whole(frame).f[each]) for each in "xyz")


def _launch(
    device: Device,
    name: str,
    kernel_line: int,
    arguments: tuple[str, ...],
    grid: Sequence[int],
    block: Sequence[int],
    shared_bytes: int,
    values: Sequence[bytes],
    types: Sequence[Any],
    line: int,
    made: int,
) -> None:
    kernels = device.kernels
    module, entry = kernels.entry(name, kernel_line, arguments)
    if prod(grid) > MOST_BLOCKS or min(*grid, *block) < 1:
        raise UnreadError(f"a grid of {tuple(grid)}")
    device.launches.append(Launched(name, line, made, tuple(grid), tuple(block)))
    device.before_launch()
    watching = correctness_observers() if prod(grid) * prod(block) <= 1 << 16 else []
    budget = MOST_INSTRUCTIONS - kernels.instructions
    if watching:
        budget = min(budget, WATCHED_INSTRUCTIONS)
    fault: EmulationError | None = None
    try:
        result = kernels.emulator.launch(
            module,
            entry,
            grid=tuple(grid),
            block=tuple(block),
            arguments=list(values),
            dynamic_shared_bytes=shared_bytes,
            instruction_budget=budget,
            observers=watching,
        )
        kernels.instructions += result.counts.warp_instructions
    except (BudgetExceeded, UnsupportedInstruction) as error:
        raise UnreadError(str(error)) from error
    except EmulationError as error:
        if bytes(8) in (value for value, kind in zip(values, types, strict=True) if isinstance(kind, PointerTo)):
            raise UnreadError("a launch is given no place") from error
        fault = error.with_traceback(None)
    except ValueError as error:
        raise UnreadError(str(error)) from error
    found = excused((each for watch in watching for each in watch.findings), module, entry)
    errors = [
        replace(each, details={**each.details, "kernel": name, "launch": line})
        for each in found
        if each.severity == ERROR
    ]
    if fault is not None:
        stopped = of_fault(fault, errors)
        if stopped is not None:
            errors.append(replace(stopped, details={**stopped.details, "kernel": name, "launch": line}))
        device.found += errors
        raise HostFaultError(f"the launch in line {line} stops")
    device.found += [device.with_its_copy(each) for each in errors]
    if not watching:
        device.count_as_written()
    device.behind_launch(line)
