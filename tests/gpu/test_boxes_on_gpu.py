"""Boxes of tensors on the chip: what its copy engine brings to shared memory is what the emulator's tests expect.

    python -m tests.gpu.test_boxes_on_gpu    # a line for each box; with NaN outside of the tensor, the bits of that too

A map that the chip reads otherwise than expected may fault, or bring another number of bytes: the copies are made in a
process of their own, and no wait is endless.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from typing import Any

import numpy as np

from tests.emulate.tensor_boxes import CASES, INTERLEAVED, SHARED_BYTES, Loading, loading, loading_of_slices
from tests.gpu.fill_instruction_table import Driver
from tilewright.compile import compile_source

ONCE = r"""for (unsigned done = 0, looks = 0; !done && looks < 1000; ++looks)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done) : "r"(at(&full)) : "memory");"""
ALIGNMENT = 64


class Gpu(Driver):
    """The first GPU, asked for boxes."""

    def loaded(self, load: Loading) -> Any:
        """Return what is in shared memory after a copy."""
        cubin = compile_source(load.source.replace("wait(&full, 0);", ONCE), "box.cu", architecture="sm_90")
        assert isinstance(cubin, bytes)
        module, function, out, tensor = (ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_uint64())
        self.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(cubin))
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"kernel")
        self.call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(SHARED_BYTES))
        self.call("cuMemAlloc_v2", ctypes.byref(tensor), ctypes.c_size_t(load.tensor.nbytes))
        raw = load.tensor.tobytes()
        self.call("cuMemcpyHtoD_v2", tensor, ctypes.c_char_p(raw), ctypes.c_size_t(len(raw)))
        numbers = [ctypes.c_int32(value) for value in (load.nbytes, *load.at, *[0] * (5 - len(load.at)))]
        held = ctypes.create_string_buffer(128 + ALIGNMENT)
        place = -ctypes.addressof(held) % ALIGNMENT + ctypes.addressof(held)
        self._encode(place, tensor.value, load)
        given = [ctypes.addressof(value) for value in (out, tensor)] + [place] + [ctypes.addressof(n) for n in numbers]
        pointers = (ctypes.c_void_p * len(given))(*given)
        self.call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, SHARED_BYTES, None, pointers, None)
        self.call("cuCtxSynchronize")
        result = ctypes.create_string_buffer(SHARED_BYTES)
        self.call("cuMemcpyDtoH_v2", result, out, ctypes.c_size_t(SHARED_BYTES))
        return np.frombuffer(result.raw, np.uint8)

    def _encode(self, place: int, address: int | None, load: Loading) -> None:
        """Let the driver make the tensor map."""
        asked, rank = load.tensor_map, len(load.tensor_map.sizes)
        arrays = (
            (ctypes.c_uint64 * rank)(*asked.sizes),
            (ctypes.c_uint64 * max(rank - 1, 1))(*asked.strides_bytes),
            (ctypes.c_uint32 * rank)(*asked.box),
            (ctypes.c_uint32 * rank)(*(asked.element_strides or [1] * rank)),
        )
        first = ctypes.c_void_p(place), asked.data_type, rank, ctypes.c_uint64(address or 0)
        last = asked.interleave, asked.swizzle, 0, asked.fill
        self.call("cuTensorMapEncodeTiled", *first, *arrays, *last)


def main() -> int:
    """Copy every box; return 1 if one is another than expected."""
    gpu, is_wrong = Gpu(), 0
    boxes = {**{name: loading(name) for name in CASES}, **{name: loading_of_slices(name) for name in INTERLEAVED}}
    for name, load in boxes.items():
        try:
            different = np.flatnonzero(gpu.loaded(load) != load.expected)
            said = (
                f"{different.size} of {load.nbytes} bytes differ, {different[:4]}" if different.size else "as expected"
            )
        except RuntimeError as error:
            said = str(error)
        is_wrong |= said != "as expected"
        sys.stdout.write(f"{name}: {said}\n")
    load = loading("three", fill=1)
    place = next(place for place, index in load.places if index is None)
    sys.stdout.write(
        f"NaN outside of a tensor of float32: {gpu.loaded(load)[place : place + 4][::-1].tobytes().hex()}\n"
    )
    return is_wrong


def test_every_box_is_as_expected(gpu):
    """Dimensions, swizzles, steps, edges and interleaved layouts."""
    assert gpu.name
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu.test_boxes_on_gpu"], check=False, capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 0, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main())
