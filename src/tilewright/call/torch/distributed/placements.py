"""DTensors as the planner sees them: the placement of each over the dimensions of their mesh, and back."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard

from tilewright.arrays.errors import DtypeError
from tilewright.choose.many import OTHER, PARTIAL, REPLICATED, Asked, Contraction, Placement
from tilewright.choose.many.layout import boundaries
from tilewright.choose.many.sharded import Placements

Tensor = Any


def common_mesh(**given: Tensor | None) -> Any:
    """The mesh of all these arrays.

    Raises:
        DtypeError: one is no DTensor, or lies on another mesh.
    """
    arrays = {name: array for name, array in given.items() if array is not None}
    first, mesh = next((name, array.device_mesh) for name, array in arrays.items() if isinstance(array, DTensor))
    for name, array in arrays.items():
        if not isinstance(array, DTensor):
            raise DtypeError(
                f"{first} is a DTensor and {name} is a {type(array).__qualname__}; "
                f"torch.distributed.tensor.distribute_tensor makes a DTensor of {name}."
            )
        if array.device_mesh is not mesh and array.device_mesh != mesh:
            raise DtypeError(f"{first} lies on {mesh} and {name} on {array.device_mesh}; one mesh is accepted.")
    return mesh


class Lying(NamedTuple):
    """A DTensor without its elements: shape, placements, type and the extents of its mesh."""

    shape: tuple[int, ...]
    placements: Placements
    dtype: Any
    mesh: tuple[int, ...]


def lying(array: Tensor) -> Lying:
    """How a DTensor lies."""
    return Lying(tuple(map(int, array.shape)), placements_of(array), array.dtype, tuple(array.device_mesh.shape))


def asked_of(contracted: Contraction, a: Lying, b: Lying, *, c_bytes: int, is_linear: bool) -> Asked:
    """What the planner is asked for these DTensors."""
    sizes = a.dtype.itemsize, b.dtype.itemsize, c_bytes
    return Asked(contracted, a.mesh, a.placements, b.placements, *sizes, is_linear)


def placements_of(array: Tensor) -> Placements:
    """The placement over each dimension of the mesh."""
    return tuple(_placement(placement, array.ndim) for placement in array.placements)


def _placement(placement: Any, dimensions: int) -> Placement:
    if type(placement) is Shard:
        return int(placement.dim) % dimensions
    if type(placement) is Replicate:
        return REPLICATED
    return PARTIAL if type(placement) is Partial and placement.reduce_op == "sum" else OTHER


def torchs(placements: Placements) -> tuple[Any, ...]:
    """The placements in torch's classes."""
    others = {REPLICATED: Replicate(), PARTIAL: Partial()}
    return tuple(Shard(each) if isinstance(each, int) else others[each] for each in placements)


def local(array: Tensor, placements: Placements) -> Tensor:
    """This process's part of an array with these placements, to which it is brought.

    No gradient is recorded, for the product has its own; torch 2.11 cannot redistribute an array that wants one here.
    """
    with torch.no_grad():
        held = array.to_local().detach()
        if placements_of(array) == placements:
            return held
        layout = {"shape": array.shape, "stride": array.stride(), "run_check": False}
        plain = DTensor.from_local(held, array.device_mesh, array.placements, **layout)
        return plain.redistribute(plain.device_mesh, torchs(placements)).to_local()


def local_shape(shape: tuple[int, ...], mesh: Any, placements: Placements) -> tuple[int, ...]:
    """The shape of this process's part of an array."""
    extents = list(shape)
    for at, (placement, place) in enumerate(zip(placements, mesh.get_coordinate(), strict=True)):
        if isinstance(placement, int):
            ends = boundaries(extents[placement], (mesh.size(at),))
            extents[placement] = ends[place + 1] - ends[place]
    return tuple(extents)


def distributed(local_result: Tensor, mesh: Any, placements: Placements, shape: tuple[int, ...]) -> Tensor:
    """The DTensor of which this is the process's part."""
    strides = tuple(prod(max(extent, 1) for extent in shape[at + 1 :]) for at in range(len(shape)))
    return DTensor.from_local(
        local_result, mesh, torchs(placements), run_check=False, shape=torch.Size(shape), stride=strides
    )


def under_c(placements: Placements, c_shape: tuple[int, ...], shape: tuple[int, ...]) -> Placements:
    """The placements of an array that broadcasts to C, so that each process has what its part of C takes."""
    more = len(c_shape) - len(shape)

    def one(placement: Placement) -> Placement:
        if not isinstance(placement, int) or placement < more or shape[placement - more] != c_shape[placement]:
            return REPLICATED
        return placement - more

    return tuple(one(placement) for placement in placements)
