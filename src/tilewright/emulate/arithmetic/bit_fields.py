"""Bit fields, byte permutations, 24-bit products, dot products of bytes: what LLVM has no vector instruction for."""

from __future__ import annotations

from tilewright.emulate.compiled import inner

OPERATIONS = (
    ("prmt.b32", "32 32 32 32"),
    ("bfe.u32", "32 32 32 32"),
    ("bfe.s32", "32 32 32 32"),
    ("bfe.u64", "64 64 32 32"),
    ("bfe.s64", "64 64 32 32"),
    ("bfi.b32", "32 32 32 32 32"),
    ("bfi.b64", "64 64 64 32 32"),
    ("bfind.u32", "32 32"),
    ("bfind.s32", "32 32"),
    ("bfind.u64", "32 64"),
    ("bfind.s64", "32 64"),
    ("bfind.shiftamt.u32", "32 32"),
    ("bfind.shiftamt.s32", "32 32"),
    ("bfind.shiftamt.u64", "32 64"),
    ("bfind.shiftamt.s64", "32 64"),
    ("fns.b32", "32 32 32 32"),
    ("dp4a.u32.u32", "32 32 32 32"),
    ("dp4a.u32.s32", "32 32 32 32"),
    ("dp4a.s32.u32", "32 32 32 32"),
    ("dp4a.s32.s32", "32 32 32 32"),
    ("mul24.lo.u32", "32 32 32"),
    ("mul24.lo.s32", "32 32 32"),
    ("mul24.hi.u32", "32 32 32"),
    ("mul24.hi.s32", "32 32 32"),
    ("addsat.s32", "32 32 32"),
    ("subsat.s32", "32 32 32"),
    ("madsat.hi.s32", "32 32 32 32"),
    ("szext.clamp.u32", "32 32 32"),
    ("szext.clamp.s32", "32 32 32"),
    ("szext.wrap.u32", "32 32 32"),
    ("szext.wrap.s32", "32 32 32"),
    ("bmsk.clamp.b32", "32 32 32"),
    ("bmsk.wrap.b32", "32 32 32"),
)
"""Key, widths of result and operands. bit_operation branches on a row's number."""

PERMUTATIONS = ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16")


@inner
def _signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


@inner
def _selector(mode: int, control: int) -> int:
    """Return the four selectors of prmt; the modes are shorthands for some."""
    if mode == 0:
        return control & 0xFFFF
    step = control & 3
    selector = 0
    for byte in range(4):
        if mode == 1:
            choice = step + byte
        elif mode == 2:
            choice = (step - byte) & 7
        elif mode == 3:
            choice = step
        elif mode == 4:
            choice = max(step, byte)
        elif mode == 5:
            choice = min(step, byte)
        else:
            choice = (step & 1) * 2 + (byte & 1)
        selector |= choice << (4 * byte)
    return selector


@inner
def _permute(mode: int, x: int, y: int, control: int) -> int:
    result = 0
    selector = _selector(mode, control)
    for byte in range(4):
        choice = (selector >> (4 * byte)) & 15
        source = x if choice & 4 == 0 else y
        value = (source >> (8 * (choice & 3))) & 255
        if choice & 8:
            value = 255 if value & 128 else 0
        result |= value << (8 * byte)
    return result


@inner
def _bit(value: int, position: int) -> int:
    return (value >> position) & 1


@inner
def _place(value: int, width: int) -> int:
    """Return a position or length: silicon reads its low 8 bits, or all 32 for 64-bit values."""
    return value & 255 if width == 32 else min(value, 256)


@inner
def _extract(value: int, position: int, length: int, width: int, signed: bool) -> int:
    """bfe: bits past the top repeat the sign (signed) or are 0."""
    position, length = _place(position, width), _place(length, width)
    sign = 0
    if signed and length:
        sign = _bit(value, min(position + length - 1, width - 1))
    result = 0
    for index in range(width):
        is_inside = index < length and position + index < width
        result |= (_bit(value, position + index) if is_inside else sign) << index
    return result


@inner
def _insert(field: int, base: int, position: int, length: int, width: int) -> int:
    position, length = _place(position, width), _place(length, width)
    result = base
    for index in range(length):
        if position + index >= width:
            break
        at = position + index
        result = (result & ~(1 << at)) | _bit(field, index) << at
    return result


@inner
def _find_leading(value: int, width: int, signed: bool, as_shift: bool) -> int:
    if signed and _bit(value, width - 1):
        value = ~value
    for position in range(width - 1, -1, -1):
        if _bit(value, position):
            return width - 1 - position if as_shift else position
    return 0xFFFFFFFF


@inner
def _find_nth(mask: int, base: int, offset: int) -> int:
    """fns: the position of the n-th set bit counted from `base`."""
    offset = _signed(offset, 32)
    if base >= 32:
        return 0xFFFFFFFF
    if offset == 0:
        return base if _bit(mask, base) else 0xFFFFFFFF
    position = base
    step = 1 if offset > 0 else -1
    left = abs(offset)
    while 0 <= position < 32:
        if _bit(mask, position):
            left -= 1
            if left == 0:
                return position
        position += step
    return 0xFFFFFFFF


@inner
def _dot_bytes(x: int, y: int, total: int, signed_x: bool, signed_y: bool) -> int:
    for byte in range(4):
        a, b = (x >> (8 * byte)) & 255, (y >> (8 * byte)) & 255
        total += (_signed(a, 8) if signed_x else a) * (_signed(b, 8) if signed_y else b)
    return total


@inner
def _saturated(value: int) -> int:
    return min(max(value, -(1 << 31)), (1 << 31) - 1)


@inner
def _sign_or_zero_extend(value: int, position: int, clamp: bool, signed: bool) -> int:
    length = min(position, 32) if clamp else position & 31
    if length == 0:
        return 0
    value &= (1 << length) - 1
    return _signed(value, length) if signed else value


@inner
def _bit_mask(first: int, length: int, clamp: bool) -> int:
    if clamp:
        first, length = min(first, 32), min(length, 32)
    else:
        first, length = first & 31, length & 31
    return ((1 << length) - 1) << first & 0xFFFFFFFF


@inner
def bit_operation(kind: int, immediate: int, x: int, y: int, z: int, w: int) -> int:
    """Execute OPERATIONS[kind] on one lane."""
    if kind == 0:
        return _permute(immediate, x, y, z)
    if kind <= 4:
        return _extract(x, y, z, 32 if kind <= 2 else 64, kind == 2 or kind == 4)
    if kind <= 6:
        return _insert(x, y, z, w, 32 if kind == 5 else 64)
    if kind <= 14:
        number = (kind - 7) & 3
        return _find_leading(x, 32 if number < 2 else 64, number & 1 == 1, kind >= 11)
    if kind == 15:
        return _find_nth(x, y, z)
    if kind <= 19:
        number = kind - 16
        return _dot_bytes(x, y, z, number >= 2, number & 1 == 1)
    if kind <= 23:
        number = kind - 20
        a, b = (_signed(x, 24), _signed(y, 24)) if number & 1 else (x & 0xFFFFFF, y & 0xFFFFFF)
        return a * b if number < 2 else (a * b) >> 16
    if kind <= 25:
        b = _signed(y, 32)
        return _saturated(_signed(x, 32) + (b if kind == 24 else -b))
    if kind == 26:
        return _saturated(((_signed(x, 32) * _signed(y, 32)) >> 32) + _signed(z, 32))
    if kind <= 30:
        return _sign_or_zero_extend(x, y, kind <= 28, kind & 1 == 0)
    return _bit_mask(x, y, kind == 31)
