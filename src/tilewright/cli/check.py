"""`tilewright check`: whether a kernel of anyone's file is right, what is wrong with it, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tilewright.choose.printable import printable_line
from tilewright.lab.check.statuses import NOT_REACHED

from . import FAILED, PASSED
from . import REFUSED as UNUSABLE
from .check_inputs import named, other_kind
from .options import OperationName
from .refusals import Refusal
from .screen import Bar, error_screen, screen
from .within import MemoryLimit, TimeLimit, limits_of
from .writing import JSON_HELP, STANDARD_OUTPUT, check_json_path, check_outputs, check_writable, write_json, write_whole

if TYPE_CHECKING:
    from tilewright.lab.check.gpu.on_gpu import Card
    from tilewright.lab.check.options import Options
    from tilewright.lab.check.report.points import Score
    from tilewright.lab.check.report.result import CheckResult
    from tilewright.lab.limited import Limits

FORMULA = "A formula of rows, inner and cols, such as "


def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILES...", help="CUDA C++ files, as they are.")],
    symbol: Annotated[str | None, typer.Option(help="This kernel alone.")] = None,
    operation: Annotated[
        str | None, typer.Option(metavar="NAME", help="What it computes, such as matmul or sum. Without it: found out.")
    ] = None,
    arguments: Annotated[
        str | None, typer.Option("--args", metavar="ROLES", help="What each is, such as rows,inner,cols,A,B,C.")
    ] = None,
    block: Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Threads of a block, such as 32,8.")] = None,
    grid: Annotated[str | None, typer.Option(metavar="X,Y,Z", help=FORMULA + '"ceil(cols/64),ceil(rows/64)".')] = None,
    shared_bytes: Annotated[
        str | None, typer.Option(metavar="BYTES", help="Dynamic shared memory; a formula, too.")
    ] = None,
    define: Annotated[list[str] | None, typer.Option("--define", "-D", metavar="NAME=VALUE", help="A macro.")] = None,
    template: Annotated[list[str] | None, typer.Option(metavar="ARGUMENT", help="A template argument.")] = None,
    multiples_of: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The kernel promises multiples of N only.")
    ] = None,
    zero_output: Annotated[bool, typer.Option("--zero-output", help="C holds zeros before: it adds into C.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the inputs, and of sizes that no file can foresee.")] = 0,
    strict: Annotated[bool, typer.Option("--strict", help="Findings that are notes fail, too.")] = False,
    array: Annotated[
        list[str] | None, typer.Option(metavar="A=a.npy", help="Of a kernel that is no product: what a pointer holds.")
    ] = None,
    scalar: Annotated[list[str] | None, typer.Option(metavar="n=5", help="The same: a number.")] = None,
    expect: Annotated[list[str] | None, typer.Option(metavar="C=c.npy", help="The same: what should come out.")] = None,
    reference: Annotated[
        str | None, typer.Option(metavar="FILE.py:FUNCTION", help="The same: what computes it.")
    ] = None,
    gpu: Annotated[bool, typer.Option("--gpu", help="The same on the GPU, once it has ended on the emulator.")] = False,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML, for CI.")] = None,
    points: Annotated[Path | None, typer.Option(metavar="RUBRIC.toml", help="For a course: points per file.")] = None,
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
    jobs: Annotated[int, typer.Option(min=1, help="Files at a time.")] = 1,
) -> int:
    """Check the kernels of CUDA C++ files: right or wrong, races, faults and slow accesses, line by line."""
    from tilewright.lab.check.options import Options
    from tilewright.lab.check.report.points import score

    _check_paths(files, json_path, junit, is_course=points is not None or len(files) > 1)
    _check_no_file(define or [])
    arrays = other_kind(array or [], scalar or [], expect or [], reference)
    rubric, launch = _rubric(points)
    if multiples_of is not None and "boundary tiles" in rubric:
        raise Refusal("--multiples-of leaves no boundary tiles to run, and the rubric has points for them.")
    options = Options(
        symbol=symbol or "",
        operation=_operation(operation or ""),
        arguments=arguments or "",
        block=block or "",
        grid=grid or "",
        shared_bytes=shared_bytes or "",
        defines=named(define or [], "-D", "NAME=VALUE", default="1"),
        template_arguments=tuple(template or ()),
        multiples_of=multiples_of,
        zero_output=zero_output,
        launch=launch,
        seed=seed,
    )
    limits = limits_of(time_limit, memory_limit, min(jobs, len(files)))
    card = None
    if gpu:
        from tilewright.lab.check.gpu.on_gpu import card_at_hand

        card = card_at_hand()
    results = _run(files, options, arrays, limits=limits, jobs=jobs, card=card)
    scores = [score(of_file, rubric) for of_file in results] if rubric else []
    _write(json_path, junit, results, scores, seed=seed, strict=strict)
    if len(results) == 1 and len(results[0]) == 1 and results[0][0].refusal and json_path != STANDARD_OUTPUT:
        raise Refusal(_with_file(results[0][0]))
    if json_path != STANDARD_OUTPUT:
        _print(results, scores, strict=strict)
    everything = [result for of_file in results for result in of_file]
    if all(result.refusal for result in everything):
        return UNUSABLE
    reached = [result for result in everything if result.pending != NOT_REACHED]
    if not all(result.is_well(strict=strict) for result in reached):
        return FAILED
    return PASSED if len(reached) == len(everything) else UNUSABLE


def _check_paths(files: list[Path], json_path: Path | None, junit: Path | None, *, is_course: bool) -> None:
    for path in files:
        if is_course and path.is_symlink():
            if len(files) == 1:
                raise Refusal(f"{path} is not read: it is a symbolic link, which may lead to another's file.")
            continue  # the others are checked; its own result says why it is not
        if not path.exists():
            raise Refusal(f"{path} does not exist.")
        if not path.is_file():
            raise Refusal(f"{path} is no file; check takes CUDA C++ files.")
    check_json_path(json_path)
    if junit is not None:
        check_writable(junit)
        if json_path is not None and json_path != STANDARD_OUTPUT:
            check_outputs([json_path, junit])


def _check_no_file(defines: list[str]) -> None:
    """Refuse a macro that is a file's name: the shell expands `check *.cu` to names that may begin with a dash, which
    are then read as options.
    """
    for text in defines:
        name = f"-D{text}"
        if Path(name).exists():
            raise Refusal(f"{name} is a file here, and is read as an option: give it as ./{name}.")


def _rubric(path: Path | None) -> tuple[dict[str, float], dict[str, str]]:
    """Return the points of each criterion, and the launch of files that give none."""
    if path is None:
        return {}, {}
    from tilewright.lab.check.options import CheckError
    from tilewright.lab.check.report.points import read_launch, read_rubric

    try:
        return read_rubric(path), read_launch(path)
    except CheckError as error:
        raise Refusal(str(error)) from error


def _operation(name: str) -> str:
    """Return the name of a product or of another kind of kernel; raise Refusal for an unknown one."""
    from tilewright.lab.check.kinds import KINDS

    if name and name not in (*OperationName, *KINDS):
        others = "sum, max, row_sum, vector_add, transpose or histogram"
        raise Refusal(f"--operation {name} is none of {', '.join(OperationName)}, nor another kind such as {others}.")
    return name


def _run(
    files: list[Path],
    options: Options,
    arrays: dict[str, Any] | None,
    *,
    limits: Limits,
    jobs: int,
    card: Card | None,
) -> list[list[CheckResult]]:
    from tilewright.lab.check.course import check_files
    from tilewright.lab.check.options import CheckError

    what = f"checking {files[0].name}" if len(files) == 1 else f"checking {len(files)} files"
    with Bar(error_screen()).running(what) as report:
        try:
            return check_files(files, options, arrays=arrays, limits=limits, card=card, jobs=jobs, progress=report)
        except CheckError as error:
            raise Refusal(str(error)) from error


def _write(
    json_path: Path | None,
    junit: Path | None,
    results: list[list[CheckResult]],
    scores: list[Score],
    *,
    seed: int,
    strict: bool,
) -> None:
    if json_path is not None:
        from tilewright.lab.check.report.report_json import document

        write_json(json_path, document(results, seed=seed, strict=strict, scores=scores))
    if junit is not None:
        from tilewright.lab.check.report.junit import junit_xml

        write_whole(junit, junit_xml(results, strict=strict, scores=scores))


def _print(results: list[list[CheckResult]], scores: list[Score], *, strict: bool) -> None:
    from .check_text import print_points, print_result, print_summary

    console = screen()
    if scores:
        print_points(console, [of_file[0].file for of_file in results], scores)
        return
    for result in (result for of_file in results for result in of_file):
        print_result(console, result, strict=strict)
        console.print()
    if len(results) > 1:
        print_summary(console, results, strict=strict)


def _with_file(result: CheckResult) -> str:
    name = printable_line(Path(result.file).name)
    return result.refusal if name in result.refusal else f"{result.file}: {result.refusal}"
