"""Some 5,000 plans: what would be launched for random and for measured products, chip by chip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from benchmarks.shapes import shape_groups
from tests.choose.random_products import random_product
from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.choose.plan import Plan
from tilewright.kernels import TAUGHT, UnknownKernelError
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Argument, Launch, Pointer, Scalar, TensorMap, ceil_divide
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem
from tilewright.lab.bench.products import MULTIPLE

RANDOM_PRODUCTS = (("h200", 1300), ("h100", 600), ("a100", 500), ("t4", 400), ("rtx-5090", 500))
FLOAT_PRODUCTS = (("h200", 300), ("t4", 150), ("gtx-1050-mobile", 150))
TAUGHT_PROBLEMS = (("h200", 45), ("g80", 20), ("fermi", 20))
KERNELS_OF_16_BITS = (
    "auto",
    "auto",
    "auto",
    "wgmma",
    "small_batched",
    "mma_sync",
    "cuda_cores_16bit",
    "mma_direct",
    "short_k",
)
KERNELS_OF_FLOATS = ("auto", "auto", "strided", "tiled", "naive")
SIZES = (0, 1, 2, 15, 16, 17, 31, 32, 33, 48, 64, 100, 255, 256, 1000, 1023, 2048, 4096, 65_537, 2_000_000)
TILES = (None, None, 1, 2, 8, 16, 32, 33, 128, 1024)


def plans() -> Iterator[tuple[str, str]]:
    """Yield each case's name and its plan as text: launches with their arguments, or the sentence of a refusal."""
    yield from _random_16_bit_products()
    yield from _random_float_products()
    yield from _measured_products()
    yield from _taught_kernels()


def _random_16_bit_products() -> Iterator[tuple[str, str]]:
    for chip, count in RANDOM_PRODUCTS:
        facts = find_chip(chip)
        for seed in range(count):
            random = Random(f"nets {chip} {seed}")
            product, kernel = random_product(random), random.choice(KERNELS_OF_16_BITS)
            yield f"16 bits {chip} {seed}", _planned(product, facts, kernel)


def _random_float_products() -> Iterator[tuple[str, str]]:
    for chip, count in FLOAT_PRODUCTS:
        facts = find_chip(chip)
        for seed in range(count):
            random = Random(f"nets floats {chip} {seed}")
            dtype = random.choice(("float32", "float64"))
            product = replace(random_product(random), dtype=dtype, out_dtype=dtype)
            yield f"floats {chip} {seed}", _planned(product, facts, random.choice(KERNELS_OF_FLOATS))


def _measured_products() -> Iterator[tuple[str, str]]:
    facts = find_chip("h200")
    for name, product in measured_products():
        yield f"measured {name}", _planned(product, facts, "auto")


def measured_products() -> Iterator[tuple[str, Problem]]:
    """Yield the products that `make bench-gpu` times, without their epilogues, each with a name."""
    for group in shape_groups():
        for measured in group.products:
            m, k, n = measured.rows, measured.inner, measured.columns
            batch = () if measured.batch is None else (measured.batch,)
            a, b = (_operand(*sizes, batch, measured.layout) for sizes in ((m, k), (k, n)))
            c = _operand(m, n, batch, "contiguous")
            yield (
                f"{group.name} {measured.dtype} {measured}",
                Problem(a, b, c, measured.dtype, measured.dtype),
            )


def _taught_kernels() -> Iterator[tuple[str, str]]:
    for chip, count in TAUGHT_PROBLEMS:
        facts = find_chip(chip)
        for kernel in TAUGHT:
            for seed in range(count):
                random = Random(f"nets {kernel.name} {chip} {seed}")
                m, n, k = (random.choice(SIZES) for _ in range(3))
                m, n = (1, 1) if kernel.operation == "dot" else (m, n)
                machine = "host" if "host" in kernel.runs_on else random.choice(("gpu", "emulator"))
                problem = Problem.of(kernel.operation, m, n, k, random.choice(kernel.dtypes))
                asked = random.choice((kernel.idea, kernel.name, "auto"))
                tile = random.choice(TILES)
                try:
                    text = taught_text(choose_plan(problem, replace(facts, machine=machine), asked, tile))
                except (PlanError, UnknownKernelError) as refused:
                    text = f"refused: {refused}"
                yield f"taught {kernel.name} {chip} {seed}", text


def _operand(rows: int, columns: int, batch: tuple[int, ...], layout: str) -> Operand:
    width = columns if layout == "contiguous" else ceil_divide(columns, MULTIPLE) * MULTIPLE
    return Operand(rows, columns, width, 1, batch, tuple(rows * width for _ in batch))


def _planned(product: Problem, facts: DeviceFacts, kernel: str) -> str:
    try:
        return launches_text(choose_plan(product, facts, kernel))
    except (PlanError, UnknownKernelError) as refused:
        return f"refused: {refused}"


def launches_text(plan: Plan) -> str:
    """Return everything of a plan that reaches the driver, a launch a line, and the workspace."""
    return "\n".join([*map(launch_text, plan.launches), f"workspace {plan.workspace_bytes}"])


def launch_text(launch: Launch) -> str:
    """Return one launch: kernel, entry, macros by name, shape, arguments in the order of the parameters."""
    macros = " ".join(f"{name}={value}" for name, value in sorted(launch.macros))
    arguments = ", ".join(map(argument_text, launch.arguments.values()))
    return (
        f"{launch.kernel} {launch.entry} [{macros}] grid {launch.grid} block {launch.block} cluster {launch.cluster} "
        f"shared {launch.shared_bytes} overlaps {launch.overlaps_previous}: {arguments}"
    )


def argument_text(argument: Argument) -> str:
    """Return an argument as the kernel receives it."""
    match argument:
        case Pointer():
            return f"{argument.buffer}+{argument.offset_bytes}"
        case Scalar():
            return f"{argument.ctype} {argument.value!r}"
        case TensorMap():
            return (
                f"map {argument.buffer}+{argument.offset_bytes} {argument.dtype} {argument.sizes} "
                f"{argument.strides_bytes} {argument.box} swizzle {argument.swizzle_bytes}"
            )


def taught_text(plan: Plan) -> str:
    """Return the plan of one of the seeds' kernels: what is compiled and how it is launched."""
    if plan.machine == "host":
        return f"{plan.kernel.name} on the host"
    if plan.taught is None or not plan.launches:
        return "\n".join([f"{plan.kernel.name} on {plan.machine}", launches_text(plan)])
    macros = dict(plan.launches[0].macros)
    return (
        f"{plan.kernel.name} on {plan.machine} [{' '.join(f'{n}={v}' for n, v in sorted(macros.items()))}] "
        f"grid {plan.grid} block {plan.block} shared {plan.shared_bytes}"
    )
