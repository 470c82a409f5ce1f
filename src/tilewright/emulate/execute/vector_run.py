"""The inner loop: run vector instructions one after another until one needs more than arithmetic."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tilewright.emulate import instruction_row as row
from tilewright.emulate import state as st
from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.table import COUNT, TABLE
from tilewright.emulate.arithmetic.vectors import Builder, Value, VectorOperation
from tilewright.emulate.compiled import Unit, of_words
from tilewright.emulate.tables import get

FUNCTION = "tilewright_vector_run"


@of_words
def vector_run(
    builder: Builder, code: Value, pc: Value, frame: Value, constants: Value, mask: Value, counters: Value, limit: Value
) -> Value:
    """Run from `pc` at most `limit` vector instructions for the lanes of `mask`; return where it stopped.

    code, frame, constants, counters: addresses. A frame's first slot is a predicate that is always true.
    """
    function = builder.module.globals.get(FUNCTION) or _define(builder.module)
    return builder.call(function, (code, pc, frame, constants, mask, counters, limit))


@Unit
def run_vectors(state: int, pc: int, frame: int, mask: int, limit: int) -> int:
    """Run vector instructions from `pc` on, at most `limit`; return where it stopped."""
    code, constants, counters = (
        get(state, st.LAYOUT_CODE),
        get(state, st.LAYOUT_CONSTANTS),
        get(state, st.LAYOUT_COUNTERS),
    )
    return vector_run(code, pc, frame, constants, mask, counters, limit)


def _define(module: Any) -> Any:
    function = ir.Function(module, ir.FunctionType(v.i64, [v.i64] * 7), name=FUNCTION)
    function.linkage = "internal"
    function.attributes.add("noinline")
    code, first, frame, constants, mask64, counters, limit = function.args
    b = ir.IRBuilder(function.append_basic_block("entry"))
    mask = b.trunc(mask64, v.i32)
    loop, execute, done, after = (function.append_basic_block(n) for n in ("loop", "execute", "done", "after"))
    entry = b.block
    b.branch(loop)

    b.position_at_end(loop)
    pc = b.phi(v.i64)
    left = b.phi(v.i64)
    pc.add_incoming(first, entry)
    left.add_incoming(limit, entry)
    fields = _Fields(b, b.add(code, b.mul(pc, ir.Constant(v.i64, row.ROW_BYTES))), frame, constants)
    opcode = fields.load(row.OPCODE)
    ours = b.icmp_unsigned("<", opcode, ir.Constant(v.i32, len(TABLE)))
    b.cbranch(b.and_(ours, b.icmp_signed(">", left, ir.Constant(v.i64, 0))), execute, done)

    b.position_at_end(execute)
    guard = b.load(v.address(b, frame, b.sext(fields.load(row.GUARD), v.i64)), typ=v.i32)
    active = b.and_(mask, b.xor(guard, fields.load(row.GUARD_FLIP)))
    counter = b.add(counters, b.mul(pc, ir.Constant(v.i64, st.COUNTER_BYTES)))
    _increase(b, counter, 0, ir.Constant(v.i64, 1))
    population = v.intrinsic(b, "llvm.ctpop.i32", v.i32, [active])
    _increase(b, counter, 8, b.zext(population, v.i64))
    # Every number below the table's length has its case.
    switch = b.switch(opcode, function.append_basic_block("never"))
    executed: list[tuple[Value, Any]] = []
    for number, operation in enumerate(TABLE):
        block = function.append_basic_block(f"op{number}")
        switch.add_case(ir.Constant(v.i32, number), block)
        b.position_at_end(block)
        _emit(b, operation, fields, active)
        many = b.zext(fields.load(row.IMMEDIATE), v.i64) if number == COUNT else ir.Constant(v.i64, 1)
        executed.append((many, b.block))
        b.branch(after)

    b.position_at_end(after)
    step = b.phi(v.i64)
    for many, source in executed:
        step.add_incoming(many, source)
    pc.add_incoming(b.add(pc, step), after)
    left.add_incoming(b.sub(left, step), after)
    b.branch(loop)

    b.position_at_end(switch.default)
    b.unreachable()

    b.position_at_end(done)
    b.ret(pc)
    return function


def _increase(b: Builder, base: Value, offset: int, by: Value) -> None:
    target = v.address(b, base, offset)
    b.store(b.add(b.load(target, typ=v.i64), by), target)


class _Fields:
    """The fields of the row being executed, and the slots that they name."""

    def __init__(self, b: Builder, base: Value, frame: Value, constants: Value) -> None:
        self.b, self.base, self.frame, self.constants = b, base, frame, constants

    def load(self, column: int) -> Value:
        return self.b.load(v.address(self.b, self.base, 4 * column), typ=v.i32)

    def slot(self, column: int) -> Value:
        b = self.b
        offset = b.sext(self.load(column), v.i64)
        negative = b.icmp_signed("<", offset, ir.Constant(v.i64, 0))
        base = b.select(negative, self.constants, self.frame)
        return v.address(b, base, b.select(negative, b.not_(offset), offset))

    def read(self, column: int, kind: str) -> Value:
        b = self.b
        if kind == "imm":
            return self.load(row.IMMEDIATE)
        if kind == "p":
            return v.to_lanes(b, b.load(self.slot(column), typ=v.i32))
        if kind == "i16":
            return b.trunc(b.load(self.slot(column), typ=v.vector(v.i32), align=64), v.vector(v.i16))
        return b.load(self.slot(column), typ=v.vector(v.ELEMENT[kind]), align=64)

    def write(self, column: int, kind: str, value: Value, active: Value) -> None:
        b = self.b
        target = v.address(b, self.frame, b.sext(self.load(column), v.i64))
        if kind == "p":
            old = b.load(target, typ=v.i32)
            new = v.to_mask(b, value)
            b.store(b.or_(b.and_(old, b.not_(active)), b.and_(new, active)), target)
            return
        if kind == "i16":
            value = b.zext(value, v.vector(v.i32))
        v.masked_store(b, value, target, v.to_lanes(b, active))


def _emit(b: Builder, operation: VectorOperation, fields: _Fields, active: Value) -> None:
    columns = (row.OPERAND_A, row.OPERAND_B, row.OPERAND_C, row.OPERAND_D)
    values = [fields.read(column, kind) for column, kind in zip(columns, operation.operands, strict=False)]
    result = operation.emit(b, *values)
    results = result if isinstance(result, tuple) else (result,)
    for column, kind, value in zip((row.RESULT, row.EXTRA_1), operation.results, results, strict=False):
        fields.write(column, kind, value, active)
