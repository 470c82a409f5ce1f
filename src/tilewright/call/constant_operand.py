"""The constant operand of a prepared plan: the array itself, and memory with what was made of it once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright.arrays.cuda_array import CudaArray
from tilewright.arrays.torch import is_tensor, stream_reader
from tilewright.choose import PlanError
from tilewright.choose.constant import with_constant
from tilewright.choose.plan import Plan
from tilewright.kernels.launch import BUFFERS

if TYPE_CHECKING:
    from tilewright.arrays.memory import DeviceMemory
    from tilewright.launch.cuda.device import CudaDevice
    from tilewright.launch.cuda.mark import Mark
    from tilewright.launch.cuda.planned import PlannedRun

OPERANDS = {"a": "A", "b": "B"}


def checked_constant(constant: object) -> str | None:
    """The operand that is constant, "A" or "B", or None. Raises PlanError if it is neither "a", "b" nor None."""
    if constant is None:
        return None
    if not isinstance(constant, str) or constant not in OPERANDS:
        raise PlanError(f"constant is {constant!r}, and 'a', 'b' or None is accepted.")
    return OPERANDS[constant]


class ConstantOperand:
    """An operand ("A" or "B") that is the same array in every call, and what is ``kept`` of it, if anything is."""

    def __init__(self, name: str, array: Any, kept: KeptMemory | None) -> None:
        self.name, self.array, self.kept = name, array, kept

    def operands(self, a: object, b: object) -> tuple[Any, Any]:
        """A and B of a call, which may leave out the constant one or give the same array.

        Raises:
            PlanError: it gives another.
        """
        given = a if self.name == "A" else b
        if given is not None and given is not self.array and not self._is_the_same(given):
            left = "multiply(b=b)" if self.name == "A" else "multiply(a)"
            raise PlanError(
                f"{self.name} is constant in this plan, and this call has another {self.name}; leave it out, as in "
                f"{left}, or make another plan with tilewright.plan."
            )
        return (self.array, b) if self.name == "A" else (a, self.array)

    def _is_the_same(self, given: Any) -> bool:
        """Whether it is another view of the same elements, such as a transpose that is made anew for each call."""
        if not (is_tensor(given) and is_tensor(self.array)) or given.device != self.array.device:
            return False
        return _elements(given) == _elements(self.array)


class KeptMemory:
    """Memory of torch's with what was made of a constant operand on one stream; products on any stream read it."""

    def __init__(self, tensor: Any, device: CudaDevice, stream: int, mark: Mark) -> None:
        self._tensor, self._device, self._made_on, self._mark = tensor, device, stream, mark
        self._stream_of = stream_reader()
        self._ready: set[int] = set()

    def precede_products(self) -> None:
        """Make products on the current stream wait until the memory is written, and the memory outlast them."""
        if self._device.inherited:
            self._device.check_process()
        stream = self._stream_of(self._device.ordinal)
        if stream in self._ready:
            return
        self._mark.precede(stream)
        if stream != self._made_on:
            import torch

            # Else the allocator gives the memory of a plan that is gone to others on the stream it was made on, while
            # products on this one read it.
            self._tensor.record_stream(torch.cuda.current_stream(self._device.ordinal))
        if self._mark.is_passed:
            self._ready.add(stream)


def keep(
    plan: Plan, constant: str, operands: tuple[CudaArray, CudaArray], place: DeviceMemory, device: CudaDevice
) -> tuple[PlannedRun, KeptMemory | None]:
    """Make what can be kept of an operand, on the current stream, and return the run that reads it, and the memory.

    None if the plan's kernels make nothing of the operand; then the run is the plan's.

    Raises:
        PlanError: a CUDA graph is captured on the stream.
        OutOfMemoryError: there is no memory for it.
    """
    from tilewright.launch.cuda.mark import Mark, is_capturing
    from tilewright.launch.cuda.planned import PlannedRun

    found, once = with_constant(plan, constant)
    if once is None:
        return PlannedRun(found, device), None
    stream = place.stream(device.ordinal)
    with device.entered():
        captured = is_capturing(device, stream)
    if captured:
        raise PlanError(
            f"The plan keeps what is made of {constant}, and the current stream is being captured into a CUDA graph, "
            "which would make it at every replay alone; make the plan before the capture."
        )
    kept = place.empty((once.workspace_bytes,), "uint8", device.ordinal)
    addresses = dict.fromkeys(BUFFERS, 0) | {name: each.address for name, each in zip("AB", operands, strict=True)}
    PlannedRun(once, device, kept=kept.address).run(tuple(addresses.values()), stream)
    memory = KeptMemory(kept.owner, device, stream, Mark(device, stream))
    return PlannedRun(found, device, kept=kept.address), memory


def _elements(tensor: Any) -> tuple[Any, ...]:
    return tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype, tensor.is_neg()
