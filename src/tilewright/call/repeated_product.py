"""A product of torch's tensors on a GPU that was asked for before: tensors that lie alike, with the same options.

All that is checked and chosen depends on what is in its key, so that nothing is checked or chosen again; only where
the tensors lie is looked at. This is what a loop's calls cost, a few microseconds on the host.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .torch_arrays import empty_tensor, stream_reader

if TYPE_CHECKING:
    from tilewright.launch.planned import PlannedRun

    from .cuda_arrays import CudaArray, Shape

MOST_PRODUCTS_KEPT = 4096
ADDEND = 2
"""Its place among the inputs."""
ALIGNMENT_BYTES = 16
"""Plans depend on where among these an address is."""

Key = tuple[Any, ...]

_products: dict[Key, RepeatedProduct] = {}


@dataclass(frozen=True, slots=True)
class RepeatedProduct:
    """A product whose plan is ready.

    ``spans`` are for each input (of A, B, c, bias) that is there its place among them and the bytes that it reaches
    before and behind its address. c may be `out` itself where both have the same strides.
    """

    run: PlannedRun
    shape: Shape
    strides: Shape
    dtype: Any
    device: Any
    working_dtype: Any
    stream_of: Any
    spans: tuple[tuple[int, int, int], ...]
    out_span: tuple[int, int]
    addend_lies_as_out: bool

    def result(self) -> Any:
        """A new tensor that lies as results do; its elements are not set."""
        return empty_tensor(self.shape, self.dtype, self.device, self.strides)

    def again(self, inputs: tuple[Any, ...], out: Any) -> Any:
        """Multiply tensors (A, B, c, bias; None where there is none); None where `out` touches one of them."""
        return self.at(tuple([0 if tensor is None else tensor.data_ptr() for tensor in inputs]), out)

    def at(self, addresses: tuple[int, ...], out: Any) -> Any:
        """Multiply what lies at these addresses (0 where there is none), as `again` does."""
        run = self.run
        run.device.check_process()
        if out is None:
            out = self.result()
            address = out.data_ptr()
        else:
            address = out.data_ptr()
            low, high = address + self.out_span[0], address + self.out_span[1]
            for index, before, behind in self.spans:
                start = addresses[index]
                if start + before < high and low < start + behind:
                    if index == ADDEND and self.addend_lies_as_out and start == address:
                        continue
                    return None
        nbytes = run.workspace_bytes
        working = empty_tensor((nbytes,), self.working_dtype, self.device, (1,)) if nbytes else None
        a, b, addend, bias = addresses
        stream = self.stream_of(self.device.index)
        run.run((a, b, address, addend, bias, 0 if working is None else working.data_ptr()), stream)
        return out


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
    if len(_products) >= MOST_PRODUCTS_KEPT:
        _products.clear()
    _products[key] = repeated(run, target, inputs)


def repeated(run: PlannedRun, target: CudaArray, inputs: tuple[CudaArray | None, ...]) -> RepeatedProduct:
    """The product of inputs (A, B, c, bias) that lie as these do, into what lies as `target` does."""
    import torch

    addend = inputs[ADDEND]
    spans = [(index, *_span(array)) for index, array in enumerate(inputs) if array is not None]
    return RepeatedProduct(
        run,
        target.shape,
        target.strides,
        getattr(torch, target.dtype),
        torch.device("cuda", target.device),
        torch.uint8,
        stream_reader(),
        tuple(span for span in spans if span[1] < span[2]),
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
    plain, weight = torch.Tensor, torch.nn.Parameter
    layouts: list[Any] = []
    try:
        for tensor in tensors:
            if tensor is None:
                layouts.append(None)
                continue
            kind = type(tensor)
            if kind is not plain and kind is not weight:
                return None
            device = tensor.get_device()
            if device < 0 or tensor.is_neg() or (tensor.requires_grad and torch.is_grad_enabled()):
                return None
            layouts.append((tensor.shape, tensor.stride(), tensor.dtype, device, tensor.data_ptr() % ALIGNMENT_BYTES))
    except (RuntimeError, TypeError):  # a tensor without memory or strides, which is said elsewhere
        return None
    return (*layouts, *options)


def _span(array: CudaArray) -> tuple[int, int]:
    low, high = array.byte_range()
    return low - array.address, high - array.address
