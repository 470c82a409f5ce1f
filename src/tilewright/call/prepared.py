"""`tilewright.plan`: a product that is checked and planned once, and then called with arrays of the same layouts.

A call with torch's tensors on a GPU compares their layouts with the plan's, and launches. It skips what follows from
the layouts: checks, planning and look-ups. For other arrays a call compares the layouts and then works like `matmul`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from tilewright.arrays.errors import DtypeError
from tilewright.arrays.host_array import host_array
from tilewright.arrays.library_array import described, is_read_as_it_lies
from tilewright.arrays.places import place_of
from tilewright.arrays.stores.opened import is_stored
from tilewright.arrays.streams import on_stream
from tilewright.arrays.torch import address_of, check_dense, is_tensor
from tilewright.arrays.torch_modes import are_distributed, dispatch_modes, forward_mode, guard_of, tracing_state
from tilewright.choose import Plan, PlanError
from tilewright.choose.constant import nothing_kept

from . import small_arrays, small_tensors
from .constant_operand import ConstantOperand, KeptMemory, checked_constant
from .epilogue import check_epilogue
from .explain import explain
from .host_product import check_on_host
from .invariant import checked_invariant
from .matmul import matmul
from .repeated_product import ALIGNMENT_BYTES, Key, RepeatedProduct, key_of

PLAIN_OPTIONS = {
    "out_dtype": None,
    "alpha": 1,
    "beta": 0,
    "activation": None,
    "kernel": "auto",
    "tile": None,
    "device": "auto",
    "precision": "auto",
}
INPUTS = ("A", "B", "c", "bias")


@dataclass(frozen=True)
class Layout:
    """An array's layout: its class, extents, strides (in bytes for NumPy's), type, device and alignment."""

    kind: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    place: str = ""

    def __str__(self) -> str:
        """As in "a torch.Tensor (16, 8) float32 with strides (8, 1) on GPU 0"."""
        return f"a {self.kind} {self.shape} {self.dtype} with strides {self.strides}{self.place}"


class PreparedProduct:
    """The result of `tilewright.plan`, to be called with arrays of the layouts that it was made for.

    Its text shows the plan: launches, and a reason for each choice; `plan` is the plan itself.
    """

    def __init__(
        self, given: dict[str, Any], options: dict[str, Any], plan: Any, constant: ConstantOperand | None = None
    ) -> None:
        self.plan: Plan = plan
        self._constant = constant
        self._options = options
        self._layouts = {name: layout_of(array, name) for name, array in given.items()}
        self._seen = {name: _seen(array) for name, array in given.items()}
        self._repeated: RepeatedProduct | None = None
        self._keys: tuple[Key, ...] = ()
        # What does it in the compiled extra. A method of this object here would keep its memory until Python looks for
        # objects that name each other.
        self._compiled: Any = None
        self._guards: tuple[Any, ...] = ()
        self._forward_mode: dict[str, Any] = {}
        self._dispatch_modes: dict[str, Any] = {}
        self._tracing_state: Callable[[], object] | None = None
        self._at_once = _at_once(given, options) if constant is None else None

    def __call__(  # noqa: C901  (a few ways to multiply, the fastest first)
        self,
        a: object = None,
        b: object = None,
        *,
        out: object = None,
        c: object = None,
        bias: object = None,
        stream: object = None,
    ) -> Any:
        """Multiply arrays with the plan's shapes, strides, types and device.

        Args:
            a: A; the plan's own, or none, where A is constant.
            b: B; the plan's own, or none, where B is constant.
            out: an array that takes the result, with the layout of the plan's `out` if it has one; otherwise
                row-major without gaps is fastest. None makes a new array.
            c: the C operand, if the plan was made with one.
            bias: the bias, if the plan was made with one.
            stream: the CUDA stream of this call, as for `tilewright.matmul`; a plan itself has none.

        Returns:
            C, or `out`.

        Raises:
            PlanError: an array's layout differs from the plan's (the message gives both); another array than the
                constant one; or a stream that cannot do this.
            OutOfMemoryError, MachineError, DeviceUnavailableError: as `tilewright.matmul`.
        """
        if (at_once := self._at_once) is not None and out is c is bias is stream is None:
            result = at_once(a, b)
            if result is not None:
                return result
        if self._constant is not None:
            a, b = self._constant.operands(a, b)
        if stream is not None:
            with on_stream(stream, A=a, B=b, out=out, c=c, bias=bias):
                return self(a, b, out=out, c=c, bias=bias)
        if self._constant is not None and self._constant.kept is not None:
            self._constant.kept.precede_products()
        try:
            if self._tracing_state is not None and self._tracing_state() is not None:
                result = None  # torch.jit.trace records matmul's operator, and would take this result for a constant
            elif self._compiled is not None:
                result = self._compiled(a, b, c, bias, out)
            else:
                result = self._guarded(a, b, c, bias, out) if self._guards else self._in_python(a, b, c, bias, out)
        except RuntimeError as error:
            if self._repeated is not None:
                self._repeated.explain(error)
            raise
        if result is not None:
            return result
        self._check({"A": a, "B": b, "c": c, "bias": bias})
        if out is not None and "out" in self._layouts:
            self._check_one("out", out)
        return matmul(a, b, out=out, c=c, bias=bias, **self._options)

    def __str__(self) -> str:
        """Return the plan: launches, and a reason for each choice."""
        return str(self.plan)

    def _in_python(self, *tensors: object) -> Any:
        """Multiply tensors (A, B, c, bias, out) of the plan's layouts; None for others."""
        repeated = self._repeated
        if repeated is not None and key_of(tensors, None) in self._keys:
            return repeated.again(tensors[:-1], tensors[-1])
        return None

    def _guarded(self, a: Any, b: Any, c: Any, bias: Any, out: Any) -> Any:
        """Like `_in_python` (which is the fallback) but with torch's guards, for plans whose arrays are all aligned."""
        fits_a, fits_b, fits_c, fits_bias, fits_out = self._guards
        try:
            fits = (  # a guard ends the process at a nested tensor, which has no strides to compare
                self._forward_mode["_current_level"] == -1
                and not self._dispatch_modes["_is_in_torch_dispatch_mode"]
                and not (a.is_nested or b.is_nested)
                and fits_a(a)
                and fits_b(b)
                and (fits_c is None if c is None else fits_c is not None and not c.is_nested and fits_c(c))
                and (
                    fits_bias is None
                    if bias is None
                    else fits_bias is not None and not bias.is_nested and fits_bias(bias)
                )
                and (len(self._keys) > 1 if out is None else not out.is_nested and fits_out(out))
            )
        except (AttributeError, TypeError):  # no tensor
            return None
        if fits and self._repeated is not None:
            addresses = (
                a.data_ptr(),
                b.data_ptr(),
                0 if c is None else c.data_ptr(),
                0 if bias is None else bias.data_ptr(),
            )
            to = 0 if out is None else out.data_ptr()
            if not (addresses[0] | addresses[1] | addresses[2] | addresses[3] | to) % ALIGNMENT_BYTES:
                return self._repeated.at(addresses, out, to)
        return self._in_python(a, b, c, bias, out)

    def _repeat(self, repeated: RepeatedProduct, tensors: tuple[Any, ...]) -> None:
        """Set up fast calls for tensors (A, B, c, bias, out) of these layouts, with or without `out`."""
        keys = [key_of(tensors, None)]
        aligned = not any(tensor.data_ptr() % ALIGNMENT_BYTES for tensor in tensors if tensor is not None)
        # A guard compares whether gradients are required and not whether they are recorded, which a key does.
        recordable = any(tensor.requires_grad for tensor in tensors if tensor is not None)
        # What `tilewright.matmul` would make for these lies so, and its address is aligned.
        if repeated.is_packed and tensors[-1].data_ptr() % ALIGNMENT_BYTES == 0:
            keys.append(key_of((*tensors[:-1], None), None))
        found = tuple(key for key in keys if key is not None)
        if len(found) < len(keys):
            return
        self._repeated, self._keys, self._tracing_state = repeated, found, tracing_state()
        compiled = repeated.prepared(found)
        self._compiled = compiled
        guards = [None if tensor is None else guard_of(tensor) for tensor in tensors]
        if (
            aligned
            and not recordable
            and all((guard is None) == (tensor is None) for guard, tensor in zip(guards, tensors, strict=True))
        ):
            self._guards = tuple(guards)
            self._forward_mode, self._dispatch_modes = forward_mode(), dispatch_modes()

    def _check(self, given: dict[str, Any]) -> None:
        for name, array in given.items():
            if (array is None) != (name not in self._layouts):
                has = "no" if array is None else "a"
                raise PlanError(
                    f"This call has {has} {name}, and the plan was made with{'' if array is None else 'out'} one; "
                    "make another with tilewright.plan."
                )
            if array is not None:
                self._check_one(name, array)

    def _check_one(self, name: str, array: object) -> None:
        if self._seen[name] is not None and self._seen[name] == _seen(array):
            return
        found, planned = layout_of(array, name), self._layouts[name]
        if found != planned:
            raise PlanError(
                f"{name} is {found}, and this plan is for {planned}; make another with tilewright.plan, or call "
                "tilewright.matmul."
            )


def plan(
    a: object,
    b: object,
    *,
    out: object = None,
    out_dtype: object = None,
    alpha: float = 1,
    beta: float = 0,
    c: object = None,
    bias: object = None,
    activation: str | None = None,
    kernel: str = "auto",
    tile: int | tuple[int, int] | None = None,
    device: str = "auto",
    precision: str = "auto",
    constant: str | None = None,
    memory_limit: int | str | None = None,
    engine: object = None,
    invariant: bool = False,
) -> PreparedProduct:
    """Check, plan, compile and load a product that is to be called often. Nothing is multiplied.

    The result is the function that multiplies::

        multiply = tilewright.plan(a, b)
        multiply(a, b, out=c)

    An operand that stays the same, such as a layer's weights, can be ``constant``::

        multiply = tilewright.plan(x, weights, precision="fp16x3", constant="b")
        multiply(x)

    Then the plan holds that array. What kernels make of it before they multiply is computed here, once, on the current
    stream, and kept in memory of the plan's: parts of float32 ("bf16x6", "fp16x3") or rows that the copy engine can
    load. The plan says how many bytes that takes, or that nothing is kept. Results are those of a plan without. The
    array must not be changed afterwards: parts that are kept stay as they were, and whatever reads the array itself
    (rows or columns with NaN, infinities or numbers that parts do not hold; calls that take `matmul`'s way) sees the
    change. Make another plan then.

    Args:
        a: A; only its shape, strides, type, device and alignment are kept.
        b: B, likewise.
        out: an array with the layout of future results, if that is not row-major without gaps.
        out_dtype: this and the following are as for `tilewright.matmul`; only the layouts of c and bias are kept.
        alpha: scales A B.
        beta: scales c.
        c: the C operand.
        bias: added to every row.
        activation: "relu", "gelu" or "silu".
        kernel: "auto" or a kernel's name.
        tile: the kernel's tile, or None.
        device: "auto", "host", "gpu" or "emulator".
        precision: how float32 is multiplied.
        constant: "a" or "b", the operand that is the same in every call; None if both change.
        memory_limit: as for `tilewright.matmul`: the plan is of a product that streams, and says what it will move.
        engine: as for `tilewright.matmul`.
        invariant: rows whose bits do not depend on the other rows, as for `tilewright.matmul`.

    Returns:
        A `PreparedProduct`; `print` shows the plan. For a product that streams, the function that runs it, with
        ``resume`` and ``progress``.

    Raises:
        ShapeError, DtypeError, PlanError, UnknownKernelError, DeviceUnavailableError: as `tilewright.matmul`.
        PlanError: also for a constant operand while a CUDA graph is captured: replaying it must not make it again.
        OutOfMemoryError: there is no memory for what is kept.
    """
    operand = checked_constant(constant)
    if memory_limit is not None or engine is not None or is_stored(a, b, out):
        if invariant:
            raise PlanError("invariant=True is for arrays in memory, without a memory limit or an engine.")
        from .streamed.prepared import prepare_streamed

        chosen: dict[str, Any] = {"kernel": kernel, "tile": tile, "device": device, "precision": precision}
        chosen |= {"out_dtype": out_dtype, "alpha": alpha, "beta": beta, "c": c, "bias": bias, "activation": activation}
        chosen |= {"constant": constant, "memory_limit": memory_limit, "engine": engine}
        prepared: Any = prepare_streamed(a, b, out, **chosen)
        return prepared  # type: ignore[no-any-return]
    given = {name: array for name, array in zip(INPUTS, (a, b, c, bias), strict=True) if array is not None}
    if out is not None:
        given["out"] = out
    options: dict[str, Any] = {"out_dtype": out_dtype, "alpha": alpha, "beta": beta, "activation": activation}
    options |= {"kernel": kernel, "tile": tile, "device": device, "precision": precision}
    options |= {"invariant": True} if checked_invariant(invariant) else {}
    if are_distributed(*given.values()):
        raise DtypeError(
            "A product of DTensors is planned at every call: call tilewright.matmul, or tilewright.explain for a plan."
        )
    place = place_of(**given)
    if not place.on_gpu or not is_read_as_it_lies(a, b, place.library):
        numbers = check_epilogue(alpha, beta, c, activation)
        found = explain(a, b, kernel=kernel, tile=tile, device=device, precision=precision)
        if not place.on_gpu:
            check_on_host(a, b, place.library, numbers, out=out, out_dtype=out_dtype, c_operand=c, bias=bias)
        return _prepared(given, options, found, operand)

    from .cuda_product import prepare_on_gpu

    is_quick = all(map(is_tensor, given.values())) and key_of((a, b, c, bias, out), None) is not None
    kept_of = operand if is_quick else None
    run, repeated, kept = prepare_on_gpu(a, b, out, place.library, kept_of, c=c, bias=bias, **options)
    product = _prepared(given, options, run.plan, operand, kept)
    if repeated is not None and all(map(is_tensor, given.values())):
        example = repeated.result() if out is None else out
        product._repeat(repeated, (a, b, c, bias, example))  # noqa: SLF001  (its own module)
    return product


def _prepared(
    given: dict[str, Any], options: dict[str, Any], found: Any, operand: str | None, kept: KeptMemory | None = None
) -> PreparedProduct:
    if operand is None:
        return PreparedProduct(given, options, found)
    if found.constant is None:  # what was planned knows nothing of it
        found = nothing_kept(found, operand, "each call with such arrays is one of matmul")
    return PreparedProduct(given, options, found, ConstantOperand(operand, given[operand], kept))


def _at_once(given: dict[str, Any], options: dict[str, Any]) -> Callable[[Any, Any], Any] | None:
    """What multiplies small host arrays of A's and B's layouts at once, without options; None where nothing does."""
    if set(given) != {"A", "B"} or options != PLAIN_OPTIONS:
        return None
    a, b = given.values()
    return small_tensors.planned(a, b) if getattr(a, "is_cpu", False) is True else small_arrays.planned(a, b)


def _seen(array: Any) -> tuple[Any, ...] | None:
    """What tells a layout on the host in less time than the layout itself; None for other arrays."""
    if type(array) is numpy.ndarray:
        return array.shape, array.strides, array.dtype
    if is_tensor(array) and not array.is_cuda and array.is_cpu and not array.is_nested and tracing_state()() is None:
        try:
            return type(array), array.layout, array.shape, array.stride(), array.dtype
        except RuntimeError:  # a sparse tensor may have no strides
            return None
    return None


def layout_of(array: Any, name: str) -> Layout:
    """The layout of an array of any library. Raises DtypeError if it is not an array."""
    if is_tensor(array):
        check_dense(array, name)
        where = f" on {array.device}{_off(address_of(array)) if array.is_cuda else ''}"
        dtype = str(array.dtype).removeprefix("torch.")
        return Layout("torch.Tensor", described(array).shape, tuple(array.stride()), dtype, where)
    place = place_of(**{name: array})
    if place.on_gpu:
        from tilewright.arrays.memory import memory

        found = memory(place.library).describe(array, name)
        where = f" on GPU {found.device}{_off(found.address)}"
        return Layout(_kind(array), found.shape, found.strides, found.dtype, where)
    if isinstance(array, numpy.ndarray):
        return Layout(_kind(array), array.shape, array.strides, str(array.dtype))
    values = host_array(array, name, place.library).values
    return Layout(_kind(array), values.shape, values.strides, str(values.dtype))


def _off(address: int) -> str:
    beyond = address % ALIGNMENT_BYTES
    return f", {beyond} bytes past a multiple of {ALIGNMENT_BYTES}" if beyond else ""


def _kind(array: object) -> str:
    return f"{type(array).__module__.partition('.')[0]}.{type(array).__qualname__}".removeprefix("builtins.")
