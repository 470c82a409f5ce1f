"""What each instruction takes: for its operands, in order, the types that the PTX ISA gives them.

An operand is written as `=` (a result), its type, and what else it may be: `+` a wider register too, `|pred` a second
result behind a bar, `!` negated, `?` left out, `4*` a list of four in braces. `[]` is an address, `#` a number that is
written out, `.` anything (labels, names of functions and of parameters).

Which register may stand where an instruction wants a type follows ptxas. A type of bits agrees with every type of its
size, an integer type with integers and bits, a float type with itself and bits. Loads, stores and conversions are
relaxed: an integer or bits may be in a wider register than they need.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from tilewright.emulate.ptx.encode_video import PARTED, SCALAR
from tilewright.emulate.ptx.fragments import Fragment, moved_fragment, product
from tilewright.emulate.ptx.matrix_forms import (
    FLOAT64_REGISTERS,
    is_float64,
    matrix_kind,
    registers_of,
    warpgroup_form,
)
from tilewright.emulate.ptx.parser import TYPE_BYTES

ALSO_BITS = {"bf16": 2, "bf16x2": 4, "tf32": 4, "e4m3x2": 2, "e5m2x2": 2, "u16x2": 4, "s16x2": 4}
"""Types of instructions that no register can have: their values are in registers of bits."""


def size_of(kind: str) -> int | None:
    """Return the bytes of an instruction's type, 0 for a predicate, or None when it is no type."""
    return ALSO_BITS.get(kind, TYPE_BYTES.get(kind))


def agrees(declared: str, wanted: str, *, relaxed: bool) -> bool:
    """Say whether a register declared with one type may be an operand of an instruction that wants another."""
    if "pred" in (declared, wanted):
        return declared == wanted
    has, wants = TYPE_BYTES[declared], size_of(wanted)
    if wants is None or has < wants or (has != wants and not relaxed):
        return False
    if declared[0] == "b" and wanted in ("tf32", *TYPE_BYTES):
        return True
    if wanted[0] == "b" and wanted not in ALSO_BITS:
        return True
    if wanted in ALSO_BITS:
        return has == wants and declared not in ("f32", "f64")
    if wanted[0] in "us":
        # ptxas lets a pair of halves stand for an integer of 32 bits.
        return declared[0] in "us" or declared == "f16x2"
    return declared == wanted


def is_integer(declared: str) -> bool:
    """Say whether a register of that type may hold an address."""
    return declared[0] in "us" or (declared[0] == "b" and TYPE_BYTES[declared] <= 8)


class Operand(NamedTuple):
    """What an instruction takes at one place. type: of a register, or `[]`, `#`, `.`; elements: of a list in braces."""

    type: str
    is_result: bool
    is_relaxed: bool
    has_second: bool
    may_be_negated: bool
    is_optional: bool
    elements: int


Parts = Sequence[str]
Rule = Callable[[Parts], str | None]
_OPERAND = re.compile(r"(=?)(?:(\d+)\*)?(\[\]|#|\.|\w+)(\+?)((?:\|pred)?)(!?)(\??)$")
_MBARRIER_WORDS = (
    *("init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx", "noComplete", "test_wait", "try_wait"),
    *("parity", "pending_count"),
)
_WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
_VECTORS = {"v2": 2, "v4": 4, "v8": 8}


@lru_cache(maxsize=4096)
def signature(opcode: str) -> tuple[Operand, ...] | None:
    """Return what an instruction takes, or None for one whose operands nobody checks because it is not emulated."""
    parts = opcode.split(".")
    rule = RULES.get(parts[0])
    text = rule(parts) if rule is not None else None
    return None if text is None else tuple(_operand(word) for word in text.split())


def _operand(word: str) -> Operand:
    match = _OPERAND.match(word)
    assert match is not None, word
    result, count, kind, wider, second, negated, optional = match.groups()
    return Operand(kind, bool(result), bool(wider), bool(second), bool(negated), bool(optional), int(count or 0))


def _typed(pattern: str) -> Rule:
    """Make a rule from a pattern in which `T` is the type that the instruction ends with."""

    def rule(parts: Parts) -> str | None:
        return pattern.replace("T", parts[-1]) if size_of(parts[-1]) is not None else None

    return rule


def _fixed(pattern: str) -> Rule:
    return lambda parts: pattern


def _product(parts: Parts, *, addends: int) -> str | None:
    """Mul and mad: the result of .wide, and what is added to it, are twice as wide as the factors."""
    kind = parts[-1]
    if size_of(kind) is None:
        return None
    wide = _WIDER.get(kind, kind) if "wide" in parts else kind
    return " ".join([f"={wide}", kind, kind, *[wide] * addends])


def _compare(parts: Parts) -> str | None:
    kind = parts[-1]
    third = " pred!" if any(p in ("and", "or", "xor") for p in parts[2:-1]) else ""
    return f"=pred|pred {kind} {kind}{third}" if size_of(kind) else None


def _set(parts: Parts) -> str | None:
    if len(parts) < 4 or not size_of(parts[-2]) or not size_of(parts[-1]):
        return None
    third = " pred!" if any(p in ("and", "or", "xor") for p in parts[2:-2]) else ""
    return f"={parts[-2]} {parts[-1]} {parts[-1]}{third}"


def _select_by_sign(parts: Parts) -> str | None:
    if len(parts) < 3 or not size_of(parts[-2]) or not size_of(parts[-1]):
        return None
    return f"={parts[-2]} {parts[-2]} {parts[-2]} {parts[-1]}"


def _convert(parts: Parts) -> str | None:
    kinds = [p for p in parts[1:] if size_of(p)]
    if len(kinds) != 2 or any(p.startswith("e") or p == "scaled" for p in parts[1:]):
        return None
    # A type that no register has takes one of exactly its size.
    target = f"={kinds[0]}+"
    sources = f"{kinds[1]}+"
    return f"{target} {sources} {sources}" if kinds[0].endswith("x2") else f"{target} {sources}"


def _move(parts: Parts) -> str | None:
    """Mov without braces; type_check.py looks at those that take a register apart or put it together."""
    return f"={parts[-1]} {parts[-1]}" if len(parts) == 2 and size_of(parts[-1]) is not None else None


def _memory(parts: Parts) -> tuple[str, str] | None:
    """Return the type of a load's or store's elements, and how many there are in braces (`4*`) or nothing."""
    kind = parts[-1]
    if not size_of(kind):
        return None
    count = next((_VECTORS[p] for p in parts if p in _VECTORS), 0)
    if count and kind[0] == "f":
        kind = f"b{kind[1:]}"  # ptxas lets the floats of a list into registers of integers
    return kind, f"{count}*" if count else ""


def _load(parts: Parts) -> str | None:
    found = _memory(parts)
    return f"={found[1]}{found[0]}+ [] b64? b64?" if found else None


def _store(parts: Parts) -> str | None:
    if "async" in parts and "global" in parts:
        return None
    found, last = _memory(parts), "[]" if "async" in parts else "b64?"
    return f"[] {found[1]}{found[0]}+ {last}" if found else None


def _atomic(parts: Parts) -> str | None:
    kind = next((p for p in reversed(parts) if size_of(p)), "")
    if not kind or "b128" in parts or ("async" in parts and "global" in parts):
        return None
    if "async" in parts:
        return f"[] {kind} []"
    count = next((_VECTORS[p] for p in parts if p in _VECTORS), 0)
    each = f"{count}*{kind}" if count else kind
    third = f" {kind}" if "cas" in parts else ""
    return f"{f'={each} ' if parts[0] == 'atom' else ''}[] {each}{third} b64?"


def _bulk_copy(parts: Parts) -> str | None:
    if "commit_group" in parts:
        return ""
    if "wait_group" in parts:
        return "#"
    if any(p.startswith(("im2col", "tile::", "cp_mask")) for p in parts):
        return None  # not emulated
    dimensions = next((p[0] for p in parts if re.fullmatch("[1-5]d", p)), "")
    box, size = (f"{dimensions}*[]", "") if dimensions else ("[]", " u32")
    policy = " b64" if "L2::cache_hint" in parts else ""
    if "prefetch" in parts:
        return f"{box}{size}{policy}"
    if "bulk_group" in parts:
        return f"{box} []{size}{policy}"
    mask = " u16" if "multicast::cluster" in parts else ""
    return f"[] {box}{size} []{mask}{policy}"


def _copy(parts: Parts) -> str | None:
    if parts[1:2] == ["async"] and "mbarrier" in parts:
        return "[]"
    if "bulk" in parts:
        return _bulk_copy(parts)
    if parts[1:2] != ["async"]:
        return None
    if "commit_group" in parts or "wait_all" in parts:
        return ""
    return "#" if "wait_group" in parts else "[] [] # .? b64?"


def _mbarrier(parts: Parts) -> str | None:
    words = [p for p in parts[1:-1] if p in _MBARRIER_WORDS]
    name = ".".join(words)
    if name.startswith("arrive"):
        given = " u32?" if len(words) == 1 else " u32"
        return f"=b64 []{given}"
    if name.endswith("wait.parity"):
        return "=pred [] u32 u32?"
    fixed = {"test_wait": "=pred [] b64", "try_wait": "=pred [] b64 u32?", "pending_count": "=u32 b64", "inval": "[]"}
    return fixed.get(name, "[] u32" if name in ("init", "expect_tx", "complete_tx") else None)


def _move_matrix(parts: Parts) -> str | None:
    count = {"x1": 1, "x2": 2, "x4": 4}.get(parts[4] if len(parts) > 4 else "")
    if not count or parts[3] != "m8n8" or parts[-1] != "b16":
        return None
    return f"={count}*b32 []" if parts[0] == "ldmatrix" else f"[] {count}*b32"


def _multiply_matrices(parts: Parts) -> str | None:
    """The forms that are emulated."""
    if is_float64(parts):
        count, count_a, count_b = FLOAT64_REGISTERS[parts[3]]
        return f"={count}*f64 {count_a}*f64 {count_b}*f64 {count}*f64"
    kind = matrix_kind(parts)
    if kind is None:
        return None
    count, count_a, count_b = registers_of(kind)
    summed = "b32" if parts[-1] == "f16" else parts[-1]
    return f"={count}*{summed} {count_a}*b32 {count_b}*b32 {count}*{summed}"


def _multiply_in_warpgroup(parts: Parts) -> str | None:
    """With both operands in shared memory, as descriptors; in_registers() turns it into the other form."""
    if list(parts[2:]) == ["sync", "aligned"]:
        return {"fence": "", "commit_group": "", "wait_group": "#"}.get(parts[1])
    form = warpgroup_form(parts)
    if form is None:
        return None
    return f"={form.registers}*{form.sums} b64 b64 pred{' # #' * form.has_scales}{' # #' * form.can_turn}"


def in_registers(wanted: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """Return what a wgmma takes whose A is in registers: a list of them, and no word on whether it is transposed."""
    of_a = wanted[1]._replace(type="b32", elements=4)
    return (wanted[0], of_a, *wanted[2:6], *wanted[7:])


def _fragments(parts: Parts) -> str | None:
    """wmma: the registers of each fragment."""
    found = product(parts)
    if found is not None:
        sums, of_a, of_b = (_list_of(each) for each in (found.sums, found.a, found.b))
        return f"={sums} {of_a} {of_b} {sums}"
    moved = moved_fragment(parts)
    if moved is None:
        return None
    return f"={_list_of(moved)} [] u32?" if parts[1] == "load" else f"[] {_list_of(moved)} u32?"


def _list_of(fragment: Fragment) -> str:
    return f"{fragment.registers}*{fragment.type if fragment.type in ('f32', 'f64') else 'b32'}"


def _barrier(parts: Parts) -> str | None:
    words = [p for p in parts[1:] if p not in ("cta", "aligned")]
    if words[:1] == ["cluster"]:
        return ""
    if words[:2] == ["warp", "sync"]:
        return "u32"
    if words[:1] in (["sync"], ["arrive"]):
        return "u32 u32?"
    return None  # type_check.py: bar.red, whose last operand is its vote


def _shuffle(parts: Parts) -> str | None:
    return "=b32|pred b32 b32 b32 b32" if "sync" in parts else None


def _vote(parts: Parts) -> str | None:
    if "sync" not in parts:
        return None
    return f"={'b32' if parts[-1] == 'b32' else 'pred'} pred! u32"


def _match(parts: Parts) -> str | None:
    return f"=b32{'|pred' if 'all' in parts else ''} {parts[-1]} u32" if parts[-1] in ("b32", "b64") else None


def _same(count: int) -> Rule:
    return _typed(" ".join(["=T", *["T"] * count]))


RULES: dict[str, Rule] = {
    **dict.fromkeys(("add", "sub", "div", "rem", "copysign", "addc", "subc", "mul24"), _same(2)),
    **dict.fromkeys(("min", "max"), lambda parts: _typed("=T T T T?")([p for p in parts if p != "relu"])),
    **dict.fromkeys(("fma", "sad", "mad24"), _same(3)),
    **dict.fromkeys(("and", "or", "xor"), _typed("=T T! T!")),
    **dict.fromkeys(
        ("neg", "abs", "sqrt", "rcp", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "brev", "cnot"), _same(1)
    ),
    "not": _typed("=T T!"),
    "mul": lambda parts: _product(parts, addends=0),
    **dict.fromkeys(("mad", "madc"), lambda parts: _product(parts, addends=1)),
    "testp": _typed("=pred T"),
    **dict.fromkeys(("popc", "clz", "bfind"), _typed("=u32 T")),
    "fns": _fixed("=b32 b32 b32 b32"),
    "bfe": _typed("=T T u32 u32"),
    "bfi": _typed("=T T T u32 u32"),
    "szext": _typed("=T T u32"),
    "bmsk": _fixed("=b32 u32 u32"),
    **dict.fromkeys(("dp4a", "dp2a"), _fixed("=u32 u32 u32 u32")),
    "prmt": _fixed("=b32 b32 b32 b32"),
    "shf": _fixed("=b32 b32 b32 u32"),
    **dict.fromkeys(("shl", "shr"), _typed("=T T u32")),
    "lop3": lambda parts: "=b32 b32 b32 b32 #" if len(parts) == 2 else "=b32|pred b32 b32 b32 # pred!",
    **dict.fromkeys(SCALAR, _fixed("=u32 u32 u32 u32?")),
    **dict.fromkeys(("vmad", *PARTED), _fixed("=u32 u32 u32 u32")),
    "setp": _compare,
    "set": _set,
    "selp": _typed("=T T T pred!"),
    "slct": _select_by_sign,
    "cvt": _convert,
    "mov": _move,
    **dict.fromkeys(("ld", "ldu"), _load),
    "st": _store,
    **dict.fromkeys(("atom", "red"), _atomic),
    "isspacep": _fixed("=pred ."),
    "nanosleep": _fixed("u32"),
    "cp": _copy,
    **dict.fromkeys(("ldmatrix", "stmatrix"), _move_matrix),
    "movmatrix": _fixed("=b32 b32"),
    "wgmma": _multiply_in_warpgroup,
    "setmaxnreg": _fixed("#"),
    "mma": _multiply_matrices,
    "createpolicy": _fixed("=b64 .? .? .?"),
    "mapa": _typed("=T T u32"),
    "getctarank": _typed("=u32 T"),
    "mbarrier": _mbarrier,
    "wmma": _fragments,
    "bra": _fixed("."),
    **dict.fromkeys(("ret", "exit", "trap", "brkpt"), _fixed("")),
    **dict.fromkeys(("bar", "barrier"), _barrier),
    "shfl": _shuffle,
    "vote": _vote,
    "match": _match,
    "redux": _typed("=T T u32"),
    "elect": _fixed("=b32|pred u32"),
    "activemask": _fixed("=b32"),
}
"""By the first word of the opcode."""

_WORDS = """
    abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call clz
    clusterlaunchcontrol cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence fma
    fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier
    membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp
    red redux rem ret rsqrt sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave
    stmatrix sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vabsdiff2
    vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr
    vsub vsub2 vsub4 wgmma wmma xor
"""
OPCODES = frozenset(_WORDS.split())
"""First words of all instructions of the PTX ISA: any other is a typing error, not an unsupported instruction."""
