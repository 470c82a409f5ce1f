"""Products to be measured: random operands, what follows the product, and what torch has for the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

MULTIPLE = 8
"""Elements of 16 bits whose multiples make rows begin on 16 bytes, which is what cuBLAS is fast for."""
LAYOUTS = ("contiguous", "views")
AGREES_WITHIN = 0.02
"""Of the norm. The benchmark only makes sure that it times the same product; proofs are the tests'."""
IN_PLACE_BETA = 0.5
"""c = A B + c / 2, again and again, stays below twice the product."""


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


def contenders(a: Any, b: Any, names: Sequence[str], precision: str = "auto") -> dict[str, Callable[[], Any]]:
    """Return the ways to multiply A and B by name: tilewright (with a precision), torch, padded, compiled."""
    import torch

    import tilewright

    ways: dict[str, Callable[[], Any]] = {
        "tilewright": lambda: tilewright.matmul(a, b, precision=precision),
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

    wide = torch.promote_types(rivals.dtype, torch.float32)
    difference = torch.linalg.vector_norm(ours - rivals, dtype=wide)
    return float(difference / torch.linalg.vector_norm(rivals, dtype=wide))


@dataclass(frozen=True)
class MeasuredEpilogue:
    """``rival`` is what torch is asked for, in its words; ``reads_c`` and ``has_bias`` say what there is to read."""

    rival: str
    reads_c: bool = False
    has_bias: bool = False


EPILOGUES = {
    "c": MeasuredEpilogue("torch.addmm, baddbmm", reads_c=True),
    "c in place": MeasuredEpilogue("Tensor.addmm_, baddbmm_", reads_c=True),
    "bias": MeasuredEpilogue("torch.addmm", has_bias=True),
    "bias and relu": MeasuredEpilogue("torch._addmm_activation", has_bias=True),
    "bias and gelu": MeasuredEpilogue("torch.addmm, then gelu", has_bias=True),
}
"""gelu is the exact one: torch's fused one (`_addmm_activation(use_gelu=True)`) is the approximation by tanh."""


def epilogue_contenders(product: MeasuredProduct, a: Any, b: Any) -> dict[str, Callable[[], Any]]:
    """Return tilewright's way and torch's to the product with its epilogue, of the same random normal numbers."""
    import torch

    import tilewright

    def random(*shape: int) -> Any:
        return torch.randn(shape, dtype=a.dtype, device=a.device)

    if EPILOGUES[product.epilogue].reads_c:
        c = random(*a.shape[:-1], b.shape[-1])
        if product.epilogue == "c":
            add = torch.addmm if product.batch is None else torch.baddbmm
            return {"tilewright": lambda: tilewright.matmul(a, b, beta=1, c=c), "torch": lambda: add(c, a, b)}
        other = c.clone()
        add_into = other.addmm_ if product.batch is None else other.baddbmm_
        return {
            "tilewright": lambda: tilewright.matmul(a, b, beta=IN_PLACE_BETA, c=c, out=c),
            "torch": lambda: add_into(a, b, beta=IN_PLACE_BETA),
        }
    bias = random(b.shape[-1])
    activation = product.epilogue.partition(" and ")[2] or None
    ways = {
        None: lambda: torch.addmm(bias, a, b),
        "relu": lambda: torch._addmm_activation(bias, a, b),  # noqa: SLF001  (torch has no public name for it)
        "gelu": lambda: torch.nn.functional.gelu(torch.addmm(bias, a, b)),
    }
    return {"tilewright": lambda: tilewright.matmul(a, b, bias=bias, activation=activation), "torch": ways[activation]}
