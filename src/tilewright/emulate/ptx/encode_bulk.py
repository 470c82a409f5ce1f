"""Encoding copies in bulk: `cp.async.bulk`, `cp.reduce.async.bulk`, boxes of tensors, their groups and prefetches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.ptx.encode_memory import encode_address
from tilewright.emulate.ptx.operands import NotEmulated
from tilewright.emulate.ptx.parser import split_operands

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder

_WAYS = {
    ("shared", "global"): op.BULK_TO_SHARED,
    ("shared", "shared"): op.BULK_BETWEEN_SHARED,
    ("global", "shared"): op.BULK_TO_GLOBAL,
}
_COMPLETION = "mbarrier::complete_tx::bytes"
_KNOWN = {
    *("cp", "reduce", "async", "bulk", "tensor", "tile", "prefetch", "L2", "L2::cache_hint", "multicast::cluster"),
    *(_COMPLETION, "bulk_group", "noftz", "shared::cluster", "shared::cta", "global"),
    *(f"{count}d" for count in range(1, 6)),
}
"""Words of the forms that are emulated, besides those of a reduction."""
_BOX = re.compile(r"\[\s*([^,\]]+?)\s*,\s*\{([^}]*)\}\s*\]$")


def encode_bulk(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode an instruction of copies in bulk."""
    if "commit_group" in parts or "wait_group" in parts:
        # A copy has read its source when it has written its target: `.read` waits no less.
        e.emit(op.BULK_GROUP, immediate=int(operands[0], 0) if operands else -1)
        return
    words = parts[parts.index("bulk") :]
    name, kind = reduction_of(parts)
    if any(word not in _KNOWN and word not in (name, kind) for word in parts):
        raise NotEmulated(".".join(parts))
    dimensions = next((int(word[0]) for word in words if re.fullmatch("[1-5]d", word)), 0)
    way = op.BULK_PREFETCH if "prefetch" in words else _way(words)
    values = list(operands)
    if "L2::cache_hint" in words:
        values.pop()  # changes no result
    number = _kind(words, dimensions, way)
    if parts[1] == "reduce":
        number |= op.ATOMIC_OPERATIONS.index(name) + 1 << op.BULK_REDUCTION_SHIFT
        number |= (op.BULK_TYPES.index(_plain_type(kind)) if kind else 0) << op.BULK_TYPE_SHIFT
        if way == op.BULK_TO_GLOBAL:
            e.result.parallel = False
    _emit(e, number, _slots(e, values, dimensions, way, "multicast::cluster" in words))


def encode_values(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode `st.async` and `red.async`, which bring a thread's values to another block and its mbarrier."""
    name = next((word for word in parts[1:-1] if word in op.ATOMIC_OPERATIONS), "")
    kind = _plain_type(parts[-1])
    if _COMPLETION not in parts or "global" in parts or kind not in op.BULK_TYPES[: op.FIRST_HALF_TYPE]:
        raise NotEmulated(".".join(parts))
    if (parts[0] == "red") != bool(name) or (name and kind[0] == "f"):
        raise NotEmulated(".".join(parts))
    values = split_operands(operands[1].strip("{} "))
    nbytes = 8 if kind.endswith("64") else 4
    slots = [0] * op.BULK_SLOTS
    slots[op.BULK_TARGET], slots[op.BULK_BARRIER] = _address(e, operands[0]), _address(e, operands[2])
    slots[op.BULK_SIZE] = e.constant(nbytes * len(values), 32)
    # The other slots are read as wide as the values.
    slots[op.BULK_COORDINATES :] = [e.constant(0, 64)] * (op.BULK_SLOTS - op.BULK_COORDINATES)
    for number, value in enumerate(values):
        slots[op.BULK_COORDINATES + number] = e.source(value, kind if kind[0] == "f" else f"i{8 * nbytes}")
    number = op.BULK_VALUES | op.BULK_BETWEEN_SHARED << op.BULK_WAY_SHIFT
    number |= op.BULK_TYPES.index(kind) << op.BULK_TYPE_SHIFT
    number |= (op.ATOMIC_OPERATIONS.index(name) + 1 if name else 0) << op.BULK_REDUCTION_SHIFT
    _emit(e, number, slots)


def reduction_of(parts: list[str] | tuple[str, ...]) -> tuple[str, str]:
    """Return operation and type (of a tensor none) of a reduction, or two empty words."""
    if parts[1] != "reduce":
        return "", ""
    name = next((word for word in parts if word in op.ATOMIC_OPERATIONS), "")
    return name, parts[-1] if _plain_type(parts[-1]) in op.BULK_TYPES else ""


def _plain_type(kind: str) -> str:
    return kind.replace("b32", "u32").replace("b64", "u64")


def _way(words: list[str]) -> int:
    spaces = [word.partition("::")[0] for word in words if word.partition("::")[0] in ("shared", "global")]
    way = _WAYS.get((spaces[0], spaces[1])) if len(spaces) == 2 else None
    completion = "bulk_group" if way == op.BULK_TO_GLOBAL else _COMPLETION
    if way is None or completion not in words:
        raise NotEmulated(".".join(words))
    return way


def _kind(words: list[str], dimensions: int, way: int) -> int:
    kind = dimensions | way << op.BULK_WAY_SHIFT
    kind |= op.BULK_MULTICAST if "multicast::cluster" in words else 0
    return kind | (op.BULK_IN_GROUP if "bulk_group" in words else 0)


def _slots(e: Encoder, values: list[str], dimensions: int, way: int, has_mask: bool) -> list[int]:
    """Return the slots of what a copy needs, in the order of opcodes.BULK_*."""
    slots = [0] * op.BULK_SLOTS
    places = [op.BULK_SOURCE] if way == op.BULK_PREFETCH else [op.BULK_TARGET, op.BULK_SOURCE]
    for place in places:
        text = values.pop(0)
        if match := _BOX.match(text):
            text = f"[{match[1]}]"
            for number, coordinate in enumerate(split_operands(match[2])):
                slots[op.BULK_COORDINATES + number] = e.source(coordinate, "i32")
        slots[place] = _address(e, text)
    if not dimensions:
        slots[op.BULK_SIZE] = e.source(values.pop(0), "i32")
    if way in (op.BULK_TO_SHARED, op.BULK_BETWEEN_SHARED):
        slots[op.BULK_BARRIER] = _address(e, values.pop(0))
    if has_mask:
        slots[op.BULK_MASK] = e.source(values.pop(0), "i16")
    if values:
        raise NotEmulated(values[0])
    return slots


def _address(e: Encoder, text: str) -> int:
    """Return the slot of an address, 64 bits, with its offset added."""
    slot, offset = encode_address(e, text, 64)
    if not offset:
        return slot
    whole = e.temporary("i64")
    e.vector("add.i64", [whole], [slot, e.constant(offset, 64)], counted=False)
    return whole


def _emit(e: Encoder, kind: int, slots: list[int]) -> None:
    first = len(e.code.tables)
    e.code.tables += slots
    e.result.has_events = True
    e.emit(op.BULK_COPY, kind=kind, immediate=first)
