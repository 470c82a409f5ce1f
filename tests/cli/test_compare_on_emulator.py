"""`compare` on the emulator: every kernel of the catalogue, its counts, its refusals, its faults."""

import json
import re

import numpy
import pytest

from tilewright import cli
from tilewright.compile import compile_source, nvrtc, planned
from tilewright.compile.kept_code import Code
from tilewright.kernels import CATALOGUE, TAUGHT
from tilewright.lab.compare import comparison
from tilewright.launch import OutOfMemoryError, plan_run
from tilewright.launch.emulator import EmulatorMachine
from tilewright.launch.host import HostMachine

EMULATOR = ("--device", "emulator")


def record(tmp_path, *arguments):
    """Run compare with --json; status and what it wrote."""
    path = tmp_path / "record.json"
    status = cli.run(["compare", *map(str, arguments), "--json", str(path)])
    return status, json.loads(path.read_text())


def test_no_arguments_run_every_kernel(tmp_path, capsys):
    """Every kernel of the catalogue multiplies, is checked, and stands in a table."""
    status, content = record(tmp_path, *EMULATOR)
    printed = capsys.readouterr().out

    statuses = {(row["operation"], row["kernel"]): row["status"] for row in content["results"]}
    assert status == cli.PASSED
    for kernel in TAUGHT:
        assert statuses[kernel.operation, kernel.idea] == "PASS"
        assert kernel.idea in printed


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_counts_are_the_seeds_arithmetic(tmp_path, dtype):
    """What was counted by execution is what the catalogue predicts, in every row."""
    _, content = record(tmp_path, *EMULATOR, "--dtype", dtype)

    counted = [row for row in content["results"] if row.get("counts")]
    here = [k for k in CATALOGUE if "emulator" in k.runs_on and dtype in k.since and not k.is_step]
    of_other_shapes = {"few_lines", "outer_products"}
    assert len(counted) == len(here) - len(of_other_shapes)
    for row in counted:
        predicted = row["predicted_global_loads"]
        assert predicted in {None, row["counts"]["global_loads"]}, row["kernel"]
        assert (predicted is None) == (row["kernel"] not in {kernel.idea for kernel in TAUGHT})
        assert 0 <= row["counts"]["global_load_requests"] <= row["counts"]["global_loads"]
        # wgmma loads by the copy engine alone where it can.
        assert row["counts"]["global_loads"] > 0 or row["kernel"] == "wgmma"
        by_line = [line["counts"]["global_loads"] for line in row["lines"]]
        assert sum(by_line) == row["counts"]["global_loads"]


def test_seed_004_on_the_emulator(tmp_path, capsys):
    """sqrt(2) gives 2K in every element, within seed 004's own 1e-5; what does not divide 62 says so in a sentence."""
    status, content = record(tmp_path, *EMULATOR, "--input", "seed004")

    assert status == cli.PASSED
    assert {row["kernel"] for row in content["results"] if row["status"] == "refused"} == {"tiled_exact"}
    assert "must be multiples of its tile 16" in " ".join(capsys.readouterr().out.split())
    assert {row["bound"] for row in content["results"] if row["status"] == "PASS"} == {1e-5}


def test_tiles_are_rows(tmp_path):
    """Several tiles of one kernel are compared side by side, each with its grid and block."""
    tiles = ("--tile", 8, "--tile", 16, "--tile", 32)
    status, content = record(tmp_path, *EMULATOR, "--operation", "reduced_matmul", "--kernel", "tiled", *tiles)

    assert status == cli.PASSED
    assert [(row["tile"], row["grid"], row["block"]) for row in content["results"]] == [
        (8, [4, 4, 1], [8, 8, 1]),
        (16, [2, 2, 1], [16, 16, 1]),
        (32, [1, 1, 1], [32, 32, 1]),
    ]


def test_a_tile_that_some_kernels_refuse(tmp_path):
    """The rows that can run do; the others are refused."""
    status, content = record(tmp_path, *EMULATOR, "--operation", "matmul", "--tile", 2)

    assert status == cli.PASSED
    assert {row["status"] for row in content["results"]} == {"PASS"}  # 2 divides 64 and 62


def test_a_kernel_that_faults_fails_its_row(tmp_path, monkeypatch, capsys):
    """An access out of bounds is a FAIL with the emulator's sentence, and the status is 1."""
    source = """extern "C" __global__ void matmul_naive(const float* A, const float* B, float* C, int m, int n, int k)
    { C[1 << 20] = A[0]; }"""
    text = compile_source(source, "naive.cu", architecture="compute_90")
    assert isinstance(text, str)
    monkeypatch.setattr(planned, "compile_launches", lambda *_: [Code(text.encode() + b"\0", is_ptx=True)])

    status, content = record(tmp_path, *EMULATOR, "--operation", "matmul", "--kernel", "naive")

    assert status == cli.FAILED
    assert content["results"][0]["status"] == "FAIL"
    assert re.search(r"naive\.cu", content["results"][0]["note"])
    assert "Traceback" not in capsys.readouterr().err


def test_a_kernel_that_leaves_elements_out_fails(tmp_path, monkeypatch):
    """C is poisoned, so an unwritten element cannot hold the right value by chance."""
    source = """extern "C" __global__ void matmul_naive(const float*, const float*, float*, int, int, int) {}"""
    text = compile_source(source, "naive.cu", architecture="compute_90")
    assert isinstance(text, str)
    monkeypatch.setattr(planned, "compile_launches", lambda *_: [Code(text.encode() + b"\0", is_ptx=True)])

    status, _ = record(tmp_path, *EMULATOR, "--operation", "matmul", "--kernel", "naive")

    assert status == cli.FAILED


def test_nan_and_infinity_on_every_kernel(tmp_path):
    """Each kernel spreads them as IEEE says, the four products of naive_4p in their own way."""
    a = numpy.random.default_rng().standard_normal((16, 16))
    a[2, 3], a[5, 5], a[7, 1] = numpy.nan, numpy.inf, -numpy.inf
    numpy.save(tmp_path / "a.npy", a)
    for operation in ("matmul", "reduced_matmul"):
        files = (tmp_path / "a.npy", tmp_path / "a.npy")
        status, _ = record(tmp_path, *files, *EMULATOR, "--operation", operation)
        assert status == cli.PASSED


@pytest.mark.parametrize("columns", [80, 100, 140])
def test_the_table_fits_the_terminal(monkeypatch, capsys, columns):
    """The widest table, with the rules named in its rows."""
    monkeypatch.setenv("COLUMNS", str(columns))

    cli.run(["compare", *EMULATOR, "--operation", "matmul", "--input", "seed004"])

    lines = capsys.readouterr().out.splitlines()
    assert max(len(line.rstrip()) for line in lines) <= columns
    assert any("tiled_inner_barrier" in line and "1.0e-5 seed PASS" in line for line in lines)
    assert "4x4 x" in "".join(lines)
    assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(lines)


def test_no_size_is_too_small(tmp_path):
    """One element, and an inner size of zero, whose result is zeros."""
    for size in ((1, 1, 1), (1, 1, 0)):
        status, content = record(tmp_path, *EMULATOR, "--operation", "matmul", "--size", *size, "--tile", 1)
        assert status == cli.PASSED
        assert {row["status"] for row in content["results"]} == {"PASS"}


def test_kernels_without_work_are_told_from_those_that_ran(tmp_path, capsys):
    """C is empty: the host's answer is right, and no kernel is launched or called right."""
    status, content = record(tmp_path, *EMULATOR, "--operation", "matmul", "--size", 0, 4, 4)

    assert status == cli.PASSED
    statuses = {row["kernel"]: row["status"] for row in content["results"]}
    on_host = {kernel: word for kernel, word in statuses.items() if kernel in ("sequential", "numpy")}
    assert set(on_host.values()) == {"PASS"}
    assert {statuses[kernel] for kernel in statuses.keys() - on_host.keys()} == {"empty"}
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.count("C (0, 4) is empty: kernels have nothing to compute, and none was launched.") == 1
    assert "Everything ran on the host" in printed


def test_an_empty_inner_size_is_launched(tmp_path):
    """C is zeros that the kernel stored, not zeros that it was given."""
    _, content = record(tmp_path, *EMULATOR, "--operation", "matmul", "--size", 5, 6, 0, "--kernel", "tiled")

    (row,) = content["results"]
    assert (row["status"], row["counts"]["global_loads"], row["counts"]["global_stores"]) == ("PASS", 0, 30)


def test_a_tile_that_one_operation_refuses_is_a_row(tmp_path):
    """Tiled takes tile 8 in two operations; the third says why it does not, and all is planned before any runs."""
    status, content = record(tmp_path, *EMULATOR, "--kernel", "tiled", "--tile", 8)

    assert status == cli.PASSED
    rows = [(row["operation"], row["tile"], row["status"]) for row in content["results"]]
    assert rows == [("matmul", 8, "PASS"), ("reduced_matmul", 8, "PASS"), ("dot", 8, "refused")]


def test_what_ships_runs_without_nvrtc(tmp_path, monkeypatch):
    """As on macOS: the usual tiles come from the package, and every row is the same but those of one chip's kernels."""

    def missing():
        raise nvrtc.CompilerMissingError("NVRTC is not installed.")

    monkeypatch.setattr(nvrtc, "_library", missing)
    monkeypatch.setattr(planned, "_codes", {})
    monkeypatch.setattr(planned, "read_code", lambda _: None)

    status, content = record(tmp_path, *EMULATOR)

    assert status == cli.PASSED
    of_one_chip = {kernel.idea for kernel in CATALOGUE if kernel.only is not None}
    for row in content["results"]:
        refused = row["kernel"] in of_one_chip
        assert row["status"] == ("refused" if refused else "PASS"), row["kernel"]
        assert not refused or "NVRTC is not installed" in row["note"]


def test_tf32_is_held_against_rounded_matrices(tmp_path):
    """What has no other precision is compared with its own, and the rule says so."""
    status, content = record(tmp_path, *EMULATOR, "--operation", "matmul", "--kernel", "wgmma", "--size", 70, 60, 50)

    (row,) = content["results"]
    assert (status, row["status"]) == (cli.PASSED, "PASS")
    assert row["rule"] == "gamma_{k+16} |A| |B| in tf32"
    assert row["error"] <= row["bound"] < 1e-3


def test_matrices_beyond_the_memory_budget_are_refused(monkeypatch, capsys):
    """Before anything runs: the emulator says what it has and what is too much."""
    small = EmulatorMachine(memory_budget_bytes=50_000)
    monkeypatch.setattr(plan_run, "open_machine", lambda name: small if name == "emulator" else HostMachine())

    assert cli.run(["compare", *EMULATOR, "--operation", "dot", "--size", "1", "1", "7000"]) == cli.REFUSED
    output = capsys.readouterr()
    assert "dot/single_thread needs 54.7 KiB of memory on the emulator, which has 48.8 KiB left" in output.err
    assert output.out == ""


def test_a_device_that_runs_out_of_memory_keeps_the_other_rows(tmp_path, monkeypatch):
    """What only trying tells is a row; with nothing left that ran on the device, the command is refused."""
    run = plan_run.run_plan

    def full(plan, *arguments, **options):
        if plan.kernel.idea in too_large:
            raise OutOfMemoryError("Allocating 4 bytes of device memory for A failed.")
        return run(plan, *arguments, **options)

    monkeypatch.setattr(comparison, "run_plan", full)
    too_large = {"naive"}
    status, content = record(tmp_path, *EMULATOR, "--operation", "matmul", "--kernel", "matmul/auto")
    assert status == cli.PASSED
    statuses = {row["kernel"]: row["status"] for row in content["results"]}
    assert statuses.pop("naive") == "not run"
    assert set(statuses.values()) == {"PASS"}

    too_large = {kernel.idea for kernel in CATALOGUE if "host" not in kernel.runs_on}
    assert record(tmp_path, *EMULATOR, "--operation", "matmul")[0] == cli.REFUSED
