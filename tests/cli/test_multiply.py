"""`tilewright multiply`: files in, a file out, and what does not do is one sentence and status 2."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from tests.call.streamed.clusters.clusters import cluster
from tilewright.cli import run


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A and B in the present folder."""
    monkeypatch.chdir(tmp_path)
    generator = numpy.random.default_rng()
    a, b = generator.standard_normal((50, 40), dtype="f4"), generator.standard_normal((40, 30), dtype="f4")
    numpy.save("a.npy", a)
    numpy.save("b.npy", b)
    return a.astype("f8") @ b


def test_npy_to_npy_and_again(files, capsys):
    """The product, a second time into the same file, and continued where all is whole."""
    for more in ([], [], ["--resume"]):
        assert run(["multiply", "a.npy", "b.npy", "-o", "c.npy", "--memory-limit", "1MiB", *more]) == 0
        assert numpy.abs(numpy.load("c.npy") - files).max() < 1e-4
    assert capsys.readouterr().out == ""


def test_to_zarr_and_hdf5(files):
    """Files that are made with the result's type."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    assert run(["multiply", "a.npy", "b.npy", "-o", "c.zarr"]) == 0
    assert run(["multiply", "a.npy", "b.npy", "-o", "c.h5:c"]) == 0

    assert numpy.abs(zarr.open_array("c.zarr", mode="r")[...] - files).max() < 1e-4
    with h5py.File("c.h5", "r") as file:
        assert numpy.abs(file["c"][...] - files).max() < 1e-4


@pytest.mark.usefixtures("files")
def test_a_plan_writes_nothing(tmp_path, capsys):
    """It says tiles, bytes and the bound."""
    assert run(["multiply", "a.npy", "b.npy", "-o", "c.zarr", "--plan", "--device", "host"]) == 0
    said = capsys.readouterr().out
    for word in ("tile of C", "read", "host peak", "bound"):
        assert word in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "b.npy"]


def test_the_reduced_product(files):
    """Sums of pairs of rows and columns."""
    assert run(["multiply", "a.npy", "b.npy", "-o", "c.npy", "--reduced"]) == 0

    assert (
        numpy.abs(
            numpy.load("c.npy") - (files[0::2] + files[1::2])[:, 0::2] - (files[0::2] + files[1::2])[:, 1::2]
        ).max()
        < 1e-3
    )


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["b.npy", "a.npy", "-o", "c.npy"], "the inner sizes 30 and 50 differ"),
        (["none.npy", "b.npy", "-o", "c.npy"], "does not exist"),
        (["a.npy", "b.npy", "-o", "c.csv"], "must end in .npy, .zarr or .h5:DATASET"),
        (["a.npy", "b.npy", "-o", "c.npy", "--memory-limit", "10"], "smallest tiles"),
        (["a.npy", "b.npy", "-o", "c.npy", "--memory-limit", "much"], "memory_limit is 'much'"),
        (["a.npy", "b.npy", "-o", "c.npy", "--device", "emulator"], "device is 'emulator'"),
        (["a.npy", "b.npy", "-o", "a.npy"], "the shapes must be equal"),
    ],
)
def test_refusals(tmp_path, capsys, arguments, said):
    """Status 2, one sentence, and no file."""
    assert run(["multiply", *arguments]) == 2
    told = capsys.readouterr().err
    assert told.startswith("tilewright: ")
    assert said in told
    assert told.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "b.npy"]


def test_workers_of_a_cluster(files, capsys):
    """Of a scheduler that is there; a plan makes no file, and one that does not answer is a sentence."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    command = ["multiply", "a.npy", "b.npy", "-o", "c.zarr", "--memory-limit", "1MiB", "--scheduler"]
    with cluster(1) as client:
        address = client.scheduler.address
        assert run([*command, address, "--plan"]) == 0
        assert "1 worker on 1 machine" in capsys.readouterr().out
        assert not Path("c.zarr").exists()
        assert run([*command, address]) == 0
        assert numpy.abs(zarr.open_array("c.zarr", mode="r")[...] - files).max() < 1e-4
        assert run(["multiply", "a.npy", "b.npy", "-o", "c.h5:c", "--scheduler", address]) == 2
        assert "one process at a time writes" in capsys.readouterr().err
    assert run([*command, "nowhere://1"]) == 2
    assert "No scheduler of Dask's answers at nowhere://1." in capsys.readouterr().err
