"""Repeated products of torch's tensors on a GPU, with the same layouts and options as before.

All checks and choices depend only on the key (layouts and options), so they are not repeated; only the addresses are
examined. This is the cost of a call in a loop: a few microseconds on the host. The compiled extra does the same if it
is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilewright.arrays.cuda_array import packed_strides
from tilewright.arrays.torch import empty_maker, no_room_said, stream_reader
from tilewright.arrays.torch_modes import dispatch_modes, forward_mode, tracing_state
from tilewright.launch.cuda import native

from .arguments import is_exact

if TYPE_CHECKING:
    from tilewright.arrays.cuda_array import CudaArray
    from tilewright.launch.cuda.planned import PlannedRun

MOST_PRODUCTS_KEPT = 4096
C_OPERAND = 2
"""The index of c among the inputs."""
ALIGNMENT_BYTES = 16
"""Plans depend on an address modulo this."""

OPTIONS = ("out_dtype", "alpha", "beta", "activation", "kernel", "tile", "device", "precision")
"""The options of `tilewright.matmul` that a product depends on, in the order of the key."""
BETA, TILE = OPTIONS.index("beta"), OPTIONS.index("tile")

Key = tuple[Any, ...]
Options = tuple[Any, ...]
Tensors = tuple[Any, ...]

_products: dict[Key | None, RepeatedProduct] = {}


class RepeatedProduct:
    """A planned product of inputs (A, B, c, bias) with these layouts into an output with the layout of ``target``."""

    __slots__ = ("_compiled", "_empty", "_result", "_spans", "_stream_of", "_working", "run")

    def __init__(self, run: PlannedRun, target: CudaArray, inputs: tuple[CudaArray | None, ...]) -> None:
        import torch

        self.run = run
        self._spans = Spans(target, inputs)
        self._empty = empty_maker(target.device)
        self._result = target.shape, target.strides, getattr(torch, target.dtype)
        self._working = ((run.workspace_bytes,), (1,), torch.uint8) if run.workspace_bytes else None
        self._stream_of = stream_reader()
        self._compiled = self._compile(native.reader(torch.Tensor))

    @property
    def is_packed(self) -> bool:
        """Whether results are row-major without gaps."""
        shape, strides, _ = self._result
        return strides == packed_strides(shape)

    def prepared(self, keys: tuple[Key, ...]) -> Any:
        """The compiled extra's function for tensors (A, B, c, bias, out) with one of these keys; None without it.

        It returns None for other tensors, and if `out` overlaps an input.
        """
        if self._compiled is None:
            return None
        return native.extra().Prepared(self._compiled, keys[0][0], keys[-1][0]).call

    def again(self, inputs: tuple[Any, ...], out: Any) -> Any:
        """Multiply tensors (A, B, c, bias; None if not given). Returns None if `out` overlaps one of them."""
        if self._compiled is None:
            addresses = tuple([0 if tensor is None else tensor.data_ptr() for tensor in inputs])
            return self.at(addresses, out, 0 if out is None else out.data_ptr())
        try:
            return self._compiled.again(inputs, out)
        except RuntimeError as error:
            self.explain(error)
            raise

    def at(self, addresses: tuple[int, ...], out: Any, to: int) -> Any:
        """Multiply, in Python, the inputs at these addresses (0 if not given) into `out`, whose address is ``to``."""
        run = self.run
        if run.device.inherited:
            run.device.check_process()
        a, b, c_operand, bias = addresses
        working, at = None, 0
        try:
            if out is None:
                out = self.result()
                to = out.data_ptr()
            elif self._spans.touched(addresses, to):
                return None
            if self._working is not None:
                working = self._empty(*self._working)
                at = working.data_ptr()
        except RuntimeError as error:
            self.explain(error)
            raise
        run.run((a, b, to, c_operand, bias, at), self._stream_of(run.device.ordinal))
        return out

    def result(self) -> Any:
        """A new, uninitialized tensor with the layout of results."""
        return self._empty(*self._result)

    def explain(self, error: RuntimeError) -> None:
        """Raise torch's out-of-memory error as ours; return for any other."""
        shape, _, dtype = self._result
        with no_room_said(shape, dtype, self.run.device.ordinal):
            if isinstance(error, sys.modules["torch"].cuda.OutOfMemoryError):
                raise error

    def _compile(self, reader: object) -> Any:
        launches = None if reader is None else native.compiled_launches(self.run)
        if launches is None:
            return None
        spans, tensors = self._spans, (self._empty, self._result, self._working)
        about = self.run.device.ordinal, spans.inputs, spans.out, spans.c_operand_lies_as_out
        return native.extra().Product(reader, launches, *tensors, *about)


class Spans:
    """The bytes that ``out`` and the given ``inputs`` extend before and after their addresses.

    Inputs are (A, B, c, bias), each with its index. c may be `out` itself if both have the same strides.
    """

    __slots__ = ("c_operand_lies_as_out", "inputs", "out")

    def __init__(self, out: CudaArray, inputs: tuple[CudaArray | None, ...]) -> None:
        c_operand = inputs[C_OPERAND]
        spans = [(index, *array.span) for index, array in enumerate(inputs) if array is not None]
        self.inputs = tuple(span for span in spans if span[1] < span[2])
        self.out = out.span
        self.c_operand_lies_as_out = c_operand is not None and c_operand.layout[:3] == out.layout[:3]

    def touched(self, addresses: tuple[int, ...], out: int) -> bool:
        """Whether an output at address ``out`` would overwrite inputs that are still to be read."""
        before, behind = self.out
        low, high = out + before, out + behind
        for index, start, end in self.inputs:
            address = addresses[index]
            if address + start < high and low < address + end:
                if index == C_OPERAND and self.c_operand_lies_as_out and address == out:
                    continue
                return True
        return False


def options_of(operation: str, options: Options, *, invariant: bool = False) -> Options:
    """The options of a product, as keys have them: with its operation, if that is not matmul, and "invariant"."""
    named = options if operation == "matmul" else (*options, operation)
    return (*named, "invariant") if invariant else named


def again(tensors: Tensors, options: Options) -> Any:
    """The product of tensors (A, B, c, bias, out) if a product with the same key is remembered, else None."""
    torch = sys.modules.get("torch")
    if torch is None or torch.compiler.is_compiling() or not (options[TILE] is None or is_exact(options[TILE])):
        return None
    try:
        known = _products.get(key_of(tensors, options))
    except TypeError:  # an option that cannot be a key, which is said elsewhere
        return None
    if known is None:
        return None
    a, b, c, bias, out = tensors
    return known.again((a, b, c if options[BETA] else None, bias), out)


def remember(
    tensors: Tensors, options: Options, run: PlannedRun, target: CudaArray, inputs: tuple[CudaArray | None, ...]
) -> None:
    """Remember the product just computed from these inputs (A, B, c, bias) directly into `target`."""
    if options[TILE] is not None and not is_exact(options[TILE]):  # it may be a list
        return
    key = key_of(tensors, options)
    if key is None:
        return
    if len(_products) >= MOST_PRODUCTS_KEPT:
        _products.clear()
    _products[key] = RepeatedProduct(run, target, inputs)


def key_of(tensors: tuple[Any, ...], options: tuple[Any, ...] | None) -> Key | None:
    """The key of a product: layouts and options; None if an array is not a plain tensor on a GPU.

    None also under torch's forward mode, where any tensor may have a tangent, under a dispatch mode, and while
    torch.jit.trace records. ``tensors`` are A, B, c, bias and out, None if not given.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    known = _looked_up if _looked_up.torch is torch else _look_up(torch)
    if known.tracing_state() is not None:
        return None
    if known.reader is not None:
        return known.reader.key_of(tensors, options)  # type: ignore[no-any-return]
    if known.forward_mode["_current_level"] != -1 or known.dispatch_modes["_is_in_torch_dispatch_mode"]:
        return None
    plain = known.plain
    layouts: list[Any] = []
    try:
        for tensor in tensors:
            if tensor is None:
                layouts.append(None)
                continue
            kind = type(tensor)
            if kind is not plain and kind is not torch.nn.Parameter:
                return None
            device = tensor.get_device()
            if device < 0 or tensor.is_neg() or (tensor.requires_grad and torch.is_grad_enabled()):
                return None
            layouts.append((tensor.shape, tensor.stride(), tensor.dtype, device, tensor.data_ptr() % ALIGNMENT_BYTES))
    except (RuntimeError, TypeError):  # a tensor without memory or strides, which is said elsewhere
        return None
    return (*layouts, options)


@dataclass(frozen=True, slots=True)
class _LookedUp:
    """torch's functions that every call needs; looking them up would take half of the key's time."""

    torch: Any = None
    plain: Any = None
    reader: Any = None
    tracing_state: Callable[[], object] = lambda: None
    forward_mode: dict[str, Any] = field(default_factory=dict)
    dispatch_modes: dict[str, Any] = field(default_factory=dict)


_looked_up = _LookedUp()


def _look_up(torch: Any) -> _LookedUp:
    global _looked_up  # noqa: PLW0603  (one torch in a process)
    reader = native.reader(torch.Tensor)
    _looked_up = _LookedUp(torch, torch.Tensor, reader, tracing_state(), forward_mode(), dispatch_modes())
    return _looked_up
