"""Each kernel file compiles alone, with the compilers that people have: nvcc for .cu, the system's cc for .c."""

import ctypes
import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

from tests.repeats import sampled
from tilewright.compile.planned import KERNELS
from tilewright.kernels import CATALOGUE, TAUGHT

COMPILED = [kernel for kernel in TAUGHT if kernel.source.endswith(".cu")]
DEFAULT_ELEMENT, HOPPER, OLDEST = "float16", (9, 0), "75"
"""What kernels of 16-bit types are compiled for where no macro says more, and the oldest chip that nvcc knows."""
SEQUENTIAL = [kernel for kernel in TAUGHT if kernel.source.endswith(".c")]


def find_nvcc():
    """The nvcc of the environment's packages, or else the one on the path."""
    packages = Path(sysconfig.get_paths()["purelib"], "nvidia")
    for nvcc in (packages / "cu13" / "bin" / "nvcc", packages / "cuda_nvcc" / "bin" / "nvcc"):
        if nvcc.is_file():
            return str(nvcc)
    return shutil.which("nvcc")


def variants():
    """Each file as it is, on the oldest chip too that it is for; the seeds' in double and with extreme tiles."""
    for path in sorted(KERNELS.glob("*/*.cu")):
        source = path.relative_to(KERNELS).as_posix()
        yield pytest.param(source, "90a", [], id=f"{source}-as-it-is")
    for kernel in sampled(CATALOGUE):
        if kernel.since.get(DEFAULT_ELEMENT, HOPPER) < HOPPER:
            yield pytest.param(kernel.source, OLDEST, [], id=f"{kernel.source}-on-{OLDEST}")
    for kernel in sampled(COMPILED):
        yield pytest.param(kernel.source, "90a", ["-DELEMENT=double"], id=f"{kernel.source}-double")
        if kernel.tile:
            for tile in (kernel.tile.smallest, kernel.tile.largest):
                macros = ["-DELEMENT=double", f"-DTILE={tile}"]
                yield pytest.param(kernel.source, "90a", macros, id=f"{kernel.source}-double-{tile}")


@pytest.mark.slow
@pytest.mark.parametrize(("source", "chip", "macros"), list(variants()))
def test_nvcc_compiles_the_file_alone(source, chip, macros, tmp_path):
    """Nothing but nvcc, the file and the folder of its headers is needed, and nvcc has no warning to give."""
    nvcc = find_nvcc()
    if nvcc is None:
        pytest.skip("nvcc is not installed: pip install nvidia-cuda-nvcc")
    target = ["-gencode", f"arch=compute_{chip},code=sm_{chip}"]
    # The host's part takes longer than the device's, and is the same on every chip and for every macro.
    output = "-cubin" if macros or chip == OLDEST else "-c"
    command = [nvcc, output, *target, "-Werror", "all-warnings", "-I", str(KERNELS), *macros, str(KERNELS / source)]
    done = subprocess.run(
        [*command, "-o", str(tmp_path / "kernel.o")], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "kernel.o").stat().st_size > 0


@pytest.mark.slow
@pytest.mark.parametrize("kernel", SEQUENTIAL, ids=lambda kernel: kernel.operation)
def test_sequential_text_is_right_as_c(kernel, tmp_path):
    """The C text itself, compiled as it stands, multiplies small integers exactly."""
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("a C compiler is not installed")
    library = tmp_path / "sequential.so"
    flags = ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-DELEMENT=double"]
    subprocess.run([cc, *flags, str(kernel.source_path), "-o", str(library)], check=True)
    function = getattr(ctypes.CDLL(str(library)), kernel.entry)
    random = np.random.default_rng(0)

    if kernel.operation == "dot":
        a, b, sizes = random.integers(-9, 9, 17).astype(float), random.integers(-9, 9, 17).astype(float), [17]
        expected = np.array([a @ b])
    else:
        a, b = random.integers(-9, 9, (6, 7)).astype(float), random.integers(-9, 9, (7, 4)).astype(float)
        sizes = [6, 4, 7]
        reduced = (a[0::2] + a[1::2]) @ (b[:, 0::2] + b[:, 1::2])
        expected = reduced if kernel.operation == "reduced_matmul" else a @ b
    c = np.full(expected.shape, np.nan)
    function(*(ctypes.c_void_p(array.ctypes.data) for array in (a, b, c)), *sizes)

    np.testing.assert_array_equal(c, expected)
