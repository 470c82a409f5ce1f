"""`tilewright memories`."""

import json

import pytest

from tilewright import cli

FILE = """
__constant__ float tile_width[4];
__global__ void sum(const float* A, float* C)
{
    __shared__ float kept[64];
    kept[threadIdx.x] = A[threadIdx.x] * tile_width[0];
    C[threadIdx.x] = kept[63 - threadIdx.x];
}
"""


def output(capsys, *arguments):
    """Run; what it printed, in one line."""
    assert cli.run([str(argument) for argument in arguments]) == cli.PASSED
    return " ".join(capsys.readouterr().out.split())


def test_a_kernel_of_the_catalogue(capsys, monkeypatch):
    """Rows in the seed's terms, registers counted."""
    monkeypatch.setenv("COLUMNS", "200")
    text = output(capsys, "memories", "matmul/tiled", "--tile", 8)

    assert "tile_A[8][8]" in text
    assert "global *A, *B grid application R - allocated by the host" in text
    assert "global *C grid application W" in text
    assert "constant A, B, C, m, n, k grid launch R 36" in text
    assert "for sm_90)." in text
    assert "shared: very fast" in text


def test_a_file(capsys, tmp_path, monkeypatch):
    """Declarations as written, brackets and all."""
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "sum.cu"
    path.write_text(FILE)
    text = output(capsys, "memories", path, "--device", "a100")

    assert "float tile_width[4]" in text
    assert "__shared__ float kept[64]" in text
    assert "for sm_80)." in text


def test_as_json(capsys):
    """Every variable on its own."""
    content = json.loads(output(capsys, "memories", "matmul/naive", "--json", "-"))
    (kernel,) = content["kernels"]
    rows = {row["name"]: row for row in kernel["variables"]}

    assert rows["*C"]["memory"] == "global"
    assert (rows["A"]["memory"], rows["A"]["nbytes"]) == ("constant", 8)
    assert kernel["resources"]["local_bytes_per_thread"] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["matmul/tlied"], "matmul/tlied"),
        (["matmul/sequential"], "runs on the host"),
        (["matmul/tiled", "--tile", "33"], "from 1 to 32, not 33"),
        (["matmul/tiled", "--device", "h20"], "there are g80"),
        (["matmul/tiled", "-D", "X=1"], "go with a file"),
        (["no/such.cu"], "no/such.cu"),
        (["no/such.cu", "--tile", "4"], "-D NAME=VALUE"),
    ],
)
def test_refusals(capsys, arguments, sentence):
    """One sentence, status 2."""
    assert cli.run(["memories", *arguments]) == cli.REFUSED
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_a_file_that_does_not_compile(capsys, tmp_path):
    """File, line and the compiler's message."""
    path = tmp_path / "wrong.cu"
    path.write_text("__global__ void k(float* A) {\n    A[0] = nothing;\n}\n")

    assert cli.run(["memories", str(path)]) == cli.REFUSED
    assert "wrong.cu:2" in capsys.readouterr().err
