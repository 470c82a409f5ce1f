"""matmul and reduced_matmul of arrays on a GPU: asynchronous, with memory and stream of the arrays' own library."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilewright.arrays.cuda_array import CudaArray, NoKernelError, Shape, packed_strides
from tilewright.arrays.errors import DtypeError
from tilewright.arrays.foreign import borrowed, by_lender
from tilewright.arrays.library_array import has_kernel, in_one_type
from tilewright.arrays.memory import AsDescribed, DeviceMemory, memory
from tilewright.arrays.places import CUDA, TORCH
from tilewright.choose.choice import choose_plan
from tilewright.choose.plan import Plan, Tile
from tilewright.kernels import problem
from tilewright.kernels.kernel import LEAST_CAPABILITY
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.precision import precision_of
from tilewright.kernels.problem import Epilogue, Problem

from .asked import Asked, check, check_vectors
from .constant_operand import KeptMemory, keep
from .epilogue import PLAIN, EpilogueNumbers
from .library_product import multiply_by_library, pair_sums, takes_a_cast
from .repeated_product import OPTIONS, Options, RepeatedProduct, options_of, remember

if TYPE_CHECKING:
    from tilewright.launch.cuda.device import CudaDevice
    from tilewright.launch.cuda.planned import PlannedRun

MOST_PLANS_KEPT = 4096

PlanKey = tuple[Any, ...]

_plans: dict[PlanKey, PlannedRun] = {}


def multiply_on_gpu(
    a: object,
    b: object,
    c: object,
    bias: object,
    out: object,
    library: str,
    options: Options,
    operation: str = "matmul",
    *,
    invariant: bool = False,
) -> Any:
    """Multiply a library's arrays on a GPU. Returns `out`, or an array of that library on the same device.

    ``options`` are those of `tilewright.matmul`, in the order of OPTIONS; ``operation`` may be "reduced_matmul".
    ``invariant``: a row's bits do not depend on the other rows.
    Arrays of an unknown library are read in place if a kernel multiplies their type, else they become the lender's.

    Raises:
        ShapeError, DtypeError, PlanError, ValueError: as `tilewright.matmul` does, before anything runs; DtypeError
            also if the lender cannot take over an array.
        OutOfMemoryError, MachineError, DeviceUnavailableError: the GPU or the library refuses.
    """
    try:
        return _multiplied(a, b, c, bias, out, library, options, operation, invariant)
    except DtypeError:
        if library != CUDA or _are_of_one_kernel(a, b, memory(library)):
            raise
    c_operand, along = (None if array is None else borrowed(array, name) for array, name in ((c, "c"), (bias, "bias")))

    def lent(x: object, y: object, into: object, lender: str) -> Any:
        return _multiplied(x, y, c_operand, along, into, lender, options, operation, invariant)

    return by_lender(lent, a, b, out)


def _multiplied(
    a: object,
    b: object,
    c: object,
    bias: object,
    out: Any,
    library: str,
    options: Options,
    operation: str,
    invariant: bool,
) -> Any:
    if library == TORCH and out is not None and out.is_neg():  # it stands for the negatives of what its memory holds
        return out.copy_(_multiplied(a, b, c, bias, out.resolve_neg(), library, options, operation, invariant))
    left, right = in_one_type(a, b, library)
    named = dict(zip(OPTIONS, options, strict=True))
    if out is not None and named["out_dtype"] is None and takes_a_cast(out, left, right, library, operation):
        out[...] = _multiplied(left, right, c, bias, None, library, options, operation, invariant)
        return out
    if not has_kernel(left, library):
        if operation == "reduced_matmul":
            left, right = pair_sums(left, right)
        return multiply_by_library(left, right, out, library, c=c, bias=bias, **named)
    place = memory(library)
    asked = check(left, right, out, place, c=c, bias=bias, operation=operation, invariant=invariant, **named)
    repeated = (
        options_of(operation, options, invariant=invariant) if left is a and right is b else None
    )  # not of copies in another type
    return _computed(asked, (a, b, c, bias, out), place, repeated)


def multiply_vectors(
    a: object,
    b: object,
    axes: tuple[int, int],
    shape: Shape,
    out: object,
    library: str,
    dtype: object,
    options: Options | None,
) -> Any:
    """Products of vectors along one axis of each of two arrays of one type; all other axes broadcast to ``shape``.

    ``dtype`` is the sums' type, None for the inputs' own. ``options`` are those under which `repeated_product`
    remembers the product; None if it is not to.

    Raises:
        ShapeError, DtypeError, PlanError, ValueError: `out` or the types do not fit.
    """
    place = memory(library)
    asked = check_vectors(a, b, out, place, axes, shape, dtype)
    return _computed(asked, (a, b, None, None, out), place, options)


def _computed(asked: Asked, given: tuple[Any, ...], place: DeviceMemory, options: Options | None) -> Any:
    """The result of a checked request, for the arrays (A, B, c, bias, out) as they were ``given``."""
    from tilewright.launch.cuda.device import cuda_device

    device, out = cuda_device(asked.a.device), given[-1]
    if device.inherited:
        device.check_process()
    target = asked.out
    if target is None or not asked.can_be_written_at_once:
        target = place.empty(asked.shape, asked.out_dtype, asked.a.device)
    if 0 not in target.shape:
        run, packed_bias = _run(asked, target, place, device)
        if asked.out is not None and target is not asked.out:
            place.copy(target, asked.out)
        elif packed_bias is asked.bias and options is not None:
            remember(given, options, run, target, (asked.a, asked.b, asked.c_operand, asked.bias))
    return place.result(target, asked.inputs) if out is None else out


def _are_of_one_kernel(a: object, b: object, place: DeviceMemory) -> bool:
    """Whether both have the same type, and a kernel multiplies it. Raises DtypeError if one is not a plain array."""
    try:
        one, other = place.describe(a, "A").dtype, place.describe(b, "B").dtype
    except NoKernelError:
        return False
    return one == other and one in DTYPE_BYTES


def prepare_on_gpu(
    a: object, b: object, out: object, library: str, constant: str | None = None, **options: Any
) -> tuple[PlannedRun, RepeatedProduct | None, KeptMemory | None]:
    """Check, plan and load a product without running it; return the run, and for torch's tensors its fast repetition.

    None if the arrays need more than a launch, such as a bias with gaps or an `out` that overlaps. ``constant``: the
    operand, "A" or "B", of which the run reads what is made of it here, on the current stream, and that memory; None
    if nothing is made of it, or there is no fast repetition.
    """
    from tilewright.launch.cuda.device import cuda_device

    asked = check(a, b, out, memory(library), **options)
    target = asked.out
    if target is None:
        strides = packed_strides(asked.shape)
        target = CudaArray(0, asked.shape, strides, asked.out_dtype, asked.a.device, owner=None)
    device, kept = cuda_device(asked.a.device), None
    more_than_a_launch = asked.bias is not None and not _is_packed_vector(asked.bias)
    if library != "torch" or not target.is_one_place_each or more_than_a_launch:
        return _planned(asked, target, device), None, None
    if constant is None:
        run = _planned(asked, target, device)
    else:
        plan = choose_plan(_problem(asked, target), device.facts, asked.kernel, asked.tile)
        run, kept = keep(plan, constant, (asked.a, asked.b), memory(library), device)
    return run, RepeatedProduct(run, target, (asked.a, asked.b, asked.c_operand, asked.bias)), kept


def prepare_described(a: object, b: object, place: Any, **options: Any) -> PlannedRun:
    """Check, plan and load a product of arrays that ``place`` describes, with a packed result; nothing runs."""
    from tilewright.launch.cuda.device import cuda_device

    asked = check(a, b, None, place, **options)
    target = CudaArray(0, asked.shape, packed_strides(asked.shape), asked.out_dtype, asked.a.device, owner=None)
    return _planned(asked, target, cuda_device(asked.a.device))


def explain_described(
    a: CudaArray,
    b: CudaArray,
    *,
    out_dtype: str | None = None,
    kernel: str = "auto",
    tile: Tile | None = None,
    device: str = "auto",
    precision: str = "auto",
    operation: str = "matmul",
) -> Plan:
    """The plan for described arrays, with its reasons. Nothing runs."""
    from tilewright.launch.cuda.device import cuda_device

    described: Any = AsDescribed()
    chosen: dict[str, Any] = {"kernel": kernel, "tile": tile, "device": device, "precision": precision}
    chosen["operation"] = operation
    asked = check(a, b, None, described, out_dtype=out_dtype, **chosen)
    strides = packed_strides(asked.shape)
    target = CudaArray(0, asked.shape, strides, asked.out_dtype, asked.a.device, owner=None)
    return choose_plan(_problem(asked, target), cuda_device(asked.a.device).facts, asked.kernel, asked.tile)


def explain_vectors(a: CudaArray, b: CudaArray, axes: tuple[int, int], shape: Shape) -> Plan:
    """The plan for products of described vectors. Nothing runs."""
    from tilewright.launch.cuda.device import cuda_device

    described: Any = AsDescribed()
    asked = check_vectors(a, b, None, described, axes, shape, None)
    target = CudaArray(0, shape, packed_strides(shape), asked.out_dtype, asked.a.device, owner=None)
    return choose_plan(_problem(asked, target), cuda_device(asked.a.device).facts)


def _run(
    asked: Asked, target: CudaArray, place: DeviceMemory, device: CudaDevice
) -> tuple[PlannedRun, CudaArray | None]:
    """Launch the product; return its run, and the bias as it was read."""
    bias = asked.bias
    if bias is not None and not _is_packed_vector(bias):
        bias = place.packed(bias)
    planned = _planned(asked, target, device)
    working = place.empty((planned.workspace_bytes,), "uint8", device.ordinal) if planned.workspace_bytes else None
    stream = place.stream(device.ordinal)
    for array in asked.inputs:
        if array.producer_stream is not None:
            device.wait_for(stream, array.producer_stream)
    buffers = (asked.a, asked.b, target, asked.c_operand, bias, working)
    addresses = [0 if array is None else array.address for array in buffers]
    planned.run(addresses, stream)
    return planned, bias


def _planned(asked: Asked, target: CudaArray, device: CudaDevice) -> PlannedRun:
    """The plan, ready to run; made once per layout of the arrays."""
    c_operand, bias = asked.c_operand, asked.bias
    key = (
        asked.a.layout,
        asked.b.layout,
        target.layout,
        None if c_operand is None else c_operand.layout,
        None if bias is None else bias.dtype,
        asked.numbers,
        asked.kernel,
        asked.tile,
        asked.precision,
        asked.operation,
        asked.invariant,
        asked.axes,
        asked.a.device,
    )
    planned = _plans.get(key)
    if planned is None:
        from tilewright.launch.cuda.planned import PlannedRun

        plan = choose_plan(_problem(asked, target), device.facts, asked.kernel, asked.tile)
        if len(_plans) >= MOST_PLANS_KEPT:
            _plans.clear()
        planned = _plans[key] = PlannedRun(plan, device)
    return planned


def planned_run(
    a: CudaArray, b: CudaArray, target: CudaArray, device: CudaDevice, precision: str = "auto"
) -> PlannedRun:
    """A B into separate memory, ready to run; made once per layout of the arrays."""
    return _planned(_asked_for(a, b, target, precision), target, device)


def accumulating_run(
    a: CudaArray, b: CudaArray, target: CudaArray, device: CudaDevice, precision: str = "auto"
) -> PlannedRun:
    """C += A B, where C's memory is the C operand, too; made once per layout of the arrays."""
    how = precision_of(a.dtype, precision)
    numbers = EpilogueNumbers(1.0, 1.0, None)
    asked = Asked(a, b, target.shape, target.dtype, numbers, target, None, target, "auto", None, how)
    return _planned(asked, target, device)


def plan_of(a: CudaArray, b: CudaArray, target: CudaArray, device: CudaDevice, precision: str = "auto") -> Plan:
    """The plan of A B into separate memory; the addresses may be 0."""
    return choose_plan(_problem(_asked_for(a, b, target, precision), target), device.facts)


def _asked_for(a: CudaArray, b: CudaArray, target: CudaArray, precision: str) -> Asked:
    how = precision_of(a.dtype, precision)
    return Asked(a, b, target.shape, target.dtype, PLAIN, None, None, target, "auto", None, how)


def _problem(asked: Asked, target: CudaArray) -> Problem:
    """The problem as matrices and batches. A vector is a row on the left, a column on the right."""
    if asked.axes is not None:
        return _of_vectors(asked, asked.axes, target)
    rows, columns = len(asked.a.shape) > 1, len(asked.b.shape) > 1
    batch = asked.shape[: len(asked.shape) - rows - columns]
    target = target if rows and columns else _as_matrices(target, rows=rows, columns=columns)
    c, c_operand = target.operand(batch), None
    if asked.c_operand is not None:
        spread = asked.c_operand.broadcast_to(asked.shape)
        c_operand = (spread if rows and columns else _as_matrices(spread, rows=rows, columns=columns)).operand(batch)
    numbers, has_bias = asked.numbers, asked.bias is not None
    is_plain = numbers is PLAIN and not has_bias
    return Problem(
        a=asked.a.operand(batch),
        b=asked.b.operand(batch, vector_is_column=True),
        c=c,
        dtype=asked.a.dtype,
        out_dtype=asked.out_dtype,
        epilogue=problem.PLAIN if is_plain else Epilogue(numbers.alpha, numbers.beta, has_bias, numbers.activation),
        c_operand=c_operand,
        precision=asked.precision,
        operation=asked.operation,
        invariant=asked.invariant,
    )


def _of_vectors(asked: Asked, axes: tuple[int, int], target: CudaArray) -> Problem:
    from tilewright.launch.cuda.device import cuda_device

    batch, capability = asked.shape, cuda_device(asked.a.device).facts.compute_capability
    return Problem(
        a=asked.a.vector(axes[0], batch, is_column=False),
        b=asked.b.vector(axes[1], batch, is_column=True),
        c=replace(target, shape=(*batch, 1, 1), strides=(*target.strides, 0, 0)).operand(batch),
        dtype=asked.a.dtype,
        out_dtype=asked.out_dtype,
        # Older chips have kernels for any strides for matrices alone.
        operation="dot" if capability is not None and capability >= LEAST_CAPABILITY else "matmul",
    )


def _as_matrices(array: CudaArray, *, rows: bool, columns: bool) -> CudaArray:
    """The result or the C operand with the dimensions restored that it lacks because an operand is a vector."""
    shape, strides = list(array.shape), list(array.strides)
    if not columns:
        shape.append(1)
        strides.append(0)
    if not rows:
        shape.insert(len(shape) - 1, 1)
        strides.insert(len(strides) - 1, 0)
    return CudaArray(array.address, tuple(shape), tuple(strides), array.dtype, array.device, array.owner)


def _is_packed_vector(bias: CudaArray) -> bool:
    return bias.strides == (1,) or bias.size <= 1
