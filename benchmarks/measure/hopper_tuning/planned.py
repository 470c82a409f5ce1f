"""The launches of a job without a GPU: strides as torch gives them, addresses aligned."""

from __future__ import annotations

from benchmarks.measure.hopper_tuning.case import Case, Job
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Launch
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Epilogue, Problem


def planned_launches(job: Job) -> tuple[Launch, ...]:
    """Return what the worker will launch."""
    (part,) = slices(multiplication_of(job.case))
    return part_launches(part, job.tile).launches


def multiplication_of(case: Case) -> Problem:
    """Return a case's multiplication."""
    batch = (case.batch,) if case.batch else ()
    a = _operand(batch, case.rows, case.inner, case.layout[0], case.views)
    b = _operand(batch, case.inner, case.columns, case.layout[1], case.views)
    c = packed((*batch, case.rows, case.columns))
    epilogue = Epilogue(0.5, 2.0, bias=True, activation="gelu") if case.epilogue else Epilogue()
    return Problem(a, b, c, case.dtype, case.out_dtype or case.dtype, epilogue, c if case.epilogue else None)


def _operand(batch: tuple[int, ...], rows: int, columns: int, layout: str, views: bool) -> Operand:
    height, width = (rows, columns) if layout == "N" else (columns, rows)
    padded = -(-width // 64) * 64 if views else width
    matrix = Operand(height, width, padded, 1, batch, (height * padded,) if batch else ())
    return matrix if layout == "N" else matrix.transposed
