"""cvt between every pair of types, with every rounding that PTX accepts."""

from __future__ import annotations

from .variants import Variant, variant

INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
FLOATS = ("f16", "bf16", "f32", "f64")
TO_INTEGER = ("rni", "rzi", "rmi", "rpi")
TO_FLOAT = ("rn", "rz", "rm", "rp")


def _operand(kind: str) -> tuple[str, str]:
    """Return a source's register type and pool: a byte sits in a 32-bit register with unrelated upper bits."""
    if kind in ("u8", "s8"):
        return "b32", "byte_in_word"
    return kind, f"{kind}_wide" if kind in ("f32", "f64") else kind


def _cvt(form: str, target: str, source: str, *, optional: bool = False) -> Variant:
    register, pool = _operand(source)
    out = "b32" if target in ("u8", "s8") else target
    return variant(f"cvt{form}.{target}.{source}", register, out, pools=pool, optional=optional)


def _holds(target: str, source: str) -> bool:
    wider = int(target[1:]) - int(source[1:])
    return wider > 0 if (target[0], source[0]) == ("s", "u") else wider >= 0 and target[0] == source[0]


def integers() -> list[Variant]:
    """Integer to integer, plain, and saturating where the target cannot hold every source value."""
    rows = [_cvt("", to, of) for to in INTEGERS for of in INTEGERS]
    return rows + [_cvt(".sat", to, of) for to in INTEGERS for of in INTEGERS if not _holds(to, of)]


def between_integers_and_floats() -> list[Variant]:
    """Float to integer out of range, NaN and Inf among the operands, and integer to float."""
    rows = []
    for of in FLOATS:
        for to in INTEGERS[2:] if of == "bf16" else INTEGERS:
            rows += [_cvt(f".{rounding}", to, of, optional=of == "bf16") for rounding in TO_INTEGER]
            if of == "f32":
                rows += [_cvt(f".{rounding}.ftz", to, of) for rounding in ("rzi", "rpi")]
                rows.append(_cvt(".rzi.sat", to, of, optional=True))
    for to in FLOATS:
        for of in INTEGERS[2:] if to == "bf16" else INTEGERS:
            rows += [_cvt(f".{rounding}", to, of, optional=to == "bf16") for rounding in TO_FLOAT]
            if to == "f32":
                rows.append(_cvt(".rn.sat", to, of, optional=True))
    return rows


def floats() -> list[Variant]:
    """Float to float: widening, narrowing, rounding to an integral value, packing two halves."""
    rows = [_cvt("", "f32", "f16"), _cvt("", "f64", "f16"), _cvt("", "f64", "f32"), _cvt("", "f32", "bf16")]
    rows += [_cvt(".ftz", "f64", "f32"), _cvt(".ftz", "f32", "f16")]
    rows += [_cvt(".sat", "f32", "f32"), _cvt(".sat", "f32", "f16")]
    rows += [_cvt(".ftz", "f32", "f32"), _cvt(".ftz.sat", "f32", "f32"), _cvt(".sat", "f64", "f64")]
    rows += [_cvt("", "f64", "bf16", optional=True)]
    for rounding in TO_FLOAT:
        rows += [_cvt(f".{rounding}", "f32", "f64"), _cvt(f".{rounding}", "f16", "f32")]
        rows.append(_cvt(f".{rounding}", "f16", "f64"))
        rows.append(_cvt(f".{rounding}.ftz", "f32", "f64", optional=rounding != "rn"))
        rows.append(_cvt(f".{rounding}", "bf16", "f32"))
        rows.append(_cvt(f".{rounding}", "bf16", "f64", optional=True))
        rows.append(_cvt(f".{rounding}", "bf16", "f16", optional=True))
        rows.append(_cvt(f".{rounding}", "f16", "bf16", optional=True))
    rows += [_cvt(".rn.sat", "f32", "f64"), _cvt(".rn.sat", "f16", "f32"), _cvt(".rn.ftz", "f16", "f32")]
    rows += [_cvt(".rn.relu", "f16", "f32", optional=True), _cvt(".rn.relu", "bf16", "f32", optional=True)]
    for rounding in TO_INTEGER:
        rows += [_cvt(f".{rounding}", kind, kind) for kind in ("f32", "f64")]
        rows.append(_cvt(f".{rounding}.ftz", "f32", "f32"))
        rows.append(_cvt(f".{rounding}.sat", "f32", "f32", optional=True))
        rows.append(_cvt(f".{rounding}", "f16", "f16", optional=True))
    for target in ("f16x2", "bf16x2"):
        for form in (".rn", ".rz", ".rn.relu"):
            rows.append(variant(
                f"cvt{form}.{target}.f32", "f32 f32", target, pools="f32_wide f32_wide", optional=form != ".rn",
            ))  # fmt: skip
    for rounding in ("rn", "rz", "rna"):
        rows.append(variant(f"cvt.{rounding}.tf32.f32", "f32", "b32", pools="f32_wide", optional=True))
    return rows


ROWS = [*integers(), *between_integers_and_floats(), *floats()]
