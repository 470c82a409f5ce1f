"""Integer PTX in Python: the judge of random straight-line programs."""

from __future__ import annotations

from collections.abc import Callable

Operation = Callable[..., int]


def signed(value: int, bits: int) -> int:
    """Return the bit pattern `value` read as a two's complement number."""
    return value - (1 << bits) if value >> (bits - 1) else value


def truncated(a: int, b: int) -> tuple[int, int]:
    """Return quotient and remainder as C has them: the quotient is cut towards zero."""
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient, a - quotient * b


def bit_field(a: int, position: int, length: int, bits: int) -> int:
    """Return `bfe.u`: `length` bits of a from `position`, zeros beyond the top."""
    return (a >> (position & 255)) & ((1 << (length & 255)) - 1) & ((1 << bits) - 1)


def permuted(a: int, b: int, selector: int) -> int:
    """Return `prmt` in its default mode."""
    data = (b << 32 | a).to_bytes(8, "little")
    out = 0
    for place in range(4):
        chosen = selector >> (4 * place) & 15
        byte = data[chosen & 7]
        if chosen & 8:
            byte = 0xFF if byte & 0x80 else 0
        out |= byte << (8 * place)
    return out


def table(bits: int) -> dict[str, tuple[int, Operation]]:
    """Return name to operand count and function, for registers of `bits` bits; results are cut to the width."""

    def s(value: int) -> int:
        return signed(value, bits)

    suffix = str(bits)
    rows: dict[str, tuple[int, Operation]] = {
        f"add.u{suffix}": (2, lambda a, b: a + b),
        f"sub.s{suffix}": (2, lambda a, b: a - b),
        f"mul.lo.u{suffix}": (2, lambda a, b: a * b),
        f"mul.hi.u{suffix}": (2, lambda a, b: (a * b) >> bits),
        f"mul.hi.s{suffix}": (2, lambda a, b: (s(a) * s(b)) >> bits),
        f"mad.lo.s{suffix}": (3, lambda a, b, c: a * b + c),
        f"min.s{suffix}": (2, lambda a, b: min(s(a), s(b))),
        f"max.u{suffix}": (2, max),
        f"abs.s{suffix}": (1, lambda a: abs(s(a))),
        f"neg.s{suffix}": (1, lambda a: -a),
        f"and.b{suffix}": (2, lambda a, b: a & b),
        f"or.b{suffix}": (2, lambda a, b: a | b),
        f"xor.b{suffix}": (2, lambda a, b: a ^ b),
        f"not.b{suffix}": (1, lambda a: ~a),
        f"brev.b{suffix}": (1, lambda a: int(f"{a:0{bits}b}"[::-1], 2)),
    }
    if bits == 32:
        rows |= {
            "shl.b32": (2, lambda a, b: a << min(b, 32)),
            "shr.u32": (2, lambda a, b: a >> min(b, 32)),
            "shr.s32": (2, lambda a, b: s(a) >> min(b, 32)),
            "shf.l.wrap.b32": (3, lambda a, b, c: ((b << 32 | a) << (c & 31)) >> 32),
            "shf.r.clamp.b32": (3, lambda a, b, c: (b << 32 | a) >> min(c, 32)),
            "popc.b32": (1, lambda a: a.bit_count()),
            "clz.b32": (1, lambda a: 32 - a.bit_length()),
            "bfind.u32": (1, lambda a: a.bit_length() - 1),
            "bfe.u32": (3, lambda a, b, c: bit_field(a, b, c, 32)),
            "prmt.b32": (3, permuted),
            "sad.u32": (3, lambda a, b, c: c + abs(a - b)),
            "dp4a.u32.u32": (
                3,
                lambda a, b, c: c + sum((a >> 8 * i & 255) * (b >> 8 * i & 255) for i in range(4)),
            ),
        }
    return rows
