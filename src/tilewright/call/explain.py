"""`tilewright.explain`."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from numpy.typing import NDArray

from tilewright.arrays.errors import DtypeError
from tilewright.arrays.host_array import host_array, in_type
from tilewright.arrays.numpy import host_dtype
from tilewright.arrays.places import TORCH, place_of
from tilewright.arrays.stores.opened import is_stored
from tilewright.choose import HOST_FACTS, Plan, Problem, choose_plan

from . import trip, trip_rates
from .arguments import check_operation
from .door import Call, taken
from .kernel_product import kernel_type, plan_for
from .shapes import check_shapes, dot_shape
from .way import Way, check_way

Array = NDArray[Any]


def explain(
    a: Any,
    b: Any,
    *,
    operation: str = "matmul",
    kernel: str = "auto",
    device: str = "auto",
    tile: int | tuple[int, int] | None = None,
    precision: str = "auto",
    out: Any = None,
    memory_limit: int | str | None = None,
    engine: object = None,
) -> Plan:
    """The plan for A and B: kernel, tile, grid, block, shared bytes, and a reason for each choice. Nothing runs.

    Args:
        a: A, any array that the operation takes.
        b: B, of the same library and device.
        operation: "matmul", "reduced_matmul" or "dot".
        kernel: "auto", or a kernel's name such as "tiled" or "matmul/tiled".
        device: "auto", "host", "gpu" or "emulator".
        tile: the tile, or None to let the plan choose it.
        precision: how float32 is multiplied, as for matmul.
        out: where the result would go, for stored arrays and with a memory limit.
        memory_limit: as for matmul: the plan is then of a product that streams.
        engine: as for matmul: the plan also says how many workers there are.

    Returns:
        A `tilewright.Plan` with all launches; `print` shows it. For a product that streams a
        `tilewright.choose.streamed.StreamedPlan`: tiles, bytes moved, the peak of each memory, the bound and the rates.

    Raises:
        ShapeError, DtypeError: A and B do not fit, as for the operation itself.
        PlanError: no plan can do what was asked.
        UnknownKernelError: no kernel has that name.
        DeviceUnavailableError: device="gpu" and there is none.
    """
    operation = check_operation(operation)
    chosen: dict[str, Any] = {"kernel": kernel, "device": device, "tile": tile, "precision": precision}
    elsewhere = _planned_elsewhere(a, b, operation, out, memory_limit, engine, chosen)
    if elsewhere is not NotImplemented:
        return elsewhere  # type: ignore[no-any-return]
    place = place_of(A=a, B=b)
    if not place.has_values:
        raise DtypeError("A is a tensor of torch's meta device, and a plan is for arrays on the host or on a GPU.")
    if place.library == TORCH:  # a tensor whose gradients are recorded lies as one whose are not
        a, b = (tensor.detach() for tensor in (a, b))
    if place.on_gpu:
        from .explain_on_gpu import explain_on_gpu

        return explain_on_gpu(operation, a, b, place.library, **chosen)
    way = check_way(operation, kernel, device, tile, precision)
    arrays = host_array(a, "A", place.library), host_array(b, "B", place.library)
    left, right = (array.values for array in arrays)
    if operation == "dot" and not left.ndim == right.ndim == 1:
        return _contraction(left, right, way)
    shape = check_shapes(operation, left, right)
    if way.to_gpu:
        left, right, _ = trip.operands(left, right)
        said = "device='gpu' was asked for: the arrays go to the GPU and back."
        return trip.explain(left, right, shape, said, way.precision)
    if not way.by_numpy:
        return plan_for(operation, left, right, kernel_type(operation, *arrays, way.kernel), way)
    dtype = host_dtype(operation, left, right)
    verdict = None
    if way.is_free and operation == "matmul":
        same = in_type(left, dtype), in_type(right, dtype)
        verdict = trip_rates.verdict(*same, shape)
        if verdict is not None and verdict.goes:
            return trip.explain(*same, shape, verdict.reason, way.precision)
    plan = plan_for(operation, left, right, dtype.name, way)
    return plan if verdict is None else replace(plan, reasons=(*plan.reasons, verdict.reason))


def _planned_elsewhere(
    a: Any,
    b: Any,
    operation: str,
    out: Any,
    memory_limit: int | str | None,
    engine: object,
    chosen: dict[str, Any],
) -> Any:
    """Return the plan of arrays that lie on several devices or stream, NotImplemented for all others."""
    result = NotImplemented
    if engine is None:
        result = taken(Call(explain, "explain", a, b, {"operation": operation, **chosen}))
    if result is NotImplemented and (memory_limit is not None or engine is not None or is_stored(a, b, out)):
        from .streamed.product import explain_streamed

        return explain_streamed(operation, a, b, out, memory_limit=memory_limit, engine=engine, **chosen)
    return result


def _contraction(a: Array, b: Array, way: Way) -> Plan:
    """The plan of a dot of other arrays than two vectors, which NumPy computes: that of a product of matrices."""
    shape = dot_shape(a, b)
    if not way.by_numpy or way.tile is not None:
        check_shapes("dot", a, b)  # which says that these take two vectors
    m, n, k, reason = prod(shape), 1, 1, "A number scales the other."
    if a.ndim and b.ndim:
        m, n, k = prod(a.shape[:-1]), prod(shape[a.ndim - 1 :]), a.shape[-1]
        reason = "The axes that are left are the product's rows and columns."
    plan = choose_plan(Problem.of("matmul", m, n, k, host_dtype("dot", a, b).name), HOST_FACTS)
    return replace(plan, reasons=(*plan.reasons, reason))
