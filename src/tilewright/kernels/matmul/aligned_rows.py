"""Operands whose rows begin on no vector, copied first into rows that do (repack_float32.cu, as they lie).

float64 is copied as pairs of float32. What follows a row, up to 16 bytes, is written as zeros: a kernel that copies
tiles in vectors reads whole ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tilewright.kernels.batches import BatchSlice
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Argument, Launch, Launches, Pointer
from tilewright.kernels.matmul.repack_float32 import repack_float32_launch
from tilewright.kernels.matmul.split_float32 import FLOAT32_BYTES
from tilewright.kernels.matmul.time_model import mb_per_us
from tilewright.kernels.matmul.wgmma_operands import Side
from tilewright.kernels.operand import Operand

COPYING_US, MEMORY_SHARE = 2.8, 0.85
"""The model of the time of the copies: a launch's, and which share of the memory's bandwidth they reach."""


@dataclass(frozen=True)
class AlignedRows:
    """The product of the copies, the launch that makes them, where each lies in the workspace, and their bytes."""

    part: BatchSlice
    launch: Launch
    places: Mapping[str, int]
    size_bytes: int

    def us(self, facts: DeviceFacts) -> float:
        """Return the modelled time of the copies, which are read and written."""
        return COPYING_US + 2e-6 * self.size_bytes / (MEMORY_SHARE * mb_per_us(facts))

    def before(self, product: Launches) -> Launches:
        """Return the launches of the copies and of their product."""
        launches = (replace(each, arguments=self._moved(each.arguments)) for each in product.launches)
        why = f"First copied, into rows that begin on 16 bytes: {' and '.join(self.places)}."
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


def aligned_rows(whole: BatchSlice, buffers: Sequence[str]) -> AlignedRows:
    """Return copies of operands, "A" or "B", each contiguous along its rows or columns."""
    product, element_bytes = whole.part, whole.part.element_bytes
    operands = {"A": (product.a, whole.a_offset), "B": (product.b, whole.b_offset)}
    sides = [
        Side(
            buffer, _as_float32(operands[buffer][0], element_bytes), operands[buffer][1] * element_bytes, FLOAT32_BYTES
        )
        for buffer in buffers
    ]
    copies, launch, size_bytes = repack_float32_launch(sides)
    found = {buffer: _copied(operands[buffer][0], copies[buffer].operand, element_bytes) for buffer in buffers}
    part = BatchSlice(
        replace(product, a=found.get("A", product.a), b=found.get("B", product.b)),
        0 if "A" in found else whole.a_offset,
        0 if "B" in found else whole.b_offset,
        whole.c_offset,
        whole.c_operand_offset,
    )
    return AlignedRows(part, launch, {buffer: copies[buffer].offset_bytes for buffer in buffers}, size_bytes)


def _as_float32(operand: Operand, element_bytes: int) -> Operand:
    """Return the operand's memory as rows of float32."""
    lying = operand if operand.major == "row" else operand.transposed
    times = element_bytes // FLOAT32_BYTES
    return replace(
        lying,
        columns=times * lying.columns,
        row_stride=times * lying.row_stride,
        column_stride=1,
        batch_strides=tuple(times * stride for stride in lying.batch_strides),
    )


def _copied(operand: Operand, copy: Operand, element_bytes: int) -> Operand:
    """Return the operand of a copy of its rows of float32."""
    lying = operand if operand.major == "row" else operand.transposed
    times = element_bytes // FLOAT32_BYTES
    strides = copy.batch_strides[len(copy.batch_strides) - len(operand.batch) :]
    dense = replace(
        lying,
        row_stride=copy.row_stride // times,
        column_stride=1,
        batch_strides=tuple(stride // times for stride in strides),
        alignment_bytes=16,
    )
    return dense if operand.major == "row" else dense.transposed
