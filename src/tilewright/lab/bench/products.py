"""A product to be measured: operands with random normal numbers, and the ways to multiply them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tilewright.lab.bench.epilogues import EPILOGUES

MULTIPLE = 8
"""Elements of 16 bits whose multiples make rows begin on 16 bytes, which is what cuBLAS is fast for."""
LAYOUTS = ("contiguous", "views")
AGREES_WITHIN = 0.02
"""Of the norm. The benchmark only makes sure that it times the same product; proofs are the tests'."""


@dataclass(frozen=True)
class MeasuredProduct:
    """A (batch, rows, inner) times B (batch, inner, columns), row-major; ``batch`` is None for one product.

    ``layout`` "views" takes them out of matrices whose rows begin on 16 bytes, "contiguous" has no gaps.
    ``epilogue`` is "" or one of `EPILOGUES`.
    """

    rows: int
    inner: int
    columns: int
    dtype: str
    batch: int | None = None
    layout: str = "contiguous"
    epilogue: str = ""

    @property
    def flops(self) -> int:
        """The floating-point operations."""
        return 2 * (self.batch or 1) * self.rows * self.inner * self.columns

    @property
    def least_bytes(self) -> int:
        """A, B and C once, in 16 bits, and what the epilogue reads."""
        sizes = self.rows * self.inner + self.inner * self.columns + self.rows * self.columns
        if self.epilogue:
            sizes += self.rows * self.columns if EPILOGUES[self.epilogue].reads_c else self.columns
        return 2 * (self.batch or 1) * sizes

    @property
    def is_odd(self) -> bool:
        """Whether rows of A or B begin off 16 bytes, so that padding them might pay."""
        return self.layout == "contiguous" and any(size % MULTIPLE for size in (self.inner, self.columns))

    def __str__(self) -> str:
        """Return rows x inner x columns and the epilogue, as in ``64 x (128x64x128) with c``."""
        sizes = f"{self.rows}x{self.inner}x{self.columns}"
        sizes = sizes if self.batch is None else f"{self.batch} x ({sizes})"
        return f"{sizes} with {self.epilogue}" if self.epilogue else sizes

    def operands(self) -> tuple[Any, Any]:
        """Return A and B on the current GPU, filled with fresh random normal numbers."""
        return self._matrix(self.rows, self.inner), self._matrix(self.inner, self.columns)

    def _matrix(self, rows: int, columns: int) -> Any:
        import torch

        batch = () if self.batch is None else (self.batch,)
        width = -(-columns // MULTIPLE) * MULTIPLE if self.layout == "views" else columns
        whole = torch.randn((*batch, rows, width), dtype=getattr(torch, self.dtype), device="cuda")
        return whole[..., :columns]


def contenders(a: Any, b: Any, names: Sequence[str]) -> dict[str, Callable[[], Any]]:
    """Return the ways to multiply A and B by name: tilewright, torch, padded, compiled."""
    import torch

    import tilewright

    ways: dict[str, Callable[[], Any]] = {
        "tilewright": lambda: tilewright.matmul(a, b),
        "torch": lambda: torch.matmul(a, b),
        "padded": lambda: padded_product(a, b),
    }
    if "compiled" in names:
        compiled = torch.compile(torch.matmul, dynamic=False)
        ways["compiled"] = lambda: compiled(a, b)
    return {name: ways[name] for name in names}


def padded_product(a: Any, b: Any) -> Any:
    """What users do by hand about odd sizes: copy both into zeros of aligned sizes, multiply, look at a part."""
    import torch

    more_inner, more_columns = -a.shape[-1] % MULTIPLE, -b.shape[-1] % MULTIPLE
    pad = torch.nn.functional.pad
    wide = torch.matmul(pad(a, (0, more_inner)), pad(b, (0, more_columns, 0, more_inner)))
    return wide[..., : b.shape[-1]]


def disagreement(ours: Any, rivals: Any) -> float:
    """Return the norm of the difference over the norm of the rival's result; NaN where either has one."""
    import torch

    difference = torch.linalg.vector_norm(ours - rivals, dtype=torch.float32)
    return float(difference / torch.linalg.vector_norm(rivals, dtype=torch.float32))
