"""float32, float64 and 16-bit float arithmetic, comparisons and approximations."""

from __future__ import annotations

from .variants import Judge, Variant, variant

ORDERED = ("eq", "ne", "lt", "le", "gt", "ge")
UNORDERED = ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
DIRECTED = ("rz", "rm", "rp")


def rounded(kind: str) -> list[Variant]:
    """Return add, sub, mul, fma, div, rcp and sqrt of `kind` in every rounding."""
    rows: list[Variant] = []
    pair, triple = f"{kind} {kind}", f"{kind} {kind} {kind}"
    for form in ("rn", *DIRECTED, *(("rn.ftz", "rn.sat", "rn.ftz.sat", "rz.ftz") if kind == "f32" else ())):
        directed = form[:2] != "rn"
        rows += [variant(f"{name}.{form}.{kind}", pair, kind, optional=directed) for name in ("add", "sub", "mul")]
        rows.append(variant(f"fma.{form}.{kind}", triple, kind, optional=directed))
        if "sat" not in form:
            rows.append(variant(f"div.{form}.{kind}", pair, kind, optional=directed))
            rows += [variant(f"{name}.{form}.{kind}", kind, kind, optional=directed) for name in ("rcp", "sqrt")]
    return rows


def others(kind: str) -> list[Variant]:
    """Return min, max, neg, abs, copysign, testp, setp and the moves of `kind`."""
    pair, triple = f"{kind} {kind}", f"{kind} {kind} {kind}"
    ftz = ("", ".ftz") if kind == "f32" else ("",)
    nan = ("", ".NaN") if kind == "f32" else ("",)
    rows = [variant(f"{name}.{kind}", pair, kind) for name in ("add", "sub", "mul", "copysign")]
    rows += [variant(f"{name}{flush}{to}.{kind}", pair, kind) for name in ("min", "max") for flush in ftz for to in nan]
    rows += [variant(f"{name}{flush}.{kind}", kind, kind) for name in ("neg", "abs") for flush in ftz]
    rows.append(variant(f"mad.rn.{kind}", triple, kind))
    rows.append(variant(f"selp.{kind}", f"{pair} pred", kind))
    bits = f"b{kind[1:]}"
    rows.append(variant(f"mov.{bits} of {kind}", kind, bits, body=f"mov.{bits} %o, %a;"))
    for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        rows.append(variant(f"testp.{test}.{kind}", kind, "pred", optional=test in ("normal", "subnormal")))
    return rows + [variant(f"setp.{name}.{kind}", pair, "pred") for name in ORDERED + UNORDERED]


def arithmetic() -> list[Variant]:
    """Return what IEEE 754 fixes to the bit."""
    rows = [row for kind in ("f32", "f64") for row in (*rounded(kind), *others(kind))]
    rows += [variant(f"setp.{name}.ftz.f32", "f32 f32", "pred") for name in ORDERED]
    rows.append(variant("mad.rn.ftz.f32", "f32 f32 f32", "f32"))
    rows.append(variant("fma.rz.sat.f32", "f32 f32 f32", "f32", optional=True))
    return rows


def approximations() -> list[Variant]:
    """What the hardware only approximates; each tolerance is the manual's bound plus one ulp of ours."""
    ulps = Judge(ulp=3.0)
    rows = []
    for ftz in ("", ".ftz"):
        rows += [
            variant(f"div.full{ftz}.f32", "f32 f32", "f32", pools="moderate moderate", judge=ulps),
            variant(f"div.approx{ftz}.f32", "f32 f32", "f32", pools="moderate moderate", judge=ulps),
            variant(f"rcp.approx{ftz}.f32", "f32", "f32", judge=Judge(ulp=2.0)),
            variant(f"sqrt.approx{ftz}.f32", "f32", "f32", judge=ulps),
            variant(f"rsqrt.approx{ftz}.f32", "f32", "f32", judge=ulps),
            variant(f"ex2.approx{ftz}.f32", "f32", "f32", pools="moderate", judge=ulps),
            variant(f"lg2.approx{ftz}.f32", "f32", "f32", judge=Judge(ulp=3.0, absolute=2.0**-21)),
            variant(f"sin.approx{ftz}.f32", "f32", "f32", pools="angle", judge=Judge(ulp=1.0, absolute=2.0**-20)),
            variant(f"cos.approx{ftz}.f32", "f32", "f32", pools="angle", judge=Judge(ulp=1.0, absolute=2.0**-20)),
        ]
    tanh = Judge(ulp=2.0**13)
    rows.append(variant("tanh.approx.f32", "f32", "f32", pools="moderate", judge=tanh, optional=True))
    half = Judge(ulp=2.0)
    rows.append(variant("ex2.approx.f16", "f16", "f16", judge=half, optional=True))
    rows.append(variant("tanh.approx.f16", "f16", "f16", judge=half, optional=True))
    coarse = Judge(ulp=2.0**33)
    rows.append(variant("rcp.approx.ftz.f64", "f64", "f64", judge=coarse, optional=True))
    rows.append(variant("rsqrt.approx.ftz.f64", "f64", "f64", judge=coarse, optional=True))
    rows.append(variant("rsqrt.approx.f64", "f64", "f64", judge=coarse, optional=True))
    return rows


def sixteen_bit() -> list[Variant]:
    """float16 and bfloat16 arithmetic, single and packed: the emulator may refuse what it lacks."""
    rows = []
    for kind, base in (("f16", "f16"), ("f16x2", "f16"), ("bf16", "bf16"), ("bf16x2", "bf16")):
        pair, triple = f"{kind} {kind}", f"{kind} {kind} {kind}"
        names = ("add.rn", "sub.rn", "mul.rn", "min", "max", "min.NaN", "max.NaN")
        rows += [variant(f"{name}.{kind}", pair, kind, optional=True) for name in names]
        if base == "f16":
            rows.append(variant(f"add.rn.ftz.{kind}", pair, kind, optional=True))
            rows.append(variant(f"add.rn.sat.{kind}", pair, kind, optional=True))
            rows.append(variant(f"fma.rn.sat.{kind}", triple, kind, optional=True))
        rows.append(variant(f"fma.rn.{kind}", triple, kind, optional=True))
        rows.append(variant(f"fma.rn.relu.{kind}", triple, kind, optional=True))
        rows += [variant(f"{name}.{kind}", kind, kind, optional=True) for name in ("neg", "abs")]
        if kind == base:
            rows += [variant(f"setp.{name}.{kind}", pair, "pred", optional=True) for name in ORDERED + UNORDERED]
    return rows


ROWS = [*arithmetic(), *approximations(), *sixteen_bit()]
