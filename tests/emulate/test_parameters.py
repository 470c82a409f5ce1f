"""What a kernel is given: structs by value, scalars of every type, and what does not fit its parameter."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.emulate.running import entry_of, launch, ptx_of
from tilewright.emulate import Emulator


def test_struct_parameter_by_value():
    """A struct of mixed members arrives as its bytes, aligned as in C."""
    source = """struct Box { char tag; double scale; int sizes[5]; short last; };
    extern "C" __global__ void kernel(int before, Box box, double* y, short after) {
        y[0] = before; y[1] = box.tag; y[2] = box.scale; y[8] = box.last; y[9] = after;
        y[3 + threadIdx.x] = box.sizes[threadIdx.x];
    }"""
    y = np.zeros(10)
    box = struct.pack("<b7xd5ih2x", -3, 2.5, 1, 2, 3, 4, 5, -9)
    launch(source, 11, box, y, -12, block=5)

    assert y.tolist() == [11, -3, 2.5, 1, 2, 3, 4, 5, -9, -12]


def test_scalar_parameters_of_every_type():
    """Python and NumPy numbers are converted to the parameter's type."""
    source = """extern "C" __global__ void kernel(double* y, signed char a, unsigned short b, int c, unsigned d,
                                                  long long e, unsigned long long f, float g, double h, bool i) {
        y[0] = a; y[1] = b; y[2] = c; y[3] = d; y[4] = (double)e; y[5] = (double)f; y[6] = g; y[7] = h; y[8] = i;
    }"""
    y = np.zeros(9)
    given = [-5, 65535, -(1 << 31), (1 << 32) - 1, -(1 << 40), 1 << 63, 0.1, np.float32(0.25), np.True_]
    launch(source, y, *given, block=1)

    want = [-5, 65535, -(1 << 31), (1 << 32) - 1, -(1 << 40), 1 << 63, float(np.float32(0.1)), 0.25, 1]
    assert y.tolist() == want


@pytest.mark.parametrize(
    "argument",
    [0.5, 1 << 32, -(1 << 31) - 1, "5", None, b"12345", np.zeros(2), np.float32(1.5), float("inf")],
    ids=repr,
)
def test_scalar_that_does_not_fit_its_parameter(argument):
    """An argument that an int cannot hold is refused by name before anything runs."""
    emulator = Emulator(workers=1)
    module = emulator.load(ptx_of('extern "C" __global__ void kernel(int n, int* y) { y[0] = n; }'))
    y = emulator.allocate(4, name="y")
    with pytest.raises(ValueError, match="kernel_param_0"):
        emulator.launch(module, "kernel", grid=1, block=1, arguments=[argument, y])


def test_struct_of_another_size_is_refused():
    """The bytes of a struct must be as many as the parameter has."""
    emulator = Emulator(workers=1)
    source = 'struct S { int a[3]; }; extern "C" __global__ void kernel(S s, int* y) { y[0] = s.a[2]; }'
    module, y = emulator.load(ptx_of(source)), emulator.allocate(4, name="y")
    for given in (bytes(8), bytes(16), 5):
        with pytest.raises(ValueError, match="12 bytes"):
            emulator.launch(module, "kernel", grid=1, block=1, arguments=[given, y])
    emulator.launch(module, "kernel", grid=1, block=1, arguments=[struct.pack("<3i", 1, 2, 3), y])

    assert y.read(np.int32, (1,))[0] == 3


def test_integer_beyond_every_type_is_refused():
    """An integer that not even 64 bits hold is refused like any that does not fit."""
    with pytest.raises(ValueError, match="cannot take"):
        launch(entry_of("kernel", ["u32"], "ret;"), 10**30)
