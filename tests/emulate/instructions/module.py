"""PTX text for the table: one `.entry` per variant, thread i computing case i."""

from __future__ import annotations

from .variants import WIDTH_BITS, Variant

HEADER = ".version 8.5\n.target sm_90\n.address_size 64\n"


def _register(kind: str) -> str:
    if kind == "pred":
        return ".pred"
    return {8: ".b16", 16: ".b16", 32: ".b32", 64: ".b64"}[WIDTH_BITS[kind]] if kind[0] != "f" or "x" in kind else {
        "f16": ".b16", "f32": ".f32", "f64": ".f64"
    }[kind]  # fmt: skip


def _load(letter: str, kind: str, place: int) -> list[str]:
    if kind == "pred":
        return [f"ld.global.u32 %word, [%in+{8 * place}];", f"setp.ne.u32 %{letter}, %word, 0;"]
    suffix = kind if kind in ("f32", "f64") else f"b{WIDTH_BITS[kind]}"
    return [f"ld.global.{suffix} %{letter}, [%in+{8 * place}];"]


def _store(letter: str, kind: str, place: int) -> list[str]:
    if kind == "pred":
        return [f"selp.u32 %word, 1, 0, %{letter};", f"st.global.u32 [%out+{8 * place}], %word;"]
    suffix = kind if kind in ("f32", "f64") else f"b{WIDTH_BITS[kind]}"
    return [f"st.global.{suffix} [%out+{8 * place}], %{letter};"]


def entry_text(row: Variant, entry: str) -> str:
    """Return the `.entry` that reads 8-byte operand slots, runs `row.body`, and writes 8-byte result slots."""
    ins = list(zip("abcd", row.ins, strict=False))
    outs = list(zip("oqr", row.outs, strict=False))
    lines = [".reg .b64 %in, %out;", ".reg .b32 %thread, %word;"]
    lines += [f".reg {_register(kind)} %{letter};" for letter, kind in [*ins, *outs]]
    lines += [
        f"ld.param.u64 %in, [{entry}_inputs];",
        f"ld.param.u64 %out, [{entry}_outputs];",
        "cvta.to.global.u64 %in, %in;",
        "cvta.to.global.u64 %out, %out;",
        "mov.u32 %thread, %tid.x;",
        f"mad.wide.u32 %in, %thread, {8 * len(ins)}, %in;",
        f"mad.wide.u32 %out, %thread, {8 * len(outs)}, %out;",
    ]
    for place, (letter, kind) in enumerate(ins):
        lines += _load(letter, kind, place)
    lines += row.body.split("\n")
    for place, (letter, kind) in enumerate(outs):
        lines += _store(letter, kind, place)
    lines.append("ret;")
    body = "\n".join(f"\t{line}" for line in lines)
    return (
        f".visible .entry {entry}(\n\t.param .u64 {entry}_inputs,\n\t.param .u64 {entry}_outputs\n)\n{{\n{body}\n}}\n"
    )


def module_text(rows: list[Variant]) -> str:
    """Return one PTX module whose entry `case_<i>` is row i."""
    return HEADER + "\n" + "\n".join(entry_text(row, f"case_{place}") for place, row in enumerate(rows))
