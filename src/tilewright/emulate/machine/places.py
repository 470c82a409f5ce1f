"""Where and who: source lines, threads and array elements, in the words of the kernel's author."""

from __future__ import annotations

import re
import weakref
from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike

from tilewright.emulate import instruction_row as row
from tilewright.emulate.execute.addresses import LOCAL, SHARED
from tilewright.emulate.ptx.symbols import plain_name

if TYPE_CHECKING:
    from tilewright.emulate.machine.launch import Launch

_OF_TOOLKIT = re.compile(r"^(?:/|[A-Za-z]:).*[/\\]include[/\\]")
"""A header's whole path: the author's own files have names alone."""
SharedArrays = Mapping[str, tuple[DTypeLike, tuple[int, ...]]]


def element_name(name: str, offset: int, dtype: DTypeLike | None, shape: tuple[int, ...] | None) -> str:
    """Return `A[3][7]` for a byte offset in an array, or `A+12 bytes` where its type is not known.

    An offset outside of the array counts on in its first index: `As[16][0]` is the row behind the last of 16.
    """
    if dtype is None:
        return f"{name}{offset:+d} bytes"
    index = offset // np.dtype(dtype).itemsize
    indices = []
    for extent in reversed((shape or (1,))[1:]):
        indices.append(index % extent if extent else 0)
        index = index // extent if extent else index
    return name + "".join(f"[{value}]" for value in [index, *reversed(indices)])


class Places:
    """The names of one launch. shared_arrays: type and shape of shared arrays by their name, where they are known."""

    def __init__(self, launch: Launch, shared_arrays: SharedArrays | None = None) -> None:
        # The launch holds this: were it held, too, the two would keep each other and all arrays until a collection.
        self.launch: Launch = weakref.proxy(launch)
        self.shared_arrays = dict(shared_arrays or {})
        self._starts = [allocation.address for allocation in launch.allocations]

    def line_of(self, pc: int) -> tuple[str | None, int | None]:
        """Return file and line of an instruction; (None, None) where the compiler made it up.

        Of a function of the toolkit's headers, such as `__hmul2`, they are those of its call.
        """
        module = self.launch.module
        file, line = module.code.lines[module.code.rows[pc][row.LINE]]
        name = module.source_files.get(file)
        if name is not None and module.code.callers.get(pc) and _OF_TOOLKIT.search(name):
            return self.outer_line_of(pc)
        return name, line or None

    def outer_line_of(self, pc: int) -> tuple[str | None, int | None]:
        """Return file and line where the kernel calls the function that an instruction was inlined from, or line_of."""
        module = self.launch.module
        caller = module.code.callers.get(pc)
        return (module.source_files.get(caller[0]), caller[1]) if caller else self.line_of(pc)

    def where(self, pc: int) -> str:
        """Return `line 12` of an instruction, or its text where it has none."""
        line = self.line_of(pc)[1]
        return f"line {line}" if line else f"the PTX instruction {self.launch.module.code.texts[pc]!r}"

    def block_of(self, linear: int) -> tuple[int, int, int]:
        """Return blockIdx of a block's linear number."""
        x, y, _ = self.launch.grid
        return linear % x, linear // x % y, linear // (x * y)

    def thread_of(self, warp_in_block: int, lane: int) -> tuple[int, int, int]:
        """Return threadIdx of a lane."""
        x, y, _ = self.launch.block
        thread = 32 * warp_in_block + lane
        return thread % x, thread // x % y, thread // (x * y)

    def shared_array_at(self, offset: int) -> tuple[str, int, int] | None:
        """Return name, first byte and size of the shared array that holds a byte of shared memory."""
        for name, first, nbytes in self.launch.shared_layout:
            if first <= offset < first + nbytes:
                return name, first, nbytes
        return None

    def name_of(self, space: int, address: int) -> str:
        """Return what an address is called: `A[3][7]`, `As[0][1]`, or a byte of a memory."""
        if space == SHARED:
            found = self.shared_array_at(address)
            if found is None:
                return f"byte {address} of shared memory"
            return self.shared_element(found[0], address - found[1])
        if space == LOCAL:
            return f"byte {address} of local memory"
        number = bisect_right(self._starts, address) - 1
        if number < 0:
            return f"address {address:#x}"
        allocation = self.launch.allocations[number]
        return element_name(
            plain_name(allocation.name), address - allocation.address, allocation.dtype, allocation.shape
        )

    def shared_element(self, name: str, offset: int) -> str:
        """Return the element of a shared array at a byte offset, which may lie outside of it."""
        return element_name(name, offset, *self.shared_arrays.get(name, (None, None)))
