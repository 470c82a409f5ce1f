"""The cache observer's work on many numbers at once: the lanes of a request, and the warps of an SM."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value

LINE_BYTES_SHIFT = 7
HALVES = (0, v.LANES)
"""Of the 64 warps of an SM."""


@intrinsic
def line_of_lane(typing_context, addresses, lane, lanes):  # type: ignore[no-untyped-def]
    """Return the lanes of `lanes` in the cache line of `lane`, and from bit 32 on the sectors of it that they want."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        at, lane, mask = arguments
        words = b.load(v.address(b, at), typ=v.vector(v.i64), align=64)
        sectors = b.lshr(words, v.constant(v.i64, 5))
        first = b.load(v.address(b, at, b.shl(lane, ir.Constant(v.i64, 3))), typ=v.i64)
        line = b.lshr(first, ir.Constant(v.i64, LINE_BYTES_SHIFT))
        same = b.icmp_unsigned("==", b.lshr(sectors, v.constant(v.i64, 2)), v.splat(b, line))
        together = b.and_(v.to_mask(b, same), b.trunc(mask, v.i32))
        bits = b.shl(v.constant(v.i32, 1), b.trunc(b.and_(sectors, v.constant(v.i64, 3)), v.vector(v.i32)))
        asked = b.select(v.to_lanes(b, together), bits, v.constant(v.i32, 0))
        used = v.intrinsic(b, f"llvm.vector.reduce.or.{v.suffix(v.i32)}", v.i32, [asked])
        return b.or_(b.zext(together, v.i64), b.shl(b.zext(used, v.i64), ir.Constant(v.i64, 32)))

    return types.int64(*[types.int64] * 3), codegen


@intrinsic
def first_at_most(typing_context, times, now, allowed):  # type: ignore[no-untyped-def]
    """Return the place of the first of 64 times, of those allowed (a bit each), that is no later than `now`, or -1."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        times, now, allowed = arguments
        masks = []
        for half in HALVES:
            words = b.load(v.address(b, times, 8 * half), typ=v.vector(v.i64), align=64)
            masks.append(b.zext(v.to_mask(b, b.icmp_signed("<=", words, v.splat(b, now))), v.i64))
        mask = b.and_(b.or_(masks[0], b.shl(masks[1], ir.Constant(v.i64, v.LANES))), allowed)
        first = v.intrinsic(b, "llvm.cttz.i64", v.i64, [mask, ir.Constant(v.i1, 0)])
        return b.select(b.icmp_unsigned("==", mask, ir.Constant(v.i64, 0)), ir.Constant(v.i64, -1), first)

    return types.int64(*[types.int64] * 3), codegen


@intrinsic
def smallest(typing_context, times):  # type: ignore[no-untyped-def]
    """Return the smallest of 64 times."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        low, high = (b.load(v.address(b, arguments[0], 8 * half), typ=v.vector(v.i64), align=64) for half in HALVES)
        least = b.select(b.icmp_signed("<", low, high), low, high)
        return v.intrinsic(b, f"llvm.vector.reduce.smin.{v.suffix(v.i64)}", v.i64, [least])

    return types.int64(types.int64), codegen
