"""The plan of a product of DTensors: what moves between the processes, and what each one launches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from tilewright.call.door import Call
from tilewright.choose import Plan
from tilewright.choose.many import Sharding
from tilewright.choose.many.layout import boundaries
from tilewright.choose.many.sharded import Placements

from .placements import common_mesh, local_shape, torchs
from .rule import sharding_of

Tensor = Any


@dataclass(frozen=True)
class DistributedPlan(Plan):
    """The plan of this process's product, with the way of the whole over its mesh.

    ``problem`` and ``launches`` are this process's; of what is sent by pieces, those of its first piece.
    """

    sharding: Sharding | None = None
    mesh_names: tuple[str, ...] = ()

    def facts(self) -> dict[str, str]:
        """The plan's decisions, by name, as text: the mesh and what moves first."""
        way = self.sharding
        if way is None:
            return super().facts()
        asked, names = way.asked, self.mesh_names
        facts = {"mesh": " x ".join(f"{name} {size}" for name, size in zip(names, asked.mesh, strict=True))}
        shapes = {"A": asked.product.a_shape, "B": asked.product.b_shape}
        for array, source, target in (("A", asked.a, way.a), ("B", asked.b, way.b)):
            facts[f"whole {array}"] = f"{shapes[array]} {_moved(way, array, source, target)}"
        facts["whole C"] = f"{asked.product.c_shape} {_moved(way, 'C', way.summed, way.c)}"
        facts["bytes moved"] = f"{way.bytes:,} to each process, {way.all_bytes:,} in all"
        return facts | super().facts()


def explain_distributed(call: Call) -> Plan:
    """`tilewright.explain` of DTensors.

    Raises:
        DtypeError: one of the two is no DTensor, or lies on another mesh.
        ShapeError, PlanError, UnknownKernelError: as `explain`.
    """
    options = dict(call.options)
    operation = options.pop("operation")
    a, b = (array.detach() if isinstance(array, torch.Tensor) else array for array in (call.a, call.b))
    mesh = common_mesh(A=a, B=b)
    way = sharding_of(operation, a, b, None, None, {})
    left, right = _piece(way, mesh, a, b)
    local: Plan = call.function(left, right, operation=operation, **options)
    names = mesh.mesh_dim_names or tuple(f"dimension {at}" for at in range(mesh.ndim))
    fields = {name: getattr(local, name) for name in Plan.__dataclass_fields__}
    fields["reasons"] = (*way.reasons, *local.reasons)
    return DistributedPlan(**fields, sharding=way, mesh_names=tuple(names))


def _piece(way: Sharding, mesh: Any, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Operands such as this process's first product has: its own, or memory of their shape that nothing is read of."""
    found = []
    for name, array, source, target in (("A", a, way.asked.a, way.a), ("B", b, way.asked.b, way.b)):
        shape = list(local_shape(tuple(array.shape), mesh, target))
        pieces = way.pieces
        if pieces is not None:
            at = way.asked.product.dimension(name, pieces.label)
            if at is not None and pieces.array in {name, "C"} and pieces.sent != "k":
                shape[at] = boundaries(shape[at], (way.asked.mesh[pieces.mesh_dimension],))[1]
        held = array.to_local()
        is_there = source == target and list(held.shape) == shape
        found.append(held if is_there else torch.empty(shape, dtype=array.dtype, device=held.device))
    return found[0], found[1]


def _moved(way: Sharding, array: str, source: Placements, target: Placements) -> str:
    """As in "Shard(0) -> Replicate(): all-gather of 4,096 bytes"."""
    said = _named(source)
    if source != target:
        said += f" -> {_named(target)}"
    moves = ", ".join(f"{move.collective} of {move.bytes:,} bytes" for move in way.moves_of(array))
    return f"{said}: {moves}" if moves else said


def _named(placements: Placements) -> str:
    return ", ".join(each if each == "other" else str(torchs((each,))[0]) for each in placements)
