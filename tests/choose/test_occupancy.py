import json
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.choose import EMULATOR_FACTS, DeviceFacts, PlanError, UnknownChipError, chip_names, find_chip, occupancy
from tilewright.kernels import TAUGHT, UnknownKernelError, find_taught

NO_LIMIT = 2**31 - 1  # the header's INT_MAX
ROWS = json.loads((Path(__file__).parent / "occupancy_expected.json").read_text(encoding="utf-8"))["rows"]


def blocks(answer):
    """Resource to blocks."""
    return {limit.resource: limit.blocks for limit in answer.limits}


def test_nvidias_own_header_agrees():
    """Every limit, for odd blocks on each architecture that the header knows."""
    for chip, threads, shared, registers, by_warps, by_registers, by_shared, least in ROWS:
        answer = occupancy(threads, chip, registers, shared_bytes=shared)
        expected = {
            "threads": by_warps,
            "blocks": find_chip(chip).max_blocks_per_sm,
            "registers": by_registers,
            "shared memory": None if by_shared == NO_LIMIT else by_shared,
        }
        assert blocks(answer) == expected, (chip, threads, shared, registers)
        assert (answer.blocks_per_sm, answer.complete) == (least, True)


@pytest.mark.parametrize(
    ("threads", "registers", "expected"),
    [
        (256, 10, 3),  # 8 warps x 32 x 10 = 2,560 registers, a multiple of 256
        (256, 11, 2),  # 2,816 for a block, and 3 blocks need 8,448
        (96, 10, 6),  # 3 warps count as 4: 1,280, and 8,192 / 1,280 = 6.4
        (256, 125, 0),  # more than a thread can have
    ],
)
def test_registers_of_a_block_before_fermi(threads, registers, expected):
    """Compute capability 1.0 rounds the registers of a block, its warps to an even number first."""
    assert occupancy(threads, "g80", registers).limit("registers").blocks == expected


@pytest.mark.parametrize(("registers", "expected"), [(20, 6), (21, 5), (63, 2), (64, 0)])
def test_registers_of_a_warp_on_fermi(registers, expected):
    """Units of 64 registers, an even number of warps: 21 x 32 = 672 become 704, and 46 warps fit instead of 51."""
    assert occupancy(256, "fermi", registers).limit("registers").blocks == expected


def test_unknown_registers_are_said_to_be_unknown():
    """The limit has no number, the answer is an upper bound, and the reason is the one given."""
    answer = occupancy("matmul/tiled", "v100", registers_unknown="nobody compiles for it")

    assert (answer.limit("registers").known, answer.limit("registers").blocks) == (False, None)
    assert not answer.complete
    assert "at most 8 blocks" in str(answer)
    assert "nobody compiles for it" in str(answer)


def test_registers_make_it_complete():
    """The same on a chip whose compiler was asked."""
    answer = occupancy("matmul/tiled", "h200", 32, tile=16)

    assert (answer.blocks_per_sm, answer.complete, answer.fraction) == (8, True, 1.0)
    assert answer.limited_by == ("threads", "registers")


def test_a_block_that_does_not_fit():
    """Nought blocks, and a sentence that says why."""
    answer = occupancy("matmul/tiled", "g80", tile=32)

    assert answer.blocks_per_sm == 0
    assert "cannot run matmul/tiled with tile 32: a block has 1,024 threads, and the chip allows 512" in str(answer)
    assert occupancy(32, "t4", shared_bytes=65_537).blocks_per_sm == 0


@pytest.mark.parametrize("chip", chip_names())
@pytest.mark.parametrize("kernel", [kernel.name for kernel in TAUGHT if "gpu" in kernel.runs_on])
def test_every_kernel_on_every_chip(kernel, chip):
    """An answer in both types, never an error."""
    for dtype in ("float32", "float64"):
        answer = occupancy(kernel, chip, dtype=dtype)
        most = find_chip(chip).max_blocks_per_sm
        assert answer.blocks_per_sm is not None
        assert most is not None
        assert 0 <= answer.blocks_per_sm <= most
        assert str(answer)


def test_a_kernel_may_be_the_object():
    """Name or object."""
    assert occupancy(find_taught("dot", "tiled"), "a100") == occupancy("dot/tiled", "a100")


def test_a_block_by_its_extents():
    """The product of the extents counts, and an odd number of threads takes whole warps."""
    assert occupancy((16, 16), "g80") == occupancy(256, "g80")
    assert occupancy(33, "h200").limit("threads").blocks == 32


def test_a_machine_without_sms():
    """Nothing known, nothing guessed."""
    answer = occupancy(256, EMULATOR_FACTS)

    assert (answer.blocks_per_sm, answer.limited_by, answer.fraction, answer.threads_per_sm) == (None, (), None, None)
    assert "not known" in str(answer)


def test_facts_of_a_driver_get_their_units():
    """A driver's facts give what the table gives."""
    table = find_chip("h200")
    names = ["compute_capability", "max_threads_per_block", "max_threads_per_sm", "max_blocks_per_sm", "warp_size"]
    names += ["shared_bytes_per_block", "shared_bytes_per_sm", "registers_per_sm"]
    driver = DeviceFacts(name="H200", source="driver", **{name: getattr(table, name) for name in names})

    assert blocks(occupancy("matmul/tiled", driver, 33)) == blocks(occupancy("matmul/tiled", "h200", 33))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("matmul/tlied", "h200"), UnknownKernelError, "matmul/tlied"),
        (("tiled", "h200"), PlanError, "matmul/tiled"),
        (("matmul/sequential", "h200"), PlanError, "host"),
        (("matmul/tiled", "h20"), UnknownChipError, "h100, h200"),
        ((0, "h200"), PlanError, "at least 1 thread"),
        ((64, "h200", "32"), PlanError, "registers_per_thread is a whole number of 0 or more, not '32'"),
        (((2, 2, 2, 2), "h200"), PlanError, "1 to 3 extents"),
        ((32, "h200", -1), PlanError, "registers_per_thread"),
    ],
)
def test_refusals(arguments, error, words):
    """What was given, and what is accepted."""
    with pytest.raises(error, match=words):
        occupancy(*arguments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tile": 33}, "from 1 to 32, not 33"),
        ({"dtype": "float16"}, "float16"),
        ({"shared_bytes": 5}, "shared_bytes goes with"),
    ],
)
def test_refused_options(options, words):
    """The catalogue's own sentences."""
    with pytest.raises(PlanError, match=words):
        occupancy("matmul/tiled", "h200", **options)


def test_a_block_has_no_tile():
    """A tile belongs to a kernel."""
    with pytest.raises(PlanError, match="tile = 16"):
        occupancy(256, "h200", tile=16)


def test_neither_numpy_nor_numba_nor_cuda_is_needed():
    """Plain functions: the standard library is enough."""
    code = (
        "import sys\n"
        "for name in ('numpy', 'numba', 'cuda', 'typer', 'rich'): sys.modules[name] = None\n"
        "import tilewright\n"
        "print(tilewright.occupancy('matmul/tiled', 'h200', 32).blocks_per_sm)\n"
        "print(tilewright.roofline('matmul/naive', 'g80').attainable_gflops)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ended.stdout.split() == ["8", "21.6"]
