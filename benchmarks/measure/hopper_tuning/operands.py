"""The torch arrays of a case, and the multiplication that they are."""

from __future__ import annotations

from typing import Any

from benchmarks.measure.hopper_tuning.case import Case
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Epilogue, Problem


class Arrays:
    """Fresh random A and B, a poisoned C, and a C operand and bias if the case has an epilogue."""

    def __init__(self, case: Case) -> None:
        import torch

        self.case = case
        dtype = getattr(torch, case.dtype)
        out_dtype = getattr(torch, case.out_dtype or case.dtype)
        batch = (case.batch,) if case.batch else ()
        self.a = _matrix(batch, case.rows, case.inner, case.layout[0], case.views, dtype)
        self.b = _matrix(batch, case.inner, case.columns, case.layout[1], case.views, dtype)
        self.c = torch.empty((*batch, case.rows, case.columns), dtype=out_dtype, device="cuda")
        self.c_operand = torch.randn_like(self.c) if case.epilogue else None
        self.bias = torch.randn(case.columns, dtype=out_dtype, device="cuda") if case.epilogue else None
        self.poison()

    def poison(self) -> None:
        """Make every element of C NaN."""
        self.c.fill_(float("nan"))

    def multiplication(self) -> Problem:
        """The product as the planner sees it."""
        case = self.case
        epilogue = Epilogue(0.5, 2.0, bias=True, activation="gelu") if case.epilogue else Epilogue()
        c_operand = _operand(self.c_operand) if case.epilogue else None
        out_dtype = case.out_dtype or case.dtype
        return Problem(_operand(self.a), _operand(self.b), _operand(self.c), case.dtype, out_dtype, epilogue, c_operand)

    def addresses(self, workspace: Any) -> list[int]:
        """In the order of `tilewright.kernels.launch.BUFFERS`."""
        arrays = (self.a, self.b, self.c, self.c_operand, self.bias, workspace)
        return [0 if array is None else array.data_ptr() for array in arrays]

    def by_torch(self) -> Any:
        """What a user of torch writes."""
        import torch

        return torch.matmul(self.a, self.b)

    def worst_error(self) -> float:
        """The largest error of some rows against float64, in units of the rounding that is expected of it.

        Every element is also compared with torch's own product; NaN, an unwritten element, gives infinity.
        """
        import torch

        case = self.case
        rows = torch.randperm(case.rows, device="cuda")[:64]
        index = slice(0, 3) if case.batch > 3 else slice(None)
        a, b, c = (array[index] if case.batch else array for array in (self.a, self.b, self.c))
        expected = a[..., rows, :].double() @ b.double()
        if self.c_operand is not None and self.bias is not None:
            expected = 0.5 * expected + 2.0 * self.c_operand[..., rows, :].double() + self.bias.double()
            expected = torch.nn.functional.gelu(expected)
        scale = case.inner**0.5
        unit = {torch.bfloat16: 2**-8, torch.float16: 2**-11, torch.float32: 2**-16}[self.c.dtype]
        error = ((c[..., rows, :].double() - expected).abs() / (unit * (expected.abs() + scale / 16))).max().item()
        if torch.isnan(self.c).any().item():
            return float("inf")
        if self.c_operand is None:
            other = self.by_torch()
            loose = ((self.c.float() - other.float()).abs() > 2**-6 * (other.float().abs() + scale)).any().item()
            return float("inf") if loose else error
        return float(error)


def _matrix(batch: tuple[int, ...], rows: int, columns: int, layout: str, views: bool, dtype: Any) -> Any:
    import torch

    height, width = (rows, columns) if layout == "N" else (columns, rows)
    padded = -(-width // 64) * 64 if views else width
    whole = torch.randn((*batch, height, padded), dtype=torch.float32, device="cuda").to(dtype)
    matrix = whole[..., :width]
    return matrix if layout == "N" else matrix.transpose(-1, -2)


def _operand(array: Any) -> Operand:
    *batch, rows, columns = array.shape
    *batch_strides, row_stride, column_stride = array.stride()
    address = array.data_ptr()
    alignment = min(16, address & -address)
    return Operand(rows, columns, row_stride, column_stride, tuple(batch), tuple(batch_strides), alignment)
