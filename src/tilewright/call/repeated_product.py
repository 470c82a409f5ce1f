"""A product of torch's tensors on a GPU that was asked for before: tensors that lie alike, with the same options.

All that is checked and chosen depends on what is in its key, so that nothing is checked or chosen again; only where
the tensors lie is looked at. This is what a loop's calls cost, a few microseconds on the host.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .torch_arrays import current_stream, empty_tensor

if TYPE_CHECKING:
    from tilewright.launch.planned import PlannedRun

    from .cuda_arrays import CudaArray, Shape

MOST_PRODUCTS_KEPT = 4096
ADDEND = 2
"""Its place among the inputs."""

Key = tuple[Any, ...]

_products: dict[Key, RepeatedProduct] = {}


@dataclass(frozen=True, slots=True)
class RepeatedProduct:
    """A product whose plan is ready.

    ``spans`` are the bytes that each input (A, B, c, bias) reaches before and behind its address. c may be `out` itself
    where both have the same strides.
    """

    run: PlannedRun
    shape: Shape
    dtype: Any
    device: Any
    working_dtype: Any
    spans: tuple[tuple[int, int], ...]
    out_span: tuple[int, int]
    addend_lies_as_out: bool

    def again(self, inputs: tuple[Any, ...], out: Any) -> Any:
        """Multiply tensors (A, B, c, bias; None where there is none); None where `out` touches one of them."""
        self.run.device.check_process()
        addresses = [0 if tensor is None else tensor.data_ptr() for tensor in inputs]
        if out is None:
            target = empty_tensor(self.shape, self.dtype, self.device)
            address = target.data_ptr()
        else:
            target, address = out, out.data_ptr()
            low, high = address + self.out_span[0], address + self.out_span[1]
            for index, (start, (before, behind)) in enumerate(zip(addresses, self.spans, strict=True)):
                if start and start + before < high and low < start + behind:
                    if index == ADDEND and self.addend_lies_as_out and start == address:
                        continue
                    return None
        nbytes = self.run.workspace_bytes
        working = empty_tensor((nbytes,), self.working_dtype, self.device) if nbytes else None
        a, b, addend, bias = addresses
        stream = current_stream(self.device.index)
        self.run.run((a, b, address, addend, bias, 0 if working is None else working.data_ptr()), stream)
        return target


def find(key: Key | None) -> RepeatedProduct | None:
    """The product of that key, if it was asked for before."""
    try:
        return None if key is None else _products.get(key)
    except TypeError:  # an option that cannot be a key, which is said elsewhere
        return None


def remember(key: Key | None, run: PlannedRun, target: CudaArray, inputs: tuple[CudaArray | None, ...]) -> None:
    """Keep a product that has just been made with these inputs (A, B, c, bias), straight into `target`."""
    if key is None:
        return
    import torch

    addend = inputs[ADDEND]
    if len(_products) >= MOST_PRODUCTS_KEPT:
        _products.clear()
    _products[key] = RepeatedProduct(
        run,
        target.shape,
        getattr(torch, target.dtype),
        torch.device("cuda", target.device),
        torch.uint8,
        tuple((0, 0) if array is None else _span(array) for array in inputs),
        _span(target),
        addend is not None and addend.layout[:3] == target.layout[:3],
    )


def key_of(tensors: tuple[Any, ...], options: tuple[Any, ...]) -> Key | None:
    """All that a product depends on but the tensors' addresses; None where an array is no plain tensor on a GPU.

    ``tensors`` are A, B, out, c and bias, None where there is none.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    kinds = torch.Tensor, torch.nn.Parameter
    layouts: list[Any] = []
    try:
        for tensor in tensors:
            if tensor is None:
                layouts.append(None)
            elif (
                type(tensor) not in kinds
                or not tensor.is_cuda
                or tensor.is_neg()
                or (tensor.requires_grad and torch.is_grad_enabled())
            ):
                return None
            else:
                place = tensor.get_device(), tensor.data_ptr() & 15
                layouts.append((tensor.shape, tensor.stride(), tensor.dtype, *place))
    except (RuntimeError, TypeError):  # a tensor without memory or strides, which is said elsewhere
        return None
    return (*layouts, *options)


def _span(array: CudaArray) -> tuple[int, int]:
    low, high = array.byte_range()
    return low - array.address, high - array.address
