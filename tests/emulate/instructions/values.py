"""The operand values: edges of every type, then random bit patterns from a fixed seed."""

from __future__ import annotations

import hashlib
import random
import struct

from .variants import WIDTH_BITS, Variant

CASES_UNARY = 64
CASES = 64


def _integers(bits: int) -> list[int]:
    top = 1 << (bits - 1)
    low = [0, 1, 2, 3, 7, 10]
    signed = [-1, -2, -3, -7, -10]
    edges = [top - 1, top, top + 1, (1 << (bits // 2)) - 1, 1 << (bits // 2), top >> 1]
    patterns = [0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x0123456789ABCDEF, 0xFEDCBA9876543210]
    mask = (1 << bits) - 1
    return [value & mask for value in [*low, *signed, *edges, *patterns]]


def _f32(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def _f64(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


FINITE = [
    1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.5, 2.0, -3.0, 3.14159265, 0.99999994, -0.25, 100.25, -7.75,
]  # fmt: skip
LIMITS = [
    126.5, 127.0, 127.5, 128.0, -128.5, -129.0, 254.5, 255.0, 255.5, 256.0, 32767.0, 32767.5, 32768.0, -32768.5,
    -32769.0, 65503.0, 65519.0, 65520.0, 65535.5, 65536.0, 8388607.5, 16777217.0, 2147483520.0, 2147483648.0,
    -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0, 9.223371487098962e18, 9.223372036854776e18,
    -9.223372036854776e18, -9.3e18, 1.8446742974197924e19, 1.8446744073709552e19, 1e30, -1e30,
]  # fmt: skip
F32_SPECIAL = [
    0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0x00000001, 0x80000001,
    0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800001, 0x3F7FFFFF,
]  # fmt: skip
F64_SPECIAL = [
    0x0000000000000000, 0x8000000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000,
    0xFFF8000000000001, 0x7FF0000000000001, 0x0000000000000001, 0x8000000000000001, 0x000FFFFFFFFFFFFF,
    0x0010000000000000, 0x8010000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x3FF0000000000001,
    0x3FEFFFFFFFFFFFFF, 0x7E37E43C8800759C,
]  # fmt: skip
F64_NARROWING = [
    0x3E80000000000000, 0x3690000000000000, 0x3690000000000001, 0x368FFFFFFFFFFFFF, 0x380FFFFFE0000000,
    0x380FFFFFF0000000, 0x47EFFFFFE0000000, 0x47EFFFFFEFFFFFFF, 0x47EFFFFFF0000000, 0xC7EFFFFFF0000000,
    0x3FF0000010000000, 0x3FF0000030000000, 0x3FF0000010000001, 0x41DFFFFFFFE00000, 0x41DFFFFFFFFFFFFF,
    0xC1E0000000100000, 0xC1E0000000200000, 0x43DFFFFFFFFFFFFF, 0x43EFFFFFFFFFFFFF, 0x3F10000000000000,
    0x3E70000000000000, 0x3E6FFFFFFFFFFFFF, 0x40EFFDFFFFFFFFFF, 0x40EFFE0000000000,
]  # fmt: skip
F32_NARROWING = [
    0x33000000, 0x33000001, 0x32FFFFFF, 0x33800000, 0x387FC000, 0x387FE000, 0x38800000, 0x477FE000, 0x477FEFFF,
    0x477FF000, 0xC77FF000, 0x3F801000, 0x3F803000, 0x3F801001, 0x3F808000, 0x3F818000, 0x3F808001, 0x7F7F7FFF,
    0x7F7F8000, 0x7F7FC000, 0x00004000, 0x0000C000,
]  # fmt: skip
F16_SPECIAL = [
    0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x7BFF, 0xFBFF,
    0x3C00, 0xBC00, 0x3C01, 0x3BFF, 0x3800, 0x3E00, 0x4100, 0xC100, 0x4248, 0x57F0, 0x5800, 0x5BF8, 0x5C00, 0x6400,
    0x6801, 0x7800, 0xF800, 0x7BF0,
]  # fmt: skip
BF16_SPECIAL = [
    0x0000, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x7F81, 0x0001, 0x8001, 0x007F, 0x807F, 0x0080, 0x7F7F, 0xFF7F,
    0x3F80, 0xBF80, 0x3F81, 0x3F7F, 0x3F00, 0x3FC0, 0x4020, 0xC020, 0x4049, 0x42FF, 0x4300, 0x437F, 0x4380, 0x4F00,
    0xCF00, 0x4F80, 0x5F00, 0xDF00,
]  # fmt: skip
COUNTS = [0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 0x80000000, 0x80000001, 0xFFFFFFFF]

POOLS: dict[str, list[int]] = {
    "u16": _integers(16), "s16": _integers(16), "b16": _integers(16),
    "u32": _integers(32), "s32": _integers(32), "b32": _integers(32),
    "u64": _integers(64), "s64": _integers(64), "b64": _integers(64),
    "f16": F16_SPECIAL, "bf16": BF16_SPECIAL,
    "f32": [*F32_SPECIAL, *map(_f32, FINITE)],
    "f64": [*F64_SPECIAL, *map(_f64, FINITE)],
    "f32_wide": [*F32_SPECIAL, *F32_NARROWING, *map(_f32, [*FINITE[:8], *LIMITS])],
    "f64_wide": [*F64_SPECIAL, *F64_NARROWING, *map(_f64, [*FINITE[:8], *LIMITS])],
    "f16x2": [0x00008000, 0x3C00BC00, 0x7C007E00, 0xFC000001, 0x03FF8400, 0x7BFF3C01],
    "bf16x2": [0x00008000, 0x3F80BF80, 0x7F807FC0, 0xFF800001, 0x007F8080, 0x7F7F3F81],
    "pred": [0, 1],
    "count": COUNTS,
    "angle": [
        *map(_f32, [0.0, -0.0, 0.5, -0.5, 1.0, 1.5707964, -1.5707964, 3.1415925, -3.1415925, 2.0, -3.0, 1e-4]),
        0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001,
    ],
    "moderate": [*map(_f32, [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 10.0, -10.0, 100.0, -100.0, 0.01, 127.0, -126.0])],
    "lane": list(range(32)),
    "offset": [0, 1, 2, 3, 5, 31, 32, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFE0],
    "byte_in_word": [0x000000FF, 0x12345680, 0xFFFFFF00, 0xFFFFFF7F, 0x00000000, 0xFFFFFFFF, 0x00000180],
    "shorty": [0, 1, 2, 3],
}  # fmt: skip
"""Named sets of edge values, as bit patterns."""

_RANDOM_BITS = {"count": 8, "lane": 5, "offset": 3, "shorty": 2, "pred": 1, "byte_in_word": 32}


def _random(pool: str, source: random.Random) -> int:
    if pool == "angle":
        return _f32(source.uniform(-3.1415925, 3.1415925))
    if pool == "moderate":
        return _f32(source.uniform(-30.0, 30.0))
    if pool in ("f32", "f32_wide") and source.random() < 0.7:
        return _f32(source.uniform(-1.0, 1.0) * 2.0 ** source.randint(-20, 40))
    if pool in ("f64", "f64_wide") and source.random() < 0.7:
        return _f64(source.uniform(-1.0, 1.0) * 2.0 ** source.randint(-30, 70))
    bits = _RANDOM_BITS.get(pool) or WIDTH_BITS[pool.removesuffix("_wide")]
    if pool[0] in "usb" and source.random() < 0.4:
        return source.getrandbits(source.randint(1, bits))
    return source.getrandbits(bits)


def operand_tuples(row: Variant) -> list[tuple[int, ...]]:
    """Return the operand bit patterns of each case of `row`: those it must have, edges, then random ones."""
    source = random.Random(int.from_bytes(hashlib.sha256(row.name.encode()).digest()[:8], "little"))
    pools = [POOLS[name] for name in row.pools]
    count = CASES_UNARY if len(pools) == 1 else CASES
    chosen = list(row.must)
    if len(pools) == 1:
        chosen += [(value,) for value in pools[0]]
    else:
        for step, value in enumerate(pools[0]):  # every first operand meets shifting edges of the others
            chosen.append((value, *(pool[(3 * step + 1 + place) % len(pool)] for place, pool in enumerate(pools[1:]))))
        while len(chosen) < count - 16:
            chosen.append(tuple(source.choice(pool) for pool in pools))
    while len(chosen) < count:
        chosen.append(tuple(_random(name, source) for name in row.pools))
    return chosen[: max(count, len(row.must))]


def digest(tuples: list[tuple[int, ...]]) -> str:
    """Return eight hexadecimal digits that change when an operand does: they tie the table to its inputs."""
    text = ";".join(",".join(f"{value:x}" for value in values) for values in tuples)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
