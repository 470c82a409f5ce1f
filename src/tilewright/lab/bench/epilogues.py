"""Products with an epilogue to be measured: what tilewright is asked for, and what torch has for the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilewright.lab.bench.products import MeasuredProduct

IN_PLACE_BETA = 0.5
"""c = A B + c / 2, again and again, stays below twice the product."""


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
