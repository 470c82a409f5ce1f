"""Encoding `wmma`: loads and stores of words, and products of the kind of `mma.sync`, all of them one instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.ptx.encode_matrices import emit_product, with_zero_rows
from tilewright.emulate.ptx.encode_memory import LOADS, STORES, encode_address, space_of
from tilewright.emulate.ptx.encode_rows import Handler, computed
from tilewright.emulate.ptx.fragments import ELEMENT_BYTES, Fragment, Place, Product, moved_fragment, product
from tilewright.emulate.ptx.matrix_forms import matrix_kind
from tilewright.emulate.ptx.operands import NotEmulated
from tilewright.emulate.ptx.parser import split_operands

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder

_COLUMNS_AT_ONCE = 8


class _Addresses:
    """Where a lane's elements lie: slots for the multiples of the stride, each computed once."""

    def __init__(self, e: Encoder, fragment: Fragment, space: str, address: str, stride: str) -> None:
        self.e, self.fragment = e, fragment
        self.nbytes, self.width = ELEMENT_BYTES[fragment.type], 32 if space == "shared" else 64
        base, self.offset = encode_address(e, address, self.width)
        step = e.source(stride, "i32") if stride else e.constant(fragment.default_stride, 32)
        wide = step if self.width == 32 else computed(e, "ext.u32.32.64", step)
        self.stride = computed(e, f"mul.lo.i{self.width}", wide, e.constant(self.nbytes, self.width))
        self.base = self._of_lane(base)
        self.multiples = {0: self.base}

    def _of_lane(self, base: int) -> int:
        """Return the address of element `step` t of line g, for lane 4 g + t."""
        e, width = self.e, self.width
        lane = e.temporary("i32")
        e.special("laneid", lane, 32, counted=False)
        line, part = computed(e, "shr.u32", lane, e.constant(2, 32)), computed(e, "and.i32", lane, e.constant(3, 32))
        part = computed(e, "mul.lo.i32", part, e.constant(self.fragment.places[0].step, 32))
        if width == 64:
            line, part = computed(e, "ext.u32.32.64", line), computed(e, "ext.u32.32.64", part)
        far, near = (line, part) if self.fragment.are_lines_whole else (part, line)
        address = computed(e, f"mad.lo.i{width}", far, self.stride, base)
        return computed(e, f"mad.lo.i{width}", near, e.constant(self.nbytes, width), address)

    def at(self, place: Place, element: int) -> tuple[int, int]:
        """Return slot and offset of an element of a register."""
        far, near = 8 * place.block, place.first + element
        if not self.fragment.are_lines_whole:
            far, near = near, far
        if far not in self.multiples:
            operands = (self.stride, self.e.constant(far, self.width), self.base)
            self.multiples[far] = computed(self.e, f"mad.lo.i{self.width}", *operands)
        return self.multiples[far], self.offset + self.nbytes * near


def _move(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode wmma.load {registers}, [address], stride and wmma.store [address], {registers}, stride."""
    fragment = moved_fragment(parts)
    if fragment is None:
        raise NotEmulated(".".join(parts))
    is_store, space = parts[1] == "store", space_of(parts)
    address, texts = operands[:2] if is_store else operands[1::-1]
    names = split_operands(texts.strip("{} "))
    kind = "i64" if fragment.type == "f64" else "i32"
    registers = [(e.source if is_store else e.target)(name, kind) for name in names]
    addresses = _Addresses(e, fragment, space, address, operands[2] if len(operands) > 2 else "")
    opcode = STORES.get(space, op.STORE_GENERIC) if is_store else LOADS.get(space, op.LOAD_GENERIC)
    first = len(e.code.rows)
    for register, place in zip(registers, fragment.places, strict=False):
        (_store if is_store else _load)(e, opcode, addresses, place, register)
    e.code.uncounted[first] = False
    for index in range(len(fragment.places), len(registers)):
        e.vector("mov.i32", [registers[index]], [registers[index % len(fragment.places)]], counted=False)


def _access(
    e: Encoder, opcode: int, addresses: _Addresses, place: Place, element: int, nbytes: int, **column: int
) -> None:
    slot, offset = addresses.at(place, element)
    kind = nbytes | 1 << op.VECTOR_SHIFT | {4: op.FAST, 8: op.FAST | op.WIDE}.get(nbytes, 0)
    e.emit(opcode, counted=False, kind=kind, operand_a=slot, immediate=offset, **column)


def _load(e: Encoder, opcode: int, addresses: _Addresses, place: Place, register: int) -> None:
    """Load a register at once, or element by element where these lie apart."""
    if addresses.fragment.are_lines_whole or place.elements == 1:
        _access(e, opcode, addresses, place, 0, addresses.nbytes * place.elements, result=register)
        return
    word = 0
    for element in range(place.elements):
        part = e.temporary("i32")
        _access(e, opcode, addresses, place, element, addresses.nbytes, result=part)
        moved = computed(e, "shl.i32", part, e.constant(8 * addresses.nbytes * element, 32))
        word = computed(e, "or.i32", word, moved) if element else moved
    e.vector("mov.i32", [register], [word], counted=False)


def _store(e: Encoder, opcode: int, addresses: _Addresses, place: Place, register: int) -> None:
    if addresses.fragment.are_lines_whole or place.elements == 1:
        _access(e, opcode, addresses, place, 0, addresses.nbytes * place.elements, operand_c=register)
        return
    for element in range(place.elements):
        part = computed(e, "shr.u32", register, e.constant(8 * addresses.nbytes * element, 32))
        _access(e, opcode, addresses, place, element, addresses.nbytes, operand_c=part)


def _multiply(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode wmma.mma as products of 16 x 8 sums each; where there are 8 rows, the other 8 are zeros."""
    form = product(parts)
    if form is None:
        raise NotEmulated(".".join(parts))
    d, a, b, c = (split_operands(text.strip("{} ")) for text in operands)
    if set(d) & {*a, *b} or any(name in c and c[index] != name for index, name in enumerate(d)):
        raise NotEmulated(".".join(parts))  # a product would overwrite what the next one reads
    opcode, kind = _kind_of(form)
    is_wide = form.a.type == "f64"
    slot_kind = "i64" if is_wide else "i32"
    sums, of_a, of_b = ([e.source(name, slot_kind) for name in names] for names in (c, a, b))
    targets = [e.target(name, slot_kind) for name in d]
    rows, columns, _ = form.shape
    tiles, across = max(rows // 16, 1), columns // _COLUMNS_AT_ONCE
    each, of_tile = len(targets) // (tiles * across), len(form.a.places) // tiles
    per_column = len(form.b.places) // across
    for tile in range(tiles):
        for column in range(across):
            here = slice(each * (tile * across + column), each * (tile * across + column + 1))
            rest = of_a[of_tile * tile : of_tile * (tile + 1)]
            written, read = targets[here], sums[here]
            if rows < 16 and not is_wide:
                written, read, rest = with_zero_rows(e, written, read, rest)
            slots = [*written, *read, *rest, *of_b[per_column * column : per_column * (column + 1)]]
            emit_product(e, opcode, kind, slots, counted=tile == column == 0)


def _kind_of(form: Product) -> tuple[int, int]:
    """Return opcode and KIND of the products that it consists of."""
    if form.a.type == "f64":
        return op.MULTIPLY_FLOAT64, op.FLOAT64_PRODUCTS.index((form.shape[0], form.shape[2]))
    types = [form.sums.type, form.a.type, form.b.type, form.sums.type]
    more = ["satfinite"] if form.saturates else []
    kind = matrix_kind(["mma", "sync", "aligned", f"m16n8k{form.shape[2]}", "row", "col", *more, *types])
    if kind is None:
        raise NotEmulated(form.a.type)
    return op.MULTIPLY_MATRICES, kind if form.shape[0] >= 16 else kind | op.MATRIX_EIGHT_ROWS


def _wmma(e: Encoder, parts: list[str], operands: list[str]) -> None:
    (_multiply if parts[1] == "mma" else _move)(e, parts, operands)


HANDLERS: dict[str, Handler] = {"wmma": _wmma}
