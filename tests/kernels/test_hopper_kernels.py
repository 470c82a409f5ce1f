"""The Hopper kernels compile for sm_90a in every variant without spills, and nothing serialises wgmma."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from benchmarks.measure.hopper_tuning.case import Case, Job
from benchmarks.measure.hopper_tuning.planned import planned_launches
from tests.repeats import sampled
from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.choose.sm90.tiles import tile_table
from tilewright.compile.nvrtc import compile_with_headers
from tilewright.compile.planned import KERNELS, own_headers
from tilewright.kernels.batches import slices
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Epilogue, Problem
from tilewright.kernels.refusals import PlanError

LARGE, SMALL = WgmmaTile(128, 256, 3, cluster_m=2), WgmmaTile(64, 64, 4, consumers=1)
ODD = Case("test", 257, 255, 253)
JOBS = [
    *(Job(replace(ODD, layout=layout), LARGE) for layout in ("NN", "NT", "TN", "TT")),
    *(Job(Case("test", 512, 512, 512, layout=layout), LARGE) for layout in ("NN", "NT", "TN", "TT")),
    *(Job(replace(ODD, dtype="float16", out_dtype=out), LARGE) for out in ("", "float32")),
    Job(replace(ODD, epilogue=True), LARGE),
    *(Job(Case("test", 512, 512, 512, out_dtype=out, epilogue=True), LARGE) for out in ("", "float32")),
    Job(replace(ODD, batch=3), replace(LARGE, splits=2)),
    Job(replace(ODD, epilogue=True), replace(SMALL, splits=3)),
    *(Job(ODD, WgmmaTile(128, width, 4)) for width in (8, 16, 32, 64, 96, 128, 160, 192, 224)),
    *(Job(Case("test", 512, 512, 512), WgmmaTile(128, width, 3)) for width in (32, 96, 160, 256)),
    Job(ODD, WgmmaTile(192, 128, 4, consumers=3)),
    Job(ODD, WgmmaTile(256, 128, 3, cluster_n=2)),
    *(Job(Case("test", 2048, 2047, 1024, out_dtype=out, epilogue=bool(out)), LARGE) for out in ("", "float32")),
    Job(Case("test", 2048, 2047, 1024), replace(SMALL, transposed_problem=True)),
    Job(Case("test", 1024, 1023, 1024, batch=4), WgmmaTile(256, 128, 4)),
    Job(Case("test", 16, 512, 512), WgmmaTile(128, 16, 8, transposed_problem=True)),
    Job(Case("test", 512, 64, 512), WgmmaTile(64, 128, 3, consumers=1, blocks_per_sm=2)),
    Job(Case("test", 64, 4096, 64), WgmmaTile(64, 64, 3, consumers=1, block_k=256, splits=8)),
]
NARROW = WgmmaTile(64, 72, 6, 1, block_k=128, transposed_problem=True, small=True)
WIDE = WgmmaTile(128, 144, 6, transposed_problem=True, small=True)
THIN = WgmmaTile(128, 8, 4, block_k=128, splits=4, transposed_problem=True, small=True)
JOBS += [
    *(Job(Case("test", 8, 4096, 2592, layout=layout), THIN) for layout in ("NN", "TN", "NT")),
    Job(Case("test", 64, 4096, 2592, epilogue=True), replace(THIN, block_m=64, block_n=64, consumers=1)),
    *(Job(Case("test", 512, 512, 512, out_dtype=out), tile) for tile in (NARROW, WIDE) for out in ("", "float32")),
    Job(Case("test", 512, 512, 512), replace(WIDE, consumers=1)),
    Job(Case("test", 512, 512, 512, batch=3, epilogue=True), WIDE),
    Job(Case("test", 512, 512, 512, out_dtype="float32", epilogue=True), NARROW),
    Job(Case("test", 512, 512, 512, layout="TT", dtype="float16"), WgmmaTile(64, 128, 4, 1, cluster_m=2, small=True)),
    Job(Case("test", 2048, 2048, 2048), WgmmaTile(256, 128, 4, small=True)),
    Job(Case("test", 512, 512, 512), WgmmaTile(64, 128, 8, 1, small=True)),
]
QUICK = 2


def compile_log(launch):
    """What NVRTC and its assembler say of a launch's kernel."""
    return compile_with_headers(
        (KERNELS / launch.source).read_text(encoding="utf-8"),
        launch.source,
        architecture="sm_90a",
        macros=dict(launch.macros),
        headers=own_headers(launch.source),
        extra_options=["--ptxas-options=-v"],
    ).log


@pytest.mark.slow
@pytest.mark.parametrize("side", sampled([1024, 1536, 4095, 4096]))
@pytest.mark.parametrize("precision", ["bf16x6", "fp16x3"])
@pytest.mark.parametrize("epilogue", [Epilogue(), Epilogue(0.5, bias=True, activation="gelu")], ids=str)
def test_products_of_parts_compile_without_spills(precision, side, epilogue):
    """The kernels of float32 by parts: registers suffice for two or three sums of each result."""
    product = replace(Problem.of("matmul", side, side, side, "float32"), precision=precision, epilogue=epilogue)
    for launch in choose_plan(product, find_chip("h200")).launches:
        log = compile_log(launch)

        assert "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in log
        assert "C75" not in log


@pytest.mark.slow
@pytest.mark.parametrize(
    "tile",
    sampled(t for t in tile_table().candidates if t.block_m * t.block_n > 64 * 64 and t.of_elements(4).holds_a),
)
@pytest.mark.parametrize("epilogue", [Epilogue(), Epilogue(0.5, bias=True, activation="gelu")], ids=str)
@pytest.mark.parametrize("side", [255, 512])
def test_products_of_tf32_compile_without_spills(tile, epilogue, side):
    """Each tile for 16-bit types with half the k, where threads copy B and store C and where TMA does."""
    problem = replace(Problem.of("matmul", side, side, side, "float32"), precision="tf32", epilogue=epilogue)
    (part,) = slices(problem)
    for stages in (tile.stages, tile.stages - 1):
        with suppress(PlanError):
            (*_, launch) = part_launches(part, replace(tile, stages=stages)).launches
            break
    log = compile_log(launch)

    assert "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in log
    assert "C75" not in log
    assert "warning" not in log


@pytest.mark.parametrize(
    "job",
    [
        *(pytest.param(job, id=f"{job.case} {index}") for index, job in enumerate(JOBS[-QUICK:])),
        *(
            pytest.param(job, id=f"{job.case} {job.tile.block_m}x{job.tile.block_n}", marks=pytest.mark.slow)
            for job in sampled(JOBS[:-QUICK])
        ),
    ],
)
def test_compiles_without_spills(job):
    """Each kernel of the launches: no stack, no spilled register, no warning about wgmma or setmaxnreg (C75..)."""
    for launch in planned_launches(job):
        log = compile_log(launch)

        assert "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in log
        assert "C75" not in log
        assert "warning" not in log
