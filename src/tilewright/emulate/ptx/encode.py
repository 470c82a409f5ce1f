"""Instructions to rows of integers: the frame of the work; each family of instructions has its own file."""

from __future__ import annotations

import struct

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.arithmetic.table import OPCODES, TABLE
from tilewright.emulate.faults import PtxSyntaxError
from tilewright.emulate.ptx import (
    encode_arithmetic,
    encode_bits,
    encode_clusters,
    encode_compare,
    encode_control,
    encode_convert,
    encode_copies,
    encode_matrices,
    encode_mbarriers,
    encode_memory,
    encode_video,
    encode_warpgroups,
    encode_wmma,
)
from tilewright.emulate.ptx.containment import check_containment
from tilewright.emulate.ptx.control_flow import reconvergence, unwritten_reads
from tilewright.emulate.ptx.encoded_module import FunctionCode, ModuleCode, Symbols
from tilewright.emulate.ptx.operands import Frame, NotEmulated, parse_number
from tilewright.emulate.ptx.parser import Function, Instruction, Module
from tilewright.emulate.ptx.shared_layout import add_shared_sizes, align, lay_out_shared
from tilewright.emulate.ptx.type_check import check_types, is_checked, refusal

MAX_PARAMETER_BYTES = 32764
"""Of a kernel, from sm_70 on."""
KIND_WIDTH = {"i16": 16, "i32": 32, "i64": 64, "f32": 32, "f64": 64, "p": 1}
FAMILIES = (
    *(encode_arithmetic, encode_bits, encode_compare, encode_convert),
    *(encode_memory, encode_copies, encode_matrices, encode_control, encode_video, encode_warpgroups),
    *(encode_clusters, encode_mbarriers, encode_wmma),
)
HANDLERS = {name: handler for family in FAMILIES for name, handler in family.HANDLERS.items()}


class Encoder:
    """Encodes one function; handlers call its methods to emit rows and name operands."""

    def __init__(self, function: Function, module: Module, code: ModuleCode, symbols: Symbols) -> None:
        self.function, self.module, self.code, self.symbols = function, module, code, symbols
        self.frame = Frame(function)
        self.guard = (0, 0)
        self.line = 0
        self.text = ""
        self.result = FunctionCode(
            function.name, function.is_kernel, len(code.rows), 0, 0, 0, function.parameters, [], []
        )
        self.result.limits = function.limits
        self.local: dict[str, int] = {}
        self.local_bytes: dict[str, int] = {}
        self.parameters: dict[str, int] = {}
        self.branches: list[tuple[int, str]] = []
        self.table_labels: list[tuple[int, list[str]]] = []
        self.reads: list[set[str]] = []
        self.writes: list[set[str]] = []
        self.atomics: list[tuple[int, str, bool]] = []
        self.call_sites: list[tuple[int, str | None]] = []

    # Emitting rows

    def emit(self, opcode: int, *, counted: bool = True, elements: int = 1, **columns: int) -> int:
        """Append a row; columns by their lower-case name (result, operand_a, immediate, kind, extra_1, ...)."""
        values = [0] * row.COLUMNS
        values[row.OPCODE] = opcode
        values[row.GUARD], values[row.GUARD_FLIP] = self.guard
        values[row.LINE] = self.line
        for name, value in columns.items():
            values[getattr(row, name.upper())] = value
        if not all(-(1 << 31) <= value < 1 << 31 for value in values):
            raise NotEmulated(self.text)
        self.code.rows.append(values)
        self.code.callers[len(self.code.texts)] = self.caller
        self.code.texts.append(self.text)
        self.code.uncounted.append(not counted)
        self.code.elements.append(elements)
        return len(self.code.rows) - 1

    def vector(
        self, key: str, results: list[int], operands: list[int], *, counted: bool = True, immediate: int = 0
    ) -> None:
        """Append a vector operation on slots."""
        number = OPCODES.get(key)
        if number is None:
            raise NotEmulated(key)
        a, b, c, d = (*operands, 0, 0, 0, 0)[:4]
        first, second = (*results, 0)[:2]
        self.emit(
            number,
            counted=counted,
            result=first,
            extra_1=second,
            operand_a=a,
            operand_b=b,
            operand_c=c,
            operand_d=d,
            immediate=immediate,
        )

    def plain(self, key: str, operands: list[str]) -> None:
        """Append the vector operation `key` with the instruction's own operands, results first."""
        number = OPCODES.get(key)
        if number is None:
            raise NotEmulated(key)
        operation = TABLE[number]
        count = len(operation.results)
        sources = [self.source(text, kind) for text, kind in zip(operands[count:], operation.operands, strict=True)]
        results = [self.target(text, kind) for text, kind in zip(operands[:count], operation.results, strict=True)]
        self.vector(key, results, sources)

    # Naming operands

    def constant(self, value: int, width: int) -> int:
        """Return the slot of a number."""
        return self.code.constants.slot(("bits", value & ((1 << max(width, 32)) - 1), 0), width)

    def temporary(self, kind: str) -> int:
        """Return a new slot."""
        return self.frame.new(KIND_WIDTH[kind])

    def target(self, text: str, kind: str) -> int:
        """Return the slot of a result; `_` throws it away."""
        if text == "_":
            return self.temporary(kind)
        self.writes[-1].add(text)
        return self.frame.offset(text)

    def source(self, text: str, kind: str) -> int:
        """Return the slot of an operand read as `kind`."""
        if text.startswith("!"):
            inverted = self.temporary("p")
            self.vector("not.p", [inverted], [self.source(text[1:], "p")], counted=False)
            return inverted
        if text.startswith("%") or self.frame.is_register(text):
            return self._register_or_special(text, kind)
        width = KIND_WIDTH[kind]
        number = parse_number(text, kind)
        if number is not None:
            return self.constant(number, width) if width > 1 else self.constant(-1 if number else 0, 1)
        return self.address(text, 0, 64 if width < 32 else width)

    def _register_or_special(self, text: str, kind: str) -> int:
        name = text[1:]
        if self.frame.is_register(text):
            self.reads[-1].add(text)
            return self.frame.offset(text)
        if name in op.LAUNCH_CONSTANTS:
            self.result.waits_for_grid |= name.startswith("envreg")
            return self.code.constants.slot(("launch", op.LAUNCH_CONSTANTS[name], 0), KIND_WIDTH[kind])
        if name in op.SPECIAL_NUMBER:
            slot = self.temporary(kind)
            self.special(name, slot, KIND_WIDTH[kind], counted=False)
            return slot
        if name in op.RESERVED_SHARED:
            self.result.reserves_shared = True
            return self.constant(op.RESERVED_SHARED[name], KIND_WIDTH[kind])
        raise NotEmulated(text)

    def special(self, name: str, slot: int, width: int, *, counted: bool = True) -> None:
        """Append a read of a special register."""
        self.emit(op.SPECIAL, counted=counted, result=slot, kind=op.SPECIAL_NUMBER[name], immediate=width)

    def address(self, symbol: str, addend: int, width: int) -> int:
        """Return the slot that holds the address of a variable, parameter or function."""
        name, _, more = symbol.partition("+")
        addend += int(more or "0", 0)
        name = name.strip()
        constants = self.code.constants
        if name in self.local:
            slot = self.frame.new(width)
            self.emit(op.LOCAL_ADDRESS, counted=False, result=slot, immediate=self.local[name] + addend, kind=width)
            return slot
        if name in self.symbols.dynamic:
            return constants.slot(("dynamic", self.symbols.dynamic[name], addend), width)
        for known in (f"{self.function.name}/{name}", name):
            if known in self.symbols.shared:
                return constants.slot(("shared", self.symbols.shared[known] + addend, 0), width)
        if name in self.symbols.variables:
            return constants.slot(("variable", self.symbols.variables[name], addend), width)
        if name in self.parameters:
            return constants.slot(("parameters", self.parameters[name] + addend, 0), width)
        if name in self.symbols.functions:
            return constants.slot(("bits", op.FUNCTION_ADDRESS + self.symbols.functions[name], 0), width)
        raise PtxSyntaxError(f"nothing is called {name}")

    # Walking the function

    def encode(self) -> FunctionCode:
        """Append the function's rows and return what a launch must know of it."""
        self._lay_out_memory()
        meeting, avoidable = reconvergence(self.function)
        joins = set(meeting.values())
        starts: list[int] = []
        for index, instruction in enumerate(self.function.instructions):
            self.reads.append(set())
            self.writes.append(set())
            self._set_place(instruction)
            starts.append(len(self.code.rows))
            if index in joins:
                guard, self.guard = self.guard, (0, 0)
                self.emit(op.JOIN, counted=False, kind=int(index in avoidable))
                self.guard = guard
            self._encode_instruction(instruction)
        starts.append(len(self.code.rows))
        self.guard, self.text = (0, 0), "the end of the function"
        self.emit(op.EXIT if self.function.is_kernel else op.RETURN, counted=False)
        self._resolve_branches(starts, meeting)
        result = self.result
        result.frame_bytes = self.frame.nbytes
        result.unwritten_reads = [starts[i] for i in unwritten_reads(self.function, self._judged_reads(), self.writes)]
        self._judge_atomics()
        return result

    def _judged_reads(self) -> list[set[str]]:
        """The registers that each instruction reads, but for sums of wgmma: its first product sets them.

        That a loop of products may be passed by says nothing against what reads them behind it.
        """
        multiplies = [each.opcode.startswith("wgmma.mma_async") for each in self.function.instructions]
        sums = set().union(*(names for names, is_product in zip(self.writes, multiplies, strict=True) if is_product))
        pairs = zip(self.reads, multiplies, strict=True)
        return [names if is_product else names - sums for names, is_product in pairs]

    def _judge_atomics(self) -> None:
        """Atomics whose result is not read and whose order does not matter are the only ones workers may share."""
        read = set().union(*self.reads)
        for number, name, order_matters in self.atomics:
            is_read = name in read
            if not is_read:
                self.code.rows[number][row.RESULT] = -1
            if is_read or order_matters:
                self.result.waits = True
                self.result.parallel = False

    def _set_place(self, instruction: Instruction) -> None:
        self.text = instruction.text
        self.caller = instruction.caller
        known = self.code.line_numbers
        if instruction.line not in known:
            known[instruction.line] = len(self.code.lines)
            self.code.lines.append(instruction.line)
        self.line = known[instruction.line]
        self.guard = (0, 0)
        if instruction.guard is not None:
            name = instruction.guard.lstrip("!")
            self.reads[-1].add(name)
            self.guard = (self.frame.offset(name), -1 if instruction.guard.startswith("!") else 0)

    def _encode_instruction(self, instruction: Instruction) -> None:
        mark = len(self.code.rows)
        parts = instruction.opcode.split(".")
        handler = HANDLERS.get(parts[0])
        try:
            if handler is None or not is_checked(instruction):
                raise NotEmulated(instruction.opcode)
            handler(self, parts, instruction.operands)
        except PtxSyntaxError as error:
            raise refusal(self.function, self.module, instruction, str(error)) from None
        except (NotEmulated, LookupError, ValueError, ArithmeticError, StopIteration, struct.error):
            for column in (self.code.rows, self.code.texts, self.code.uncounted, self.code.elements):
                del column[mark:]
            self.emit(op.UNSUPPORTED)

    def _lay_out_memory(self) -> None:
        """Give parameters and local variables their offsets: of a function first its parameters, then its results."""
        function = self.function
        if function.is_kernel:
            offset = 0
            for parameter in function.parameters:
                offset = align(offset, parameter.align)
                self.parameters[parameter.name] = offset
                self.result.parameter_offsets.append(offset)
                offset += parameter.nbytes
            if offset > MAX_PARAMETER_BYTES:
                raise PtxSyntaxError(
                    f"{function.name} has {offset} bytes of parameters; a kernel has at most {MAX_PARAMETER_BYTES}"
                )
        offset = 0
        own = [] if function.is_kernel else [*function.parameters, *function.results]
        for variable in own + [v for v in function.variables if v.space in ("local", "param")]:
            offset = align(offset, variable.align)
            self.local[variable.name] = offset
            self.local_bytes[variable.name] = variable.nbytes
            offset += variable.nbytes
        self.result.local_bytes = align(offset, 16)

    def _resolve_branches(self, starts: list[int], meeting: dict[int, int]) -> None:
        row_of = {label: starts[index] for label, index in self.function.labels.items()}
        for number, label in self.branches:
            self.code.rows[number][row.TARGET] = row_of[label]
        for number, labels in self.table_labels:
            self.code.rows[number][row.IMMEDIATE] = len(self.code.tables)
            self.code.rows[number][row.KIND] = len(labels)
            self.code.tables += [row_of[label] for label in labels]
        branch_rows = {
            number
            for number in range(starts[0], len(self.code.rows))
            if self.code.rows[number][row.OPCODE] in (op.BRANCH, op.BRANCH_TABLE)
        }
        for number in branch_rows:
            self.code.rows[number][row.RECONVERGENCE] = -1
        for branch, place in meeting.items():
            for number in range(starts[branch], starts[branch + 1]):
                if number in branch_rows:
                    self.code.rows[number][row.RECONVERGENCE] = starts[place]


def encode(module: Module) -> ModuleCode:
    """Encode every function of a module that has a body."""
    code = ModuleCode()
    bodies = [function for function in module.functions.values() if function.has_body]
    symbols = lay_out_shared(module, bodies, code)
    sites: list[tuple[int, str | None, str]] = []
    for function in bodies:
        check_types(function, module)
        encoder = Encoder(function, module, code, symbols)
        code.functions[function.name] = encoder.encode()
        sites += [(number, callee, function.name) for number, callee in encoder.call_sites]
    encode_control.resolve_calls(code, symbols.functions, sites)
    add_shared_sizes(module, bodies, code, symbols)
    check_containment(code)
    return code
