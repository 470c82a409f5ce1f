"""What must stay equal while code moves: ``python -m tests.nets write FOLDER`` before, and after, then ``diff -r``.

``python -m tests.nets record`` writes what the tests compare, beside this file; ``python -m tests.nets ptx`` compares
the hashes of PTX with those recorded. A change that is meant is recorded in the commit that makes it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.nets.nets import DIGESTED, NETS, RECORDED, digest_lines, text_lines
from tilewright.compile.nvrtc import nvrtc_version


def main(arguments: list[str]) -> int:
    """Do what the first argument says; 1 where hashes differ, 2 where it says nothing known."""
    os.environ["TILEWRIGHT_LONG_TESTS"] = "1"  # all cases, none of them drawn
    match arguments:
        case ["write", folder]:
            Path(folder).mkdir(parents=True, exist_ok=True)
            for name in NETS:
                (Path(folder) / f"{name}.txt").write_text("\n".join(text_lines(name)) + "\n", encoding="utf-8")
            return 0
        case ["record"]:
            for name in NETS:
                lines = digest_lines(name) if name in DIGESTED else list(text_lines(name))
                head = [f"NVRTC {'.'.join(map(str, nvrtc_version()))}"] if name == "ptx" else []
                (RECORDED / f"{name}.txt").write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")
            return 0
        case ["ptx"]:
            recorded = (RECORDED / "ptx.txt").read_text(encoding="utf-8").splitlines()
            now = [f"NVRTC {'.'.join(map(str, nvrtc_version()))}", *text_lines("ptx")]
            differing = sorted(set(recorded) ^ set(now))
            sys.stdout.write("\n".join([*differing, f"{len(now)} programs, {len(differing)} lines differ"]) + "\n")
            return int(bool(differing))
    sys.stderr.write(f"{__doc__}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
