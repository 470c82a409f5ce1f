"""Replacements of headers that NVRTC lacks: empty for the host's, with the needed parts for those of device code.

The texts are in `headers/`; `headers/empty.txt` lists the empty ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
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
    "helper_math.h": "helper_math.h",
    "cutil_math.h": "helper_math.h",
    "cutil_inline_math.h": "helper_math.h",
}
# What cuda_runtime.h brings, which nvcc reads before every file, and what the host's headers behind it bring.
_READ_BEFORE = ("host_types.h", "stddef.h", "stdint.h", "limits.h", "float.h", "math.h")
_OF_CUDA_STD = {
    "algorithm",
    "array",
    "bit",
    "complex",
    "functional",
    "initializer_list",
    "iterator",
    "limits",
    "numeric",
    "optional",
    "ratio",
    "span",
    "tuple",
    "type_traits",
    "utility",
    "variant",
}
# Which of these has what device code names, for files that have it from another header.
_HEADER_OF = {
    "algorithm": "min max clamp minmax lower_bound upper_bound fill copy sort min_element max_element",
    "array": "array",
    "complex": "complex",
    "functional": "plus minus multiplies less greater equal_to",
    "limits": "numeric_limits",
    "tuple": "tuple make_tuple tie",
    "type_traits": "conditional conditional_t decay_t enable_if enable_if_t false_type integral_constant "
    "is_floating_point is_integral is_same is_same_v remove_cv_t remove_reference remove_reference_t true_type",
    "utility": "declval exchange forward get integer_sequence make_pair move pair swap",
}
_OF_ALGORITHM_AND_UTILITY = frozenset(f"{_HEADER_OF['algorithm']} {_HEADER_OF['utility']}".split())
_QUICK = frozenset(("min", "max", "clamp", "swap"))
_EMPTY_FOLDERS = ("sys/", "bits/", "nvtx3/", "boost/", "opencv2/")
# What lies in packages of its own.
_LIBRARIES = {
    "curand": ("cuRAND", "nvidia-curand"),
    "cublasdx": ("cuBLASDx", "nvidia-mathdx"),
    "cufftdx": ("cuFFTDx", "nvidia-mathdx"),
    "cutlass/": ("CUTLASS", ""),
    "cute/": ("CUTLASS", ""),
    "torch/": ("PyTorch", ""),
    "ATen/": ("PyTorch", ""),
    "c10/": ("PyTorch", ""),
    "nvshmem": ("NVSHMEM", "nvidia-nvshmem"),
    "optix": ("OptiX", ""),
}


@dataclass(frozen=True)
class DeviceNames:
    """What the device's code takes from namespaces that no include of NVRTC's has: names by namespace."""

    std: frozenset[str] = frozenset()
    thrust: frozenset[str] = frozenset()
    cub: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str], words: set[str]) -> DeviceNames:
        """Return what texts of device code name; `words` are all of theirs, also through macros."""
        found: dict[str, set[str]] = {"std": set(), "thrust": set(), "cub": set()}
        for text in texts:
            for space, name in re.findall(r"(?<![\w:])(?:::\s*)?\b(std|thrust|cub)\s*::\s*(\w+)", text):
                found[space].add(name)
        if "numeric_limits" in words:
            found["std"].add("numeric_limits")
        return cls(**{space: frozenset(names) for space, names in found.items()})


NOTHING = DeviceNames()


def stand_in(name: str, *, used: DeviceNames = NOTHING, cuda_std: AbstractSet[str] = frozenset()) -> str | None:
    """Return the text that stands in for a header, or None for one that is not known.

    used: what the device's code names. Of `std::` it then gets what CUDA's own `cuda::std` has, of `thrust::` and
    `cub::` what NVRTC can read. cuda_std: the headers of `cuda::std` that are installed.
    """
    if used.std and name in _OF_CUDA_STD:
        return _of_std(name, used, cuda_std)
    if name in ("math.h", "cmath") and used.std:
        return _text("math.h") + _text("cmath_of_std.h")
    if name in _FILES:
        return _text(_FILES[name])
    if name.startswith("thrust/"):
        return _text("thrust.h") if used.thrust and cuda_std else ""
    if name == "cub/cub.cuh":
        return _text("cub.h") if used.cub else ""
    if name in _empty() or name in _OF_CUDA_STD or name.startswith(_EMPTY_FOLDERS):
        return ""
    return None


def read_before(used: DeviceNames = NOTHING, *, cuda_std: AbstractSet[str] = frozenset()) -> str:
    """Return the text of `HOST_TYPES`: what nvcc reads before every file, and what of `std::` the device names.

    Files have `std::min` from `vector` as well as from `algorithm`, so it does not depend on what they include.
    """
    texts = [_text(file) for file in _READ_BEFORE]
    if used.std:
        texts.append(_text("cmath_of_std.h"))
        headers = [header for header, names in _HEADER_OF.items() if used.std & set(names.split())]
        texts += [_of_std(header, used, cuda_std) for header in headers]
    return "\n".join(texts).replace("#pragma once\n", "")


def library_of(name: str) -> str:
    """Return which library a missing header belongs to, and how to get it; empty if unknown."""
    for start, (library, package) in _LIBRARIES.items():
        if name.startswith(start):
            cure = f"pip install {package}" if package else "take out what needs it"
            return f"{name} is {library}'s, which is not installed here: {cure}"
    return ""


def _of_std(name: str, used: DeviceNames, cuda_std: AbstractSet[str]) -> str:
    """Return what the device has of a header of the standard library: `cuda::std`'s, which takes NVRTC long to read."""
    if name in ("algorithm", "utility") and not used.std & _OF_ALGORITHM_AND_UTILITY - _QUICK:
        return _text("algorithm_of_std.h")
    if name in cuda_std:
        return f"#include <cuda/std/{name}>\nnamespace std {{ using namespace ::cuda::std; }}\n"
    return _text("algorithm_of_std.h") if name == "algorithm" else ""


@cache
def _text(file: str) -> str:
    return files("tilewright.lab.source").joinpath("headers", file).read_text(encoding="utf-8")


@cache
def _empty() -> frozenset[str]:
    lines = _text("empty.txt").splitlines()
    return frozenset(" ".join(line for line in lines if not line.startswith("#")).split())
