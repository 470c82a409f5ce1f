"""`compare` with what needs no emulator: inputs, checks, files, statuses."""

import json

import numpy
import pytest

from tilewright import cli
from tilewright.call.reference import reference
from tilewright.launch import host

HOST = ("--device", "host")


def compare(*arguments):
    """Run compare; the exit status."""
    return cli.run(["compare", *map(str, arguments)])


def record(tmp_path, *arguments):
    """Run compare with --json; status and what it wrote."""
    path = tmp_path / "record.json"
    status = compare(*arguments, "--json", path)
    return status, json.loads(path.read_text())


def test_the_host_runs_sequential_and_numpy_for_every_operation(tmp_path):
    """Without files all operations run with the seeds' shapes, and all pass."""
    status, content = record(tmp_path, *HOST)

    rows = [
        (row["operation"], row["kernel"], row["m"], row["n"], row["k"], row["status"]) for row in content["results"]
    ]
    assert status == cli.PASSED
    assert rows == [
        (operation, kernel, m, n, k, "PASS")
        for operation, m, n, k in (("matmul", 64, 64, 64), ("reduced_matmul", 64, 64, 64), ("dot", 1, 1, 10_000))
        for kernel in ("sequential", "numpy")
    ]


def test_the_record_says_what_it_was_made_with(tmp_path):
    """Versions, device and every number with its unit."""
    _, content = record(tmp_path, *HOST, "--operation", "matmul", "--size", 5, 6, 7, "--dtype", "float64")

    assert content["versions"]["numpy"] == numpy.__version__
    assert content["device"] == "host"
    row = content["results"][0]
    assert row["kernel_us"] > 0
    assert row["error"] <= row["bound"]
    assert (row["dtype"], row["input"], row["machine"]) == ("float64", "random", "host")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_seed_004_rows_say_their_rule(tmp_path, capsys, dtype):
    """1e-5 for float64, the derived bound for float32, where 1e-5 cannot hold."""
    status, content = record(tmp_path, *HOST, "--input", "seed004", "--dtype", dtype)

    assert status == cli.PASSED
    for row in content["results"]:
        assert ("seed 004" in row["rule"]) == (dtype == "float64")
    assert ("1.0e-5 seed" if dtype == "float64" else " gamma") in capsys.readouterr().out


def test_the_record_may_go_to_standard_output(capsys):
    """In place of the tables, so that another program can read it."""
    assert compare(*HOST, "--operation", "dot", "--json", "-") == cli.PASSED

    content = json.loads(capsys.readouterr().out)
    assert [row["kernel"] for row in content["results"]] == ["sequential", "numpy"]
    assert content["command"][0] == "tilewright"


def test_the_same_seed_gives_the_same_matrices(tmp_path):
    """And another seed others."""
    outs: list[numpy.ndarray] = []
    for seed in (1, 1, 2):
        out = tmp_path / f"{len(outs)}.npy"
        assert compare(*HOST, "--operation", "matmul", "--seed", seed, "--out", out) == cli.PASSED
        outs.append(numpy.load(out))

    numpy.testing.assert_array_equal(outs[0], outs[1])
    assert (outs[0] != outs[2]).any()


def test_files_are_multiplied(tmp_path):
    """A from an .mtx and B from an .npz: C is their product, in float64."""
    a, b = numpy.random.default_rng().standard_normal((2, 4, 4))
    lines = "\n".join(repr(float(value)) for value in a.T.ravel())
    (tmp_path / "a.mtx").write_text(f"%%MatrixMarket matrix array real general\n4 4\n{lines}\n")
    numpy.savez(tmp_path / "b.npz", b=b, other=a)

    status = compare(tmp_path / "a.mtx", f"{tmp_path / 'b.npz'}:b", *HOST, "--out", tmp_path / "c.npy")

    assert status == cli.PASSED
    numpy.testing.assert_allclose(numpy.load(tmp_path / "c.npy"), a @ b, rtol=1e-12, atol=1e-12)


def test_two_vectors_are_a_dot_product(tmp_path):
    """A column in a .csv is a vector too."""
    (tmp_path / "a.csv").write_text("1\n2\n3\n")
    numpy.save(tmp_path / "b.npy", numpy.array([4.0, 5.0, 6.0]))

    status, content = record(tmp_path, tmp_path / "a.csv", tmp_path / "b.npy", *HOST, "--operation", "dot")

    assert status == cli.PASSED
    assert content["results"][0]["k"] == 3


def test_integers_are_multiplied_with_a_note(tmp_path, capsys):
    """The table says that they were not multiplied as integers."""
    numpy.save(tmp_path / "a.npy", numpy.arange(4).reshape(2, 2))

    assert compare(tmp_path / "a.npy", tmp_path / "a.npy", *HOST) == cli.PASSED
    assert "A holds int64 numbers, which are multiplied as float64." in capsys.readouterr().out


def test_nan_and_infinity_are_multiplied_with_a_note(tmp_path, capsys):
    """As IEEE says, checked, and without a warning of NumPy's."""
    a = numpy.ones((4, 4))
    a[0, 0], a[1, 1] = numpy.nan, -numpy.inf
    numpy.save(tmp_path / "a.npy", a)

    assert compare(tmp_path / "a.npy", tmp_path / "a.npy", *HOST) == cli.PASSED
    output = capsys.readouterr()
    assert "NaN or Inf" in output.out
    assert output.err == ""


def test_a_wrong_result_fails(monkeypatch, capsys):
    """The row says FAIL and the status is 1."""

    def wrong(a, b, out=None):
        out[...] = reference("matmul", a, b)
        out[0, 0] += 1
        return out

    monkeypatch.setattr(host, "matmul", wrong)

    assert compare(*HOST, "--operation", "matmul", "--kernel", "numpy") == cli.FAILED
    assert "FAIL" in capsys.readouterr().out


def test_a_size_that_one_thread_would_not_finish_is_not_run(tmp_path, capsys):
    """Above 2048 the sequential row says so, and the rest goes on."""
    status, content = record(tmp_path, *HOST, "--operation", "matmul", "--size", 2049, 2, 2)

    assert status == cli.PASSED
    assert [row["status"] for row in content["results"]] == ["not run", "PASS"]
    assert "not run" in capsys.readouterr().out


def test_the_files_appear_whole(tmp_path, monkeypatch):
    """When writing breaks off, the old file is still there, and nothing else is."""
    path = tmp_path / "c.npy"
    path.write_bytes(b"old")

    def break_off(file, *_, **__):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(numpy, "save", break_off)

    assert compare(*HOST, "--operation", "dot", "--out", path) == cli.REFUSED
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == ["c.npy"]


def test_numbers_that_leave_the_range_are_counted(tmp_path, capsys):
    """What --dtype float32 makes infinite is said; what was infinite before does not count."""
    numpy.savez(tmp_path / "m.npz", a=[[1e39, numpy.inf, 1.0], [2.0, -1e300, 3e38]], b=numpy.ones((3, 1), "f4"))
    paths = [f"{tmp_path / 'm.npz'}:{name}" for name in "ab"]

    assert compare(*paths, *HOST, "--dtype", "float32") == cli.PASSED
    sentence = "A holds float64 numbers, which are multiplied as float32; 2 of 6 are beyond its range and become Inf."
    printed = " ".join(capsys.readouterr().out.split())
    assert sentence in printed
    assert "B holds" not in printed


@pytest.mark.parametrize("size", [(0, 4, 4), (4, 0, 4), (0, 0, 0), (4, 4, 0)])
@pytest.mark.parametrize("kernel", ["sequential", "numpy"])
def test_empty_matrices_are_multiplied(tmp_path, size, kernel):
    """An empty C is a right answer, and an empty inner size gives zeros."""
    status, content = record(tmp_path, *HOST, "--kernel", kernel, "--size", *size)

    assert status == cli.PASSED
    assert [row["status"] for row in content["results"]] == ["PASS"] * 3


@pytest.mark.parametrize(("a_shape", "b_shape"), [((0, 4), (4, 3)), ((2, 4), (4, 0)), ((0,), (0,))])
def test_empty_files_are_multiplied(tmp_path, a_shape, b_shape):
    """The same from files, and C is written."""
    numpy.save(tmp_path / "a.npy", numpy.ones(a_shape))
    numpy.save(tmp_path / "b.npy", numpy.ones(b_shape))
    out = tmp_path / "c.npy"

    assert compare(tmp_path / "a.npy", tmp_path / "b.npy", *HOST, "--out", out) == cli.PASSED
    assert numpy.load(out).shape == (numpy.ones(a_shape) @ numpy.ones(b_shape)).shape


def test_what_one_operation_cannot_do_keeps_none_from_running(tmp_path, capsys):
    """The reduced product needs even sizes; its line says so, once, and the others run."""
    status, content = record(tmp_path, *HOST, "--size", 3, 3, 3)

    assert status == cli.PASSED
    statuses = {(row["operation"], row["status"]) for row in content["results"]}
    assert statuses == {("matmul", "PASS"), ("reduced_matmul", "refused"), ("dot", "PASS")}
    assert capsys.readouterr().out.count("must be even") == 1


def test_sizes_beyond_the_memory_keep_none_from_running(tmp_path, monkeypatch):
    """Only what does not fit is refused, before it is made."""
    monkeypatch.setattr("tilewright.lab.compare.planning.free_memory_bytes", lambda: 100_000)
    _, content = record(tmp_path, *HOST, "--size", 300, 300, 10)

    statuses = {(row["operation"], row["status"]) for row in content["results"]}
    assert statuses == {("matmul", "refused"), ("reduced_matmul", "refused"), ("dot", "PASS")}


def test_files_that_do_not_fit_when_converted(tmp_path, monkeypatch, capsys):
    """Small integers take eight times their room as float64."""
    numpy.save(tmp_path / "a.npy", numpy.ones((8, 8), "i1"))
    monkeypatch.setattr("tilewright.lab.compare.inputs.free_memory_bytes", lambda: 500)

    assert compare(tmp_path / "a.npy", tmp_path / "a.npy", *HOST) == cli.REFUSED
    assert "A and B take 1 KiB as float64, and 500 bytes of memory are free." in capsys.readouterr().err


def test_what_comes_out_wrong_is_not_written(monkeypatch, capsys, tmp_path):
    """--out takes the first right result, and says when there is none."""
    monkeypatch.setattr(host, "matmul", lambda *_, out: numpy.copyto(out, 7))
    arguments = ("--operation", "matmul", "--kernel", "numpy", "--out", tmp_path / "c.npy")

    assert compare(*HOST, *arguments) == cli.FAILED
    assert "was not written: no result is right" in " ".join(capsys.readouterr().out.split())
    assert not (tmp_path / "c.npy").exists()


@pytest.mark.parametrize("names", [["matmul/auto"], ["matmul/auto", "matmul/numpy"]])
def test_auto_may_name_its_operation(tmp_path, names):
    """Every kernel of that operation, and no other operation."""
    options = [word for name in names for word in ("--kernel", name)]
    _, content = record(tmp_path, *HOST, *options)

    kernels = [(row["operation"], row["kernel"]) for row in content["results"]]
    assert kernels == [("matmul", "sequential"), ("matmul", "numpy")]


@pytest.mark.parametrize("columns", [8, 30, 40, 54, 55, 80])
def test_no_terminal_is_too_narrow(monkeypatch, capsys, columns):
    """Every cell of the wide table stands in the narrow ones, in full or broken, and nothing is cut."""
    monkeypatch.setenv("COLUMNS", str(columns))
    compare(*HOST, "--operation", "reduced_matmul")
    printed = capsys.readouterr().out

    assert "\N{HORIZONTAL ELLIPSIS}" not in printed
    table = printed.partition("(seed 0)")[2].partition("bound:")[0]
    assert max(len(line.rstrip()) for line in table.splitlines()) <= columns
    if columns >= 30:
        for word in ("sequential", "numpy", "requests", "GFLOP", "bound", "PASS"):
            assert word in table
    else:
        assert "PAS" in table


@pytest.mark.parametrize("columns", [80, 100, 140])
def test_the_table_fits_the_terminal(monkeypatch, capsys, columns):
    """No line is longer than the terminal is wide, but for a formula or a path."""
    monkeypatch.setenv("COLUMNS", str(columns))

    compare(*HOST, "--operation", "dot", "--input", "seed004")

    for line in capsys.readouterr().out.splitlines():
        assert len(line.rstrip()) <= columns
