"""Integer, logic, shift, bit-field and predicate instructions."""

from __future__ import annotations

from .variants import Variant, variant

SIGNED = ("s16", "s32", "s64")
UNSIGNED = ("u16", "u32", "u64")
BITS = {"u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64}
INTEGER_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def _division_edges(kind: str) -> tuple[tuple[int, ...], ...]:
    bits = BITS[kind]
    mask, lowest = (1 << bits) - 1, 1 << (bits - 1)
    pairs = [(lowest, mask), (lowest, 1), (lowest, lowest), (lowest - 1, mask), (mask - 6, 3), (mask - 6, mask - 2)]
    return (*pairs, (7, mask - 2), (0, mask), (1, lowest), (mask, lowest), (mask, 2), (mask, mask))


def arithmetic() -> list[Variant]:
    """add, sub, mul, mad, div, rem, min, max, sad, abs, neg, mul24, mad24, dot products."""
    rows = []
    for kind in SIGNED + UNSIGNED:
        pair, triple = f"{kind} {kind}", f"{kind} {kind} {kind}"
        rows += [variant(f"{name}.{kind}", pair, kind) for name in ("add", "sub", "mul.lo", "mul.hi", "min", "max")]
        rows += [variant(f"{name}.{kind}", triple, kind) for name in ("mad.lo", "mad.hi", "sad")]
        nonzero = _division_edges(kind)
        for name in ("div", "rem"):
            rows.append(variant(f"{name}.{kind}", pair, kind, must=nonzero))
        if BITS[kind] < 64:
            wide = f"{kind[0]}{2 * BITS[kind]}"
            rows.append(variant(f"mul.wide.{kind}", pair, wide))
            rows.append(variant(f"mad.wide.{kind}", f"{pair} {wide}", wide))
    for kind in SIGNED:
        rows += [variant(f"{name}.{kind}", kind, kind) for name in ("abs", "neg")]
    rows += [variant(f"{name}.sat.s32", "s32 s32", "s32") for name in ("add", "sub")]
    rows.append(variant("mad.hi.sat.s32", "s32 s32 s32", "s32", optional=True))
    for kind in ("s32", "u32"):
        for half in ("lo", "hi"):
            rows.append(variant(f"mul24.{half}.{kind}", f"{kind} {kind}", kind, optional=True))
            rows.append(variant(f"mad24.{half}.{kind}", f"{kind} {kind} {kind}", kind, optional=True))
    for left in ("s32", "u32"):
        for right in ("s32", "u32"):
            for name in ("dp4a", "dp2a.lo", "dp2a.hi"):
                rows.append(variant(f"{name}.{left}.{right}", "b32 b32 b32", "b32"))
    return rows


def carries() -> list[Variant]:
    """Chains through the carry flag, its value read out at the end."""
    rows = []
    for kind in ("u32", "s32", "u64"):
        four, two = " ".join([kind] * 4), f"{kind} {kind}"
        for first, middle in (("add.cc", "addc"), ("sub.cc", "subc")):
            rows.append(variant(
                f"{first} {middle}.cc {kind}", four, f"{two} {kind}",
                body=f"{first}.{kind} %o, %a, %c;\n{middle}.cc.{kind} %q, %b, %d;\n{middle}.{kind} %r, 0, 0;",
                must=((mask := (1 << BITS[kind]) - 1, mask, 1, 0), (0, 0, 1, 0), (mask, 0, mask, mask)),
            ))  # fmt: skip
        rows.append(variant(
            f"mad.lo.cc madc.hi {kind}", four, two,
            body=f"mad.lo.cc.{kind} %o, %a, %b, %c;\nmadc.hi.{kind} %q, %a, %b, %d;",
        ))  # fmt: skip
        rows.append(variant(
            f"mad.hi.cc madc.lo.cc addc {kind}", four, f"{two} {kind}",
            body=f"mad.hi.cc.{kind} %o, %a, %b, %c;\nmadc.lo.cc.{kind} %q, %a, %b, %d;\naddc.{kind} %r, 0, 0;",
        ))  # fmt: skip
    return rows


def shifts() -> list[Variant]:
    """Shifts with counts at and beyond the width, funnel shifts, bit fields."""
    rows = [variant(f"shl.b{bits}", f"b{bits} u32", f"b{bits}", pools=f"b{bits} count") for bits in (16, 32, 64)]
    kinds = SIGNED + UNSIGNED + ("b16", "b32", "b64")
    rows += [variant(f"shr.{kind}", f"{kind} u32", kind, pools=f"{kind} count") for kind in kinds]
    funnels = ("shf.l.wrap", "shf.l.clamp", "shf.r.wrap", "shf.r.clamp")
    rows += [variant(f"{name}.b32", "b32 b32 u32", "b32", pools="b32 b32 count") for name in funnels]
    for kind in ("u32", "s32", "u64", "s64"):
        rows.append(variant(f"bfe.{kind}", f"{kind} u32 u32", kind, pools=f"{kind} count count"))
        rows.append(variant(f"bfind.{kind}", kind, "u32"))
        rows.append(variant(f"bfind.shiftamt.{kind}", kind, "u32"))
    for kind in ("b32", "b64"):
        rows.append(variant(f"bfi.{kind}", f"{kind} {kind} u32 u32", kind, pools=f"{kind} {kind} count count"))
        rows += [variant(f"{name}.{kind}", kind, "u32") for name in ("popc", "clz")]
        rows.append(variant(f"brev.{kind}", kind, kind))
    for mode in ("clamp", "wrap"):
        rows.append(variant(f"bmsk.{mode}.b32", "u32 u32", "b32", pools="count count", optional=True))
        for kind in ("u32", "s32"):
            rows.append(variant(f"szext.{mode}.{kind}", f"{kind} u32", kind, pools=f"{kind} count", optional=True))
    rows.append(variant("fns.b32", "b32 u32 s32", "b32", pools="b32 lane offset", optional=True))
    return rows


def logic() -> list[Variant]:
    """and, or, xor, not, cnot, lop3 (a spread of its 256 tables), prmt in every mode, and packing moves."""
    rows = []
    for kind in ("b16", "b32", "b64"):
        rows += [variant(f"{name}.{kind}", f"{kind} {kind}", kind) for name in ("and", "or", "xor")]
        rows.append(variant(f"not.{kind}", kind, kind))
        rows.append(variant(f"cnot.{kind}", kind, kind))
        rows.append(variant(f"selp.{kind}", f"{kind} {kind} pred", kind))
    for name in ("and", "or", "xor"):
        rows.append(variant(f"{name}.pred", "pred pred", "pred", must=((0, 0), (0, 1), (1, 0), (1, 1))))
    rows.append(variant("not.pred", "pred", "pred"))
    rows.append(variant("mov.pred", "pred", "pred"))
    for table in (0x00, 0x01, 0x1E, 0x2D, 0x40, 0x78, 0x80, 0x96, 0xC8, 0xCA, 0xD8, 0xE2, 0xE8, 0xF8, 0xFE, 0xFF):
        rows.append(
            variant(f"lop3.b32 {table:#04x}", "b32 b32 b32", "b32", body=f"lop3.b32 %o, %a, %b, %c, {table:#04x};")
        )
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        selector = "shorty" if mode else "b32"
        rows.append(variant(f"prmt.b32{mode}", "b32 b32 b32", "b32", pools=f"b32 b32 {selector}"))
    rows += [
        variant("mov.b32 pack", "b16 b16", "b32", body="mov.b32 %o, {%a, %b};"),
        variant("mov.b64 pack", "b32 b32", "b64", body="mov.b64 %o, {%a, %b};"),
        variant("mov.b64 pack 4", "b16 b16 b16 b16", "b64", body="mov.b64 %o, {%a, %b, %c, %d};"),
        variant("mov.b32 unpack", "b32", "b16 b16", body="mov.b32 {%o, %q}, %a;"),
        variant("mov.b64 unpack", "b64", "b32 b32", body="mov.b64 {%o, %q}, %a;"),
    ]
    return rows


def comparisons() -> list[Variant]:
    """Integer setp, its combination with a predicate, both its results, set, slct."""
    rows = []
    for kind in SIGNED + UNSIGNED + ("b16", "b32", "b64"):
        names = ("eq", "ne") if kind[0] == "b" else INTEGER_COMPARISONS
        rows += [variant(f"setp.{name}.{kind}", f"{kind} {kind}", "pred") for name in names]
    for name in ("lo", "ls", "hi", "hs"):
        rows.append(variant(f"setp.{name}.u32", "u32 u32", "pred"))
    for combine in ("and", "or", "xor"):
        for negated in ("", "!"):
            rows.append(variant(
                f"setp.lt.{combine}.s32 p|q {negated}c", "s32 s32 pred", "pred pred",
                body=f"setp.lt.{combine}.s32 %o|%q, %a, %b, {negated}%c;",
            ))  # fmt: skip
        rows.append(variant(
            f"setp.gt.{combine}.f32 p|q c", "f32 f32 pred", "pred pred",
            body=f"setp.gt.{combine}.f32 %o|%q, %a, %b, %c;",
        ))  # fmt: skip
    for target in ("u32", "s32", "f32"):
        for kind in ("s32", "u64", "f32", "f64"):
            rows.append(variant(f"set.lt.{target}.{kind}", f"{kind} {kind}", target))
    rows.append(variant("set.eq.and.u32.s32", "s32 s32 pred", "u32"))
    for kind in ("s32", "u64", "f32", "f64", "b16"):
        out = f"b{BITS.get(kind, 16)}" if kind[0] != "f" else f"b{kind[1:]}"
        rows.append(variant(f"slct.{kind}.s32", f"{out} {out} s32", out))
        rows.append(variant(f"slct.{kind}.f32", f"{out} {out} f32", out))
    return rows


ROWS = [*arithmetic(), *carries(), *shifts(), *logic(), *comparisons()]
