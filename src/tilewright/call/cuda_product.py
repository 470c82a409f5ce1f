"""matmul of arrays on a GPU: asynchronous, with memory and stream of the arrays' own library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright.arrays.cuda_array import CudaArray, NoKernelError, packed_strides
from tilewright.arrays.errors import DtypeError
from tilewright.arrays.foreign import borrowed, by_lender
from tilewright.arrays.library_array import has_kernel, in_one_type
from tilewright.arrays.memory import AsDescribed, DeviceMemory, memory
from tilewright.arrays.places import CUDA, TORCH
from tilewright.choose.choice import choose_plan
from tilewright.choose.plan import Plan, Tile
from tilewright.kernels.problem import Epilogue, Problem

from .asked import Asked, check
from .epilogue import PLAIN
from .library_product import multiply_by_library, takes_a_cast
from .repeated_product import OPTIONS, Options, RepeatedProduct, remember

if TYPE_CHECKING:
    from tilewright.launch.cuda.device import CudaDevice
    from tilewright.launch.cuda.planned import PlannedRun

MOST_PLANS_KEPT = 4096

PlanKey = tuple[Any, ...]

_plans: dict[PlanKey, PlannedRun] = {}


def multiply_on_gpu(a: object, b: object, c: object, bias: object, out: object, library: str, options: Options) -> Any:
    """Multiply a library's arrays on a GPU. Returns `out`, or an array of that library on the same device.

    ``options`` are those of `tilewright.matmul`, in the order of OPTIONS. Arrays of an unknown library are read in
    place if a kernel multiplies their type, else they become the lender's.

    Raises:
        ShapeError, DtypeError, PlanError, ValueError: as `tilewright.matmul` does, before anything runs; DtypeError
            also if the lender cannot take over an array.
        OutOfMemoryError, MachineError, DeviceUnavailableError: the GPU or the library refuses.
    """
    try:
        return _multiplied(a, b, c, bias, out, library, options)
    except DtypeError:
        if library != CUDA or _are_of_one_kernel(a, b, memory(library)):
            raise
    c_operand, along = (None if array is None else borrowed(array, name) for array, name in ((c, "c"), (bias, "bias")))
    return by_lender(lambda x, y, into, lender: _multiplied(x, y, c_operand, along, into, lender, options), a, b, out)


def _multiplied(a: object, b: object, c: object, bias: object, out: Any, library: str, options: Options) -> Any:
    from tilewright.launch.cuda.device import cuda_device

    if library == TORCH and out is not None and out.is_neg():  # it stands for the negatives of what its memory holds
        return out.copy_(_multiplied(a, b, c, bias, out.resolve_neg(), library, options))
    left, right = in_one_type(a, b, library)
    named = dict(zip(OPTIONS, options, strict=True))
    if out is not None and named["out_dtype"] is None and takes_a_cast(out, left, right, library):
        out[...] = _multiplied(left, right, c, bias, None, library, options)
        return out
    if not has_kernel(left, library):
        return multiply_by_library(left, right, out, library, c=c, bias=bias, **named)
    place = memory(library)
    asked = check(left, right, out, place, c=c, bias=bias, **named)
    device = cuda_device(asked.a.device)
    if device.inherited:
        device.check_process()
    target = asked.out
    if target is None or not asked.can_be_written_at_once:
        target = place.empty(asked.shape, asked.out_dtype, asked.a.device)
    if 0 not in target.shape:
        run, packed_bias = _run(asked, target, place, device)
        if asked.out is not None and target is not asked.out:
            place.copy(target, asked.out)
        elif packed_bias is asked.bias and left is a and right is b:  # not of copies in another type
            remember((a, b, c, bias, out), options, run, target, (asked.a, asked.b, asked.c_operand, asked.bias))
    return place.result(target, asked.inputs) if out is None else out


def _are_of_one_kernel(a: object, b: object, place: DeviceMemory) -> bool:
    """Whether both have the same type, and a kernel multiplies it. Raises DtypeError if one is not a plain array."""
    try:
        return place.describe(a, "A").dtype == place.describe(b, "B").dtype
    except NoKernelError:
        return False


def prepare_on_gpu(
    a: object, b: object, out: object, library: str, **options: object
) -> tuple[PlannedRun, RepeatedProduct | None]:
    """Check, plan and load a product without running it; return the run, and for torch's tensors its fast repetition.

    None if the arrays need more than a launch, such as a bias with gaps or an `out` that overlaps.
    """
    from tilewright.launch.cuda.device import cuda_device

    asked = check(a, b, out, memory(library), **options)
    target = asked.out
    if target is None:
        strides = packed_strides(asked.shape)
        target = CudaArray(0, asked.shape, strides, asked.out_dtype, asked.a.device, owner=None)
    run = _planned(asked, target, cuda_device(asked.a.device))
    more_than_a_launch = asked.bias is not None and not _is_packed_vector(asked.bias)
    if library != "torch" or not target.is_one_place_each or more_than_a_launch:
        return run, None
    return run, RepeatedProduct(run, target, (asked.a, asked.b, asked.c_operand, asked.bias))


def prepare_described(a: object, b: object, place: Any, **options: object) -> PlannedRun:
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
) -> Plan:
    """The plan for described arrays, with its reasons. Nothing runs."""
    from tilewright.launch.cuda.device import cuda_device

    described: Any = AsDescribed()
    asked = check(a, b, None, described, out_dtype=out_dtype, kernel=kernel, tile=tile, device=device)
    strides = packed_strides(asked.shape)
    target = CudaArray(0, asked.shape, strides, asked.out_dtype, asked.a.device, owner=None)
    return choose_plan(_problem(asked, target), cuda_device(asked.a.device).facts, asked.kernel, asked.tile)


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


def planned_run(a: CudaArray, b: CudaArray, target: CudaArray, device: CudaDevice) -> PlannedRun:
    """A B into separate memory, ready to run; made once per layout of the arrays."""
    return _planned(_asked_for(a, b, target), target, device)


def plan_of(a: CudaArray, b: CudaArray, target: CudaArray, device: CudaDevice) -> Plan:
    """The plan of A B into separate memory; the addresses may be 0."""
    return choose_plan(_problem(_asked_for(a, b, target), target), device.facts)


def _asked_for(a: CudaArray, b: CudaArray, target: CudaArray) -> Asked:
    return Asked(a, b, target.shape, target.dtype, PLAIN, None, None, target, "auto", None)


def _problem(asked: Asked, target: CudaArray) -> Problem:
    """The problem as matrices and batches. A vector is a row on the left, a column on the right."""
    rows, columns = len(asked.a.shape) > 1, len(asked.b.shape) > 1
    batch = asked.shape[: len(asked.shape) - rows - columns]
    target = target if rows and columns else _as_matrices(target, rows=rows, columns=columns)
    c, c_operand = target.operand(batch), None
    if asked.c_operand is not None:
        spread = asked.c_operand.broadcast_to(asked.shape)
        c_operand = (spread if rows and columns else _as_matrices(spread, rows=rows, columns=columns)).operand(batch)
    numbers = asked.numbers
    return Problem(
        a=asked.a.operand(batch),
        b=asked.b.operand(batch, vector_is_column=True),
        c=c,
        dtype=asked.a.dtype,
        out_dtype=asked.out_dtype,
        epilogue=Epilogue(numbers.alpha, numbers.beta, asked.bias is not None, numbers.activation),
        c_operand=c_operand,
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
