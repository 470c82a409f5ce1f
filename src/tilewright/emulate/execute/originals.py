"""Copies of allocations before parallel workers change them, so that a launch can start over with one worker.

The first worker that stores to an allocation copies it, and the others wait. What a kernel does not change is not
copied, and a single worker copies nothing.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tilewright.emulate import state as st
from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import inner
from tilewright.emulate.tables import allocation_at, get, mark

UNTOUCHED, COPYING, COPIED = range(3)


@intrinsic
def _claim(typing_context, flag):  # type: ignore[no-untyped-def]
    """Set the word at `flag` from UNTOUCHED to COPYING; return what it was."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        before, after = ir.Constant(v.i64, UNTOUCHED), ir.Constant(v.i64, COPYING)
        pair = b.cmpxchg(v.address(b, arguments[0]), before, after, "seq_cst", "seq_cst")
        return b.extract_value(pair, 0)

    return types.int64(types.int64), codegen


@intrinsic
def _copy(typing_context, target, source, nbytes):  # type: ignore[no-untyped-def]
    """Copy bytes."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        target, source, nbytes = arguments
        places = [v.address(b, target), v.address(b, source), nbytes, ir.Constant(v.i1, 0)]
        v.intrinsic(b, "llvm.memcpy.p0.p0.i64", ir.VoidType(), places)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def _announce(typing_context, flag):  # type: ignore[no-untyped-def]
    """Set the word at `flag` to COPIED, after everything before."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        b.atomic_rmw("xchg", v.address(b, arguments[0]), ir.Constant(v.i64, COPIED), "seq_cst")
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def add_together(typing_context, word, amount):  # type: ignore[no-untyped-def]
    """Add to a word that all workers share; return what it holds then."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        word, amount = arguments
        return b.add(b.atomic_rmw("add", v.address(b, word), amount, "monotonic"), amount)

    return types.int64(types.int64, types.int64), codegen


@inner
def _keep_original(record: int) -> None:
    """Copy an allocation, or wait until another worker has."""
    flag = get(record, st.ALLOCATION_FLAG)
    while True:
        before = _claim(flag)
        if before == COPIED:
            return
        if before == UNTOUCHED:
            original, nbytes = get(record, st.ALLOCATION_ORIGINAL), get(record, st.ALLOCATION_BYTES)
            _copy(original, get(record, st.ALLOCATION_HOST), nbytes)
            _announce(flag)
            return


@inner
def note_use(state: int, allocation: int, use: int) -> None:
    """Remember what this worker does with an allocation; before the first change, keep what it held."""
    record = allocation_at(state, allocation)
    if use != st.USED_LOAD and get(state, st.LAYOUT_PARALLEL) and not get(record, st.ALLOCATION_USED) & use:
        _keep_original(record)
    mark(record, st.ALLOCATION_USED, use)
