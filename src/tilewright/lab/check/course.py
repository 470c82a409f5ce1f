"""Checks many files, each in its own process, so that one that crashes or hangs does not affect the others."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from tilewright.compile import CompileError, CompilerMissingError
from tilewright.lab.limited import LimitedError, LimitReachedError, Limits, default_memory_bytes, run_limited
from tilewright.lab.limited.task import done_or_raised
from tilewright.lab.source.cuda_file import SourceError

from .child import TASK
from .gpu.on_gpu import Card, run_on_gpu
from .options import CheckError, Options
from .references import CheckConversation, Progress
from .report.records import result_of
from .report.result import CheckResult
from .submissions import common_folder, refuse_links

if TYPE_CHECKING:
    from numpy.typing import NDArray

REFUSALS = (CheckError, CompileError, CompilerMissingError, LimitedError, SourceError)
"""Errors that keep a whole file from being checked; errors of a single kernel are in its result."""
FileLimits = Limits
"""The limits of one file's check."""


def check_files(
    paths: Sequence[Path],
    options: Options,
    *,
    arrays: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    card: Card | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[list[CheckResult]]:
    """Check each file in a child process; return each file's results, in the order of the files.

    arrays: the arguments of `check_other` for a kernel that is not a product, by name. limits: per file; None for the
    defaults, with the memory divided among the jobs. card: a GPU to run the kernels on as well. jobs: files checked at
    the same time. progress: called with the files done and their total; for a single file, with its launches.

    A file whose check crashes, hangs or needs too much memory has one result with that as its refusal; so has a
    symbolic link among several files. Raises CheckError if the reference cannot be loaded.
    """
    at_once = min(jobs, len(paths))
    limits = limits or Limits(memory_bytes=default_memory_bytes(at_once))
    reference = None
    if arrays is not None and arrays["reference"]:
        from .other_inputs import load_reference

        reference = load_reference(arrays["reference"])
    given = None if arrays is None else {**arrays, "reference": reference is not None, "are_files": True}
    done, counting = 0, Lock()
    whole = progress if len(paths) == 1 else None
    folder = common_folder(paths) if len(paths) > 1 else None

    def check(path: Path) -> list[CheckResult]:
        nonlocal done
        conversation = CheckConversation(reference, whole)
        try:
            refuse_links(path, folder)
            results = check_in_child(path, options, given, limits=limits, conversation=conversation, card=card)
        except REFUSALS as error:
            results = [CheckResult(str(path), options.symbol, refusal=str(error))]
        with counting:
            done += 1
            if progress is not None and whole is None:
                progress(done, len(paths))
        return results

    if at_once == 1:
        return [check(path) for path in paths]
    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(check, paths))


def check_in_child(
    path: Path,
    options: Options,
    given: Mapping[str, Any] | None,
    arrays: Mapping[str, NDArray[Any]] | None = None,
    *,
    limits: Limits,
    conversation: CheckConversation,
    card: Card | None = None,
) -> list[CheckResult]:
    """Check one file in a child process. given, arrays: see child.py.

    Raises:
        LimitedError: the check crashed, or reached a limit before the first verdict; verdicts before it are returned.
        CheckError, SourceError, CompileError: there is nothing to check.
    """
    with nullcontext() if card is None else _gpu_folder() as folder:
        gpu = None if folder is None or card is None else {"folder": folder, "architecture": card.architecture}
        request = {"path": str(path), "options": asdict(options), "given": given, "gpu": gpu}
        try:
            answer = run_limited(TASK, request, arrays, what="the check", limits=limits, conversation=conversation)
            results = [result_of(record) for record in done_or_raised(answer)]
        except LimitReachedError as error:
            results = conversation.so_far(error)
        except (AttributeError, KeyError, TypeError) as error:
            raise LimitedError("the check gave an answer that cannot be read") from error
        if card is not None and folder is not None:
            results = run_on_gpu(results, Path(folder), card)
    if not results:
        raise CheckError("the file has no kernel")
    return [replace(result, file=str(path)) for result in results]


@contextmanager
def _gpu_folder() -> Iterator[str]:
    """A temporary folder for the launches on a GPU. If this process is killed, the template process removes it."""
    from tilewright.lab.limited.running import has_template

    with tempfile.TemporaryDirectory(prefix="tilewright-check-", ignore_cleanup_errors=True) as folder:
        if not has_template():
            yield folder
            return
        from tilewright.lab.limited.asking import in_care_of_template

        with in_care_of_template(folder):
            yield folder
