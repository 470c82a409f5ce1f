"""Seeded mutants of CUDA texts, to see that each ends in a verdict, a refusal in a sentence, or a question.

    python -m tests.lab.source.cuda_mutants --count 5000 --seed 1 [--first 2500] [--jobs 2]

(`make fuzz-cuda`) checks so many and prints how often each kind of ending came; a mutant that ended as none may is kept
in `.fuzz/`, and the command fails. Mutant i of a seed is always the same: a run that was stopped goes on with --first.
"""

from __future__ import annotations

import argparse
import builtins
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tilewright.emulate import faults
from tilewright.lab.check.course import check_in_child
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.references import CheckConversation
from tilewright.lab.check.report.result import CheckResult
from tilewright.lab.limited import LimitedError, Limits
from tilewright.lab.source import CompileError, SourceError

FOLDERS = ("tests/lab/seeds", "tests/lab/planted/bad", "tests/lab/check/styles", "tests/lab/source/files")
SECONDS = 20.0


def _is_error(each: object) -> bool:
    return isinstance(each, type) and issubclass(each, Exception)


TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|<<<|>>>|\S")
HUGE = ("99999999999999999999", "-1", "0x7fffffff", "4294967296", "1e400", "0", "2147483648u")
ODD = (b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[31m", b"\x80\x81", "\u202e\u2066".encode(), b"\r", b"\\\n", b"??=")
MACROS = (
    "#define __global__\n",
    "#define float double\n",
    "#define for while\n",
    "#define A(x) A(x) A(x)\n",
    "#define X(a) a##a##a\n",
    "#if 0\n",
    "#include __FILE__\n",
    "#pragma unroll 99999999\n",
    "template <int N> struct T { T<N + 1> t; };\n",
)
_CLASSES = [name for space in (builtins, faults) for name, each in vars(space).items() if _is_error(each)]
WRONG_WORDS = re.compile(rf"Traceback|<class |object at 0x|\b(?:{'|'.join(_CLASSES)}|NoneType)\b")
"""What no sentence to a user holds."""


def mutant(text: str, draw: random.Random) -> bytes:
    """Return the text with one to four changes."""
    data = text.encode()
    for _ in range(draw.randint(1, 4)):
        data = draw.choice(CHANGES)(data, draw)
    return data


def _tokens(data: bytes) -> list[re.Match[str]]:
    return list(TOKEN.finditer(data.decode("latin-1")))


def _replaced(data: bytes, match: re.Match[str], new: str) -> bytes:
    text = data.decode("latin-1")
    return (text[: match.start()] + new + text[match.end() :]).encode("latin-1")


def _delete(data: bytes, draw: random.Random) -> bytes:
    tokens = _tokens(data)
    return _replaced(data, draw.choice(tokens), "") if tokens else data


def _duplicate(data: bytes, draw: random.Random) -> bytes:
    tokens = _tokens(data)
    if not tokens:
        return data
    token = draw.choice(tokens)
    return _replaced(data, token, f"{token[0]} {token[0]}")


def _swap(data: bytes, draw: random.Random) -> bytes:
    tokens = _tokens(data)
    if len(tokens) < 2:
        return data
    first, second = sorted(draw.sample(tokens, 2), key=lambda match: match.start())
    return _replaced(_replaced(data, second, first[0]), first, second[0])


def _brace(data: bytes, draw: random.Random) -> bytes:
    return _inserted(data, draw, draw.choice([b"{", b"}", b"(", b")", b"[", b"/*", b'"', b"'", b"<<<", b">>>"]))


def _number(data: bytes, draw: random.Random) -> bytes:
    numbers = [token for token in _tokens(data) if token[0][0].isdigit()]
    return _replaced(data, draw.choice(numbers), draw.choice(HUGE)) if numbers else data


def _bytes(data: bytes, draw: random.Random) -> bytes:
    return _inserted(data, draw, draw.randbytes(draw.randint(1, 4)))


def _odd(data: bytes, draw: random.Random) -> bytes:
    return _inserted(data, draw, draw.choice(ODD))


def _macro(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    lines.insert(draw.randint(0, len(lines)), draw.choice(MACROS).encode())
    return b"".join(lines)


def _lines(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if lines:
        at = draw.randrange(len(lines))
        lines[at : at + 1] = draw.choice([[], [lines[at]] * 2, [lines[at][: len(lines[at]) // 2]]])
    return b"".join(lines)


def _inserted(data: bytes, draw: random.Random, what: bytes) -> bytes:
    at = draw.randint(0, len(data))
    return data[:at] + what + data[at:]


CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_delete, _duplicate, _swap, _brace, _number, _bytes, _odd, _macro, _lines),
)


def texts() -> list[Path]:
    """Return the files that mutants are made of."""
    return [path for folder in FOLDERS for path in sorted(Path(folder).rglob("*.cu"))]


def endings(numbers: range, seed: int, folder: Path, jobs: int = 1) -> Iterator[tuple[bytes, str, str]]:
    """Check mutants, so many at a time; yield each with how it ended and what is wrong about that, if anything."""
    sources = texts()

    def checked(number: int) -> tuple[bytes, str, str]:
        draw = random.Random(f"{seed}-{number}")
        data = mutant(draw.choice(sources).read_text(encoding="utf-8", errors="replace"), draw)
        path = folder / f"mutant_{number}.cu"
        path.write_bytes(data)
        try:
            return data, *ending_of(path)
        finally:
            path.unlink()

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(checked, numbers)


def ending_of(path: Path) -> tuple[str, str]:
    """Return how the check of a file ends, and what is wrong about that; empty where nothing is."""
    began = time.monotonic()
    try:
        results = check_in_child(
            path,
            Options(cause_seconds=1),
            None,
            limits=Limits(seconds=SECONDS),
            conversation=CheckConversation(None, None),
        )
    except LimitedError as error:
        said = str(error)
        is_crash = "crashed" in said or "broke off" in said
        return ("crash" if is_crash else "limit"), said if is_crash else _wrong_in(said)
    except (CheckError, CompileError, SourceError) as error:
        return "refused", _wrong_in(str(error))
    except Exception as error:  # noqa: BLE001  (that is what is looked for)
        return "escaped", f"{type(error).__name__}: {error}"
    late = f"it took {time.monotonic() - began:.0f} s" if time.monotonic() - began > 4 * SECONDS else ""
    return _kind(results), late or next(filter(None, map(_wrong_in, _sentences(results))), "")


def _kind(results: list[CheckResult]) -> str:
    if any(not result.refusal for result in results):
        return "verdict"
    return next((result.pending for result in results if result.pending), "refused")


def _sentences(results: list[CheckResult]) -> Iterator[str]:
    for result in results:
        yield from (result.refusal, *result.notes, *(case.message for case in result.cases))
        yield from (finding.message for finding in result.findings)


def _wrong_in(sentence: str) -> str:
    match = WRONG_WORDS.search(sentence)
    return f"it says {match[0]!r}: {sentence[:300]}" if match else ""


def main() -> int:
    """Check so many mutants; return 1 if any ended as none may."""
    parser = argparse.ArgumentParser()
    for name, default in (("count", 5000), ("seed", 1), ("first", 0), ("jobs", os.cpu_count() or 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    numbers = range(given.first, given.first + given.count)
    kinds: Counter[str] = Counter()
    kept, failures = Path(".fuzz"), 0
    with tempfile.TemporaryDirectory() as folder:
        ended = endings(numbers, given.seed, Path(folder), given.jobs)
        for number, (data, kind, wrong) in zip(numbers, ended, strict=True):
            kinds[kind] += 1
            if wrong:
                failures += 1
                kept.mkdir(exist_ok=True)
                (kept / f"cuda-{given.seed}-{number}.cu").write_bytes(data)
                print(f"{given.seed}-{number}: {kind}: {wrong}", flush=True)  # noqa: T201
            if number % 100 == 99:
                print(number + 1, dict(kinds), failures, flush=True)  # noqa: T201
    print(f"{given.count} mutants of seed {given.seed}: {dict(kinds)}; {failures} ended as none may")  # noqa: T201
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
