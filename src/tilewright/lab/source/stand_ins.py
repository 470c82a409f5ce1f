"""Headers that NVRTC lacks: the host's stand in empty, those that device code uses stand in with what it uses.

The texts are in `headers/`; `headers/empty.txt` lists the empty ones.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

HOST_TYPES = "tilewright_host_types.h"

_FILES = {
    "limits.h": "limits.h",
    "climits": "limits.h",
    "float.h": "float.h",
    "cfloat": "float.h",
    "stdint.h": "stdint.h",
    "cstdint": "stdint.h",
    "inttypes.h": "stdint.h",
    "cinttypes": "stdint.h",
    "stddef.h": "stddef.h",
    "cstddef": "stddef.h",
    "math.h": "math.h",
    "cmath": "math.h",
}
_OF_CUDA_STD = {
    "algorithm",
    "array",
    "functional",
    "initializer_list",
    "limits",
    "numeric",
    "tuple",
    "type_traits",
    "utility",
}
_EMPTY_FOLDERS = ("thrust/", "sys/", "nvtx3/", "boost/", "opencv2/")


def stand_in(name: str, *, uses_std: bool = False, has_cuda_std: bool = False) -> str | None:
    """Return the text that stands in for a header, or None for one that is not known.

    uses_std: whether the device's code names `std::`, which then is what CUDA's own `cuda::std` has of it.
    """
    if uses_std and has_cuda_std and name in _OF_CUDA_STD:
        return f"#pragma once\n#include <cuda/std/{name}>\nnamespace std {{ using namespace cuda::std; }}\n"
    if name in ("math.h", "cmath") and uses_std:
        return _text("math.h") + _text("cmath_of_std.h")
    if name in _FILES:
        return _text(_FILES[name])
    if name in _empty() or name in _OF_CUDA_STD or name.startswith(_EMPTY_FOLDERS):
        return ""
    return None


def host_types() -> str:
    """Return the text of `HOST_TYPES`: `uint` and its like, which a file may use without any include."""
    return _text("host_types.h")


@cache
def _text(file: str) -> str:
    return files("tilewright.lab.source").joinpath("headers", file).read_text(encoding="utf-8")


@cache
def _empty() -> frozenset[str]:
    lines = _text("empty.txt").splitlines()
    return frozenset(" ".join(line for line in lines if not line.startswith("#")).split())
