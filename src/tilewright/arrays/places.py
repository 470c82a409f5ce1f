"""The library and device of a call's arrays, which must be the same for all. Imports no array library.

`array-api-compat` tells the libraries apart; it considers only those that the caller has imported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
from array_api_compat import is_cupy_array, is_jax_array, is_torch_array

from .cuda_array import is_on_gpu
from .errors import DtypeError
from .torch import check_dense

NUMPY, TORCH, CUPY, JAX, CUDA = "numpy", "torch", "cupy", "jax", "cuda"
"""Libraries: "numpy" includes lists and numbers; "cuda" is any other library with an array on a GPU."""


@dataclass(frozen=True)
class Place:
    """A library, by name (for an unknown one, its module's), and whether its arrays are on a GPU.

    ``has_values`` is False for torch's meta tensors, which have a shape and a type alone.
    """

    library: str
    on_gpu: bool
    has_values: bool = True


NUMPY_HOST = Place(NUMPY, on_gpu=False)


def place_of(**given: object) -> Place:
    """The common place of all given arrays (those that are not None), which are named as in messages.

    Raises:
        DtypeError: an array is on another device or of another library than the first, or no kernel can read it.
    """
    first, place = "", None
    for name, array in given.items():
        if array is None:
            continue
        found = NUMPY_HOST if type(array) is numpy.ndarray else _place(array, name)
        if place is None:
            first, place = name, found
        elif found != place:
            raise DtypeError(
                f"{first} is {_described(given[first])} and {name} is {_described(array)}; "
                "arrays of one kind in one place are accepted, and none is moved without being asked."
            )
    if place is None:
        return NUMPY_HOST  # where an A of None is read and refused
    if place.library == JAX:
        _check_one_device(given)
    if place != NUMPY_HOST:
        for name in ("A", "B"):
            if name in given and given[name] is None:
                raise DtypeError(f"{name} is None, and {first} is {_described(given[first])}; two arrays are accepted.")
    return place


def library_of(array: object) -> str | None:
    """The library of an array, if it is one of the three known ones besides NumPy."""
    return next((library for library, belongs, _ in _LIBRARIES if belongs(array)), None)


def _place(array: Any, name: str) -> Place:
    if isinstance(array, numpy.ndarray):
        return NUMPY_HOST
    for library, belongs, place in _LIBRARIES:
        if belongs(array):
            return Place(library, on_gpu=place(array, name), has_values=library != TORCH or array.device.type != "meta")
    if is_on_gpu(array):
        return Place(CUDA, on_gpu=True)
    library = type(array).__module__.partition(".")[0]
    return Place(library, on_gpu=False) if hasattr(array, "__dlpack__") and library != NUMPY else NUMPY_HOST


def _torch_is_on_gpu(tensor: Any, name: str) -> bool:
    if tensor.is_cuda:
        return True
    if tensor.device.type not in {"cpu", "meta"}:
        raise DtypeError(f"{name} is {_described(tensor)}, and tensors on the CPU or a CUDA device are accepted.")
    check_dense(tensor, name)  # here, since `out` is not read; on a GPU it is described
    return False


def _jax_is_on_gpu(array: Any, name: str) -> bool:
    from jax.core import Tracer

    if isinstance(array, Tracer):
        raise DtypeError(f"{name} is traced by JAX and has no values yet; call this outside of JAX's transformations.")
    devices = array.devices()
    platform = next(iter(devices)).platform
    if len(devices) > 1:
        raise DtypeError(f"{name} is spread over {len(devices)} devices, and arrays on one are accepted.")
    if platform not in {"cpu", "gpu", "cuda"}:
        raise DtypeError(f"{name} is {_described(array)}, and arrays on the CPU or a CUDA device are accepted.")
    return bool(platform != "cpu")


def _check_one_device(given: dict[str, Any]) -> None:
    """Raise DtypeError for JAX's arrays that are committed to different devices; others belong to any device."""
    first: tuple[str, Any] | None = None
    for name, array in given.items():
        if array is None or not array.committed:
            continue
        if first is None:
            first = name, array
        elif array.device != first[1].device:
            raise DtypeError(
                f"{first[0]} is {_described(first[1])} and {name} is {_described(array)}; arrays committed to one "
                "device are accepted, and none is moved without being asked (jax.device_put)."
            )


_LIBRARIES: tuple[tuple[str, Callable[[Any], bool], Callable[[Any, str], bool]], ...] = (
    (TORCH, is_torch_array, _torch_is_on_gpu),
    (CUPY, is_cupy_array, lambda _array, _name: True),
    (JAX, is_jax_array, _jax_is_on_gpu),
)


def _described(array: Any) -> str:
    if is_torch_array(array):
        return f"a torch tensor on {array.device}"
    if is_jax_array(array):
        return f"a jax Array on {next(iter(array.devices()))}"
    kind = f"{type(array).__module__.partition('.')[0]} {type(array).__qualname__}".removeprefix("builtins ")
    kind = f"an {kind}" if kind[0] in "aeiouAEIOU" else f"a {kind}"
    return f"{kind} on a GPU" if is_on_gpu(array) else kind
