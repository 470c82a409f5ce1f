"""Flips bits in the emulator's kept code and runs a kernel: `python -m tests.emulate.flip_bits COUNT [SEED]`.

Each run is a process of its own, on a copy of the cache with one bit flipped somewhere in it. It must end in the right
result, with the damaged file replaced by what was there before the flip.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from pathlib import Path

from tests.emulate.popcount import is_right


def flip(path: Path, bit: int) -> None:
    """Flip one bit of a file."""
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def flip_somewhere(files: list[Path], source: random.Random) -> tuple[Path, int]:
    """Flip a bit of one of the files, each bit of all of them as likely as any; return which."""
    bit = source.randrange(sum(file.stat().st_size for file in files) * 8)
    for file in sorted(files):
        bits = file.stat().st_size * 8
        if bit < bits:
            flip(file, bit)
            return file, bit
        bit -= bits
    raise AssertionError(files)


def run(count: int, seed: int, pristine: Path) -> int:
    """Run that many flips on copies of the cache in `pristine`; return how many ended well."""
    source, well = random.Random(seed), 0
    for number in range(count):
        with tempfile.TemporaryDirectory() as name:
            place = Path(name) / "cache"
            shutil.copytree(pristine, place)
            file, bit = flip_somewhere(list(place.rglob("*.unit")), source)
            damaged = file.read_bytes()
            is_well = is_right(place) and file.read_bytes() != damaged
            well += is_well
            sys.stdout.write(f"{number + 1} {file.name} {bit} {'right' if is_well else 'WRONG'}\n")
            sys.stdout.flush()
    return well


if __name__ == "__main__":
    wanted = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        assert is_right(Path(folder))
        ended_well = run(wanted, int((sys.argv[2:] or ["0"])[0]), Path(folder))
    sys.stdout.write(f"{ended_well} of {wanted} ended in a right result\n")
    sys.exit(ended_well != wanted)
