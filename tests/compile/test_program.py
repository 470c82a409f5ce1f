import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.compile import CompilerMissingError, Program, compile_kernel, planned, ptx_of_package
from tilewright.compile.shipped import shipped_variants, usual_launch
from tilewright.kernels import TAUGHT, find_taught

COMPILED = [kernel for kernel in TAUGHT if "gpu" in kernel.runs_on]


@pytest.fixture
def no_nvrtc(monkeypatch):
    """A compiler that is not installed, and nothing remembered from when it was."""

    def missing(*_args, **_kwargs):
        raise CompilerMissingError("NVRTC is not installed.")

    monkeypatch.setattr(planned, "_codes", {})
    monkeypatch.setattr(planned, "read_code", lambda _: None)
    monkeypatch.setattr(planned, "compile_with_headers", missing)


def loops_with(ptx, instruction):
    """The innermost loops of PTX that have an instruction: from a label to the branch back to it."""
    loops = re.finditer(r"^(\$L\w+):\n((?:(?!^\$L).*\n)*?)\s*@%p\d+ bra\s+\1;", ptx, re.MULTILINE)
    return [loop[2] for loop in loops if instruction in loop[2]]


def count(pattern, text):
    """How many instructions begin like this."""
    return len(re.findall(rf"^\s*{pattern}", text, re.MULTILINE))


def ptx_of(name, dtype="float32", tile=None):
    """A kernel's fresh PTX."""
    text = compile_kernel(find_taught(*name.split("/")), dtype, tile).ptx
    assert text is not None
    return text


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel", COMPILED, ids=lambda kernel: kernel.name)
def test_ptx_has_what_the_catalogue_says(kernel, dtype):
    """Entry, file, element type, shared memory and barriers of the compiled kernel are the catalogue's."""
    compiled = compile_kernel(kernel, dtype)

    assert compiled.ptx is not None
    assert (compiled.entry, compiled.cubin, compiled.from_package) == (kernel.entry, None, False)
    assert f".visible .entry {kernel.entry}(" in compiled.ptx
    assert f'"{compiled.source_path}"' in compiled.ptx
    assert compiled.source_path == f"tilewright/kernels/{kernel.source}"
    assert f"ld.global.{'f32' if dtype == 'float32' else 'f64'}" in compiled.ptx
    shared_bytes = sum(int(size) for size in re.findall(r"^\s*\.shared .*\[(\d+)\];", compiled.ptx, re.MULTILINE))
    assert shared_bytes == kernel.shared_bytes(None, dtype)
    assert ("bar.sync" in compiled.ptx) == ("barrier" in kernel.families)


@pytest.mark.parametrize("tile", [1, 7, 32])
def test_tile_reaches_the_program(tile):
    """The macro sets the size of both shared arrays."""
    assert ptx_of("matmul/tiled", tile=tile).count(f"[{4 * tile * tile}];") == 2


def test_every_lines_table_is_free_of_this_machine():
    """No shipped or fresh program names a folder of the machine that compiled it."""
    for kernel in COMPILED:
        for ptx in (compile_kernel(kernel, "float32").ptx, ptx_of_package(kernel, "float32")):
            assert re.findall(r'\.file\s+\d+ "(.*)"', str(ptx)) == [f"tilewright/kernels/{kernel.source}"]


def test_cubin_for_a_gpu():
    """For sm_* the program is a cubin."""
    compiled = compile_kernel(find_taught("matmul", "tiled"), "float64", 8, architecture="sm_90")

    assert compiled.ptx is None
    assert (compiled.cubin or b"").startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("name", "multiplications"), [("reduced_matmul/naive_4p", 4), ("reduced_matmul/naive_p", 1), ("matmul/naive", 1)]
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_loads_and_multiplications_per_p(name, multiplications, dtype):
    """The thesis's 4p and p: four loads per p in both, and four or one multiplications, in every loop over p."""
    loads = 2 if name == "matmul/naive" else 4
    loops = loops_with(ptx_of(name, dtype), "ld.global")

    assert loops
    for body in loops:
        turns, rest = divmod(count(r"ld\.global", body), loads)
        assert (rest, count(r"(?:mul|fma)\.(?:rn\.)?f", body)) == (0, turns * multiplications)
        assert turns >= 1
        assert "ld.global.v" not in body


@pytest.mark.parametrize(("tile", "per_phase"), [(2, 3), (4, 5), (16, 17)])
def test_inner_barrier_waits_after_every_product(tile, per_phase):
    """1 + TILE barriers in a phase (002), where tiled has 2; the compiler has unrolled the inner loop."""
    inner, tiled = (
        count(r"bar\.sync", ptx_of(f"matmul/{idea}", tile=tile)) for idea in ("tiled_inner_barrier", "tiled")
    )

    assert inner * 2 == tiled * per_phase


def test_fused_multiply_adds_per_phase():
    """Tile 16: each thread makes 16 fused multiply-adds between two barriers, 4,096 in a block of 256."""
    assert count(r"fma\.rn\.f32", ptx_of("matmul/tiled", tile=16)) == 16


def test_a_program_is_compiled_once(monkeypatch):
    """The second call asks no NVRTC; the default tile is the same as its number."""
    first = compile_kernel(find_taught("matmul", "tiled"), "float32", 16)
    monkeypatch.setattr(planned, "compile_with_headers", None)

    assert compile_kernel(find_taught("matmul", "tiled"), "float32", 16) == first
    assert compile_kernel(find_taught("matmul", "tiled"), "float32") == first


def test_an_edited_source_is_compiled_anew(tmp_path):
    """The text is part of what is remembered."""
    file = tmp_path / "single_thread.cu"
    kernel = replace(find_taught("dot", "single_thread"), file=str(file))
    file.write_text(kernel_text := find_taught("dot", "single_thread").source_text())
    first = compile_kernel(kernel, "float32")
    file.write_text(kernel_text.replace("sum += A[p]", "sum -= A[p]"))

    assert compile_kernel(kernel, "float32").ptx != first.ptx


@pytest.mark.parametrize(
    ("name", "dtype", "tile", "sentence"),
    [
        ("matmul/tiled", "float16", 16, "takes float32 or float64"),
        ("matmul/tiled", "float32", 33, "takes tiles from 1 to 32"),
        ("reduced_matmul/naive_p", "float32", 16, "has no tile"),
        ("matmul/sequential", "float32", None, "runs on the host"),
    ],
)
def test_what_no_program_exists_for_is_refused(name, dtype, tile, sentence):
    """A type, tile or kernel that cannot be compiled is refused with a sentence."""
    with pytest.raises(ValueError, match=sentence):
        compile_kernel(find_taught(*name.split("/")), dtype, tile)


@pytest.mark.usefixtures("no_nvrtc")
def test_without_nvrtc_every_shipped_variant_runs_from_the_package():
    """Where NVRTC is missing, each usual tile still has its program, and the default is one of them."""
    for kernel, dtype, tile in shipped_variants():
        compiled, launch = compile_kernel(kernel, dtype, tile), usual_launch(kernel, dtype, tile)

        assert compiled == Program(
            ptx=ptx_of_package(kernel, dtype, tile),
            cubin=None,
            entry=launch.entry,
            source_path=launch.source_name,
            architecture="compute_90",
            from_package=True,
        )
        assert compiled.ptx is not None
    assert compile_kernel(find_taught("matmul", "tiled"), "float32").from_package


@pytest.mark.usefixtures("no_nvrtc")
def test_without_nvrtc_other_tiles_say_what_to_use():
    """A tile that does not ship names those that do."""
    with pytest.raises(CompilerMissingError, match=r"tile 5 is not among .*: use tile 1, 2, 4, 8, 12, 14, 15, 16, 32"):
        compile_kernel(find_taught("matmul", "tiled"), "float32", 5)


@pytest.mark.usefixtures("no_nvrtc")
def test_without_nvrtc_a_gpu_program_says_what_is_missing():
    """A cubin never ships."""
    with pytest.raises(CompilerMissingError, match=r"matmul/tiled cannot be compiled for sm_90\. NVRTC is not"):
        compile_kernel(find_taught("matmul", "tiled"), "float32", 16, architecture="sm_90")


@pytest.mark.parametrize(
    ("target", "ships"),
    [
        ((9, 0), True),
        ((10, 3), True),
        ((8, 9), False),
        ((7, 5), False),
        ("compute_90", True),
        ("compute_90a", False),
        ("sm_90", False),
    ],
)
def test_what_the_package_has_for_a_chip(monkeypatch, target, ships):
    """PTX for Hopper and later chips, or for the architecture by its name."""
    monkeypatch.setattr(planned, "file_name", lambda launch: f"{launch.kernel}.ptx")
    monkeypatch.setattr(planned, "ptx_in", lambda name: f"text of {name}")
    launch: Any = SimpleNamespace(kernel="matmul/tiled", macros=())
    missing = CompilerMissingError("NVRTC is not installed.")
    if ships:
        code = planned._from_package(launch, target, missing)
        assert (code.image, code.is_ptx, code.from_package) == (b"text of matmul/tiled.ptx\0", True, True)
    else:
        name = target if isinstance(target, str) else "sm_{}{}".format(*target)
        with pytest.raises(CompilerMissingError, match=f"cannot be compiled for {name}. NVRTC is not"):
            planned._from_package(launch, target, missing)


def test_sources_are_in_the_package():
    """The kernel files lie where the installed package can read them."""
    assert all(isinstance(kernel.source_path, Path) and kernel.source_path.is_file() for kernel in TAUGHT)
