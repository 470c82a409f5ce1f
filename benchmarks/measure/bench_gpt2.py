"""Time examples/gpt2_step.py on this GPU: python -m benchmarks.measure.bench_gpt2 [RESULT.json].

GPT-2's own vocabulary and 1,023 tokens, and the multiples of 64 that some round them up to; each called by the host and
replayed as a CUDA graph, in processes of their own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import record

RESULT = record.RESULTS / "gpt2_step.json"
EXAMPLE = Path(__file__).parents[2] / "examples" / "gpt2_step.py"
SIZES = {"as it is": (50_257, 1023), "rounded up": (50_304, 1024)}
HOW = (
    "ms of a training step of GPT-2 (124 million weights, 8 sequences, bfloat16, forward, backward and AdamW), medians "
    "of 30, with torch's linear layers and with tilewright's in turn in one process; everything else is torch's"
)


def row(name: str, vocabulary: int, tokens: int, *, graph: bool) -> dict[str, Any]:
    """Run the example once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "step.json"
        command = [sys.executable, str(EXAMPLE), "--vocabulary", str(vocabulary), "--tokens", str(tokens)]
        subprocess.run([*command, "--json", str(path), *(["--graph"] if graph else [])], check=True)
        told = json.loads(path.read_text(encoding="utf-8"))
    times = {kind: [round(each, 2) for each in ms] for kind, ms in told.pop("all_ms").items()}
    return {"sizes": name, "vocabulary": vocabulary, "tokens": tokens, "graph": graph, **told, "all_ms": times}


def main() -> int:
    """Measure and write."""
    rows = [row(name, *sizes, graph=graph) for name, sizes in SIZES.items() for graph in (False, True)]
    record.write(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT, HOW, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
