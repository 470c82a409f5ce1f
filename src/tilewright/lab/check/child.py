"""Checks one file in a child process; the request and the answer are plain data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilewright.lab.limited.task import with_refusals

from .options import CheckError, options_of_record
from .report.records import record_of

if TYPE_CHECKING:
    from tilewright.lab.limited.messages import Message
    from tilewright.lab.limited.task import Parent

    from .gpu.preparing import GpuFolder
    from .report.result import CheckResult

TASK = "tilewright.lab.check.child:check"
ARRAY, EXPECTED = "array ", "expected "
"""Prefixes of arrays' names in a message; the parameter's name follows."""


def check(request: Message, parent: Parent) -> dict[str, Any]:
    """Check one file; return the results' records.

    The request holds the path, the options, the folder and architecture for launches on a GPU, if any, and `given` for
    a kernel that is not a product: names and numbers. Arrays come as files or with the message.
    """
    asked = request.value
    options = options_of_record(asked["options"])
    path, gpu = Path(asked["path"]), _gpu_folder(asked["gpu"])

    def tell(done: int, everything: int) -> None:
        parent.tell([done, everything])

    def judged(result: CheckResult, following: str, left: int) -> None:
        parent.tell({"judged": record_of(result), "next": following, "left": left})

    def work() -> list[dict[str, Any]]:
        if asked["given"] is None:
            from .judge.judging import check_file

            results = check_file(path, options, progress=tell, judged=judged, for_gpu=gpu)
        else:
            from .judge.other_kinds import check_other

            given = _given(asked["given"], request.arrays, parent)
            results = check_other(path, options, **given, progress=tell, for_gpu=gpu)
        return [record_of(result) for result in results]

    return with_refusals(work)


def _gpu_folder(asked: Mapping[str, str] | None) -> GpuFolder | None:
    if asked is None:
        return None
    from .gpu.preparing import GpuFolder

    return GpuFolder(Path(asked["folder"]), asked["architecture"])


def _given(given: Mapping[str, Any], arrays: Mapping[str, Any], parent: Parent) -> dict[str, Any]:
    """Return the arguments of `check_other`; a reference function runs in the parent."""
    from .other_inputs import read_request

    if given["are_files"]:
        found = read_request({**given, "reference": ""})
    else:
        found = {
            "arrays": _named(arrays, ARRAY),
            "scalars": given["scalars"],
            "expect": _named(arrays, EXPECTED) or None,
        }
    return found | {"reference": AskedReference(parent) if given["reference"] else None}


def _named(arrays: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {name.removeprefix(kind): array for name, array in arrays.items() if name.startswith(kind)}


class AskedReference:
    """A stand-in for the caller's reference function, which runs in the parent process."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent

    def __call__(self, given: Mapping[str, Any]) -> Any:
        """Return what the function returns: an array, a tuple or a dict of arrays; raise CheckError if it fails."""
        arrays = {name: value for name, value in given.items() if hasattr(value, "dtype")}
        numbers = {name: value for name, value in given.items() if name not in arrays}
        answer = self._parent.ask(numbers, arrays)
        if "refusal" in answer.value:
            raise CheckError(answer.value["refusal"])
        if answer.value["form"] == "dict":
            return answer.arrays
        return tuple(answer.arrays.values())
