"""Planning of two_stage.cu: how many threads and blocks share a dot product."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tilewright.kernels.batches import BatchSlice, flattened, slices
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import MAX_GRID_X, Arguments, Launch, Launches, Pointer, Scalar, ceil_divide
from tilewright.kernels.operand import C_TYPES, INTEGER_BYTES, Operand
from tilewright.kernels.problem import Problem

VECTOR_BYTES = 16
SEALED_SUM_BYTES = {"float64": 32}
"""A sum that a block leaves for another, by the type of the elements; 16 bytes for all others."""
WARP = 32
BLOCKS_ON_EMULATOR = 4


@dataclass(frozen=True)
class Division:
    """How threads share products: ``team`` of a block's ``threads`` have one, and ``blocks`` blocks share it.

    ``across``: neighbouring threads have neighbouring products. ``loads``: vectors of 16 bytes that a thread reads from
    each operand at a time, and a team's make up a tile. There are registers for ``blocks_per_sm`` blocks. The first
    ``wave`` of the blocks take a tile in each of ``rounds``, and the others one of the tiles that are left each; where
    there are no others, these two are 0. ``is_plain``: there is one product, whose vectors are contiguous and begin on
    16 bytes.
    """

    threads: int
    team: int
    loads: int
    blocks_per_sm: int
    blocks: int = 1
    across: bool = False
    wave: int = 0
    rounds: int = 0
    is_plain: bool = False

    @property
    def hands_over(self) -> bool:
        """Whether blocks leave their sums in the workspace, for one block more, which adds them."""
        return self.blocks > 1


LONG = Division(threads=512, team=512, loads=4, blocks_per_sm=2)
"""For the longest vectors: a wave of such blocks asks for 128 KiB an SM at a time."""
MIDDLING = Division(threads=256, team=256, loads=4, blocks_per_sm=4)
"""For batches of vectors that are too long for a warp, and for a few long ones."""
BRIEF = Division(threads=128, team=128, loads=4, blocks_per_sm=4)
"""For a few vectors of middling length: each thread of its blocks asks once."""
SHORT = Division(threads=256, team=32, loads=2, blocks_per_sm=4)
"""For batches of vectors that a warp or less reads in a few rounds."""
COLUMNS = Division(threads=512, team=16, loads=4, blocks_per_sm=2, across=True)
"""For the columns of matrices, up to 32 of them side by side."""

MOST_VECTORS_OF_ONE_BLOCK, MOST_VECTORS_OF_BRIEF, MOST_VECTORS_OF_MIDDLING = 2048, 65_536, 2**23
MOST_VECTORS_OF_WARP, VECTORS_OF_ONE_ROUND = 1024, 8
MOST_LOADS = 8
"""Of a thread from each operand at a time, where they are narrower than 16 bytes."""
ALL_ROUNDS = 2**30
IN_ROUNDS, MOST_ROUNDS_LEFT = 0.95, 3
"""The share of the tiles that the first wave of blocks takes, or all but so many rounds; the others go to whichever SM
is done. With equal shares, 24 SMs of an H200 were done after 70 % of the time."""
LEAST_ROWS_OF_BLOCK, MOST_ROWS_OF_THREAD = 256, 256
THREADS_OF_BUSY_SM = 512


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel cannot compute a problem, as a sentence, or None."""
    if (problem.m, problem.n) != (1, 1) or problem.about.row_group != 1:
        return f"dot/two_stage takes two vectors, or a batch of them, not {problem}."
    if not problem.epilogue.is_plain:
        return f"dot/two_stage stores the sum as it is, without {problem.epilogue}."
    if tile is not None:
        return f"dot/two_stage has no tile to set, so tile = {tile} cannot be used; leave the tile out."
    if problem.batch_count > MAX_GRID_X:
        return f"dot/two_stage takes at most {MAX_GRID_X:,} products, not {problem.batch_count:,}."
    return None


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:  # noqa: ARG001
    """Return a launch for each part of the batch; they share the workspace."""
    return divided(problem, division_of(problem, facts))


def division_of(problem: Problem, facts: DeviceFacts) -> Division:
    """Return how threads share a problem: a wave of blocks where products are few, else a team for each.

    The limits are the best of those measured on an H200.
    """
    products, k, sms = problem.batch_count, problem.k, facts.sm_count
    if sms is None:  # the emulator, for which one program ships
        return replace(LONG, blocks=max(1, min(BLOCKS_ON_EMULATOR, k // LONG.threads)))
    wave = LONG.blocks_per_sm * sms
    if _lies_across(problem):
        return _of_columns(products, k, sms)
    contiguous = problem.a.column_stride == problem.b.row_stride == 1
    vectors = ceil_divide(k * problem.element_bytes, VECTOR_BYTES) if contiguous else k
    if 2 * products <= wave:
        found = _of_few(problem, vectors, sms)
        return replace(found, is_plain=_is_plain(problem))
    if vectors > MOST_VECTORS_OF_WARP:
        return MIDDLING
    rounds = 1 if vectors <= VECTORS_OF_ONE_ROUND else 2
    team = 1
    while team < WARP and team * SHORT.loads * rounds < vectors:
        team *= 2
    return replace(SHORT, team=team)


def _of_few(problem: Problem, vectors: int, sms: int) -> Division:
    """Return the division of products that are too few to occupy the chip with one block each."""
    if vectors <= MOST_VECTORS_OF_ONE_BLOCK:
        return next(each for each in (BRIEF, MIDDLING, LONG) if vectors <= each.threads * each.loads)
    limits = ((MOST_VECTORS_OF_BRIEF, BRIEF), (MOST_VECTORS_OF_MIDDLING, MIDDLING))
    division = next((each for most, each in limits if vectors <= most), LONG)
    loads = division.loads
    if vectors == problem.k:  # one element each
        loads = min(loads * VECTOR_BYTES // problem.element_bytes, MOST_LOADS)
    tiles, wave = ceil_divide(vectors, division.threads * loads), division.blocks_per_sm * sms // problem.batch_count
    if tiles <= wave:
        return replace(division, blocks=tiles if 2 * tiles <= wave else ceil_divide(tiles, 2))
    sides, size = (problem.a, problem.b), problem.element_bytes
    if vectors < problem.k and any(side.vector_bytes(size) < VECTOR_BYTES for side in sides):
        return replace(division, blocks=wave)  # vectors may be narrower, and tiles more than are counted here
    rounds = max(1, int(IN_ROUNDS * tiles / wave), tiles // wave - MOST_ROUNDS_LEFT)
    return replace(division, blocks=tiles - (rounds - 1) * wave, wave=wave, rounds=rounds)


def _is_plain(problem: Problem) -> bool:
    """Whether there is one product, of contiguous vectors that begin on 16 bytes."""
    contiguous = problem.a.column_stride == problem.b.row_stride == 1
    aligned = problem.a.alignment_bytes == problem.b.alignment_bytes == VECTOR_BYTES
    return problem.batch_count == 1 and contiguous and aligned


def _of_columns(products: int, k: int, sms: int) -> Division:
    """Return the division of products that lie side by side: a thread for each if there are enough."""
    if k <= MOST_ROWS_OF_THREAD and products >= sms * THREADS_OF_BUSY_SM:
        return replace(SHORT, team=1)
    width = COLUMNS.threads // COLUMNS.team
    while width >= 2 * products:
        width //= 2
    lines = ceil_divide(products, width)
    blocks = min(COLUMNS.blocks_per_sm * sms // lines, k * width // (LEAST_ROWS_OF_BLOCK * WARP))
    return replace(COLUMNS, team=COLUMNS.threads // width, blocks=max(1, blocks))


def _lies_across(problem: Problem) -> bool:
    """Whether neighbouring products lie closer together than neighbouring elements, as the columns of a matrix do."""
    if problem.batch_count == 1 or problem.k <= 1:
        return False
    problem = flattened(problem)
    strides = ((problem.a.column_stride, problem.a), (problem.b.row_stride, problem.b))
    return all(abs(operand.batch_steps[0][1]) < abs(stride) for stride, operand in strides)


def divided(problem: Problem, division: Division) -> Launches:
    """Return the launches for a division."""
    parts = slices(problem)
    found = tuple(_launch(part, division) for part in parts)
    handed = parts[0].part.batch_count * division.blocks if division.hands_over else 0
    return Launches(
        found, handed * SEALED_SUM_BYTES.get(problem.dtype, 16), (_about(problem, division), _about_accuracy(problem))
    )


def _launch(part: BatchSlice, division: Division) -> Launch:
    problem = part.part
    a, b = problem.a, problem.b
    strides = [a.column_stride, b.row_stride]
    # Vectors that both run backwards are read from their ends: then they may be contiguous.
    turned = max(strides) < 0
    ends = [stride * (problem.k - 1) if turned else 0 for stride in strides]
    a_stride, b_stride = (-stride if turned else stride for stride in strides)
    products = problem.batch_count
    teams = division.threads // division.team
    return Launch(
        kernel="dot/two_stage",
        macros=(
            ("ELEMENT", C_TYPES[problem.dtype]),
            ("OUTPUT", C_TYPES[problem.out_dtype]),
            ("THREADS", str(division.threads)),
            ("TEAM", str(division.team)),
            ("ACROSS", str(int(division.across))),
            ("LOADS", str(division.loads)),
            ("BLOCKS_PER_SM", str(division.blocks_per_sm)),
            *((("PLAIN", "1"),) if division.is_plain else ()),
        ),
        grid=(ceil_divide(products, teams), division.blocks + division.hands_over, 1),
        block=(division.threads, 1, 1),
        arguments={
            "A": Pointer("A", (part.a_offset + ends[0]) * problem.element_bytes),
            "B": Pointer("B", (part.b_offset + ends[1]) * problem.element_bytes),
            "C": Pointer("C", part.c_offset * problem.out_bytes),
            "workspace": Pointer("workspace") if division.hands_over else Scalar("long long", 0),
            "product.k": Scalar("long long", problem.k),
            "product.products": Scalar("unsigned", products),
            "product.products_1": Scalar("unsigned", problem.c.batch_steps[0][0]),
            "product.wave": Scalar("int", division.wave or division.blocks),
            "product.rounds": Scalar("int", division.rounds or ALL_ROUNDS),
            **_strides("product.a", a_stride, a),
            **_strides("product.b", b_stride, b),
            **_strides("product.c", 0, problem.c),
        },
        overlaps_previous=True,
    )


def _strides(name: str, element: int, operand: Operand) -> Arguments:
    (_, batch_1), (_, batch_2) = operand.batch_steps
    strides = {"element": element, "batch_1": batch_1, "batch_2": batch_2}
    return {f"{name}.{each}": Scalar("long long", stride) for each, stride in strides.items()}


def _about(problem: Problem, division: Division) -> str:
    if division.hands_over:
        shared = f"{division.threads // division.team} products" if division.across else "a product"
        return (
            f"{division.blocks:,} blocks of {division.threads} threads share {shared}; one more "
            "adds their sums, in the order of their numbers: the same bits in every call."
        )
    share = f"{division.team} threads" if division.team < division.threads else f"a block of {division.threads} threads"
    return f"A product of {problem.k:,} elements has {share}, which add their sums in a fixed order."


def _about_accuracy(problem: Problem) -> str:
    if problem.dtype == "float64":
        return "Sums in float64 keep what they round away (Dot2): the result is as if summed in twice the precision."
    if problem.dtype in INTEGER_BYTES:
        return f"Integers are added in {problem.out_dtype}, modulo its range."
    return f"Products of {problem.dtype} are exact, and their sum is float64's, rounded once to {problem.out_dtype}."
