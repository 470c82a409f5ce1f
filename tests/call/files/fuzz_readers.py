"""Mutants of files that are read: `python -m tests.call.fuzz_readers [COUNT [SEED]]`.

Each is an npy, npz, mtx, csv, toml or trace that was right before bytes of it were flipped, cut, repeated, replaced by
others of the format's own words, or changed in the numbers that say how much there is. Each must be read or refused in
one sentence that names the file, within a second and a few bytes of memory.
"""

from __future__ import annotations

import io
import json
import random
import re
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy

from tilewright.call.files.errors import FileError
from tilewright.call.files.reading import read_matrix
from tilewright.choose.printable import printable
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.report.points import read_rubric
from tilewright.lab.trace.subject import TraceError
from tilewright.lab.watch.page import page_of
from tilewright.lab.watch.reading import read_document

MOST_SECONDS = 5.0
MOST_BYTES = 64 << 20
WORDS = (
    *(b"-1", b"0", b"4294967295", b"18446744073709551616", b"9" * 5000, b"1e400", b"nan", b"0x10", b"1_0", b"", b","),
    *(b"\xff\xfe", b"\0", b"\n", b"\r\n", b"%", b"[" * 3000, b"(" * 3000, b"{", b"'", b'"', b"\xf0\x9f\x98\x80"),
    *(b"\x1b[2J", b"None", b"True", b"object", b"|O", b"<f8", b">c16", b"symmetric", b"pattern", b"coordinate"),
)


def originals() -> dict[str, list[bytes]]:
    """Right files, several of each ending."""
    matrix = numpy.array([[1.5, -2, 3], [0, numpy.inf, 5]])
    arrays = [matrix, matrix.T, matrix.astype(">f4"), numpy.arange(5), numpy.zeros((0, 3), bool)]
    market = "%%MatrixMarket matrix {}\n% a comment\n{}"
    return {
        ".npy": [_npy(array) for array in arrays],
        ".npz": [_npz(numpy.savez, arrays[:1]), _npz(numpy.savez_compressed, arrays[:1]), _npz(numpy.savez, arrays)],
        ".mtx": [
            market.format("coordinate real general", "3 2 3\n1 1 1.5\n3 2 -2e1\n1 1 0.5\n").encode(),
            market.format("array integer symmetric", "2 2\n1\n2\n3\n").encode(),
            market.format("coordinate pattern skew-symmetric", "3 3 1\n3 1\n").encode(),
        ],
        ".csv": [b"1.5,-2,3\n0,inf,5\n", b"\xef\xbb\xbf1\r\n2\r\n"],
        ".toml": [b'[points]\nright = 40\n"boundary tiles" = 20.5\n"no race" = 1e1\n'],
        ".json": [json.dumps(_trace(), indent=1).encode()],
    }


def _npy(array: numpy.ndarray) -> bytes:
    stream = io.BytesIO()
    numpy.save(stream, array)
    return stream.getvalue()


def _npz(save, arrays) -> bytes:
    stream = io.BytesIO()
    save(stream, *arrays)
    return stream.getvalue()


def _trace() -> dict[str, Any]:
    step = {"k": "load", "w": 0, "l": 3, "m": 15, "a": 0, "e": [0, 1, 4], "s": 1}
    return {
        "format": "tilewright-trace",
        "version": 1,
        "made_by": "tilewright",
        "counts": {"loads": 4},
        "notes": [],
        "kernel": {"name": "k", "entry": "k", "file": "k.cu", "source": "one\ntwo\n", "headers": {}},
        "problem": {"operation": "dot", "m": 1, "n": 1, "k": 4, "scalars": {}, "tile": None, "wrong_elements": 0},
        "launch": {"grid": [1, 1, 1], "block": [4, 1, 1], "shared_bytes": 0, "schedule": None, "fault": None},
        "recorded": {"threads": None, "phases": None, "cut": None},
        "arrays": [{"name": "x", "space": "global", "shape": [4], "type": "float32", "before": [1, 2, 3, 4]}],
        "blocks": [{"block": [0, 0, 0], "steps": [step, {"k": "exit", "w": 0}]}],
        "findings": [{"kind": "race", "severity": "error", "line": 3, "other_line": None, "message": "m"}],
        "sums": None,
        "beside": None,
    }


def mutant(content: bytes, source: random.Random, others: list[bytes]) -> bytes:
    """Change a file in one to three places."""
    found = bytearray(content)
    for _ in range(source.randint(1, 3)):
        at = source.randrange(len(found) + 1)
        end = min(len(found), at + source.choice((1, 1, 2, 4, 8, 64)))
        kind = source.randrange(8)
        if kind == 0 and found:
            found[at % len(found)] ^= 1 << source.randrange(8)
        elif kind == 1:
            del found[at:end]
        elif kind == 2:
            found[at:at] = found[at:end] * source.choice((1, 3, 50))
        elif kind == 3:
            found[at:end] = source.choice(WORDS)
        elif kind == 4:
            del found[at:]
        elif kind == 5:
            found[at:end] = source.randbytes(end - at)
        elif kind == 6:
            other = source.choice(others)
            found[at:] = other[source.randrange(len(other)) :]
        else:  # a number that says how much there is
            numbers = list(re.finditer(rb"\d+", found))
            if numbers:
                chosen = source.choice(numbers)
                found[slice(*chosen.span())] = source.choice(WORDS)
    return bytes(found)


def fault_of(path: Path) -> str:
    """Read a file; return what is wrong with how that ended, or "read" or "refused"."""
    started = time.perf_counter()
    tracemalloc.reset_peak()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if path.suffix == ".toml":
                read_rubric(path)
            elif path.suffix == ".json":
                page_of(read_document(path))
            else:
                read_matrix(path)
        ended = "read"
    except (FileError, CheckError, TraceError) as error:
        said = str(error)
        is_sentence = path.name in said and said.endswith(".") and "\n" not in said and len(said) < 1000
        ended = "refused" if is_sentence and printable(said) == said else f"a sentence like {said[:300]!r}"
    except Exception as error:  # noqa: BLE001  (what is looked for)
        ended = f"{type(error).__name__}: {error}"
    if time.perf_counter() - started > MOST_SECONDS:
        ended = f"{time.perf_counter() - started:.1f} seconds"
    if tracemalloc.get_traced_memory()[1] > MOST_BYTES:
        ended = f"{tracemalloc.get_traced_memory()[1]:,} bytes of memory"
    return ended


def run(count: int, seed: int, folder: Path) -> tuple[Counter[str], list[tuple[int, str, str]]]:
    """Read that many mutants; return how they ended by kind, and what is wrong: number, ending, what happened."""
    kinds, endings, faults = originals(), Counter[str](), []
    tracemalloc.start()
    for number in range(count):
        source = random.Random(f"{seed} {number}")
        ending = source.choice(list(kinds))
        path = folder / f"mutant{number}{ending}"
        path.write_bytes(mutant(source.choice(kinds[ending]), source, kinds[ending]))
        ended = fault_of(path)
        endings[f"{ending} {ended}" if ended in {"read", "refused"} else f"{ending} wrong"] += 1
        if ended not in {"read", "refused"}:
            faults.append((number, ending, ended))
        path.unlink()
    tracemalloc.stop()
    return endings, faults


if __name__ == "__main__":
    wanted, first_seed = (*map(int, sys.argv[1:3]), *(20_000, 0)[len(sys.argv[1:3]) :])
    with tempfile.TemporaryDirectory() as name:
        counted, wrong = run(wanted, first_seed, Path(name))
    for what, how_many in sorted(counted.items()):
        sys.stdout.write(f"{what}: {how_many}\n")
    for fault in wrong[:50]:
        sys.stdout.write(f"seed {first_seed}, mutant {fault[0]}{fault[1]}: {fault[2]}\n")
    sys.stdout.write(f"{len(wrong)} of {wanted} ended neither read nor refused\n")
    sys.exit(bool(wrong))
