"""Checks each instruction's operands as an assembler does, before anything is encoded.

NVRTC does not look inside of `asm`, so mistakes there are first found here.
"""

from __future__ import annotations

from tilewright.emulate import opcodes as op
from tilewright.emulate.faults import PtxSyntaxError
from tilewright.emulate.ptx.encode_memory import ADDRESS
from tilewright.emulate.ptx.encode_video import PARTED, SCALAR, selected
from tilewright.emulate.ptx.operands import parse_number
from tilewright.emulate.ptx.parser import Function, Instruction, Module, split_operands
from tilewright.emulate.ptx.signatures import OPCODES, Operand, agrees, in_registers, is_integer, signature, size_of
from tilewright.emulate.ptx.symbols import plain_function_name
from tilewright.emulate.state import BARRIERS

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
    "lop3": "and or",
    "vadd vsub vabsdiff vmin vmax": "sat add min max",
    "vshl vshr": "sat clamp wrap add min max",
    "vmad": "sat po shr7 shr15",
    "vset": "eq ne lt le gt ge add min max",
    " ".join(PARTED): "sat add eq ne lt le gt ge",
    "testp": "finite infinite number notanumber normal subnormal",
    "and or xor not cnot rem sad shl shr brev popc clz selp copysign bfe bfi activemask": "",
}
MODIFIERS = {head: frozenset(words.split()) for heads, words in _WORDS.items() for head in heads.split()}
WARP_THREADS = 32
LONGEST_QUOTE = 200
_VOTE = Operand("pred", False, False, False, True, False, 0)
_OF_PREDICATES = ("and", "bar", "barrier", "mov", "not", "or", "vote", "xor")
_CHECKED_APART = (
    *("applypriority", "brx", "call", "cvta", "discard", "fence", "griddepcontrol", "membar", "pmevent", "prefetch"),
    "prefetchu",
)
_NUMBER = Operand("u32", False, False, False, False, False, 0)


def foreign_word(opcode: str) -> str:
    """Return the first word of an opcode that its instruction does not have, or nothing."""
    head, *words = opcode.split(".")
    known = MODIFIERS.get(head)
    if known is None:
        return ""
    return next((word for word in words if word not in known and size_of(word) is None), "")


def check_types(function: Function, module: Module) -> None:
    """Raise PtxSyntaxError for the first operand that is of another type than its instruction takes."""
    checker = _Checker(function)
    for instruction in function.instructions:
        complaint = checker.complaint(instruction)
        if complaint:
            raise refusal(function, module, instruction, complaint)


def refusal(function: Function, module: Module, instruction: Instruction, complaint: str) -> PtxSyntaxError:
    """Return the error for an instruction that no assembler would take, with its place in the source."""
    file, line = module.files.get(instruction.line[0]), instruction.line[1] or None
    where = f"{file or 'PTX'}:{line}: " if line else ""
    what = f"{_clipped(' '.join(instruction.text.split()))!r} is no instruction of PTX: {_clipped(complaint)}"
    return PtxSyntaxError(
        f"{plain_function_name(function.name)}, {where}{what}", kernel=function.name, file=file, line=line, cause=what
    )


def is_checked(instruction: Instruction) -> bool:
    """Say whether the operands were compared: a form that has no signature must not be encoded either."""
    head = instruction.opcode.partition(".")[0]
    if head in _CHECKED_APART or signature(instruction.opcode) is not None:
        return True
    is_reduction = head in ("bar", "barrier") and ".red" in instruction.opcode
    return is_reduction or (head == "mov" and any(text.startswith("{") for text in instruction.operands))


class _Checker:
    """The registers of a function, and what is wrong with an instruction."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.known: dict[str, str | None] = {}

    def declared(self, name: str) -> str | None:
        """Return the type of a register, or None when it is something else."""
        if name not in self.known:
            self.known[name] = self.function.register_type(name)
        return self.known[name]

    def complaint(self, instruction: Instruction) -> str:
        """Return what is wrong, or nothing."""
        if instruction.guard is not None:
            name = instruction.guard.lstrip("!")
            if self.declared(name) != "pred":
                return f"{name} is no predicate"
        head = instruction.opcode.partition(".")[0]
        if head not in OPCODES:
            return f"there is none called {head}"
        if word := foreign_word(instruction.opcode):
            return f"{head} has no .{word}"
        operands = instruction.operands
        if head in ("bar", "barrier") and "warp" not in instruction.opcode:
            wrong = _barrier_numbers(operands[1:] if ".red" in instruction.opcode else operands)
            if wrong:
                return wrong
        if instruction.opcode.endswith(".pred") and head not in _OF_PREDICATES:
            return f"{head} takes no type .pred"
        if head in ("bar", "barrier") and ".red" in instruction.opcode:
            return self._reduction(instruction)
        if head == "mov" and any(text.startswith("{") for text in operands):
            return self._apart_or_together(instruction)
        if head == "cvta":
            if len(operands) != 2:
                return f"it takes 2 operands, and has {len(operands)}"
            return self._of(operands[0], "u64", "u32") or (
                self._of(operands[1], "u64", "u32") if self.declared(operands[1].lstrip("!")) else ""
            )
        if head == "brx":
            return self._at(operands[0], _NUMBER) if operands else "it has no index"
        if head in ("isspacep", "prefetch", "prefetchu", "applypriority", "discard") and operands:
            address = operands[-1] if head == "isspacep" else operands[0]
            wrong = self._address(address if address.startswith("[") else f"[{address}]")
            if wrong:
                return wrong
        has_limit = (
            head == "cp"
            and "bulk" not in instruction.opcode
            and len(operands) > 3 + ("cache_hint" in instruction.opcode)
        )
        if has_limit and self.declared(operands[3].lstrip("!")):
            wrong = self._of(operands[3].lstrip("!"), "pred", "u32")
            if wrong:
                return wrong
        if head in SCALAR or head in PARTED:
            operands = [selected(text)[0] for text in operands]
        wanted = signature(instruction.opcode)
        if wanted is None:
            return ""
        if head == "wgmma" and len(operands) > 1 and operands[1].startswith("{"):
            wanted = in_registers(wanted)
        return self._all(operands, wanted)

    def _all(self, operands: list[str], wanted: tuple[Operand, ...]) -> str:
        least = sum(not each.is_optional for each in wanted)
        if not least <= len(operands) <= len(wanted):
            takes = str(least) if least == len(wanted) else f"{least} to {len(wanted)}"
            return f"it takes {takes} operands, and has {len(operands)}"
        for text, each in zip(operands, wanted, strict=False):
            wrong = self._operand(text, each)
            if wrong:
                return wrong
        return ""

    def _operand(self, text: str, wanted: Operand) -> str:
        if wanted.type == ".":
            return ""
        if wanted.type == "[]":
            return self._box(text, wanted.elements) if wanted.elements else self._address(text)
        if wanted.type == "#":
            return "" if parse_number(text, "i64") is not None else f"{text} is no number"
        if wanted.elements:
            if not (text.startswith("{") and text.endswith("}")):
                return (
                    f"{text} is no list of {wanted.elements} in braces"
                    if wanted.elements > 1
                    else self._at(text, wanted)
                )
            names = split_operands(text[1:-1])
            if len(names) != wanted.elements:
                return f"{text} has {len(names)} elements, and the instruction takes {wanted.elements}"
            return next(filter(None, (self._at(name, wanted) for name in names)), "")
        if wanted.has_second and "|" in text:
            first, _, second = (part.strip() for part in text.partition("|"))
            return self._at(first, wanted) or self._at(second, wanted._replace(type="pred"))
        return self._at(text, wanted)

    def _at(self, text: str, wanted: Operand) -> str:
        """Return what is wrong with a register, a number, a special register or a name of a variable."""
        if wanted.may_be_negated and wanted.type == "pred" and text.startswith("!"):
            text = text[1:].strip()
        if text.startswith("!"):
            return f"{_plain(text)} is negated, and only predicates are, where an instruction takes them so"
        declared = self.declared(text)
        if declared is not None:
            if agrees(declared, wanted.type, relaxed=wanted.is_relaxed):
                return ""
            return f"{_plain(text)} is a register of type .{declared}, and the instruction takes .{wanted.type} there"
        if wanted.is_result:
            return "" if text == "_" else f"{_plain(text)} is no register, and there goes a result"
        if wanted.type == "pred" and parse_number(text, "i32") is None and text != "%is_explicit_cluster":
            return f"{_plain(text)} is no predicate"
        if text.startswith("%") and text[1:] in op.SPECIAL_NUMBER and (size_of(wanted.type) or 0) < 4:
            return f"{text} has 32 bits or more, and the instruction takes .{wanted.type} there"
        return ""

    def _of(self, text: str, *kinds: str) -> str:
        """Return what is wrong with a register that may have one of several types."""
        declared = self.declared(text)
        if declared is not None and any(agrees(declared, kind, relaxed=False) for kind in kinds):
            return ""
        what = f"a register of type .{declared}" if declared else "no register"
        return f"{_plain(text)} is {what}, and the instruction takes .{' or .'.join(kinds)} there"

    def _address(self, text: str) -> str:
        match = ADDRESS.match(text)
        if match is None:
            return f"{text} is no address"
        declared = self.declared(match[1])
        if declared is not None and not is_integer(declared):
            return f"{_plain(match[1])} is a register of type .{declared}, which holds no address"
        return ""

    def _box(self, text: str, dimensions: int) -> str:
        """Return what is wrong with the address of a tensor map and so many coordinates."""
        inside = split_operands(text[1:-1]) if text.startswith("[") and text.endswith("]") else []
        if len(inside) != 2:
            return f"{text} is no address with coordinates in braces"
        coordinates = _NUMBER._replace(type="s32", elements=dimensions)
        if not inside[1].startswith("{"):
            return f"{inside[1]} is no list of coordinates in braces"
        return self._address(f"[{inside[0]}]") or self._operand(inside[1], coordinates)

    def _reduction(self, instruction: Instruction) -> str:
        """bar.red: a result, the barrier, perhaps how many threads, and the vote."""
        result, *rest = instruction.operands or [""]
        if not 2 <= len(rest) <= 3:
            return f"it takes 3 or 4 operands, and has {len(instruction.operands)}"
        kind = "pred" if instruction.opcode.endswith("pred") else "u32"
        wrong = self._at(result, _NUMBER._replace(type=kind, is_result=True)) or self._at(rest[-1], _VOTE)
        return wrong or next(filter(None, (self._at(text, _NUMBER) for text in rest[:-1])), "")

    def _apart_or_together(self, instruction: Instruction) -> str:
        """Mov between a register and the list of its two or four parts."""
        kind = instruction.opcode.rpartition(".")[2]
        size = size_of(kind)
        lists = [text for text in instruction.operands if text.startswith("{")]
        if len(instruction.operands) != 2 or len(lists) != 1 or not size:
            return "it takes a register and a list of its parts in braces"
        names = split_operands(lists[0].strip("{} "))
        if len(names) not in (2, 4) or size // len(names) not in (1, 2, 4, 8):
            return f"{lists[0]} is no list of 2 or 4 parts"
        part = Operand(f"b{8 * size // len(names)}", lists[0] is instruction.operands[0], False, False, False, False, 0)
        whole = part._replace(type=f"b{8 * size}", is_result=not part.is_result)
        other = next(text for text in instruction.operands if text is not lists[0])
        return next(filter(None, (self._at(name, part) for name in names)), "") or self._at(other, whole)


def _barrier_numbers(operands: list[str]) -> str:
    """Return what is wrong with a barrier's number and its count of threads, where they are written out."""
    number, count = ([parse_number(text, "i32") for text in operands] + [None, None])[:2]
    if number is not None and not 0 <= number < BARRIERS:
        return f"there are barriers 0 to {BARRIERS - 1}, and none {number}"
    if count is not None and (count <= 0 or count % WARP_THREADS):
        return f"threads come to a barrier in whole warps of {WARP_THREADS}, and not {count} of them"
    return ""


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


def _plain(name: str) -> str:
    """Return a register's name as it stands in the text: one of an inner scope carries its scope's number here."""
    return name.partition("@")[0]
