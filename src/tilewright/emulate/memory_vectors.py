"""Loads and stores of a whole warp: bounds, alignment, sectors, gather and scatter on 32 addresses at once.

Every function takes addresses in this process as int64 and masks as the low 32 bits of an int64. `slot` is where the
32 addresses lie: 64 bits each for global memory, 32 for shared and local memory.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import of_words
from tilewright.emulate.opcodes import WINDOW_SHIFT


def _addresses(b: Builder, slot: Value, immediate: Value) -> Value:
    addresses = b.load(v.address(b, slot), typ=v.vector(v.i64), align=64)
    return b.add(addresses, v.splat(b, immediate))


def _lanes(b: Builder, mask: Value) -> Value:
    return v.to_lanes(b, b.trunc(mask, v.i32))


def _checked(b: Builder, offsets: Value, addresses: Value, limit: Value, align_mask: Value, mask: Value) -> Value:
    """Return the lanes of `mask` whose offset is below `limit` and whose address is aligned."""
    inside = b.icmp_unsigned("<", offsets, v.splat(b, limit))
    low = b.and_(addresses, v.splat(b, align_mask))
    aligned = b.icmp_unsigned("==", low, v.constant(low.type.element, 0))
    good = v.to_mask(b, b.and_(inside, aligned))
    return b.and_(b.zext(good, v.i64), mask)


@of_words
def check_global(
    b: Builder, slot: Value, immediate: Value, base: Value, limit: Value, align_mask: Value, mask: Value
) -> Value:
    """Return the lanes whose access lies in the allocation at `base`: offset below `limit`, aligned."""
    addresses = _addresses(b, slot, immediate)
    return _checked(b, b.sub(addresses, v.splat(b, base)), addresses, limit, align_mask, mask)


@of_words
def check_window(b: Builder, slot: Value, immediate: Value, limit: Value, align_mask: Value, mask: Value) -> Value:
    """Return the lanes whose shared or local address (32 bits) is below `limit` and aligned."""
    offsets = b.load(v.address(b, slot), typ=v.vector(v.i32), align=64)
    offsets = b.add(offsets, v.splat(b, b.trunc(immediate, v.i32)))
    narrow = [b.trunc(value, v.i32) for value in (limit, align_mask)]
    return _checked(b, offsets, offsets, narrow[0], narrow[1], mask)


def _global_pointers(b: Builder, slot: Value, delta: Value) -> Value:
    return b.inttoptr(_addresses(b, slot, delta), v.vector(v.pointer))


def _window_pointers(b: Builder, slot: Value, immediate: Value, stride: Value, base: Value) -> Value:
    """Return base + address + lane * stride, indexed in 32 bits so that the processor's narrow gather serves."""
    offsets = b.load(v.address(b, slot), typ=v.vector(v.i32), align=64)
    lanes = b.mul(v.lane_numbers(), v.splat(b, b.trunc(stride, v.i32)))
    offsets = b.add(b.add(offsets, v.splat(b, b.trunc(immediate, v.i32))), lanes)
    bases = b.inttoptr(v.splat(b, base), v.vector(v.pointer))
    pointers = b.gep(bases, [b.sext(offsets, v.vector(v.i64))], source_etype=v.i8)
    pointers.type = v.vector(v.pointer)
    return pointers


def _gather_into(b: Builder, element: Any, pointers: Value, mask: Value, target: Value, align: int) -> None:
    lanes = _lanes(b, mask)
    v.masked_store(b, v.gather(b, element, pointers, lanes, align), v.address(b, target), lanes)


def _scatter_from(b: Builder, element: Any, pointers: Value, mask: Value, source: Value, align: int) -> None:
    value = b.load(v.address(b, source), typ=v.vector(element), align=64)
    v.scatter(b, value, pointers, _lanes(b, mask), align)


def _global_transfer(element: Any, move: Any) -> Any:
    @of_words
    def transfer(b: Builder, slot: Value, delta: Value, mask: Value, register: Value) -> None:
        move(b, element, _global_pointers(b, slot, delta), mask, register, element.width // 8)

    return transfer


def _window_transfer(element: Any, move: Any) -> Any:
    @of_words
    def transfer(
        b: Builder, slot: Value, immediate: Value, stride: Value, base: Value, mask: Value, register: Value
    ) -> None:
        pointers = _window_pointers(b, slot, immediate, stride, base)
        # A thread's local memory may start at any multiple of 4 bytes.
        move(b, element, pointers, mask, register, 4)

    return transfer


gather_global_32 = _global_transfer(v.i32, _gather_into)
gather_global_64 = _global_transfer(v.i64, _gather_into)
scatter_global_32 = _global_transfer(v.i32, _scatter_from)
scatter_global_64 = _global_transfer(v.i64, _scatter_from)
gather_window_32 = _window_transfer(v.i32, _gather_into)
gather_window_64 = _window_transfer(v.i64, _gather_into)
scatter_window_32 = _window_transfer(v.i32, _scatter_from)
scatter_window_64 = _window_transfer(v.i64, _scatter_from)


@of_words
def lanes_in_window(b: Builder, slot: Value, immediate: Value, mask: Value, window: Value) -> Value:
    """Return the lanes of `mask` whose generic address lies in the first 4 GiB of a window: 1 shared, 2 local."""
    high = b.lshr(_addresses(b, slot, immediate), v.constant(v.i64, 32))
    wanted = b.shl(window, ir.Constant(v.i64, WINDOW_SHIFT - 32))
    same = v.to_mask(b, b.icmp_unsigned("==", high, v.splat(b, wanted)))
    return b.and_(b.zext(same, v.i64), mask)


@of_words
def narrow_addresses(b: Builder, slot: Value, target: Value) -> None:
    """Write the low 32 bits of 32 generic addresses to `target`: their offsets in a window."""
    addresses = b.load(v.address(b, slot), typ=v.vector(v.i64), align=64)
    b.store(b.trunc(addresses, v.vector(v.i32)), v.address(b, target), align=64)


@of_words
def copy_addresses(b: Builder, slot: Value, immediate: Value, target: Value) -> None:
    """Write the 32 addresses of a global access to `target`, 64 bits each."""
    b.store(_addresses(b, slot, immediate), v.address(b, target), align=64)


@of_words
def widen_addresses(b: Builder, slot: Value, immediate: Value, target: Value) -> None:
    """Write the 32 offsets of a shared or local access (32 bits each) to `target`, 64 bits each."""
    offsets = b.load(v.address(b, slot), typ=v.vector(v.i32), align=64)
    offsets = b.add(offsets, v.splat(b, b.trunc(immediate, v.i32)))
    b.store(b.zext(offsets, v.vector(v.i64)), v.address(b, target), align=64)


@of_words
def count_sectors_quickly(b: Builder, slot: Value, immediate: Value, mask: Value) -> Value:
    """Return the number of different 32-byte sectors that the lanes address, or -1 if the fast path cannot."""
    sectors = b.lshr(_addresses(b, slot, immediate), v.constant(v.i64, 5))
    before = ir.Constant(v.vector(v.i32), [0, *range(v.LANES - 1)])
    previous = b.shuffle_vector(sectors, sectors, before)
    steps = v.to_mask(b, b.icmp_unsigned("!=", sectors, previous))
    falls = v.to_mask(b, b.icmp_unsigned("<", sectors, previous))
    whole = b.icmp_unsigned("==", mask, ir.Constant(v.i64, 0xFFFFFFFF))
    ascending = b.and_(whole, b.icmp_unsigned("==", falls, ir.Constant(v.i32, 0)))
    with b.if_else(ascending) as (then, otherwise):
        with then:
            changes = v.intrinsic(b, "llvm.ctpop.i32", v.i32, [steps])
            in_order = b.add(b.zext(changes, v.i64), ir.Constant(v.i64, 1))
            in_order_block = b.block
        with otherwise:
            scattered = _count_within_64(b, sectors, mask)
            scattered_block = b.block
    result = b.phi(v.i64)
    result.add_incoming(in_order, in_order_block)
    result.add_incoming(scattered, scattered_block)
    return result


def _count_within_64(b: Builder, sectors: Value, mask: Value) -> Value:
    """Mark each sector in a 64-bit map that starts at the lowest; -1 when one lies beyond."""
    lanes = _lanes(b, mask)
    suffix = v.suffix(v.i64)
    others = v.constant(v.i64, -1)
    lowest = v.intrinsic(b, f"llvm.vector.reduce.umin.{suffix}", v.i64, [b.select(lanes, sectors, others)])
    distance = b.sub(sectors, v.splat(b, lowest))
    far = v.to_mask(b, b.and_(lanes, b.icmp_unsigned(">", distance, v.constant(v.i64, 63))))
    bits = b.shl(v.constant(v.i64, 1), b.and_(distance, v.constant(v.i64, 63)))
    marked = b.select(lanes, bits, v.constant(v.i64, 0))
    used = v.intrinsic(b, f"llvm.vector.reduce.or.{suffix}", v.i64, [marked])
    count = v.intrinsic(b, "llvm.ctpop.i64", v.i64, [used])
    return b.select(b.icmp_unsigned("==", far, ir.Constant(v.i32, 0)), count, ir.Constant(v.i64, -1))


@of_words
def count_lanes(b: Builder, mask: Value) -> Value:
    """Return the number of lanes in a mask."""
    return v.intrinsic(b, "llvm.ctpop.i64", v.i64, [mask])


@of_words
def lowest_lane(b: Builder, mask: Value) -> Value:
    """Return the number of the lowest lane in a mask (64 when there is none)."""
    return v.intrinsic(b, "llvm.cttz.i64", v.i64, [mask, ir.Constant(v.i1, 0)])


@of_words
def prefetch(b: Builder, address: Value) -> None:
    """Let the processor fetch what lies at any address to its cache."""
    numbers = [ir.Constant(v.i32, number) for number in (0, 2, 1)]  # to read; to L2; data
    v.intrinsic(b, "llvm.prefetch.p0", ir.VoidType(), [v.address(b, address), *numbers])


def _scalar_load(bits: int, signed: bool) -> Any:
    @of_words
    def load(b: Builder, address: Value) -> Value:
        value = b.load(v.address(b, address), typ=ir.IntType(bits), align=1)
        if bits == 64:
            return value
        return (b.sext if signed else b.zext)(value, v.i64)

    return load


def _scalar_store(bits: int) -> Any:
    @of_words
    def store(b: Builder, address: Value, value: Value) -> None:
        narrow = value if bits == 64 else b.trunc(value, ir.IntType(bits))
        b.store(narrow, v.address(b, address), align=1)

    return store


load_u8, load_u16, load_u32, load_64 = (_scalar_load(bits, False) for bits in (8, 16, 32, 64))
load_s8, load_s16, load_s32 = (_scalar_load(bits, True) for bits in (8, 16, 32))
store_8, store_16, store_32, store_64 = (_scalar_store(bits) for bits in (8, 16, 32, 64))
