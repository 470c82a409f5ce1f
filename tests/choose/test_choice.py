import re
from dataclasses import replace

import pytest

from tilewright.choose import EMULATOR_FACTS, HOST_FACTS, DeviceFacts, PlanError, Problem, choose_plan, find_chip
from tilewright.choose.tile import choose_tile
from tilewright.kernels import TAUGHT, find_taught
from tilewright.kernels.launch import Scalar
from tilewright.kernels.operand import packed

H200 = find_chip("h200")
FERMI = find_chip("fermi")  # seed 000: 1536 threads per SM
G80 = find_chip("g80")
VOLTA = replace(H200, compute_capability=(7, 0))
"""As many SMs and threads, before NVRTC's oldest chip: a reduced product takes a seed's kernel."""


def square(size, operation="matmul", dtype="float32"):
    """A problem with m = n = k."""
    return Problem.of(operation, size, size, size, dtype)


@pytest.mark.parametrize("facts", [H200, EMULATOR_FACTS], ids=lambda facts: facts.machine)
@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul", "dot"])
def test_auto_is_tiled_where_kernels_run(operation, facts):
    """The tiled kernel on the emulator; on a GPU a fast one."""
    problem = Problem.of("dot", 1, 1, 100, "float64") if operation == "dot" else square(100, operation)

    plan = choose_plan(problem, facts)

    fast = {
        "matmul": "matmul/cuda_cores_float32",
        "reduced_matmul": "reduced_matmul/pair_sums",
        "dot": "dot/two_stage",
    }
    assert plan.kernel.name == (fast if facts.machine == "gpu" else {}).get(operation, f"{operation}/tiled")
    assert choose_plan(problem, G80).kernel.name == f"{operation}/tiled"
    assert plan.machine == facts.machine


@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul"])
def test_auto_is_numpy_on_the_host(operation):
    """On the host NumPy does the work, in any type that NumPy has."""
    plan = choose_plan(square(100, operation, "int64"), HOST_FACTS)

    assert (plan.kernel.idea, plan.tile, plan.shared_bytes) == ("numpy", None, 0)


def test_seed_000_prefers_tile_16_where_an_sm_holds_1536_threads():
    """1536 threads are 6 blocks of 16 x 16, but only 1 of 32 x 32."""
    plan = choose_plan(square(4096, "reduced_matmul"), FERMI)

    assert plan.tile == 16
    assert (
        "Tile 16: an SM of Fermi (Tesla C2050) holds 1,536 threads in blocks of tile 16 and 1,024 in blocks of tile 32."
        in plan.reasons
    )


def test_tile_32_where_both_fill_the_sm():
    """2,048 threads per SM are filled by either tile; 32 loads half as much."""
    plan = choose_plan(square(4096, "reduced_matmul"), VOLTA)

    assert (plan.tile, plan.grid, plan.block) == (32, (64, 64, 1), (32, 32, 1))
    assert any("reduced_matmul/naive_p loads 68,719,476,736, 32 times as many" in reason for reason in plan.reasons)


@pytest.mark.parametrize(
    ("known", "size", "tile", "why"),
    [
        ({"max_blocks_per_sm": 4}, 4096, 32, "Tile 32: an SM of V holds 1,024 threads in blocks of tile 16 and 2,048"),
        ({"max_threads_per_sm": None}, 4096, 16, "the default: the threads that an SM of V holds are not known"),
        ({"max_threads_per_block": 1023}, 4096, 16, "Tile 16: a block of tile 32 does not fit V."),
        ({"max_threads_per_block": 255}, 4096, 16, "Tile 16: a block of tile 32 does not fit V."),
        ({"sm_count": 65}, 512, 16, "Tile 16: tile 32 makes 64 blocks, which leaves some of the 65 SMs idle."),
        ({"sm_count": 64}, 512, 32, "and the larger tile loads less."),
        ({"sm_count": None}, 512, 32, "and the larger tile loads less."),
    ],
)
def test_the_tile_follows_what_is_known_of_a_chip(known, size, tile, why):
    """How many threads an SM holds in blocks of either size, and whether each SM has a block."""
    problem = square(size, "reduced_matmul")
    kernel = find_taught("reduced_matmul", "tiled")
    found, said = choose_tile(problem, kernel, replace(VOLTA, name="V", **known), None, free=True)

    assert found == tile
    assert why in said


def test_tile_16_where_32_would_leave_sms_idle():
    """A small matrix is cut finer, so that more SMs have work."""
    plan = choose_plan(square(512, "reduced_matmul"), VOLTA)

    assert plan.tile == 16
    assert "Tile 16: tile 32 makes 64 blocks, which leaves some of the 132 SMs idle." in plan.reasons


def test_tile_16_where_32_does_not_fit():
    """512 threads per block rule tile 32 out, and dot's line gets shorter too."""
    assert choose_plan(square(4096), G80).tile == 16
    assert choose_plan(Problem.of("dot", 1, 1, 100, "float32"), G80).tile == 512


def test_emulator_takes_the_default_tile():
    """Nothing is known of its SMs, so the seeds' middle tile is taken."""
    assert choose_plan(square(4096), EMULATOR_FACTS).tile == 16


def test_named_kernel_takes_its_default_tile_or_the_one_asked_for():
    """Asking for a kernel by either form of its name is the same."""
    assert choose_plan(square(64), H200, "tiled").tile == 16
    assert choose_plan(square(64), H200, "matmul/tiled", 12).tile == 12
    assert choose_plan(square(64, "reduced_matmul"), H200, "naive_p").tile is None


def test_tile_is_chosen_before_sizes_are_judged():
    """1.5 million rows need tile 32, which auto takes; the default would not reach."""
    tall = Problem.of("reduced_matmul", 3_000_000, 2112, 4, "float32")

    assert choose_plan(tall, VOLTA).tile == 32
    with pytest.raises(PlanError, match="at most 1,048,560 rows of C with tile 16"):
        choose_plan(tall.resized(3_000_000, 64, 4), H200, "tiled")


@pytest.mark.parametrize("kernel", TAUGHT, ids=lambda kernel: kernel.name)
def test_every_kernel_can_be_planned_and_explains_itself(kernel):
    """Each kernel has a plan where it runs; its text states every field, its reasons are sentences."""
    problem = Problem.of("dot", 1, 1, 96, "float32") if kernel.operation == "dot" else square(96, kernel.operation)
    plan = choose_plan(problem, HOST_FACTS if "host" in kernel.runs_on else H200, kernel.name)

    assert plan.kernel is kernel
    assert plan.reasons
    assert all(reason.startswith(kernel.name) or not reason[0].islower() for reason in plan.reasons)
    assert all(reason.endswith(".") for reason in plan.reasons)
    assert all(reason in str(plan) for reason in plan.reasons)
    assert kernel.name in str(plan)


def test_one_number_is_a_square_tile_of_tensor_cores():
    """In each type that they multiply on Hopper."""
    for product in (replace(square(4096), precision="tf32"), square(4096, dtype="float16")):
        assert "Tile 128 x 128 x" in str(choose_plan(product, H200, "wgmma", 128))


def test_auto_with_its_operation_is_as_free_as_auto():
    """The tile is chosen for the chip, not the kernel's default."""
    assert choose_plan(square(4096), H200, "matmul/auto") == choose_plan(square(4096), H200)


@pytest.mark.parametrize(
    ("size", "words"), [(16, "1 block of 256 threads makes 256"), (17, "4 blocks of 256 threads make")]
)
def test_blocks_and_their_verb_agree(size, words):
    """One block makes, several make."""
    assert words in str(choose_plan(square(size), EMULATOR_FACTS, "tiled"))


def test_plan_reads_one_fact_a_line():
    """The words are the fields' own names."""
    lines = str(choose_plan(square(64), EMULATOR_FACTS)).splitlines()

    assert lines[:8] == [
        "problem       matmul of A (64, 64) and B (64, 64), float32",
        "result        C (64, 64)",
        "kernel        matmul/tiled",
        "machine       emulator",
        "tile          16",
        "grid          4 x 4 x 1",
        "block         16 x 16 x 1",
        "shared_bytes  2,048",
    ]
    assert all(line.startswith("- ") for line in lines[8:])


@pytest.mark.parametrize(
    ("problem", "facts", "kernel", "tile", "sentence"),
    [
        (square(64), H200, "/tiled", None, "/tiled is no kernel for matmul, which has auto, numpy, sequential, naive"),
        (square(64), H200, "tilde", None, "there are auto, numpy, sequential, naive"),
        (square(64), H200, "dot/tiled", None, "dot/tiled is no kernel for matmul"),
        (square(64), H200, "sequential", None, "runs on host, not on gpu; gpu runs auto, naive"),
        (square(64), H200, "numpy", None, "runs on host, not on gpu"),
        (square(64), HOST_FACTS, "tiled", None, "runs on emulator or gpu, not on host; host runs auto, numpy, seq"),
        (square(64), HOST_FACTS, "auto", 16, "has no tile to set"),
        (square(2049), HOST_FACTS, "sequential", None, "2,048"),
        (square(64), H200, "tiled", 33, "takes tiles from 1 to 32, not 33"),
        (square(65), H200, "tiled_exact", None, "must be multiples of its tile 16"),
        (square(65, "reduced_matmul"), HOST_FACTS, "auto", None, "must be even"),
        (square(64, dtype="float16"), H200, "tiled", None, "takes float32 or float64, not float16"),
        (
            replace(square(64), precision="tf32"),
            H200,
            "auto",
            16,
            "matmul/wgmma has the tiles (128, 256), (256, 128), (128, 224), (128, 192), (192, 160), (192, 128), ",
        ),
        (square(64, dtype="int8"), H200, "auto", None, "A and B are float16, bfloat16, float32, float64, not int8"),
        (square(64), G80, "tiled", 32, "needs 1,024 threads per block; G80 (8800 GTX) allows 512, so use a smaller"),
        (square(64), G80, "naive", 32, "needs 1,024 threads per block"),
        (square(64, "reduced_matmul"), G80, "naive_p", None, "needs 1,024 threads per block; G80 (8800 GTX) allows"),
        (
            square(64, dtype="float64"),
            DeviceFacts("tiny", "made up", shared_bytes_per_block=8191),
            "tiled",
            32,
            "needs 16,384 bytes of shared memory per block; tiny allows 8,191, so use a smaller tile",
        ),
    ],
)
def test_refusals_are_sentences(problem, facts, kernel, tile, sentence):
    """What cannot be planned is refused with what would be accepted."""
    with pytest.raises(PlanError) as refused:
        choose_plan(problem, facts, kernel, tile)

    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".")


def test_planning_knows_a_product_of_nothing():
    """A product over k = 0 is planned, and its prediction is no load at all."""
    plan = choose_plan(Problem.of("matmul", 3, 4, 0, "float32"), H200, "tiled")

    assert plan.predicted_global_loads == 0
    assert choose_plan(Problem.of("dot", 1, 1, 0, "float32"), H200).blocks == 1


def test_a_result_without_elements_has_a_plan_without_launches():
    """Nothing is launched, whichever kernel is asked for."""
    for kernel in ("auto", "tiled", "tiled_exact"):
        plan = choose_plan(Problem.of("matmul", 0, 4, 5, "float32"), EMULATOR_FACTS, kernel)

        assert (plan.launches, plan.reasons) == ((), ("C is empty: nothing is launched.",))


def test_float64_goes_to_the_tensor_cores_that_have_it():
    """From compute capability 8.0 on; older chips, and tiles of one number that only it takes, have matmul/strided."""
    problem = square(100, dtype="float64")

    assert choose_plan(problem, H200).kernel.name == "matmul/mma_sync_float64"
    assert choose_plan(problem, find_chip("t4")).kernel.name == "matmul/strided"
    assert choose_plan(problem, H200, tile=16).kernel.name == "matmul/strided"
    assert choose_plan(problem, H200, tile=(64, 64)).launches[0].block == (128, 1, 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_long_inner_size_is_split(dtype):
    """One tile of C would leave most SMs idle; their partial sums fit the workspace that the plan asks for."""
    plan = choose_plan(Problem.of("matmul", 64, 64, 2**18, dtype), H200)
    multiply, reduce = plan.launches

    splits = multiply.arguments["product.splits"]
    assert isinstance(splits, Scalar)
    assert multiply.grid[0] >= 100
    assert reduce.kernel == "matmul/splitk_reduce"
    assert plan.workspace_bytes == splits.value * 64 * 64 * plan.problem.out_bytes


def test_a_narrow_result_has_a_narrow_tile():
    """One of 32 columns, with more rows: a batch whose products have 26 columns, and a long k with 24."""
    a, b, c = (packed((388, *shape)) for shape in ((106, 90), (90, 26), (106, 26)))
    batch = Problem(a, b, c, "float32", "float32")
    assert re.search(r"Tile \d+ x 32 ", str(choose_plan(batch, H200)))
    assert re.search(r"Tile \d+ x 32 ", str(choose_plan(Problem.of("matmul", 336, 24, 149_960, "float32"), H200)))
