"""Read the hardware's counters of products on tensor cores, for the emulator's counts to be compared with.

    python -m benchmarks.measure.gpu_tensor_counters [RESULT.json]

ncu profiles one process that launches the whole list of benchmarks/measure/tensor_launches.py, each product of small
integers compared with the exact one. Clocks are left alone; caches are emptied before each launch.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy

from benchmarks import record
from benchmarks.measure.gpu_counters import extent, find_ncu, number, profiled
from benchmarks.measure.tensor_launches import TensorLaunch, tensor_launches

RESULT = record.RESULTS / "tensor_counters_h100.json"
METRICS = {
    "tensor_instructions": "sm__inst_executed_pipe_tensor_op_gmma.sum",
    "ops_bfloat16": "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum",
    "ops_float16": "sm__ops_path_tensor_op_hgmma_src_fp16.sum",
    "tma_instructions": "sm__inst_executed_pipe_tma.sum",
    "tma_instructions_executed": "sm__inst_executed_pipe_tma_pred_on_any.sum",
    "tma_requests": "l1tex__tmain_requests.sum",
    "tma_load_bytes": "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
    "tma_load_bytes_multicast": "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld_dest_multicast.sum",
    "tma_load_bytes_self": "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld_dest_self.sum",
    "tma_store_bytes": "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum",
    "l2_sectors_read": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_sectors_written": "lts__t_sectors_srcunit_tex_op_write.sum",
    "dram_bytes_read": "dram__bytes_read.sum",
    "wgmma_shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum",
    "wgmma_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma.sum",
    "wgmma_requests": "l1tex__lsuin_requests_op_gmma.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "warp_instructions": "smsp__inst_executed.sum",
}


def launch_all() -> None:
    """Launch the list: what ncu profiles."""
    from tilewright.kernels.launch import BUFFERS
    from tilewright.launch.cuda.machine import CudaMachine
    from tilewright.launch.cuda.planned import PlannedRun

    machine = CudaMachine()
    for launch in tensor_launches():
        a, b, expected = launch.arrays()
        c = numpy.full(expected.shape, 0x7E00, numpy.uint16)
        held = {name: machine.allocate(array.nbytes, name) for name, array in zip("ABC", (a, b, c), strict=True)}
        for name, array in zip("ABC", (a, b, c), strict=True):
            machine.copy_in(held[name], array)
        run = PlannedRun(launch.launches(), machine.device)
        run.run([held[name].address if name in held else 0 for name in BUFFERS])
        machine.copy_out(held["C"], c)
        if not launch.is_right(c, expected):
            sys.exit(f"{launch} gives a wrong result.")
        for buffer in held.values():
            machine.free(buffer)


def as_row(launch: TensorLaunch, measured: dict[str, str]) -> dict[str, object]:
    """One launch with its counters."""
    grid = extent(measured["Grid Size"])
    if grid != list(launch.launches().launches[-1].grid):
        sys.exit(f"ncu's rows are out of step: {launch} has another grid than {grid}.")
    return {
        **{name: getattr(launch, name) for name in ("tile", "dtype", "m", "n", "k", "layout")},
        "counters": {name: number(measured.get(metric)) for name, metric in METRICS.items()},
    }


def main() -> None:
    """Profile the list and write the result."""
    listed, options = list(tensor_launches()), ("--cache-control", "all", "--kernel-name", "regex:wgmma")
    own = ["benchmarks.measure.gpu_tensor_counters", "--launch"]
    with tempfile.TemporaryDirectory() as folder:
        found = profiled(find_ncu(), Path(folder) / "all.csv", METRICS.values(), own, *options)
    rows = [row for row in found if "wgmma" in (row["Kernel Name"] or "")]
    if len(rows) != len(listed):
        sys.exit(f"{len(listed)} launches were listed, and ncu read {len(rows)} of them.")
    record.write(
        Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT,
        "Nsight Compute, one launch per row, caches emptied before each, each result compared with the exact one",
        [as_row(launch, row) for launch, row in zip(listed, rows, strict=True)],
        metrics=METRICS,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--launch"]:
        launch_all()
    else:
        main()
