"""Products of torch tensors through plans, for tests that need a certain kernel, stream or address."""

from __future__ import annotations

from collections.abc import Callable

import torch

from tilewright.choose.choice import choose_plan
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Epilogue, Problem
from tilewright.launch.cuda.device import CudaDevice
from tilewright.launch.cuda.planned import PlannedRun

NAMES = {torch.float16: "float16", torch.bfloat16: "bfloat16", torch.float32: "float32"}


def operand_of(tensor: torch.Tensor) -> Operand:
    """The tensor as plans see it."""
    *batch, rows, columns = tensor.shape
    *batch_strides, row_stride, column_stride = tensor.stride()
    misaligned = tensor.data_ptr() % 16
    alignment = misaligned & -misaligned if misaligned else 16
    return Operand(rows, columns, row_stride, column_stride, tuple(batch), tuple(batch_strides), alignment)


def prepared(
    device: CudaDevice,
    a: torch.Tensor,
    b: torch.Tensor,
    c: torch.Tensor,
    *,
    kernel: str = "auto",
    epilogue: Epilogue | None = None,
    c_operand: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
) -> Callable[[], PlannedRun]:
    """Return what multiplies on torch's current stream, each time it is called; its answer is the run."""
    multiplication = Problem(
        operand_of(a.expand(*c.shape[:-2], *a.shape[-2:])),
        operand_of(b.expand(*c.shape[:-2], *b.shape[-2:])),
        operand_of(c),
        NAMES[a.dtype],
        NAMES[c.dtype],
        epilogue or Epilogue(),
        None if c_operand is None else operand_of(c_operand),
    )
    run = PlannedRun(choose_plan(multiplication, device.facts, kernel), device)
    workspace = torch.empty(run.workspace_bytes + 16, dtype=torch.uint8, device=c.device)
    buffers = (a, b, c, c_operand, bias, workspace)

    def multiply() -> PlannedRun:
        addresses = [0 if tensor is None else tensor.data_ptr() for tensor in buffers]
        run.run(addresses, torch.cuda.current_stream().cuda_stream)
        return run

    return multiply
