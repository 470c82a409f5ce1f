"""Which words may stand between an instruction's name and its types, as the PTX ISA has them.

Only instructions of which any word would otherwise be taken are here: the others look at their words themselves.
"""

from __future__ import annotations

from tilewright.emulate.ptx.operand_types import size_of

_ROUNDINGS = "rn rz rm rp"
_COMPARISONS = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"
_WORDS = {
    "add sub": f"{_ROUNDINGS} ftz sat cc",
    "addc subc": "cc",
    "mul": f"{_ROUNDINGS} ftz sat lo hi wide",
    "mad": f"{_ROUNDINGS} ftz sat lo hi wide cc",
    "madc": "lo hi cc",
    "fma": f"{_ROUNDINGS} ftz sat relu oob",
    "div": f"{_ROUNDINGS} ftz approx full",
    "sqrt rcp": f"{_ROUNDINGS} ftz approx",
    "rsqrt ex2 lg2 sin cos tanh": "approx ftz",
    "min max": "ftz NaN xorsign abs relu",
    "abs neg": "ftz",
    "mul24 mad24": "lo hi sat",
    "dp4a dp2a": "lo hi",
    "bfind": "shiftamt",
    "shf": "l r clamp wrap",
    "prmt": "f4e b4e rc8 ecl ecr rc16",
    "szext bmsk": "clamp wrap",
    "setp set": f"{_COMPARISONS} and or xor ftz",
    "slct": "ftz",
    "testp": "finite infinite number notanumber normal subnormal",
    "and or xor not cnot rem sad shl shr brev popc clz selp copysign bfe bfi activemask": "",
}
MODIFIERS = {head: frozenset(words.split()) for heads, words in _WORDS.items() for head in heads.split()}


def foreign_word(opcode: str) -> str:
    """Return the first word of an opcode that its instruction does not have, or nothing."""
    head, *words = opcode.split(".")
    known = MODIFIERS.get(head)
    if known is None:
        return ""
    return next((word for word in words if word not in known and size_of(word) is None), "")
