"""The kernels of a plan, compiled: what the key holds, which headers are found, and when nothing is compiled."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

import tilewright
from tilewright.compile import CompileError, CompilerMissingError, kept_code, planned
from tilewright.kept import folder as kept_folder
from tilewright.kernels.launch import Launch

LAUNCH = Launch(
    kernel="matmul/tiled",
    macros=(("ELEMENT", "float"), ("TILE", "16")),
    grid=(1, 1, 1),
    block=(16, 16, 1),
    arguments={},
)
H200 = (9, 0)


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    """Nothing in memory, nothing on disk."""
    monkeypatch.setenv(kept_folder.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.delenv(kept_code.LIMIT_VARIABLE, raising=False)
    monkeypatch.setattr(planned, "_codes", {})
    monkeypatch.setattr(kept_folder, "_warned", set())
    return tmp_path


@pytest.fixture
def own_kernels(tmp_path, monkeypatch):
    """A folder of kernels with headers that include each other."""
    folder = tmp_path / "kernels"
    (folder / "matmul").mkdir(parents=True)
    (folder / "device").mkdir()
    (folder / "matmul" / "twice.cu").write_text(
        '#include <cuda_fp16.h>\n#include "device/outer.cuh"\n'
        'extern "C" __global__ void twice(__half* x) { x[0] = OUTER(x[0]); }\n'
    )
    (folder / "device" / "outer.cuh").write_text(
        '#pragma once\n  # include "device/inner.cuh"\n#define OUTER(x) INNER(x)\n'
    )
    (folder / "device" / "inner.cuh").write_text("#pragma once\n#define INNER(x) ((x) + (x))\n")
    (folder / "device" / "unused.cuh").write_text("#error unused\n")
    monkeypatch.setattr(planned, "KERNELS", folder)
    return folder


def forget():
    """As in a new process."""
    planned._codes.clear()


def test_a_plans_kernels_are_cubins_for_the_chip():
    """Two launches of one kernel are one program; Hopper's own instructions are allowed."""
    first, second, other = planned.compile_launches(
        [LAUNCH, LAUNCH, replace(LAUNCH, macros=(("ELEMENT", "double"),))], H200
    )

    assert first is second
    assert first.image.startswith(b"\x7fELF")
    assert first != other
    assert planned.architecture_of((8, 0)) == "sm_80"
    assert planned.architecture_of(H200) == "sm_90a"


def test_a_chip_newer_than_nvrtc_gets_ptx(monkeypatch):
    """The driver compiles it; C text ends in a zero."""
    monkeypatch.setattr(planned, "supported_architectures", lambda: (75, 80, 90))
    (code,) = planned.compile_launches([LAUNCH], (9, 9))

    assert code.is_ptx
    assert b".target sm_90" in code.image
    assert code.image.endswith(b"\0")


def test_a_chip_older_than_nvrtc_is_told():
    """NVRTC 13 makes nothing for the thesis's GTX 1050."""
    with pytest.raises(CompilerMissingError, match=r"capability 6\.1; an older one does"):
        planned.compile_launches([LAUNCH], (6, 1))


def test_a_warm_start_compiles_nothing(monkeypatch):
    """The next process reads the program from disk, and does not even load NVRTC."""
    cold = planned.compile_launches([LAUNCH], H200)
    forget()
    for name in ("compile_with_headers", "supported_architectures", "nvrtc_version"):
        monkeypatch.setattr(planned, name, None)

    assert planned.compile_launches([LAUNCH], H200) == cold


def test_a_damaged_file_is_compiled_again(empty):
    """The file is replaced by a whole one."""
    cold = planned.compile_launches([LAUNCH], H200)
    (path,) = (empty / "programs").iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:1000])
    forget()

    assert planned.compile_launches([LAUNCH], H200) == cold
    assert path.read_bytes() == whole


@pytest.mark.usefixtures("own_kernels")
def test_own_headers_are_found():
    """Headers of headers too, and no others."""
    headers = planned.own_headers("matmul/twice.cu")

    assert set(headers) == {"device/outer.cuh", "device/inner.cuh"}
    twice = replace(LAUNCH, source="matmul/twice.cu", entry="twice", macros=())
    assert planned.compile_launches([twice], H200)[0].image.startswith(b"\x7fELF")


@pytest.mark.parametrize("file", ["matmul/twice.cu", "device/outer.cuh", "device/inner.cuh"])
def test_an_edit_makes_another_key(own_kernels, file):
    """Of the source, or of a header however far away."""
    twice = replace(LAUNCH, source="matmul/twice.cu")
    before = planned._key(twice, H200)
    with (own_kernels / file).open("a") as edited:
        edited.write("// edited\n")

    assert planned._key(twice, H200) != before


def test_the_key_holds_all_that_decides_the_code(monkeypatch):
    """Version, compiler, chip, file and macros; not the launch's shape, for which the same code serves."""
    keys = {
        planned._key(launch, chip)
        for launch in (
            LAUNCH,
            replace(LAUNCH, source="matmul/naive.cu"),
            replace(LAUNCH, macros=(("ELEMENT", "float"), ("TILE", "32"))),
            replace(LAUNCH, macros=(("ELEMENT", "floatTILE"), ("", "16"))),
        )
        for chip in (H200, (8, 0))
    }
    for name, value in (("_compiler", lambda: "NVRTC 99.0"), ("OPTIONS", ("-G",))):
        with monkeypatch.context() as changed:
            changed.setattr(planned, name, value)
            keys.add(planned._key(LAUNCH, H200))
    with monkeypatch.context() as changed:
        changed.setattr(tilewright, "__version__", "99.0.0")
        keys.add(planned._key(LAUNCH, H200))

    assert len(keys) == 11
    assert planned._key(replace(LAUNCH, grid=(2, 2, 2), shared_bytes=64), H200) == planned._key(LAUNCH, H200)


def test_two_versions_share_a_folder(monkeypatch, empty):
    """Neither replaces the other's program."""
    planned.compile_launches([LAUNCH], H200)
    monkeypatch.setattr(tilewright, "__version__", "99.0.0")
    planned.compile_launches([LAUNCH], H200)

    assert len(list((empty / "programs").iterdir())) == 2


def test_a_mistake_names_file_and_line(own_kernels):
    """NVRTC's error, as for any other source; nothing is kept of it."""
    (own_kernels / "matmul" / "twice.cu").write_text("int x = ;\n")

    with pytest.raises(CompileError, match=r"tilewright/kernels/matmul/twice\.cu:1"):
        planned.compile_launches([replace(LAUNCH, source="matmul/twice.cu")], H200)
    assert planned._codes == {}


def test_the_compiler_is_known_without_loading_it():
    """Loading NVRTC takes longer than all else of a warm start."""
    code = "import sys; from tilewright.compile import planned; print(planned._compiler(), 'cuda' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "nvidia-cuda-nvrtc" in done.stdout
    assert done.stdout.endswith("False\n")
