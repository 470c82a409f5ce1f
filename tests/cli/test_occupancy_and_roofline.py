"""The verbs that say what a chip allows."""

import json

import pytest

from tilewright import cli
from tilewright.choose import chip_names


def output(capsys, *arguments):
    """Run; what it printed."""
    assert cli.run([str(argument) for argument in arguments]) == cli.PASSED
    return capsys.readouterr().out


def words(text):
    """Without line breaks and padding."""
    return " ".join(text.split())


def test_occupancy_of_a_kernel_on_g80(capsys):
    """Each limit with its blocks and pending loads; the one that decides is marked; registers are unknown."""
    text = words(output(capsys, "occupancy", "matmul/tiled", "--tile", 16, "--device", "g80"))

    assert "threads 3 < 1,536 768 threads per SM / 256 threads per block" in text
    assert "shared memory 8 4,096 16,384 bytes per SM / 2,048 bytes per block" in text
    assert "registers ? - NVRTC" in text
    assert "holds at most 3 blocks" in text


def test_occupancy_with_registers_of_the_compiler(capsys):
    """On a chip that NVRTC knows, with who counted."""
    text = words(output(capsys, "occupancy", "matmul/tiled", "--device", "h200"))

    assert "for sm_90)." in text
    assert "of the warps that an SM holds" in text


def test_occupancy_with_given_registers(capsys):
    """They are taken as given."""
    text = words(output(capsys, "occupancy", "matmul/tiled", "--device", "h200", "--registers", 64))

    assert "registers 4 <" in text
    assert "64 registers per thread (given)." in text


def test_occupancy_of_a_block(capsys):
    """Threads and shared memory in place of a kernel."""
    text = words(output(capsys, "occupancy", "--threads", 256, "--shared-bytes", 8192, "--device", "g80"))

    assert "shared memory 2 <" in text


def test_occupancy_on_all_chips(capsys):
    """A row per chip; what is not known has a question mark."""
    text = output(capsys, "occupancy", "matmul/tiled", "--registers", 32)
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.split()[:1]}

    assert set(chip_names()) <= set(rows)
    assert rows["h200"][:6] == ["8", "32", "8", "76", "8", "100%"]


def test_occupancy_as_json(capsys, tmp_path):
    """The same, raw."""
    path = tmp_path / "occupancy.json"
    output(capsys, "occupancy", "matmul/tiled", "--device", "g80", "--tile", 16, "--json", path)
    (row,) = json.loads(path.read_text())["rows"]

    assert (row["blocks_per_sm"], row["limited_by"], row["complete"]) == (3, ["threads"], False)
    assert row["limits"]["registers"]["known"] is False
    assert row["phase"] == {"loads_per_thread": 2, "loads_per_block": 512, "flops_per_block": 8192}


def test_roofline_by_tile(capsys):
    """The seed's rows: 21.6 for tile 1, 345.6 for tile 16."""
    text = output(capsys, "roofline", "matmul/tiled", "--device", "g80")
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.split()[:1]}

    assert rows["1"] == ["0.25", "4.01", "86.4", "346.5", "21.6", "6%", "1,386", "memory"]
    assert rows["16"][4] == "345.6"
    assert "32" not in rows
    assert "tile 32 does not fit on G80 (8800 GTX): a block has 1,024 threads, and the chip allows 512." in words(text)


def test_roofline_of_one_tile_explains_itself(capsys):
    """A sentence, the phase, and where each number is from."""
    text = words(output(capsys, "roofline", "matmul/tiled", "--device", "g80", "--tile", 16))

    assert "86.4 GB/s allow 345.6 GFLOP/s of 346.5" in text
    assert "512 loads for 8,192 operations" in text
    assert "bandwidth_gb_per_s: seed 001" in text


def test_roofline_on_all_chips(capsys):
    """A row per chip with a known peak, and a line about the others."""
    text = output(capsys, "roofline", "matmul/tiled", "--size", 512, 512, 512, "--dtype", "float64")

    assert "h200" in text
    assert "No float64 peak is known of g80" in text


def test_roofline_on_all_chips_leaves_out_what_does_not_fit(capsys):
    """A block of 1,024 threads is too large for one chip; the others have their rows."""
    content = json.loads(output(capsys, "roofline", "matmul/tiled", "--tile", 32, "--json", "-"))

    assert [sentence.split(":")[0] for sentence in content["does_not_fit"]] == [
        "matmul/tiled with tile 32 does not fit on G80 (8800 GTX)"
    ]
    assert {"L4", "NVIDIA H200"} & {row["device"] for row in content["rows"]}


def test_json_to_standard_output(capsys):
    """Nothing but JSON is printed."""
    content = json.loads(output(capsys, "roofline", "matmul/naive", "--device", "g80", "--json", "-"))

    assert content["rows"][0]["every_load"]["needed_gb_per_s"] == 1386


def test_chips(capsys):
    """All of them, or one with its sources."""
    text = output(capsys, "chips")
    for name in chip_names():
        assert name in text

    assert "cuda_occupancy.h" in output(capsys, "chips", "h200")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["occupancy", "matmul/tiled", "--device", "h20"], "there are g80, fermi"),
        (["roofline", "matmul/tiled", "--device", "h20"], "there are g80, fermi"),
        (["chips", "h20"], "there are g80, fermi"),
        (["occupancy", "matmul/tlied", "--device", "h200"], "matmul/tlied"),
        (["roofline", "tiled"], "write it as in matmul/tiled"),
        (["occupancy", "matmul/tiled", "--tile", "33"], "from 1 to 32, not 33"),
        (["occupancy", "matmul/sequential"], "runs on the host"),
        (["occupancy"], "a kernel, such as matmul/tiled, or --threads"),
        (["occupancy", "matmul/tiled", "--threads", "4"], "and not both"),
        (["occupancy", "matmul/tiled", "--shared-bytes", "4"], "goes with --threads"),
        (["occupancy", "matmul/tiled", "--json", "no/such/folder/x.json"], "does not exist"),
        (["roofline", "matmul/tiled", "--device", "g80", "--dtype", "float64"], "float64 peak is not known"),
        (["roofline", "matmul/tiled", "--device", "g80", "--tile", "32"], "1,024 threads, and the chip allows 512"),
    ],
)
def test_refusals(capsys, arguments, sentence):
    """One sentence, status 2."""
    assert cli.run(arguments) == cli.REFUSED
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
