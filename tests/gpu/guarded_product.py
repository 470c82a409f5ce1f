"""One product on the GPU with everything round it watched: poisoned output, guard bands, inputs compared bit by bit.

The reference is torch's product in float64. The bound is the arithmetic's: a sum of k products in float32 is wrong by
at most (k + 16) 2^-24 |A||B|, whether each product is added by itself (CUDA cores) or sixteen at a time with what is
shifted out cut off (tensor cores); then the epilogue's roundings, and the one to the type of C.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from tests.gpu.product_cases import Placed, ProductCase, Variant
from tilewright.choose.plan import Plan
from tilewright.kernels.launch import Launches

GUARD_ELEMENTS = 128
TORCH_DTYPES = {name: getattr(torch, name) for name in ("float16", "bfloat16", "float32", "float64")}
BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}
UNIT = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
LEAST = {"float16": 2.0**-25, "bfloat16": 2.0**-134, "float32": 2.0**-150, "float64": 2.0**-1075}
SINGLE = 2.0**-24
DOUBLE = 2 * 2.0**-53
"""Of float64, twice: the reference errs as much."""

Execute = Callable[[Plan | Launches, list[int]], None]


class Guarded:
    """A buffer full of NaN with a matrix in it. ``values`` are the matrix's, expanded where it is broadcast."""

    def __init__(self, placed: Placed, dtype: str, device: str) -> None:
        self.placed = placed
        first = GUARD_ELEMENTS + -(-placed.before // 8) * 8 + placed.offset
        size = first + placed.after + 1 + GUARD_ELEMENTS
        self.buffer = torch.full((size,), float("nan"), dtype=TORCH_DTYPES[dtype], device=device)
        self.address = self.buffer.data_ptr() + first * self.buffer.element_size()
        self._first = first
        self._backwards = [axis for axis, stride in enumerate(placed.strides) if stride < 0]

    @property
    def values(self) -> torch.Tensor:
        """The matrix, copied where strides are negative, which torch has not."""
        return self._view(self.buffer).flip(self._backwards)

    def fill(self, values: torch.Tensor) -> None:
        """Write values; those of a broadcast extent are the first's."""
        view = self._view(self.buffer)
        keep = tuple(slice(0, 1 if stride == 0 else None) for stride in self.placed.strides)
        view[keep] = values[keep].to(view.dtype).flip(self._backwards)

    def bits(self) -> torch.Tensor:
        """A copy of the buffer's bits."""
        return self.buffer.view(BITS[self.buffer.element_size()]).clone()

    def outside(self) -> torch.Tensor:
        """Which elements of the buffer are not the matrix's."""
        mask = torch.ones(self.buffer.shape, dtype=torch.bool, device=self.buffer.device)
        if 0 not in self.placed.shape:
            self._view(mask).fill_(value=False)
        return mask

    def _view(self, of: torch.Tensor) -> torch.Tensor:
        strides = [abs(stride) for stride in self.placed.strides]
        return torch.as_strided(of, self.placed.shape, strides, self._first - self.placed.before)


@dataclass(frozen=True)
class Outcome:
    """What came of a case: the largest share of the bound that an error took, and what is wrong, "" if nothing."""

    share: float
    wrong: str


class GuardedProduct:
    """A case in memory: operands filled with fresh random numbers."""

    def __init__(self, case: ProductCase, device: str, fill: Callable[..., torch.Tensor] = torch.randn) -> None:
        variant = case.variant
        self.case, self.variant = case, variant
        self.a, self.b = Guarded(case.a, variant.dtype, device), Guarded(case.b, variant.dtype, device)
        self.c = Guarded(case.c, variant.out_dtype, device)
        self.c_operand = None if case.c_operand is None else Guarded(case.c_operand, variant.out_dtype, device)
        if case.in_place:
            self.c_operand = self.c
        n = case.c.shape[-1]
        self.bias = Guarded(Placed((1, n), (n, 1), 3), variant.out_dtype, device) if variant.bias else None
        for operand in (self.a, self.b, self.c_operand, self.bias):
            if operand is not None:
                operand.fill(fill(operand.placed.shape, device=device))

    @property
    def single(self) -> float:
        """By how much a number of the type of sums is rounded."""
        return DOUBLE if self.variant.dtype == "float64" else SINGLE

    @property
    def read(self) -> list[Guarded]:
        """What the product reads and leaves as it is."""
        operands = (self.a, self.b, self.c_operand, self.bias)
        return [operand for operand in operands if operand is not None and operand is not self.c]

    def run(self, plan: Plan | Launches, execute: Execute) -> Outcome:
        """Execute the plan once on poisoned memory and look at everything."""
        device = self.c.buffer.device
        workspace = torch.full((plan.workspace_bytes + 512,), 0xFF, dtype=torch.uint8, device=device)
        before = [(operand, operand.bits()) for operand in self.read]
        untouched, poison = self.c.outside(), self.c.bits()
        addresses = [each.address if each is not None else 0 for each in (self.a, self.b, self.c, self.c_operand)]
        reference, bound = self.reference()
        execute(plan, [*addresses, 0 if self.bias is None else self.bias.address, workspace.data_ptr()])

        got = self.c.values.to(torch.float64)
        far = ~((got - reference).abs() <= bound) if got.numel() else torch.zeros(1, device=device)
        share = ((got - reference).abs() / bound).max() if got.numel() else torch.zeros((), device=device)
        found = torch.stack(
            [
                share.to(torch.float64),
                far.sum().to(torch.float64),
                (self.c.bits()[untouched] != poison[untouched]).sum().to(torch.float64),
                (workspace[plan.workspace_bytes :] != 0xFF).sum().to(torch.float64),
                *((operand.bits() != bits).sum().to(torch.float64) for operand, bits in before),
            ]
        ).tolist()
        words = ("", "elements are wrong", "elements outside C were written", "bytes behind the workspace were written")
        wrong = [f"{int(count):,} {word}" for count, word in zip(found[1:4], words[1:], strict=True) if count]
        wrong += [f"{int(count):,} elements of an operand were written" for count in found[4:] if count]
        return Outcome(found[0], "; ".join(wrong))

    def reference(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The result in float64, and how far each element may be from it."""
        a, b = self.a.values.to(torch.float64), self.b.values.to(torch.float64)
        k = a.shape[-1]
        value = self.variant.alpha * (a @ b)
        sums = abs(self.variant.alpha) * (a.abs() @ b.abs())
        single = self.single
        error = (k + 16) * single * sums
        terms = sums
        if self.c_operand is not None:
            added = self.variant.beta * self.c_operand.values.to(torch.float64)
            value, terms = value + added, terms + added.abs()
        if self.bias is not None:
            added = self.bias.values.to(torch.float64)
            value, terms = value + added, terms + added.abs()
        error = error + 4 * single * terms + 8 * single * value.abs()
        value, error = activated(self.variant, value, error, single)
        unit, least = UNIT[self.variant.out_dtype], LEAST[self.variant.out_dtype]
        return value, error + unit * (value.abs() + error) + least


def activated(
    variant: Variant, value: torch.Tensor, error: torch.Tensor, single: float = SINGLE
) -> tuple[torch.Tensor, torch.Tensor]:
    """The activation and the error behind it: none is steeper than 1.13, and each is computed to a few units."""
    if variant.activation is None:
        return value, error
    if variant.activation == "relu":
        return value.clamp(min=0), error
    function: Any = {"gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu}[variant.activation]
    return function(value), 1.13 * error + 16 * single * value.abs()
