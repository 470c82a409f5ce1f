"""Files as people write them, host code and all, are accepted: in `files/`, each with a style of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.kernels.test_alone import find_nvcc
from tests.lab.source.in_process import compiled
from tilewright.lab.source import device_part, read_cuda_file
from tilewright.lab.source.instances import entries, is_name_of, match_entries

FOLDER = Path(__file__).parent / "files"
SEEDS = Path(__file__).parents[1] / "seeds"
KERNELS = {
    "assembler.cu": ["load4:9"],
    "c_style.cu": ["transpose:30"],
    "classes.cu": ["apply:38"],
    "crlf_bom_latin1.cu": ["scale:7"],
    "cuda_samples_style.cu": ["MatrixMulCUDA:26", "MatrixMulCUDA:26"],
    "deduced_templates.cu": ["add:14", "scale:6", "scale:6"],
    "lambdas.cu": ["with_lambda:14"],
    "macros_with_code.cu": ["add_double:22", "add_float:21", "squares:32"],
    "split_by_conditionals.cu": ["copy:19"],
    "strings_and_comments.cu": ["kernel:14"],
}
WITH_HEADERS_OF_CUDA = {
    "device_memory.cu": ["stencil:30"],
    "half_precision.cu": ["convert:7"],
    "reduction_with_templates.cu": ["reduce:13", "reduce:13", "reduce:13", "zero:34", "zero:35"],
}


def kernels_of(path):
    """The kernels of a compiled file, as name:line of its signature."""
    program, prepared = compiled(read_cuda_file(path))
    lowered = dict.fromkeys(program.lowered_names.values(), prepared.signatures[0])
    found = match_entries(str(program.code), prepared.signatures, {})
    assert lowered.keys() <= found.keys() == entries(str(program.code)).keys()
    return sorted(f"{signature.name}:{signature.line}" for signature in found.values())


@pytest.mark.parametrize("name", KERNELS)
def test_real_file_is_accepted(name):
    """It compiles, and each of its kernels is known by name and line."""
    assert kernels_of(FOLDER / name) == KERNELS[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_HEADERS_OF_CUDA)
def test_real_file_with_headers_of_cuda_is_accepted(name):
    """Half precision, cooperative groups and what cuda::std has of std:: come from CUDA's own headers."""
    assert kernels_of(FOLDER / name) == WITH_HEADERS_OF_CUDA[name]


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(SEEDS.glob("*.cu")), ids=lambda path: path.name)
def test_seed_file_is_a_program(path, tmp_path):
    """Nvcc takes it as a whole, host code too."""
    nvcc = find_nvcc()
    assert nvcc, "test-all installs nvcc"
    include = Path(nvcc).resolve().parents[1] / "include"
    command = [nvcc, "-arch=sm_90", "-c", str(path), "-o", str(tmp_path / "out.o"), f"-I{include}"]

    run = subprocess.run(command, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stderr


def test_every_file_is_tested():
    """No file in the folder is forgotten."""
    assert {path.name for path in FOLDER.glob("*.cu")} == KERNELS.keys() | WITH_HEADERS_OF_CUDA.keys()


@pytest.mark.parametrize("path", sorted(SEEDS.glob("*.cu")), ids=lambda path: path.name)
def test_seed_kernel_is_accepted(path):
    """Each kernel of the seeds compiles as a file, host code and all."""
    (found,) = kernels_of(path)

    assert path.read_text().splitlines()[int(found.partition(":")[2]) - 1].startswith("__global__ void")


@pytest.mark.parametrize(
    "path", [*sorted(FOLDER.glob("*.cu")), *sorted(SEEDS.glob("*.cu"))], ids=lambda path: path.name
)
def test_lines_and_columns_stay(path):
    """What is kept stands where it stood; what is not is blank."""
    text = read_cuda_file(path).text

    kept = device_part(text).text

    assert len(kept) == len(text)
    assert all(new in (old, " ") for old, new in zip(text, kept, strict=True))
    assert kept.count("\n") == text.count("\n")
    assert "int main(" not in kept


@pytest.mark.parametrize("path", sorted((FOLDER.parents[1] / "planted" / "correct").glob("*.cu")), ids=lambda p: p.name)
def test_a_pure_device_file_is_not_rewritten(path):
    """Character by character."""
    text = read_cuda_file(path).text

    part = device_part(text)

    assert part.text == text
    assert not part.was_rewritten
    assert part.kernels


def test_a_namespace_may_end_in_a_digit():
    """Its last letter and the length of the name behind it look like one number."""
    assert is_name_of("_ZN4lab56matvecEPKfi", "matvec")
    assert is_name_of("_Z6matvecPKfi", "matvec")
    assert not is_name_of("_ZN4lab56matvecEPKfi", "vec")
