"""One product, all its contenders, and what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tilewright.lab.bench.epilogues import epilogue_contenders
from tilewright.lab.bench.products import AGREES_WITHIN, MeasuredProduct, contenders, disagreement
from tilewright.lab.bench.timing import ColdTimer, Times

OURS = "tilewright"
NOT_MEASURED = (
    "Not measured: the host's time for a call, copies to and from the GPU, a warm cache, other activity on the GPU, "
    "and clocks under a load of hours."
)


class WrongProductError(RuntimeError):
    """Two contenders do not compute the same; the message says how far apart they are."""


@dataclass(frozen=True)
class Comparison:
    """What was measured of a product: times by contender, ``tilewright`` among them."""

    product: MeasuredProduct
    times: dict[str, Times]

    def ratio(self, rival: str) -> float:
        """How many times as long the rival takes, by the medians: above 1, tilewright is faster."""
        return self.times[rival].median_us / self.times[OURS].median_us

    def tflops(self, name: str) -> float:
        """The product's operations per second, in 10^12."""
        return self.product.flops / self.times[name].median_us * 1e-6

    def gb_per_s(self, name: str) -> float:
        """What must move at least, per second, in 10^9 bytes."""
        return self.product.least_bytes / self.times[name].median_us * 1e-3

    def record(self) -> dict[str, Any]:
        """Everything, raw."""
        product = self.product
        return {
            "rows": product.rows,
            "inner": product.inner,
            "columns": product.columns,
            "batch": product.batch,
            "dtype": product.dtype,
            "layout": product.layout,
            **({"epilogue": product.epilogue} if product.epilogue else {}),
            "us": {name: [round(each, 2) for each in times.us] for name, times in self.times.items()},
            "dropped": {name: times.dropped for name, times in self.times.items()},
        }


def compare_products(
    product: MeasuredProduct, timer: ColdTimer, seconds: float, rivals: Sequence[str] = ("torch",)
) -> Comparison:
    """Measure a product for about so many seconds of GPU time; one with an epilogue has torch alone for a rival.

    Raises:
        WrongProductError: a contender's result is not that of tilewright.
        RuntimeError: the GPU has no room for the matrices, as torch says it.
    """
    import torch

    a, b = product.operands()
    ways = epilogue_contenders(product, a, b) if product.epilogue else contenders(a, b, [OURS, *rivals])
    ours = ways[OURS]()
    for name in rivals:
        apart = disagreement(ours, ways[name]())
        if not apart <= AGREES_WITHIN:
            raise WrongProductError(
                f"{product} in {product.dtype}: {OURS} and {name} differ by {apart:.2g} of the norm."
            )
    del ours
    times = timer.time(ways, seconds)
    del a, b, ways
    torch.cuda.empty_cache()
    return Comparison(product, times)
