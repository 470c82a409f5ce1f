import builtins
import re
import subprocess
import sys

import pytest

from tilewright.compile import CompileError, CompilerMissingError, compile_source, nvrtc
from tilewright.compile.nvrtc import header_folders

KERNEL = 'extern "C" __global__ void twice(float* x)\n{\n    x[threadIdx.x] *= FACTOR;\n}\n'


@pytest.fixture
def no_nvrtc(monkeypatch):
    """A Python in which the package with the NVRTC binding cannot be imported."""
    real_import = builtins.__import__

    def refuse_cuda(name, *args, **kwargs):
        if name.split(".")[0] == "cuda":
            raise ModuleNotFoundError("No module named 'cuda'")
        return real_import(name, *args, **kwargs)

    nvrtc._library.cache_clear()
    monkeypatch.setattr(builtins, "__import__", refuse_cuda)
    yield
    monkeypatch.undo()
    nvrtc._library.cache_clear()


def test_ptx_names_the_file_and_its_lines():
    """A relative name stays relative in the line table, and the statement's line is there."""
    ptx = compile_source(KERNEL, "folder/twice.cu", architecture="compute_90", macros={"FACTOR": "2"})

    assert isinstance(ptx, str)
    assert ".visible .entry twice(" in ptx
    assert re.findall(r'\.file\s+1 "(.*)"', ptx) == ["folder/twice.cu"]
    assert re.search(r"\.loc\s+1 3 ", ptx)


def test_absolute_names_stay_as_given():
    """A file named by its absolute path is found again by it."""
    ptx = compile_source(KERNEL, "/somewhere/else/twice.cu", architecture="compute_90", macros={"FACTOR": "2"})

    assert isinstance(ptx, str)
    assert '"/somewhere/else/twice.cu"' in ptx


def test_cubin_is_an_elf_file():
    """For a real architecture the answer is machine code."""
    cubin = compile_source(KERNEL, "twice.cu", architecture="sm_90", macros={"FACTOR": "2"})

    assert isinstance(cubin, bytes)
    assert cubin.startswith(b"\x7fELF")


@pytest.mark.parametrize(
    "header",
    ["cuda_fp16.h", "cuda_bf16.h", "cuda/std/array", "cuda/std/type_traits", "mma.h", "cooperative_groups.h"],
)
def test_cuda_headers_are_found(header):
    """The headers that NVRTC lacks come from the other packages."""
    ptx = compile_source(
        f"#include <{header}>\n{KERNEL}", "twice.cu", architecture="compute_90", macros={"FACTOR": "2"}
    )

    assert ".entry twice(" in str(ptx)


def test_half_arithmetic_compiles():
    """cuda_fp16.h is not only found: its types and functions work."""
    source = '#include <cuda_fp16.h>\nextern "C" __global__ void f(__half* x) { x[0] = __hadd(x[1], x[2]); }\n'

    assert "add.f16" in str(compile_source(source, "half.cu", architecture="compute_90"))


def test_header_folders_keep_versions_apart():
    """CUDA 12's headers are not offered to CUDA 13, nor those of a version that is not there."""
    assert header_folders(99) == ()
    assert not {str(folder) for folder in header_folders(12)} & {str(folder) for folder in header_folders(13)}


def test_error_carries_file_line_and_message():
    """The first error is quoted, the others are counted, the log is whole."""
    with pytest.raises(CompileError) as caught:
        compile_source(KERNEL + "int broken = ;\nint more = also;\n", "my/twice.cu", architecture="compute_90")

    error = caught.value
    assert (error.file, error.line) == ("my/twice.cu", 3)
    assert error.message == 'identifier "FACTOR" is undefined'
    assert str(error).startswith('my/twice.cu:3: identifier "FACTOR" is undefined (and ')
    assert "my/twice.cu(5): error" in error.log


def test_an_error_behind_the_last_line_is_at_what_is_left_open():
    """NVRTC names the end of the source and, in a note, the bracket."""
    with pytest.raises(CompileError) as caught:
        compile_source("\n__global__ void f() {\n", "open.cu", architecture="compute_90")
    assert str(caught.value) == 'open.cu:2: expected a "}" at the end of the file, to match this "{"'


def test_missing_header_is_a_compile_error():
    """A wrong #include is reported like any other error."""
    with pytest.raises(CompileError, match=r'twice\.cu:1: cannot open source file "nowhere\.h"'):
        compile_source('#include "nowhere.h"\n', "twice.cu", architecture="compute_90")


def test_error_without_a_line_quotes_nvrtc():
    """A wrong option has no line; NVRTC's own words remain."""
    with pytest.raises(CompileError, match=r"twice\.cu: nvrtc: error: unrecognized option --nonsense") as caught:
        compile_source(KERNEL, "twice.cu", architecture="compute_90", extra_options=["--nonsense"])

    assert caught.value.line is None


@pytest.mark.parametrize("architecture", ["", "90", "sm90", "compute_", "lto_90"])
def test_architecture_is_checked(architecture):
    """What is neither PTX nor a cubin is refused before NVRTC is asked."""
    with pytest.raises(ValueError, match="compute_NN"):
        compile_source(KERNEL, "twice.cu", architecture=architecture)


@pytest.mark.usefixtures("no_nvrtc")
def test_missing_nvrtc_names_the_package(monkeypatch):
    """Without the binding the answer is what to install."""
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(CompilerMissingError, match=r'nvidia-cuda-nvrtc.*pip install "tilewright\[emulator\]"'):
        compile_source(KERNEL, "twice.cu", architecture="compute_90")


@pytest.mark.usefixtures("no_nvrtc")
def test_missing_nvrtc_on_macos_says_there_is_none(monkeypatch):
    """On macOS nothing can be installed; the message says what works."""
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(CompilerMissingError, match=r"does not exist for macOS.*whose PTX ships"):
        compile_source(KERNEL, "twice.cu", architecture="compute_90")


def test_import_loads_no_cuda():
    """Importing the compiler's package imports neither CUDA nor NumPy."""
    code = "import sys, tilewright.compile; print({'cuda.bindings', 'numpy', 'numba'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(("version", "options"), [((12, 7), ()), ((12, 8), ("--Ofast-compile=mid",))])
def test_quick_compiles_need_a_new_nvrtc(monkeypatch, version, options):
    """An option that it does not know would be refused."""
    monkeypatch.setattr(nvrtc, "nvrtc_version", lambda: version)

    assert nvrtc.options_for_quick_compiles() == options


def test_quick_compiles_give_the_same_lines():
    """What a kernel is made of stays where it is in the text."""
    compiled = nvrtc.compile_with_headers(
        KERNEL, "twice.cu", architecture="compute_90", macros={"FACTOR": "2"}, headers={},
        extra_options=nvrtc.options_for_quick_compiles(),
    )  # fmt: skip

    assert re.search(r"\.loc\s+1 3 ", str(compiled.code))
