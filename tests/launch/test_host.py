"""The host: the sequential twins do what their C text does, and NumPy keeps the types."""

import ctypes
import shutil
import subprocess

import numpy
import pytest

from tilewright.choose import HOST_FACTS, Problem, choose_plan
from tilewright.kernels import find_taught
from tilewright.launch import MachineError, host
from tilewright.launch.host import HostMachine, dot, reduced_matmul

DTYPES = ["float32", "float64"]


def run(operation, a, b, kernel, sizes):
    """One plan on the host machine, step by step; C flat."""
    machine = HostMachine()
    m, n, k = sizes
    plan = choose_plan(Problem.of(operation, m, n, k, a.dtype.name), HOST_FACTS, kernel)
    c = numpy.full(plan.problem.c_shape or (1,), numpy.nan, a.dtype)
    buffers = [machine.allocate(array.nbytes, name) for array, name in ((a, "A"), (b, "B"), (c, "C"))]
    machine.copy_in(buffers[0], a)
    machine.copy_in(buffers[1], b)
    addresses = [*(buffer.address for buffer in buffers), 0, 0, 0]
    record = machine.timed(machine.load(plan), addresses)
    machine.copy_out(buffers[2], c)
    assert record.counts is None
    assert record.kernel_seconds > 0
    return c


def operands(operation, dtype, sizes=(6, 4, 5)):
    """Random A and B of the operation's shapes."""
    m, n, k = sizes
    generator = numpy.random.default_rng()
    shapes = ((k,), (k,)) if operation == "dot" else ((m, k), (k, n))
    return [generator.standard_normal(shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul", "dot"])
def test_a_sequential_twin_gives_the_bits_of_its_c_text(operation, dtype, tmp_path):
    """The C file, compiled without contraction, and its Numba twin round alike."""
    compiler = shutil.which("cc")
    assert compiler, "the golden reference is C, and needs a C compiler to be checked"
    sizes = (1, 1, 37) if operation == "dot" else (14, 10, 37)
    a, b = operands(operation, dtype, sizes)
    kernel = find_taught(operation, "sequential")
    library = tmp_path / "kernel.so"
    element = {"float32": "float", "float64": "double"}[dtype]
    options = ["-O1", "-shared", "-fPIC", "-ffp-contract=off", f"-DELEMENT={element}"]
    subprocess.run([compiler, *options, "-o", library, kernel.source_path], check=True)
    c = run(operation, a, b, "sequential", sizes)

    expected = numpy.full_like(c, numpy.nan)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (a, b, expected)]
    integers = [ctypes.c_int(size) for size in (sizes[2:] if operation == "dot" else sizes)]
    getattr(ctypes.CDLL(str(library)), kernel.entry)(*pointers, *integers)

    assert c.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul", "dot"])
@pytest.mark.parametrize("kernel", ["sequential", "numpy"])
def test_the_host_keeps_the_type(operation, kernel, dtype):
    """float32 stays float32, and the values are right."""
    sizes = (1, 1, 5) if operation == "dot" else (6, 4, 5)
    a, b = operands(operation, dtype, sizes)
    wide_a, wide_b = a.astype("f8"), b.astype("f8")
    if operation == "reduced_matmul":
        wide_a, wide_b = wide_a[::2] + wide_a[1::2], wide_b[:, ::2] + wide_b[:, 1::2]

    c = run(operation, a, b, kernel, sizes)

    assert c.dtype == dtype
    numpy.testing.assert_allclose(c.reshape((wide_a @ wide_b).shape), wide_a @ wide_b, rtol=1e-4, atol=1e-5)


def test_reduced_matmul_is_the_thesis_example():
    """C01 is the sum of four products of rows 0 and 1 with columns 2 and 3 (seed 003, 4.3.1)."""
    a, b = numpy.random.default_rng().standard_normal((2, 8, 8))
    c01 = a[0] @ b[:, 2] + a[0] @ b[:, 3] + a[1] @ b[:, 2] + a[1] @ b[:, 3]

    assert reduced_matmul(a, b)[0, 1] == pytest.approx(c01, rel=1e-12, abs=1e-12)


def test_dot_of_integers_stays_integer():
    """The host does what NumPy does."""
    assert dot(numpy.array([1, 2]), numpy.array([3, 4])) == 11


def test_a_fault_of_a_twin_is_raised_where_it_was_called():
    """Though it ran in a thread of its own."""

    def fault():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        host._interruptibly(fault)


def test_running_before_copying_in_is_refused():
    """A buffer without an array has nothing to multiply."""
    machine = HostMachine()
    plan = choose_plan(Problem.of("matmul", 1, 1, 1, "float32"), HOST_FACTS, "numpy")
    with pytest.raises(MachineError, match="no buffer of 4 bytes at 0x10"):
        machine.load(plan).run([16, 16, 16, 0, 0, 0])
