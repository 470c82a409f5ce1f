"""Operands that are copied first, as a kernel reads them the fastest (repack_float32.cu).

Rows that begin on no vector are copied into rows that do; float64 as pairs of float32. Operands of float32 with
neighbours along k may be turned as well, to neighbours along the other dimension, of which vectors are copied into
tiles. What follows a row, up to 16 bytes, is written as zeros: a kernel that copies tiles in vectors reads whole ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tilewright.kernels.batches import BatchSlice
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Argument, Launch, Launches, Pointer
from tilewright.kernels.matmul.repack_float32 import repack_float32_launch
from tilewright.kernels.matmul.split_float32 import FLOAT32_BYTES
from tilewright.kernels.matmul.time_model import mb_per_us
from tilewright.kernels.matmul.wgmma_operands import Side
from tilewright.kernels.operand import Operand

VECTOR_BYTES = 16
COPYING_US, MEMORY_SHARE = 2.8, 0.85
"""The model of the time of the copies: a launch's, and which share of the memory's bandwidth they reach."""
KEPT_BYTES, WRITING_KEPT = 32 * 2**20, 0.3
"""Copies of so many bytes stay in L2, as that of an H200: so much of the time of writing them to memory is seen."""


@dataclass(frozen=True)
class CopiedOperands:
    """The product of the copies, the launch that makes them, where each lies in the workspace, and their bytes.

    ``turned``: the buffers whose copies have their neighbours along the other dimension.
    """

    part: BatchSlice
    launch: Launch
    places: Mapping[str, int]
    size_bytes: int
    turned: Sequence[str] = ()

    def us(self, facts: DeviceFacts) -> float:
        """Return the modelled time of the copies, which are read and written."""
        writing = WRITING_KEPT if self.size_bytes <= KEPT_BYTES else 1.0
        return COPYING_US + 1e-6 * (1 + writing) * self.size_bytes / (MEMORY_SHARE * mb_per_us(facts))

    def before(self, product: Launches) -> Launches:
        """Return the launches of the copies and of their product."""
        launches = (replace(each, arguments=self._moved(each.arguments)) for each in product.launches)
        why = f"First copied, into rows that begin on 16 bytes: {' and '.join(self.places)}."
        if self.turned:
            why += f" Turned, so that vectors of it no longer lie along k: {' and '.join(self.turned)}."
        return Launches((self.launch, *launches), self.size_bytes + product.workspace_bytes, (*product.reasons, why))

    def _moved(self, arguments: Mapping[str, Argument]) -> dict[str, Argument]:
        return {name: self._moved_argument(each) for name, each in arguments.items()}

    def _moved_argument(self, pointer: Argument) -> Argument:
        if not isinstance(pointer, Pointer):
            return pointer
        if pointer.buffer == "workspace":
            return replace(pointer, offset_bytes=self.size_bytes + pointer.offset_bytes)
        if pointer.buffer in self.places:
            return Pointer("workspace", self.places[pointer.buffer] + pointer.offset_bytes)
        return pointer


def tried_copies(
    whole: BatchSlice, vectors: Mapping[str, int], *, in_vectors_along_k: bool
) -> Iterator[CopiedOperands]:
    """Yield copies of the operands that come by elements and could come in vectors: as they lie, and turned.

    ``vectors``: the elements of A and of B that come at once. ``in_vectors_along_k``: whether several along k do; where
    none do, operands are turned.
    """
    product = whole.part
    if product.is_empty or not product.k:
        return
    operands = {"A": product.a, "B": product.b.transposed}
    unaligned = [
        name
        for name, operand in operands.items()
        if operand.major is not None
        and vectors[name] < VECTOR_BYTES // product.element_bytes
        and (in_vectors_along_k or operand.major == "column")
    ]
    along_k = [name for name, each in operands.items() if each.major == "row" and not in_vectors_along_k]
    for turned in ([], *([name] for name in along_k), *([along_k] if len(along_k) > 1 else [])):
        buffers = [name for name in operands if name in unaligned or name in turned]
        if buffers:
            yield copied_operands(whole, buffers, turned)


def copied_operands(whole: BatchSlice, buffers: Sequence[str], turned: Sequence[str] = ()) -> CopiedOperands:
    """Return copies of operands, "A" or "B", each contiguous along its rows or columns.

    Those ``turned`` as well, which are float32, are made contiguous along the other dimension.
    """
    product, size = whole.part, whole.part.element_bytes
    operands, offsets = {"A": product.a, "B": product.b}, {"A": whole.a_offset, "B": whole.b_offset}
    lying = {name: operands[name] if _in_rows(operands[name]) else operands[name].transposed for name in buffers}
    sides = [
        Side(
            name,
            lying[name].transposed if name in turned else _as_float32(lying[name], size),
            offsets[name] * size,
            FLOAT32_BYTES,
        )
        for name in buffers
    ]
    copies, launch, size_bytes = repack_float32_launch(sides)
    found = {}
    for name in buffers:
        rows = lying[name].transposed if name in turned else lying[name]
        copy = _copied(rows, copies[name].operand, size)
        found[name] = copy if _in_rows(operands[name]) != (name in turned) else copy.transposed
    part = BatchSlice(
        replace(product, a=found.get("A", product.a), b=found.get("B", product.b)),
        0 if "A" in found else whole.a_offset,
        0 if "B" in found else whole.b_offset,
        whole.c_offset,
        whole.c_operand_offset,
    )
    return CopiedOperands(part, launch, {name: copies[name].offset_bytes for name in buffers}, size_bytes, turned)


def _in_rows(operand: Operand) -> bool:
    return operand.major == "row"


def _as_float32(rows: Operand, element_bytes: int) -> Operand:
    """Return the memory of rows as rows of float32."""
    times = element_bytes // FLOAT32_BYTES
    return replace(
        rows,
        columns=times * rows.columns,
        row_stride=times * rows.row_stride,
        column_stride=1,
        batch_strides=tuple(times * stride for stride in rows.batch_strides),
    )


def _copied(rows: Operand, copy: Operand, element_bytes: int) -> Operand:
    """Return rows as they lie in a copy, which is described as rows of float32."""
    times = element_bytes // FLOAT32_BYTES
    strides = copy.batch_strides[len(copy.batch_strides) - len(rows.batch) :]
    return replace(
        rows,
        row_stride=copy.row_stride // times,
        column_stride=1,
        batch_strides=tuple(stride // times for stride in strides),
        alignment_bytes=16,
    )
