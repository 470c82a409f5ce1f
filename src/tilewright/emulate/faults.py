"""What can go wrong in an emulated launch, each with a sentence that says where and what to do."""

from __future__ import annotations


class LaunchLimitError(ValueError):
    """A launch that no GPU takes: grid, block or memory exceed the hardware's limits or those the kernel declares."""


class EmulationError(RuntimeError):
    """A launch that the emulator stopped.

    Fields (None where they don't apply): kernel, file, line (of the CUDA source), block and thread (x, y, z), address.
    cause: what happened, without the place; empty where the message says no more.
    output: the lines that printf wrote before.
    """

    def __init__(
        self,
        message: str,
        *,
        kernel: str | None = None,
        file: str | None = None,
        line: int | None = None,
        block: tuple[int, int, int] | None = None,
        thread: tuple[int, int, int] | None = None,
        address: int | None = None,
        cause: str = "",
    ) -> None:
        super().__init__(message)
        self.kernel, self.file, self.line = kernel, file, line
        self.block, self.thread, self.address = block, thread, address
        self.cause = cause
        self.output: list[str] = []


class MemoryFault(EmulationError):
    """An access outside every allocation, or misaligned, or through a null pointer."""


class BarrierFault(EmulationError):
    """A barrier that some live threads never reach."""


class BudgetExceeded(EmulationError):
    """A launch that used up its instructions, or an allocation beyond the memory budget."""


class UnsupportedInstruction(EmulationError):
    """An instruction that is not emulated was reached. feature: what CUDA calls it, such as `wmma (nvcuda::wmma)`."""

    feature = ""


class AssertionFailed(EmulationError):
    """An `assert` or `__trap()` in the kernel."""


class PtxSyntaxError(EmulationError):
    """PTX text that can't be read."""
