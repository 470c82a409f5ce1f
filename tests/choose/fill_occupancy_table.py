"""Write occupancy_expected.json: what NVIDIA's own header answers (python -m tests.choose.fill_occupancy_table).

Needs a C compiler and cuda_occupancy.h (package nvidia-cuda-runtime). The tests only read the table.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from pathlib import Path

from tilewright.choose import chip_names, find_chip
from tilewright.compile.nvrtc import header_folders

HERE = Path(__file__).parent
TABLE = HERE / "occupancy_expected.json"
CUDA_MAJOR, CUDA = 13, "13.5"
QUESTIONS_PER_CHIP = 40
OLDEST = (3, 0)  # the header knows no older chips


def questions() -> list[tuple[str, int, int, int]]:
    """Chip, threads per block, shared bytes, registers per thread: odd ones, and those of the seeds' tiles."""
    chance = random.Random(0)
    asked = []
    chips = {find_chip(chip).compute_capability: chip for chip in chip_names()}  # one of each architecture
    for compute_capability, chip in chips.items():
        assert compute_capability is not None
        if compute_capability < OLDEST:
            continue
        facts = find_chip(chip)
        most = facts.shared_bytes_per_block_optin
        assert most is not None
        asked += [(chip, tile * tile, 8 * tile * tile, 32) for tile in (8, 12, 14, 15, 16, 32)]
        asked += [(chip, 1024, most, 64), (chip, 32, most + 1, 32), (chip, 1024, 0, 65), (chip, 992, 0, 64)]
        for _ in range(QUESTIONS_PER_CHIP):
            asked.append((chip, chance.randint(1, 1024), chance.randint(0, most // 2), chance.randint(1, 255)))
    return asked


def answers(asked: list[tuple[str, int, int, int]]) -> list[list[int]]:
    """Blocks by warps, by registers, by shared memory, and in all."""
    lines = []
    for chip, threads, shared, registers in asked:
        facts = find_chip(chip)
        assert facts.compute_capability is not None
        device = (*facts.compute_capability, facts.max_threads_per_sm, facts.shared_bytes_per_sm)
        more = (facts.shared_bytes_per_block_optin, facts.reserved_shared_bytes_per_block, threads, shared, registers)
        lines.append(" ".join(map(str, (*device, *more))))
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "ask"
        includes = [f"-I{path}" for path in header_folders(CUDA_MAJOR)]
        subprocess.run(["cc", "-w", *includes, str(HERE / "occupancy_header.c"), "-o", str(program)], check=True)
        said = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True).stdout
    return [[int(word) for word in line.split()] for line in said.splitlines()]


def main() -> None:
    """Ask and write."""
    asked = questions()
    rows = [[*question, *answer] for question, answer in zip(asked, answers(asked), strict=True)]
    columns = (
        "chip, threads per block, shared bytes, registers per thread; blocks by warps, registers, shared memory, all"
    )
    table = {"origin": f"cuda_occupancy.h of CUDA {CUDA}, asked by {Path(__file__).name}", "columns": columns}
    lines = ",\n".join(json.dumps(row) for row in rows)
    TABLE.write_text(json.dumps(table, indent=1)[:-2] + f',\n "rows": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
