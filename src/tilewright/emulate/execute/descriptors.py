"""Descriptors of matrices in shared memory, as `wgmma` takes them: where each 16 bytes of a tile lie.

A tile consists of pieces of 16 bytes. Where the inner index (K) is contiguous, a line is a row of A or column of B, and
its pieces follow each other along K. Where rows or columns (MN) are contiguous, a line is an index of K, and its pieces
follow each other along rows or columns. In a group of 8 each line is 16, 32, 64 or 128 bytes behind the one before, by
the swizzle; the other distances are the descriptor's leading (LBO) and stride (SBO) byte offsets:

              K contiguous                       MN contiguous
    none      LBO: next piece, SBO: 8 lines on   SBO: next piece, LBO: 8 lines on
    swizzled  SBO: 8 lines on                    LBO: as many pieces on as 8 lines are wide, SBO: 8 lines on

The swizzle XORs bits 4 to 6 of an address with bits 7 to 9 (of 64 bytes two of them, of 32 bytes one), from which the
base offset is taken first.
Source: PTX ISA, "Asynchronous warpgroup level matrix shared memory layout".
"""

from __future__ import annotations

from tilewright.emulate.compiled import inner

NO_SWIZZLE, SWIZZLE_128, SWIZZLE_64, SWIZZLE_32 = range(4)
LEADING_SHIFT, STRIDE_SHIFT, BASE_SHIFT, SWIZZLE_SHIFT = 16, 32, 49, 62
FIELD_MASK, BASE_MASK = (1 << 14) - 1, 7
ADDRESS_MASK = (1 << 18) - 1
PIECE_SHIFT, ROW_SHIFT = 4, 7


@inner
def piece_address(descriptor: int, is_turned: int, line: int, piece: int) -> int:
    """Return the offset in shared memory of a piece of a line. is_turned: 1 where MN is contiguous."""
    start = (descriptor & FIELD_MASK) << PIECE_SHIFT
    leading = ((descriptor >> LEADING_SHIFT) & FIELD_MASK) << PIECE_SHIFT
    stride = ((descriptor >> STRIDE_SHIFT) & FIELD_MASK) << PIECE_SHIFT
    swizzle = (descriptor >> SWIZZLE_SHIFT) & 3
    bits = 0 if swizzle == NO_SWIZZLE else 4 - swizzle  # of the piece that are XORed
    near, far = line & 7, line >> 3
    address = start + (near << (PIECE_SHIFT + bits))
    if not is_turned:
        address += far * stride + (piece * leading if bits == 0 else piece << PIECE_SHIFT)
    elif bits == 0:
        address += far * leading + piece * stride
    else:
        inside = piece & ((1 << bits) - 1)
        address += far * stride + (piece >> bits) * leading + (inside << PIECE_SHIFT)
    address &= ADDRESS_MASK
    base = (descriptor >> BASE_SHIFT) & BASE_MASK
    turned = ((address >> ROW_SHIFT) - base) & ((1 << bits) - 1)
    return address ^ (turned << PIECE_SHIFT)
