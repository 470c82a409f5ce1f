"""A loaded module: parsed and encoded PTX with its variables in emulated memory."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate.faults import PtxSyntaxError
from tilewright.emulate.machine.memory import Allocation, Memory
from tilewright.emulate.ptx.encode import encode
from tilewright.emulate.ptx.encoded_module import FunctionCode, ModuleCode
from tilewright.emulate.ptx.operands import parse_number
from tilewright.emulate.ptx.parser import TYPE_BYTES, Variable, parse
from tilewright.emulate.ptx.slice import slice_of
from tilewright.emulate.state import Int32s

CALL_DEPTH = 48
"""Calls under way at once that recursion, or calls through pointers, may reach."""
MAX_LOCAL_BYTES = 512 * 1024
"""Local memory of a thread, as on a GPU; a warp's must also fit the 32-bit offsets of a gather."""


class LoadedModule:
    """What Emulator.load returns. Fields: kernels (names), source_files (by the number that `.loc` uses)."""

    def __init__(self, ptx: str, memory: Memory) -> None:
        parsed = parse(ptx)
        self.memory = memory
        self.code: ModuleCode = encode(parsed)
        self.source_files = parsed.files
        self.kernels = tuple(f.name for f in parsed.functions.values() if f.is_kernel and f.has_body)
        self.variables: dict[str, Allocation] = {}
        self.variable_list: list[Allocation | None] = []
        self.runs_alone: set[str] = set()
        self._slices: dict[str, Int32s] = {}
        self._allocate(parsed.variables, memory)

    def _allocate(self, variables: list[Variable], memory: Memory) -> None:
        for variable in variables:
            allocation = None
            if variable.space in ("global", "const"):
                allocation = memory.allocate(variable.nbytes, variable.name, writable=variable.space == "global")
                self.variables[variable.name] = allocation
            self.variable_list.append(allocation)
        for variable, allocation in zip(variables, self.variable_list, strict=True):
            if allocation is not None:
                initial = self._initial(variable)
                allocation.data[len(initial) :] = 0
                allocation.write(np.frombuffer(initial, np.uint8))
                allocation.note_written(0, allocation.nbytes)

    def _initial(self, variable: Variable) -> bytes:
        """Return the bytes that a variable starts with; what has no initial value starts as 0."""
        kind = {"f32": "f32", "f64": "f64"}.get(variable.type, "i64")
        size = TYPE_BYTES[variable.type]
        data = bytearray()
        for text in variable.initial or []:
            value = parse_number(text, kind)
            if value is None:
                value = self._symbol_value(text)
            data += (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        if len(data) > variable.nbytes:
            raise PtxSyntaxError(f"{variable.name} has {variable.nbytes} bytes, and initial values for {len(data)}")
        return bytes(data)

    def _symbol_value(self, text: str) -> int:
        """Return an initial value that is an address: `name`, `generic(name)`, either with `+ offset`."""
        match = re.match(r"(?:generic\()?\s*([$%\w]+)\s*\)?\s*(?:\+\s*(\d{1,19}))?$", text)
        if match is None or (match[1] not in self.variables and match[1] not in self.code.functions):
            raise PtxSyntaxError(f"the initial value {text[:80]!r} is not understood")
        if match[1] in self.variables:
            return self.variables[match[1]].address + int(match[2] or "0")
        from tilewright.emulate.opcodes import FUNCTION_ADDRESS

        return FUNCTION_ADDRESS + list(self.code.functions).index(match[1])

    def variable(self, name: str) -> Allocation:
        """Return the memory of a `__device__` or `__constant__` variable, by its name in CUDA or in PTX."""
        if name in self.variables:
            return self.variables[name]
        mangled = [known for known in self.variables if re.search(rf"(^|\D){len(name)}{re.escape(name)}(E|$)", known)]
        if len(mangled) == 1:
            return self.variables[mangled[0]]
        known = ", ".join(self.variables) or "none"
        raise KeyError(f"the module has no variable {name}; it has {known}")

    @cached_property
    def rows(self) -> Int32s:
        """The encoded instructions, and one row to spare."""
        return np.array([*self.code.rows, [0] * 16], np.int32)

    def rows_of_counts(self, kernel: str) -> Int32s:
        """The rows that a launch of a kernel executes when only its counts are wanted: its slice, or all."""
        if kernel not in self._slices:
            sliced = slice_of(self.code, self.code.functions[kernel], self.rows)
            self._slices[kernel] = self.rows if sliced is None else sliced
        return self._slices[kernel]

    @cached_property
    def opcodes(self) -> frozenset[int]:
        """The opcodes of its instructions."""
        return frozenset(columns[row.OPCODE] for columns in self.code.rows)

    def reachable(self, kernel: str) -> list[FunctionCode]:
        """Return the kernel and every function that it may call."""
        functions = self.code.functions
        todo, found = [kernel], {}
        while todo:
            function = functions[todo.pop()]
            if function.name in found:
                continue
            found[function.name] = function
            todo += list(functions) if function.calls_pointers else function.calls
        return [f for f in found.values() if f.name == kernel or f.name not in self.kernels]

    def depth_bytes(self, kernel: str) -> tuple[int, int]:
        """Return how much frame and local memory the deepest chain of calls may use."""
        functions, code = self.code.functions, self.code
        entry = functions[kernel]
        if not entry.calls and not entry.calls_pointers:
            return entry.frame_bytes, entry.local_bytes
        if code.frame_step:
            local = max((f.local_bytes for f in self.reachable(kernel) if f.name != kernel), default=0)
            frames = code.frame_bytes + CALL_DEPTH * code.frame_step
            stack = min(entry.local_bytes + CALL_DEPTH * local, MAX_LOCAL_BYTES)
            return frames, max(entry.local_bytes, stack)

        return code.frame_bytes, _deepest(functions, kernel)


def _deepest(functions: dict[str, FunctionCode], start: str) -> int:
    """Return how much local memory the deepest chain of calls takes, where no function can call itself."""
    known: dict[str, int] = {}
    todo = [start]
    while todo:
        function = functions[todo[-1]]
        unknown = [callee for callee in function.calls if callee not in known]
        if unknown:
            todo += unknown
            continue
        below = max((known[callee] for callee in function.calls), default=0)
        known[todo.pop()] = function.local_bytes + below
    return known[start]


def pack(value: object, parameter: Variable) -> bytes:
    """Return a kernel argument as the bytes of its parameter; raise ValueError when it does not fit."""
    kind, nbytes = parameter.type, parameter.nbytes
    wanted = f"{parameter.name} has {nbytes} bytes (.{kind})"
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(value)
        if len(data) != nbytes:
            raise ValueError(f"{wanted} and cannot take {len(data)} bytes")
        return data
    if isinstance(value, Allocation):
        value = value.address
    if parameter.count is not None or not isinstance(value, int | float | np.integer | np.floating | np.bool_):
        raise ValueError(f"{wanted} and cannot take {value!r} of type {type(value).__name__}")
    if kind in ("f32", "f64"):
        with np.errstate(over="ignore"):  # beyond float32's range lies infinity, as in C
            return np.float64(value).astype(f"<{kind[0]}{nbytes}").tobytes()
    is_whole = isinstance(value, int | np.integer) or (np.isfinite(value) and value == int(value))
    number = int(value) if is_whole else 0
    if not is_whole or not -(1 << (8 * nbytes - 1)) <= number < 1 << 8 * nbytes:
        raise ValueError(f"{wanted} and cannot take {value!r}")
    return (number & ((1 << 8 * nbytes) - 1)).to_bytes(nbytes, "little")
