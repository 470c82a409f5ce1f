"""Host and device agree: about parameters and where members of structs lie, about constants that both compute with.

The compiler is asked: each launch's kernel is compiled with an assertion for each argument and each constant.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from math import prod
from random import Random

import pytest

from benchmarks.measure.hopper_tuning.planned import planned_launches
from tests.choose.random_products import random_product
from tests.kernels.test_hopper_kernels import JOBS
from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.compile.nvrtc import CompileError, compile_with_headers
from tilewright.compile.planned import KERNELS, own_headers
from tilewright.kernels.catalogue import kernels_of
from tilewright.kernels.dot import two_stage
from tilewright.kernels.launch import FORMATS, Launch, Pointer, Scalar, TensorMap, packed
from tilewright.kernels.matmul import few_lines
from tilewright.kernels.matmul.cuda_cores_16bit import TILE
from tilewright.kernels.matmul.float_output import LAYER_BYTES, STAGED_PADDING, STAGED_ROWS
from tilewright.kernels.matmul.mma_sync import PADDING_ELEMENTS, VECTOR_BYTES
from tilewright.kernels.matmul.repack import VECTOR_ELEMENTS
from tilewright.kernels.matmul.row_classes import CLASSES
from tilewright.kernels.matmul.small_batched import SWIZZLED_ELEMENTS
from tilewright.kernels.matmul.wgmma_operands import PART_ROWS, stages_of_c_operand
from tilewright.kernels.matmul.wgmma_tile import (
    BY_COPY_ENGINE,
    BY_ELEMENTS,
    BY_ROWS,
    LINE_BYTES,
    SHARED_BYTES_PER_BLOCK,
    WgmmaTile,
)
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.operand import packed as packed_operand
from tilewright.kernels.problem import Problem
from tilewright.kernels.reduced_matmul import fused

SAME = "template <class A, class B> constexpr bool same = false; template <class A> constexpr bool same<A, A> = true;"
CHIPS = {"h200": "compute_90a", "t4": "compute_75"}
MAP_BYTES = 128

TILE_MACROS = ("BLOCK_M", "BLOCK_N", "STAGES", "CONSUMERS", "BLOCK_K")
THREADS = {"matmul/strided": "TILE * TILE"}
WITH_SHARED_BYTES = {"matmul/wgmma", "matmul/wgmma_small", "matmul/mma_sync"}
OF_WGMMA = {"WARPGROUP_ROWS": PART_ROWS, "SWIZZLE_BYTES": LINE_BYTES, "MOST_SHARED_BYTES": SHARED_BYTES_PER_BLOCK}
CONSTANTS = {
    "matmul/wgmma": {
        **OF_WGMMA,
        "BY_COPY_ENGINE": BY_COPY_ENGINE,
        "BY_ROWS": BY_ROWS,
        "BY_ELEMENTS": BY_ELEMENTS,
        "ROW_CLASSES": CLASSES,
    },
    "matmul/wgmma_small": OF_WGMMA,
    "matmul/mma_sync": {"PADDING": PADDING_ELEMENTS, "VECTOR_BYTES": VECTOR_BYTES},
    "matmul/small_batched": {
        "PADDING": PADDING_ELEMENTS,
        "VECTOR_BYTES": VECTOR_BYTES,
        "SWIZZLE_ELEMENTS": SWIZZLED_ELEMENTS,
    },
    "matmul/cuda_cores_16bit": {"BLOCK_M": TILE[0], "BLOCK_N": TILE[1]},
    "dot/two_stage": {"VECTOR_BYTES": two_stage.VECTOR_BYTES, "WARP": two_stage.WARP},
    "reduced_matmul/fused": {"VECTOR_BYTES": fused.VECTOR_BYTES, "ALIGNED": fused.ALIGNED, "SHIFTED": fused.SHIFTED},
    "matmul/repack": {"VECTOR_ELEMENTS": VECTOR_ELEMENTS},
    "matmul/mma_sync_float64": {
        "Staged::ROWS": STAGED_ROWS,
        "STAGED_PADDING": STAGED_PADDING,
        "sizeof(Layer)": LAYER_BYTES,
    },
}

PARTS = ("STORE", "BATCHED", "C_OPERAND_STAGED", "EPILOGUE", "A_ROW_CLASSES", "STAYS", "PAIR_SUMS", "HANDS_OVER")
"""Macros with which a struct has other members, or a kernel other constants."""


def planned() -> Iterator[tuple[str, Launch]]:
    """Yield launches of random products with their chips, and those of Hopper's kernels in every variant."""
    for chip in CHIPS:
        for seed in range(300):
            random = Random(f"signatures {chip} {seed}")
            product = random_product(random)
            if random.random() < 0.1:
                product = replace(product, dtype="float64", out_dtype="float64")
            kernel = random.choice(("auto", "auto", *(each.idea for each in kernels_of("matmul") if each.planning)))
            with suppress(PlanError):
                yield from ((chip, launch) for launch in choose_plan(product, find_chip(chip), kernel).launches)
    yield from (("h200", launch) for job in JOBS for launch in planned_launches(job))
    for dtype in DTYPE_BYTES:
        for kernel in ("fused", "pair_sums"):
            problem = Problem.of("reduced_matmul", 20, 30, 5000, dtype)
            yield from (("h200", launch) for launch in choose_plan(problem, find_chip("h200"), kernel).launches[:1])
    square = packed_operand((3000, 64, 64))
    for problem in (
        Problem(square, square, square, "float64", "float64"),
        Problem.of("matmul", 1, 3000, 4000, "float32"),
        Problem.of("matmul", 3, 300, 9000, "float64"),
    ):
        yield from (("h200", launch) for launch in choose_plan(problem, find_chip("h200")).launches[:1])
    for k in (100, 2**20):
        yield from (
            ("h200", launch)
            for launch in choose_plan(Problem.of("dot", 1, 1, k, "float32"), find_chip("h200")).launches
        )


def launches() -> dict[tuple[str, str, tuple[str, ...]], Launch]:
    """Launches that differ in kernel or in which parts a struct may have."""
    found: dict[tuple[str, str, tuple[str, ...]], Launch] = {}
    for chip, launch in planned():
        parts = tuple(f"{name}={dict(launch.macros).get(name)}" for name in PARTS)
        found.setdefault((chip, launch.kernel, parts), launch)
    return found


LAUNCHES = launches()


def declared(launch: Launch) -> dict[str, str]:
    """The kernel's parameters by name, in order, each with its type as the source has it."""
    text = (KERNELS / launch.source).read_text(encoding="utf-8")
    store = dict(launch.macros).get("STORE")
    text = re.sub(
        r"#if STORE == (\w+)\n(.*?)#endif\n", lambda part: part[2] * (part[1] == store), text, flags=re.DOTALL
    )
    found = re.search(rf"{launch.entry}\(([^)]*)\)", text)
    assert found is not None
    words = [parameter.replace("__grid_constant__", "").replace("const ", "") for parameter in found[1].split(",")]
    return {word.split()[-1]: " ".join(word.split()[:-1]) for word in words}


def assertions(launch: Launch) -> str:
    """C++ that compiles where each member lies in its struct as the host packs it, and has the same type."""
    lines = [SAME]
    for name, members in groupby(launch.arguments.items(), key=lambda item: item[0].partition(".")[0]):
        kind, within = declared(launch)[name], dict(members)
        for path, argument in within.items():
            if "." not in path:
                continue
            member = path.partition(".")[2]
            before = [each for other, each in within.items() if list(within).index(other) < list(within).index(path)]
            if isinstance(argument, TensorMap):
                offset, ctype = MAP_BYTES * len(before), "TensorMap"
            else:
                assert isinstance(argument, Scalar)
                kinds = "".join(FORMATS[each.ctype] for each in before if isinstance(each, Scalar))
                offset, ctype = struct.calcsize(f"@{kinds}0{FORMATS[argument.ctype]}"), argument.ctype
            lines.append(f'static_assert(__builtin_offsetof({kind}, {member}) == {offset}, "{path}");')
            of_member = f"decltype((({kind}*)nullptr)->{member})"
            wanted = "TensorMap&" if "[" in member else ctype
            lines.append(f'static_assert(same<{of_member}, {wanted}>, "{path}");')
    lines += [f'static_assert({name} == {value}, "{name}");' for name, value in constants(launch).items()]
    if launch.kernel == "matmul/mma_sync_float64":  # the host counts the widest padding of lines
        lines.append(f'static_assert(SHARED_BYTES <= {launch.shared_bytes}, "what the kernel uses");')
    if "HANDS_OVER" in dict(launch.macros):
        handed = "sizeof(SealedWord) * WORDS_OF<ELEMENT, Owned> * THREADS"
        lines.append(f'static_assert({handed} == {handed_by_block(launch)}, "what a block hands over");')
    return "\n".join(lines)


def handed_by_block(launch: Launch) -> int:
    """The bytes that a block of matmul/few_lines hands over, as the host plans the workspace."""
    macros = {name: value for name, value in launch.macros if value.isdigit()}
    numbers = int(macros["THREAD_M"]) * int(macros["THREAD_N"])
    size = 4 if dict(launch.macros)["ELEMENT"] == "float" else 8
    words = few_lines.words_of(numbers, size, k_major=macros["B_K_MAJOR"] == "1")
    return few_lines.WORD_BYTES * words * prod(launch.block)


def constants(launch: Launch) -> dict[str, int]:
    """What the host computes with, by the names that the source has for it."""
    macros = dict(launch.macros)
    values = {THREADS.get(launch.kernel, "THREADS"): prod(launch.block)} | CONSTANTS.get(launch.kernel, {})
    if launch.kernel in WITH_SHARED_BYTES:
        values["SHARED_BYTES"] = launch.shared_bytes
    if macros.get("C_OPERAND_STAGED") == "1":
        m, n, stages, consumers, k = (int(macros[name]) for name in TILE_MACROS)
        tile, out_bytes = WgmmaTile(m, n, stages, consumers, k), 4 if macros["C_OPERAND"] == "float" else 2
        values["C_OPERAND_STAGES"] = stages_of_c_operand(tile, out_bytes, b_k_major=macros["B_K_MAJOR"] == "1")
    return values


def compiled(launch: Launch, chip: str, more: str = "") -> str:
    """The PTX of a launch's kernel."""
    code = compile_with_headers(
        f"{(KERNELS / launch.source).read_text(encoding='utf-8')}\n{more}\n",
        launch.source,
        architecture=CHIPS[chip],
        macros=dict(launch.macros),
        headers=own_headers(launch.source),
    ).code
    assert isinstance(code, str)
    return code


def size_of(parameter: object) -> int:
    """The bytes of what one parameter takes."""
    match parameter:
        case Pointer():
            return 8
        case Scalar():
            return len(packed([parameter]))
        case bytes():
            return len(parameter)
        case tuple():
            return MAP_BYTES * len(parameter)
        case TensorMap():
            return MAP_BYTES
    raise AssertionError(parameter)


@pytest.mark.slow
@pytest.mark.parametrize("key", LAUNCHES, ids=lambda key: " ".join((*key[:2], *key[2])))
def test_the_kernel_takes_what_is_passed(key):
    """Names in the source's order, members where the compiler puts them, the PTX's sizes, and the same constants."""
    chip, launch = key[0], LAUNCHES[key]
    ptx = compiled(launch, chip, assertions(launch))
    entry = re.search(rf"\.entry {launch.entry}\((.*?)\n\)", ptx, re.DOTALL)
    assert entry is not None
    sizes = [
        int(count or 1) * int(bits) // 8
        for bits, count in re.findall(r"\.param (?:\.align \d+ )?\.[ubf](\d+) \w+(?:\[(\d+)\])?", entry[1])
    ]

    assert list(launch.parameters) == list(declared(launch))
    assert [size_of(parameter) for parameter in launch.parameters.values()] == sizes


def test_another_constant_is_found():
    """Were a stage larger on the host, the compiler would say so."""
    launch = next(launch for (_, kernel, _), launch in LAUNCHES.items() if kernel == "matmul/wgmma")
    larger = replace(launch, shared_bytes=launch.shared_bytes + 1024)

    with pytest.raises(CompileError, match="static assertion failed"):
        compiled(larger, "h200", assertions(larger))


def test_a_member_elsewhere_is_found():
    """Were two numbers of a struct exchanged on the host, the compiler would say so."""
    launch = next(launch for (_, kernel, _), launch in LAUNCHES.items() if kernel == "matmul/mma_sync")
    names = list(launch.arguments)
    first, second = names.index("product.k"), names.index("product.batches")
    names[first], names[second] = names[second], names[first]
    exchanged = replace(launch, arguments={name: launch.arguments[name] for name in names})

    with pytest.raises(CompileError, match="static assertion failed"):
        compiled(exchanged, "t4", assertions(exchanged))
