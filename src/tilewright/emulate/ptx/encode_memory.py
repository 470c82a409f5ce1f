"""Encoding loads, stores, atomics and the instructions about addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.ptx.encode_rows import computed
from tilewright.emulate.ptx.operands import NotEmulated, parse_number
from tilewright.emulate.ptx.parser import TYPE_BYTES, split_operands

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder
    from tilewright.emulate.ptx.encode_rows import Handler

LOADS = {"global": op.LOAD_GLOBAL, "shared": op.LOAD_SHARED, "local": op.LOAD_LOCAL, "const": op.LOAD_CONSTANT}
STORES = {"global": op.STORE_GLOBAL, "shared": op.STORE_SHARED, "local": op.STORE_LOCAL}
WAITING = ("volatile", "acquire", "release", "relaxed", "mmio")
SCOPES = {"cta": op.SCOPE_BLOCK, "cluster": op.SCOPE_GPU, "gpu": op.SCOPE_GPU, "gl": op.SCOPE_GPU}
BITS_AS_INTEGERS = {"b16": "u16", "b32": "u32", "b64": "u64"}
ADDRESS = re.compile(r"\[\s*([^+\]]+?)\s*(?:\+\s*(-?\w+))?\s*\]$")


def encode_address(e: Encoder, text: str, width: int) -> tuple[int, int]:
    """Return the slot (64 bits for global memory, 32 for shared and local) and offset of `[register+offset]`."""
    match = ADDRESS.match(text)
    if match is None:
        raise NotEmulated(text)
    base, offset = match[1], int(match[2] or "0", 0)
    if e.frame.is_register(base):
        slot = e.source(base, f"i{width}")
        if (e.frame.width(base) == 64) != (width == 64):
            fitting = e.temporary(f"i{width}")
            key = "ext.u32.64.32" if width == 32 else "ext.u32.32.64"
            e.vector(key, [fitting], [slot], counted=False)
            slot = fitting
        if not -(1 << 31) <= offset < 1 << 31:
            far = e.temporary(f"i{width}")
            e.vector(f"add.i{width}", [far], [slot, e.constant(offset, width)], counted=False)
            return far, 0
        return slot, offset
    number = parse_number(base, "i64")
    if number is not None:
        return e.constant(number + offset, width), 0
    return e.address(base, offset, width), 0


def space_of(parts: list[str]) -> str:
    """Return the state space that an instruction names, or `generic`."""
    spaces = [
        p.partition("::")[0] for p in parts if p.partition("::")[0] in ("global", "shared", "local", "const", "param")
    ]
    return spaces[0] if spaces else "generic"


def _kind(e: Encoder, parts: list[str], registers: list[str]) -> tuple[int, int]:
    """Return the KIND of a memory instruction and its number of elements."""
    element = next(p for p in reversed(parts) if p in TYPE_BYTES)
    count = 4 if "v4" in parts else 2 if "v2" in parts else 1
    nbytes = TYPE_BYTES[element]
    if nbytes == 16 or "v8" in parts:
        raise NotEmulated(".".join(parts))
    widths = {64 if e.frame.width(r) == 64 else 32 for r in registers if e.frame.is_register(r)} or {
        64 if nbytes == 8 else 32
    }
    if len(widths) > 1:
        raise NotEmulated(".".join(parts))
    is_wide = widths == {64}
    kind = nbytes | count << op.VECTOR_SHIFT
    if element[0] == "s":
        kind |= op.SIGNED
    if is_wide:
        kind |= op.WIDE
    if (nbytes == 8 and is_wide) or (nbytes == 4 and not is_wide):
        kind |= op.FAST
    return kind, count


def _note_waiting(e: Encoder, parts: list[str]) -> None:
    """Remember that a kernel may wait for what other threads do, so its blocks must run side by side."""
    if any(p in WAITING for p in parts) and space_of(parts) in ("global", "generic"):
        e.result.waits = True
        e.result.parallel = False
    elif any(p in WAITING for p in parts):
        e.result.waits = True


def _order(parts: list[str], *, is_atomic: bool = False) -> int:
    """Return the ORDER of an access: what it names, or for an atomic relaxed at the scope of the GPU."""
    if not is_atomic and not any(p in WAITING for p in parts):
        return 0
    order = op.STRONG
    if "acquire" in parts or "acq_rel" in parts:
        order |= op.ACQUIRES
    if "release" in parts or "acq_rel" in parts:
        order |= op.RELEASES
    return order | _scope(parts, op.SCOPE_GPU if is_atomic else op.SCOPE_SYSTEM) << op.SCOPE_SHIFT


def _scope(parts: list[str], default: int) -> int:
    return next((SCOPES[p] for p in parts if p in SCOPES), op.SCOPE_SYSTEM if "sys" in parts else default)


def _load(e: Encoder, parts: list[str], operands: list[str]) -> None:
    space = space_of(parts)
    names = split_operands(operands[0].strip("{} ")) if operands[0].startswith("{") else [operands[0]]
    kind, count = _kind(e, parts, names)
    if space == "param":
        _load_parameter(e, kind, names, operands[1])
        return
    _note_waiting(e, parts)
    opcode = LOADS.get(space, op.LOAD_GENERIC)
    slot, offset = encode_address(e, operands[1], 32 if space in ("shared", "local") else 64)
    if count > 1 and slot in [e.frame.offsets.get(name) for name in names]:
        # The elements are loaded one after another: the first must not overwrite the address of the next.
        copy = e.temporary("i64")
        e.vector("mov.i64", [copy], [slot], counted=False)
        slot = copy
    registers = [e.target(name, "i64" if kind & op.WIDE else "i32") for name in names]
    _emit_access(e, opcode, kind, registers, slot, offset, count, _order(parts))


def _load_parameter(e: Encoder, kind: int, names: list[str], text: str) -> None:
    """Read a kernel's parameter (a constant of the launch) or a function's (local memory)."""
    match = ADDRESS.match(text)
    if match is None:
        raise NotEmulated(text)
    name, offset = match[1], int(match[2] or "0", 0)
    nbytes = kind & op.BYTES_MASK
    width = 64 if kind & op.WIDE else 32
    if name in e.parameters:
        for index, register in enumerate(names):
            at = e.parameters[name] + offset + nbytes * index
            source = ("parameter", at, -nbytes if kind & op.SIGNED else nbytes)
            slot = e.code.constants.slot(source, width)
            e.vector(f"mov.i{width}", [e.target(register, f"i{width}")], [slot], counted=index == 0)
    elif name in e.local:
        targets = [e.target(register, f"i{width}") for register in names]
        zero = e.constant(0, 32)
        _emit_access(e, op.LOAD_LOCAL, kind | op.FRAME_RELATIVE, targets, zero, e.local[name] + offset, 0)
    else:
        targets = [e.target(register, f"i{width}") for register in names]
        _emit_access(e, op.LOAD_CONSTANT, kind, targets, *encode_address(e, text, 64), 0)


def _emit_access(
    e: Encoder, opcode: int, kind: int, registers: list[int], slot: int, offset: int, elements: int, order: int = 0
) -> None:
    """Append a load; `elements` 0 keeps it out of the counts of its space (parameters are no memory traffic)."""
    first, second, third, fourth = (*registers, 0, 0, 0)[:4]
    e.emit(
        opcode,
        elements=elements,
        kind=kind,
        result=first,
        operand_a=slot,
        immediate=offset,
        order=order,
        extra_1=second,
        extra_2=third,
        extra_3=fourth,
    )


def _store(e: Encoder, parts: list[str], operands: list[str]) -> None:
    space = space_of(parts)
    names = split_operands(operands[1].strip("{} ")) if operands[1].startswith("{") else [operands[1]]
    kind, count = _kind(e, parts, names)
    value_kind = next(p for p in reversed(parts) if p in TYPE_BYTES)
    width = value_kind if value_kind in ("f32", "f64") else "i64" if kind & op.WIDE else "i32"
    first, second, third, fourth = (*(e.source(name, width) for name in names), 0, 0, 0)[:4]
    if space == "param":
        match = ADDRESS.match(operands[0])
        if match is None or match[1] not in e.local:
            raise NotEmulated(operands[0])
        slot, offset = e.constant(0, 32), e.local[match[1]] + int(match[2] or "0", 0)
        opcode, kind, count = op.STORE_LOCAL, kind | op.FRAME_RELATIVE, 0
    else:
        _note_waiting(e, parts)
        opcode = STORES.get(space, op.STORE_GENERIC)
        slot, offset = encode_address(e, operands[0], 32 if space in ("shared", "local") else 64)
    e.emit(
        opcode,
        elements=count,
        kind=kind,
        operand_c=first,
        operand_a=slot,
        immediate=offset,
        order=_order(parts),
        extra_1=second,
        extra_2=third,
        extra_3=fourth,
    )


def _atomic(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Atom and red; an atom whose result nobody reads is as good as a red. Each element of a vector has its own row."""
    space = space_of(parts)
    name = next((p for p in parts[1:] if p in op.ATOMIC_OPERATIONS), None)
    kind = next(k for p in reversed(parts) if (k := BITS_AS_INTEGERS.get(p, p)) in op.ATOMIC_TYPES)
    count = next((n for word, n in (("v2", 2), ("v4", 4), ("v8", 8)) if word in parts), 0)
    is_float, number = "f" in kind, op.ATOMIC_TYPES.index(kind)
    is_half = number >= op.FIRST_HALF_TYPE
    floats = ("add", "min", "max") if is_half and count else ("add",)
    if name is None or (is_float and name not in floats) or (kind == "u16" and name != "cas"):
        raise NotEmulated(".".join(parts))
    texts = operands if parts[0] == "atom" else ["_", *operands]
    slot, offset = encode_address(e, texts[1], 32 if space == "shared" else 64)
    slot_kind = kind if kind in ("f32", "f64") else f"i{8 * TYPE_BYTES.get(kind, 4)}"
    elements = [split_operands(text.strip("{} ")) if count else [text] for text in (texts[0], *texts[2:])]
    sources = [[e.source(text, slot_kind) for text in each] for each in elements[1 : 3 if name == "cas" else 2]]
    results = elements[0] if elements[0] != ["_"] else ["_"] * len(sources[0])
    if count and results[0] != "_":
        # The first result must not overwrite the next element.
        sources[0] = [computed(e, "mov.i32", source) for source in sources[0]]
    nbytes = 8 if kind[1:] == "64" else 2 if slot_kind == "i16" else 4
    for index, (source, result) in enumerate(zip(sources[0], results, strict=True)):
        row_number = e.emit(
            op.HALF_ATOMIC if is_half or count else op.ATOMIC,
            counted=index == 0,
            kind=number,
            immediate=op.ATOMIC_OPERATIONS.index(name),
            order=_order(parts, is_atomic=True),
            operand_a=slot,
            operand_b=source,
            operand_c=sources[-1][0] if name == "cas" else 0,
            result=-1 if result == "_" else e.target(result, slot_kind),
            extra_1=max(count, 1) * nbytes if index == 0 else 0,
            extra_2=offset + nbytes * index,
            extra_3=op.ATOMIC_SPACES.index(space),
        )
        if space != "shared":
            e.atomics.append((row_number, result, is_float or name in ("exch", "cas", "inc", "dec")))


def _to_generic(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """cvta: shared and local addresses have windows among the generic ones; global and constant ones are generic."""
    to_window = "to" not in parts
    space = space_of(parts)
    windows = {"shared": op.SHARED_WINDOW, "local": op.LOCAL_WINDOW}
    source = e.source(operands[1], "i64")
    result = e.target(operands[0], "i64")
    if space in windows:
        delta = windows[space] if to_window else -windows[space]
        e.vector("add.i64", [result], [source, e.constant(delta, 64)])
    else:
        e.vector("mov.i64", [result], [source])


def _is_space(e: Encoder, parts: list[str], operands: list[str]) -> None:
    kinds = {"global": 0, "shared": 1, "local": 2, "const": op.CONSTANT_SPACE, "param": op.PARAMETER_SPACE}
    source = e.source(operands[1], "i64")
    # The block's own shared memory is a part of the cluster's.
    e.emit(
        op.SPACE_TEST,
        operand_a=source,
        result=e.target(operands[0], "p"),
        kind=kinds[space_of(parts)],
        immediate=int("shared::cluster" in parts),
    )


def _nothing(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Prefetches and hints: nothing that a result depends on."""
    e.emit(op.NOTHING)


def _grid_dependency(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Griddepcontrol: launches run one after another, so that only observers take notice."""
    e.emit(op.FENCE, kind=op.ORDER_GRID_WAIT if "wait" in parts else op.ORDER_GRID_LAUNCH)


def _policy(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Createpolicy: what a cache does with data changes no result, so that every policy is the same."""
    e.vector("mov.i64", [e.target(operands[0], "i64")], [e.constant(0, 64)])


def _fence(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Fences: the emulator's memory is always in order, but blocks that fence talk to each other."""
    if not any(p in ("cta", "cluster", "proxy") for p in parts):
        e.result.waits = True
        e.result.parallel = False
    if "mbarrier_init" in parts:
        e.emit(op.FENCE, kind=op.ORDER_INIT)
        return
    if "proxy" in parts:
        is_async = any(part.startswith("async") for part in parts)
        e.emit(op.FENCE, kind=op.ORDER_PROXIES if is_async else op.ORDER_OTHER)
        return
    order = op.STRONG | op.ACQUIRES | op.RELEASES
    e.emit(op.FENCE, order=order | _scope(parts, op.SCOPE_GPU) << op.SCOPE_SHIFT)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("ld", "ldu"), _load),
    "st": _store,
    **dict.fromkeys(("atom", "red"), _atomic),
    "cvta": _to_generic,
    "isspacep": _is_space,
    **dict.fromkeys(("prefetch", "prefetchu", "applypriority", "discard", "nanosleep", "pmevent"), _nothing),
    **dict.fromkeys(("membar", "fence"), _fence),
    "createpolicy": _policy,
    "griddepcontrol": _grid_dependency,
}
