"""Launches a planted kernel on the GPU, through the driver's own calls: little else runs under a sanitizer's tools."""

from __future__ import annotations

import ctypes

import numpy

from tests.gpu.fill_instruction_table import Driver
from tests.lab.planted.manifest import PlantedCase
from tests.lab.planted.operations import Array


class PlantedGpu(Driver):
    """The first GPU. poison: fill outputs with 0xFF before a launch, instead of leaving them unset."""

    def __init__(self, *, poison: bool) -> None:
        super().__init__()
        self.poison = poison

    def outcome(self, case: PlantedCase, cubin: bytes, symbol: str) -> str:
        """Launch once; "right", or which element is wrong. Raises RuntimeError when the launch faults."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(cubin))
        self.call("cuModuleGetFunction", ctypes.byref(function), module, symbol.encode())
        given = case.operation.inputs(case.sizes, case.dtype, numpy.random.default_rng(0))
        for name in case.operation.variables:
            address, nbytes = ctypes.c_uint64(), ctypes.c_size_t()
            self.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(nbytes), module, name.encode())
            self._copy_in(address, given[name])
        shapes = case.operation.arrays(case.sizes)
        arrays = {
            name: given.get(name, numpy.empty(shape, case.operation.dtype(name, case.dtype)))
            for name, shape in shapes.items()
            if name not in case.operation.variables
        }
        held = {name: self._allocated(array, given.get(name)) for name, array in arrays.items()}
        self._launch(case, function, held)
        got = {name: self._copied_out(address, arrays[name]) for name, address in held.items()}
        for address in held.values():
            self.call("cuMemFree_v2", address)
        self.call("cuModuleUnload", module)
        wrong = case.operation.first_wrong(got, given, case.sizes)
        return wrong.words if wrong else "right"

    def is_alive(self) -> bool:
        """Whether more can be launched after a fault."""
        return bool(self.library.cuCtxSynchronize() == 0)

    def _launch(self, case: PlantedCase, function: ctypes.c_void_p, held: dict[str, ctypes.c_uint64]) -> None:
        passed = [held[name] if name in held else ctypes.c_int32(case.sizes[name]) for name in case.arguments]
        pointers = (ctypes.c_void_p * len(passed))(*(ctypes.addressof(value) for value in passed))
        sizes = [*(*case.grid, 1, 1)[:3], *(*case.block, 1, 1)[:3], case.shared_bytes]
        self.call("cuLaunchKernel", function, *map(ctypes.c_uint, sizes), None, pointers, None)
        self.call("cuCtxSynchronize")

    def _allocated(self, array: Array, value: Array | None) -> ctypes.c_uint64:
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
        if value is not None:
            self._copy_in(address, value)
        elif self.poison:
            self.call("cuMemsetD8_v2", address, ctypes.c_ubyte(0xFF), ctypes.c_size_t(array.nbytes))
        return address

    def _copy_in(self, address: ctypes.c_uint64, array: Array) -> None:
        raw = array.tobytes()
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_char_p(raw), ctypes.c_size_t(len(raw)))

    def _copied_out(self, address: ctypes.c_uint64, like: Array) -> Array:
        raw = ctypes.create_string_buffer(like.nbytes)
        self.call("cuMemcpyDtoH_v2", raw, address, ctypes.c_size_t(like.nbytes))
        return numpy.frombuffer(raw.raw, like.dtype).reshape(like.shape)
