"""What planning says beside launches: products that stream, many devices and nodes, trips to a GPU, chips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from tilewright.choose import PlanError, chip_names, find_chip, occupancy, roofline
from tilewright.choose.clustered import ClusteredPlan, Workers
from tilewright.choose.many import OTHER, PARTIAL, REPLICATED, Asked, choose_sharding, contraction
from tilewright.choose.many.nodes import ELEMENT_BYTES, cluster, predict
from tilewright.choose.streamed import StreamedMatrix, StreamedProblem
from tilewright.choose.streamed_tiles import plan_streamed, usual_rates
from tilewright.choose.trip import Rates, judge
from tilewright.kernels import TAUGHT

STREAMED, SHARDED, NODES, TRIPS, BLOCKS = 300, 500, 60, 200, 10
SIDES = (1, 7, 64, 500, 1000, 4096, 10_000, 65_536)
CHUNKS = (None, None, (64, 64), (50, 130), (1000, 1), (1, 4096))
PLACEMENTS = (0, 1, REPLICATED, PARTIAL, OTHER)


def models() -> Iterator[tuple[str, str]]:
    """Yield each case's name and what is said of it, or the sentence of a refusal."""
    yield from _streamed()
    yield from _sharded()
    yield from _on_nodes()
    yield from _trips()
    yield from _on_chips()


def _streamed() -> Iterator[tuple[str, str]]:
    for seed in range(STREAMED):
        random = Random(f"streamed {seed}")
        problem = _streamed_problem(random)
        limit, least_tiles = 2 ** random.randint(20, 34), random.choice((1, 1, problem.gpus, 16))
        try:
            plan = plan_streamed(problem, limit, usual_rates(problem), least_tiles)
            said = f"{plan}\n{plan.kept} {plan.passes} {plan.read_bytes} {plan.link_bytes} {plan.order()[:50]}"
            said += f" {plan.strip_rows} {plan.added_rows} {plan.buffers} {plan.peak_bytes} {plan.ring_bytes}"
            said += f" {plan.steps()[:50]} {plan.rounds_in_kernel} {plan.reserved_bytes} {plan.seconds}"
            said += str(ClusteredPlan.of(plan, Workers(*(random.randint(1, 9) for _ in range(3)))))
        except PlanError as refused:
            said = f"refused: {refused}"
        yield f"streamed {seed}", said


def _streamed_problem(random: Random) -> StreamedProblem:
    m, n, k = (random.choice(SIDES) for _ in range(3))
    operation, pairs = random.choice((("matmul", 1), ("reduced_matmul", 2)))
    item, sum_bytes = random.choice(((2, 4), (4, 4), (8, 8)))
    matrices = []
    for shape in ((m * pairs, k), (k, n * pairs), (m, n)):
        chunks, of_file = random.choice(CHUNKS), (random.choice((item, 4)), random.choice((1, 4)))
        kind = "memory" if chunks is None else "zarr"
        matrices.append(StreamedMatrix(shape, "float32", of_file[0], chunks, of_file[1], kind))
    casts, is_one_type = random.random() < 0.5, random.random() < 0.5
    machine, gpus = random.choice((("host", 1), ("gpu", 1), ("gpu", 2), ("gpu", 4)))
    a, b, c = matrices
    return StreamedProblem(operation, a, b, c, "float32", item, sum_bytes, casts, machine, is_one_type, gpus)


def _sharded() -> Iterator[tuple[str, str]]:
    for seed in range(SHARDED):
        random = Random(f"sharded {seed}")
        mesh = random.choice(((2,), (4,), (3,), (2, 2), (4, 2)))
        m, n, k = (random.choice((2, 8, 64, 1000, 4096)) for _ in range(3))
        batch = random.choice(((), (), (6,)))
        product = contraction(random.choice(("matmul", "matmul", "reduced_matmul", "dot")), (*batch, m, k), (k, n))
        a, b = (tuple(random.choice(PLACEMENTS) for _ in mesh) for _ in "AB")
        of_a, of_b, of_c = (random.choice((2, 4)) for _ in "ABC")
        way = choose_sharding(Asked(product, mesh, a, b, of_a, of_b, of_c, random.random() < 0.7))
        parts = way.a, way.b, way.summed, way.c, way.moves, way.pieces, way.all_bytes, way.reasons
        yield f"sharded {seed}", " ".join(map(repr, parts))


def _on_nodes() -> Iterator[tuple[str, str]]:
    for seed in range(NODES):
        random = Random(f"nodes {seed}")
        m, n, k = (random.choice((512, 8192, 2**17)) for _ in range(3))
        dtype = random.choice(list(ELEMENT_BYTES))
        on = replace(
            cluster("h100"),
            flops_per_s={"bfloat16": 741e12, "float32": 50e12, "float64": 60e12},
            devices_at_once=random.choice((None, 4)),
        )
        try:
            found = predict(m, k, n, dtype, random.choice((1, 6, 8, 16, 64)), on)
            numbers = found.compute_s, found.messages_s, found.received_bytes, found.held_bytes, found.efficiency()
            said = f"{found.grid} {found.grid.layout} {found.order} " + " ".join(f"{each:.9g}" for each in numbers)
        except PlanError as refused:
            said = f"refused: {refused}"
        yield f"nodes {seed}", said


def _trips() -> Iterator[tuple[str, str]]:
    for seed in range(TRIPS):
        random = Random(f"trips {seed}")
        m, n, k = (int(10 ** random.uniform(0, 5)) for _ in range(3))
        rates = Rates(*(10 ** random.uniform(*each) for each in ((1, 3), (3, 5), (0, 2), (0, 2), (-5, -3))))
        verdict = judge(2 * m * n * k, 4 * (m * k + k * n), 4 * m * n, rates)
        yield f"trips {seed}", verdict.reason


def _on_chips() -> Iterator[tuple[str, str]]:
    for chip in chip_names():
        for kernel in TAUGHT:
            for dtype in kernel.dtypes:
                yield f"{chip} {kernel.name} {dtype}", _on_chip(chip, kernel.name, dtype)
        for seed in range(BLOCKS):
            random = Random(f"blocks {chip} {seed}")
            threads, registers = random.randint(1, 1024), random.choice((None, 0, 16, 33, 64, 128, 255))
            shared = random.choice((0, 100, 16_384, 49_152, 100_000, 232_448))
            said = occupancy(threads, chip, registers, shared_bytes=shared)
            yield f"{chip} block {seed}", f"{said} {said.limits}"


def _on_chip(chip: str, kernel: str, dtype: str) -> str:
    found = []
    for answer in (
        lambda: occupancy(kernel, chip, 32, dtype=dtype),
        lambda: roofline(kernel, find_chip(chip), dtype=dtype),
        lambda: roofline(kernel, chip, dtype=dtype, size=(1024, 512, 256)),
    ):
        try:
            found.append(str(answer()))
        except PlanError as refused:
            found.append(f"refused: {refused}")
    return "\n".join(found)
