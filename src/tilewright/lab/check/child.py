"""The check of one file in a process of its own: reads a request from a folder, writes the answer there.

`python -m tilewright.lab.check.child FOLDER`. Progress goes to standard output, as lines of two numbers. When standard
input ends, nobody waits any more, and the process ends, too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from tilewright.lab.source.limits import limit_process

from .options import CheckError, Options
from .parent import end_with_parent
from .records import record_of
from .result import CheckResult

if TYPE_CHECKING:
    from .gpu_preparing import GpuFolder

REQUEST, ANSWER, FOR_GPU = "request.json", "answer.json", "gpu"
MAX_FILE_BYTES = 1 << 30


def main(arguments: list[str]) -> int:
    """Answer one request; return 0 when there is an answer, a refusal included."""
    folder = Path(arguments[0])
    request = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
    limit_process(request["cpu_seconds"], request["memory_bytes"], MAX_FILE_BYTES)
    Thread(target=end_with_parent, daemon=True).start()
    results = check(
        Path(request["path"]),
        _options(request["options"]),
        request["arrays"],
        for_gpu=_gpu_folder(folder, request["gpu_architecture"]),
    )
    unfinished = folder / f"{ANSWER}.part"
    unfinished.write_text(json.dumps({"results": [record_of(result) for result in results]}), encoding="utf-8")
    unfinished.rename(folder / ANSWER)
    return 0


def check(
    path: Path, options: Options, arrays: dict[str, Any] | None, *, for_gpu: GpuFolder | None = None
) -> list[CheckResult]:
    """Check one file here. What it is refused for is in its result. for_gpu: gets what a GPU is to run."""
    from tilewright.compile import CompileError
    from tilewright.lab.source.cuda_file import SourceError

    try:
        if arrays is not None:
            from .other_inputs import read_request
            from .other_kinds import check_other

            return check_other(path, options, **read_request(arrays), progress=_tell, for_gpu=for_gpu)
        from .judging import check_file

        return check_file(path, options, progress=_tell, for_gpu=for_gpu)
    except (CheckError, SourceError, CompileError) as error:
        return [CheckResult(str(path), options.symbol, refusal=str(error))]


def _gpu_folder(folder: Path, architecture: str) -> GpuFolder | None:
    if not architecture:
        return None
    from .gpu_preparing import GpuFolder

    return GpuFolder(folder / FOR_GPU, architecture)


def _options(record: dict[str, Any]) -> Options:
    return Options(**{**record, "template_arguments": tuple(record["template_arguments"])})


def _tell(done: int, everything: int) -> None:
    print(done, everything, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
