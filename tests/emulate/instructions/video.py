"""The video instructions, up to three of a kind in a row: what `test_video.py` compares with the manual."""

from __future__ import annotations

from collections.abc import Iterator

from .variants import Variant, variant

NAMES = ("vadd", "vsub", "vabsdiff", "vmin", "vmax")
TYPES = ("u32", "s32")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
FULL = ((0xFFFFFFFF, 0xFFFFFFFF), (0x80000000, 0x7FFFFFFF), (0x7FFFFFFF, 0xFFFFFFFF), (0, 0xFFFFFFFF), (0x80000000, 1))
EDGES = tuple((x, y, z) for x, y in FULL for z in (0, 0xFFFFFFFF, 0x80000000, 0x12345678))


def _row(name: str, *instructions: str) -> Variant:
    """Make a row of up to three instructions; `%o` is each one's own result."""
    body = "\n".join(text.replace("%o", f"%{letter}") + ";" for letter, text in zip("oqr", instructions, strict=False))
    return variant(name, "b32 b32 b32", " ".join(["b32"] * len(instructions)), body=body, must=EDGES)


def scalar() -> Iterator[Variant]:
    """One result from a byte, half or word of each operand."""
    for name in NAMES:
        for result in TYPES:
            for sat in ("", ".sat"):
                yield _row(
                    f"{name}.{result}{sat}",
                    f"{name}.{result}.u32.s32{sat} %o, %a, %b",
                    f"{name}.{result}.s32.u32{sat} %o.b2, %a.h0, %b, %c",
                    f"{name}.{result}.s32.s32{sat} %o.h1, %a, %b.b1, %c",
                )  # fmt: skip
            for kinds in ("s32.u32.sat", "u32.u32"):
                words = (f"{name}.{result}.{kinds}.{second} %o, %a, %b.h1, %c" for second in ("add", "min", "max"))
                yield _row(f"{name}.{result}.{kinds} and a second operation", *words)
    for comparison in COMPARISONS:
        yield _row(
            f"vset.{comparison}",
            f"vset.s32.u32.{comparison} %o, %a, %b",
            f"vset.u32.u32.{comparison}.add %o, %a.b0, %b.b1, %c",
            f"vset.s32.s32.{comparison} %o.h1, %a.h1, %b.b1, %c",
        )  # fmt: skip
    for name in ("vshl", "vshr"):
        for mode in ("clamp", "wrap"):
            for kinds in ("u32.u32", "s32.s32", "s32.u32"):
                yield _row(
                    f"{name}.{kinds}.{mode}",
                    f"{name}.{kinds}.u32.{mode} %o, %a, %b.b0",
                    f"{name}.{kinds}.u32.sat.{mode} %o.h0, %a.h1, %b, %c",
                    f"{name}.{kinds}.u32.{mode}.add %o, %a.b2, %b.b0, %c",
                )  # fmt: skip


def products() -> Iterator[Variant]:
    """A * b + c, negated, with one more, shifted, clamped."""
    for x in TYPES:
        for y in TYPES:
            result = "s32" if "s32" in (x, y) else "u32"
            for more in ("", ".sat", ".shr7", ".sat.shr15"):
                yield _row(
                    f"vmad.{x}.{y}{more}",
                    f"vmad.{result}.{x}.{y}{more} %o, %a, %b, %c",
                    f"vmad.s32.{x}.{y}{more} %o, -%a.h1, %b.b2, %c",
                    f"vmad.{result}.{x}.{y}.po{more} %o, %a.h0, %b, %c",
                )  # fmt: skip
            yield _row(
                f"vmad.{x}.{y} less c",
                f"vmad.s32.{x}.{y} %o, %a.b3, %b.h1, -%c",
                f"vmad.s32.{x}.{y}.shr7 %o, %a.h0, %b.h1, -%c",
            )  # fmt: skip


def parted() -> Iterator[Variant]:
    """Two halves or four bytes at once, put into a word or added to it."""
    for count, mask, x, y in ((2, ".h1", "%a.h21", "%b.h03"), (4, ".b20", "%a.b7205", "%b.b6143")):
        for name in (*NAMES, "vavrg"):
            for kinds in ("u32.u32.u32", "s32.s32.s32", "u32.u32.s32", "s32.u32.u32"):
                yield _row(
                    f"{name}{count}.{kinds}",
                    f"{name}{count}.{kinds} %o, %a, %b, %c",
                    f"{name}{count}.{kinds}.add %o, %a, %b, %c",
                    f"{name}{count}.{kinds}.sat %o{mask}, {x}, {y}, %c",
                )  # fmt: skip
        for comparison in COMPARISONS:
            yield _row(
                f"vset{count}.{comparison}",
                f"vset{count}.s32.u32.{comparison} %o, %a, %b, %c",
                f"vset{count}.u32.u32.{comparison}.add %o{mask}, %a, {y}, %c",
            )  # fmt: skip


ROWS = [*scalar(), *products(), *parted()]
