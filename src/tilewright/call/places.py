"""Where the arrays of a call are, and whether they go together: one kind of array, in one place."""

from __future__ import annotations

from typing import Any

from .cuda_arrays import is_on_gpu
from .errors import DtypeError
from .torch_arrays import is_tensor

HOST, TORCH_HOST, GPU = "the host", "the host, as torch's tensors", "a GPU"


def place_of(**given: object) -> str:
    """Where all arrays are that were given (not None), by their names in messages: HOST, TORCH_HOST or GPU.

    Raises:
        DtypeError: some are elsewhere or of another kind than the first, or where no kernel reads them.
    """
    places = {name: _place(array, name) for name, array in given.items() if array is not None}
    (first, place), *others = places.items()
    for name, elsewhere in others:
        if elsewhere != place:
            raise DtypeError(
                f"{first} is {_kind(given[first])} and {name} is {_kind(given[name])}; "
                "arrays of one kind in one place are accepted, and none is moved without being asked."
            )
    return place


def _place(array: Any, name: str) -> str:
    if is_tensor(array):
        if array.is_cuda:
            return GPU
        if array.device.type != "cpu":
            raise DtypeError(f"{name} is {_kind(array)}, and tensors on the CPU or a CUDA device are accepted.")
        return TORCH_HOST
    return GPU if is_on_gpu(array) else HOST


def _kind(array: Any) -> str:
    if is_tensor(array):
        return f"a torch tensor on {array.device}"
    kind = f"a {type(array).__module__.partition('.')[0]} {type(array).__qualname__}".replace("a builtins ", "a ")
    return f"{kind} on a GPU" if is_on_gpu(array) else kind
