"""matmul of arrays that are on a GPU: they stay there, nothing waits, and their own library gives the memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright.choose import PlanError
from tilewright.choose.gpu_plan import Tile, plan_product
from tilewright.choose.launches import GpuPlan
from tilewright.choose.multiplication import INPUT_DTYPES, Epilogue, Multiplication

from . import arrays
from .arguments import check_device, check_kernel_name, check_tile
from .cuda_arrays import CudaArray, Shape, packed_strides
from .cuda_memory import DeviceMemory, memory
from .epilogue import EpilogueNumbers, check_addend_shape, check_bias_shape, check_epilogue
from .errors import DtypeError, ShapeError
from .library_product import explain_by_library, has_kernel, in_one_type, multiply_by_library
from .repeated_product import Key, RepeatedProduct, remember

if TYPE_CHECKING:
    from tilewright.launch.cuda_device import CudaDevice
    from tilewright.launch.planned import PlannedRun

MOST_PLANS_KEPT = 4096

PlanKey = tuple[Any, ...]

_plans: dict[PlanKey, PlannedRun] = {}


@dataclass(frozen=True)
class Asked:
    """A product that was asked for, with all of it checked: what is multiplied, and where the result goes.

    ``shape`` is the result's. ``addend`` is None where beta is 0.
    """

    a: CudaArray
    b: CudaArray
    shape: Shape
    out_dtype: str
    numbers: EpilogueNumbers
    addend: CudaArray | None
    bias: CudaArray | None
    out: CudaArray | None
    kernel: str
    tile: Tile | None

    @property
    def inputs(self) -> tuple[CudaArray, ...]:
        """The arrays that are read."""
        return tuple(array for array in (self.a, self.b, self.addend, self.bias) if array is not None)

    @property
    def can_be_written_at_once(self) -> bool:
        """Whether `out` can be written while the inputs are read.

        It may be c itself, element for element: what writes an element has read c's there.
        """
        out = self.out
        if out is None or not out.is_one_place_each:
            return False
        others = [array for array in self.inputs if array is not self.addend or not array.lies_as(out)]
        return not any(out.overlaps(array) for array in others)


def multiply_on_gpu(a: Any, b: Any, out: object, library: str, key: Key | None, **options: Any) -> Any:
    """What matmul does with arrays of a library on a GPU. Returns `out`, or an array of that library on their device.

    ``options`` are those of `tilewright.matmul`; ``key`` is under what the product is remembered.

    Raises:
        ShapeError, DtypeError, PlanError, ValueError: as `tilewright.matmul` does, before anything runs.
        OutOfMemoryError, MachineError, DeviceUnavailableError: the GPU or the library refuses.
    """
    from tilewright.launch.cuda_device import cuda_device

    a, b = in_one_type(a, b, library)
    if not has_kernel(a, library):
        return multiply_by_library(a, b, out, library, **options)
    place = memory(library)
    asked = check(a, b, out, place, **options)
    device = cuda_device(asked.a.device)
    device.check_process()
    target = asked.out
    if target is None or not asked.can_be_written_at_once:
        target = place.empty(asked.shape, asked.out_dtype, asked.a.device)
    if target.size:
        run, bias = _run(asked, target, place, device)
        if asked.out is not None and target is not asked.out:
            place.copy(target, asked.out)
        elif bias is asked.bias:
            remember(key, run, target, (asked.a, asked.b, asked.addend, bias))
    return place.result(target, asked.inputs) if out is None else out


def prepare_on_gpu(
    a: Any, b: Any, out: object, library: str, **options: Any
) -> tuple[PlannedRun, RepeatedProduct | None]:
    """Check, plan and load a product, and run nothing: the run, and what repeats it for torch's tensors at once.

    None where the arrays need more than a launch: a bias with gaps, an `out` whose elements overlap.
    """
    from tilewright.launch.cuda_device import cuda_device

    asked = check(a, b, out, memory(library), **options)
    target = asked.out
    if target is None:
        strides = packed_strides(asked.shape)
        target = CudaArray(0, asked.shape, strides, asked.out_dtype, asked.a.device, owner=None)
    run = _planned(asked, target, cuda_device(asked.a.device))
    more_than_a_launch = asked.bias is not None and not _is_packed_vector(asked.bias)
    if library != "torch" or not target.is_one_place_each or more_than_a_launch:
        return run, None
    return run, RepeatedProduct(run, target, (asked.a, asked.b, asked.addend, asked.bias))


def explain_on_gpu(
    a: Any, b: Any, library: str, *, kernel: str = "auto", tile: Tile | None = None, device: str
) -> GpuPlan:
    """The plan for two arrays on a GPU, with its reasons. Nothing runs."""
    from tilewright.launch.cuda_device import cuda_device

    a, b = in_one_type(a, b, library)
    if not has_kernel(a, library):
        return GpuPlan((), 0, (explain_by_library(a, b, library),))
    asked = check(a, b, None, memory(library), kernel=kernel, tile=tile, device=device)
    strides = packed_strides(asked.shape)
    target = CudaArray(0, asked.shape, strides, asked.out_dtype, asked.a.device, owner=None)
    return plan_product(_multiplication(asked, target), cuda_device(asked.a.device).facts, asked.kernel, asked.tile)


def check(
    a: object,
    b: object,
    out: object,
    place: DeviceMemory,
    *,
    out_dtype: object = None,
    alpha: object = 1,
    beta: object = 0,
    c: object = None,
    bias: object = None,
    activation: object = None,
    kernel: object = "auto",
    tile: object = None,
    device: object = "auto",
) -> Asked:
    """Look at all that was given; what is refused is refused here."""
    if check_device(device) not in {"auto", "gpu"}:
        raise PlanError(
            f"The arrays are on a GPU, where device is 'auto' or 'gpu', not {device!r}; copy them back first."
        )
    numbers = check_epilogue(alpha, beta, c, activation)
    name, checked_tile = check_kernel_name(kernel), _checked_tile(tile)
    left, right = place.describe(a, "A"), place.describe(b, "B")
    shape = arrays.check_shapes("matmul", left, right)
    given = arrays.describe(left, right)
    if left.dtype != right.dtype:
        raise DtypeError(f"matmul takes two arrays of one type on a GPU, but {given}.")
    dtype = _out_dtype(out_dtype, left.dtype, given)
    columns = right.shape[-1] if right.ndim > 1 else 1
    addend = bias_array = target = None
    if c is not None:
        addend = place.describe(c, "c")
        check_addend_shape(addend.shape, shape, given)
        _check_dtype("c", addend, dtype, given)
    if bias is not None:
        bias_array = place.describe(bias, "bias")
        check_bias_shape(bias_array.shape, columns, given)
        _check_dtype("bias", bias_array, dtype, given)
    if out is not None:
        target = place.describe(out, "out")
        if target.shape != shape:
            raise ShapeError(
                f"out is {target.shape} {target.dtype}, but the result is {shape} {dtype}; the shapes must be equal."
            )
        _check_dtype("out", target, dtype, given)
        if not target.writable:
            raise ValueError(f"out is {target.shape} {target.dtype} and read-only.")
    _check_one_device(A=left, B=right, c=addend, bias=bias_array, out=target)
    if numbers.beta == 0:
        addend = None
    return Asked(left, right, shape, dtype, numbers, addend, bias_array, target, name, checked_tile)


def _run(
    asked: Asked, target: CudaArray, place: DeviceMemory, device: CudaDevice
) -> tuple[PlannedRun, CudaArray | None]:
    """Launch the product, and return its plan and the bias as it was read."""
    bias = asked.bias
    if bias is not None and not _is_packed_vector(bias):
        bias = place.packed(bias)
    planned = _planned(asked, target, device)
    working = place.empty((planned.workspace_bytes,), "uint8", device.ordinal) if planned.workspace_bytes else None
    stream = place.stream(device.ordinal)
    for array in asked.inputs:
        if array.producer_stream is not None:
            device.wait_for(stream, array.producer_stream)
    buffers = (asked.a, asked.b, target, asked.addend, bias, working)
    addresses = [0 if array is None else array.address for array in buffers]
    planned.run(addresses, stream)
    return planned, bias


def _planned(asked: Asked, target: CudaArray, device: CudaDevice) -> PlannedRun:
    """The plan, ready to run: made once for arrays that lie alike."""
    addend, bias = asked.addend, asked.bias
    key = (
        asked.a.layout,
        asked.b.layout,
        target.layout,
        None if addend is None else addend.layout,
        None if bias is None else bias.dtype,
        asked.numbers,
        asked.kernel,
        asked.tile,
        asked.a.device,
    )
    planned = _plans.get(key)
    if planned is None:
        from tilewright.launch.planned import PlannedRun

        plan = plan_product(_multiplication(asked, target), device.facts, asked.kernel, asked.tile)
        if len(_plans) >= MOST_PLANS_KEPT:
            _plans.clear()
        planned = _plans[key] = PlannedRun(plan, device)
    return planned


def _multiplication(asked: Asked, target: CudaArray) -> Multiplication:
    """The product as plans see it: matrices and batches. A vector is a row on the left, a column on the right."""
    rows, columns = asked.a.ndim > 1, asked.b.ndim > 1
    batch = asked.shape[: len(asked.shape) - rows - columns]
    result = [_as_matrices(array, rows=rows, columns=columns) for array in (target, _spread(asked.addend, asked.shape))]
    c, addend = (None if array is None else array.operand(batch) for array in result)
    assert c is not None
    numbers = asked.numbers
    return Multiplication(
        a=asked.a.operand(batch),
        b=asked.b.operand(batch, vector_is_column=True),
        c=c,
        dtype=asked.a.dtype,
        out_dtype=asked.out_dtype,
        epilogue=Epilogue(numbers.alpha, numbers.beta, asked.bias is not None, numbers.activation),
        addend=addend,
    )


def _spread(addend: CudaArray | None, shape: Shape) -> CudaArray | None:
    return None if addend is None else addend.broadcast_to(shape)


def _as_matrices(array: CudaArray | None, *, rows: bool, columns: bool) -> CudaArray | None:
    """The result or the addend with the dimensions that a vector has taken from it."""
    if array is None:
        return None
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


def _checked_tile(tile: object) -> Tile | None:
    if isinstance(tile, tuple | list):
        sides = [check_tile(side) for side in tile]
        if len(sides) == 2 and None not in sides:
            return (int(sides[0] or 0), int(sides[1] or 0))
        raise PlanError(f"tile is {tile!r}, and one whole number, a pair of them (rows, columns) or None is accepted.")
    return check_tile(tile)


def _out_dtype(asked: object, dtype: str, given: str) -> str:
    name = dtype if asked is None else arrays.type_name(asked)
    accepted = (dtype, "float32") if dtype in INPUT_DTYPES else (dtype,)
    if name not in accepted:
        raise DtypeError(f"out_dtype is {name}, and {' or '.join(accepted)} is accepted; {given}.")
    return name


def _check_dtype(name: str, array: CudaArray, dtype: str, given: str) -> None:
    if array.dtype != dtype:
        raise DtypeError(
            f"{name} is {array.shape} {array.dtype}, and {dtype}, the result's type, is accepted; {given}."
        )


def _check_one_device(**given: CudaArray | None) -> None:
    places = {name: array.device for name, array in given.items() if array is not None and array.size}
    if len(set(places.values())) > 1:
        where = ", ".join(f"{name} is on GPU {device}" for name, device in places.items())
        raise DtypeError(f"All arrays must be on one device, but {where}.")
