"""`tilewright tune`: the planner's choices timed on this card, what is faster kept, and what that gained."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.kernel import LEAST_CAPABILITY
from tilewright.kernels.tuned import Tuned
from tilewright.launch import facts_of

from . import INTERRUPTED, PASSED
from .options import PrecisionName
from .refusals import Refusal
from .screen import Bar, error_screen, screen
from .tables import new_table, print_whole
from .writing import JSON_HELP, check_json_path, write_json

if TYPE_CHECKING:
    from tilewright.lab.tune.session import Session
    from tilewright.lab.tune.stopwatch import DriverStopwatch, Stopwatch


class Transposed(StrEnum):
    """The operands that lie along columns, as the option takes them."""

    none = "none"
    a = "a"
    b = "b"
    ab = "ab"


class TunedDtype(StrEnum):
    """The types that kernels multiply, as the option takes them."""

    bfloat16 = "bfloat16"
    float16 = "float16"
    float32 = "float32"
    float64 = "float64"


def tune(
    shape: Annotated[
        list[str] | None,
        typer.Option(metavar="MxKxN", help="Rows x inner size x columns, BxMxKxN for a batch; may be repeated."),
    ] = None,
    dtype: Annotated[list[TunedDtype] | None, typer.Option(help="May be repeated. Without it: all of them.")] = None,
    transposed: Annotated[Transposed, typer.Option(help="The operands of the shapes that lie along columns.")] = (
        Transposed.none
    ),
    precision: Annotated[PrecisionName, typer.Option(help="How float32 is multiplied, in the shapes.")] = (
        PrecisionName.auto
    ),
    minutes: Annotated[float, typer.Option(min=0.1, max=600, help="Without shapes: about so long.")] = 3.0,
    seed: Annotated[int, typer.Option(help="Without shapes: of the products that are drawn.")] = 0,
    show: Annotated[bool, typer.Option("--show", help="Show what is kept of all cards; nothing is measured.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Delete what is kept of all cards.")] = False,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
) -> int:
    """Time the kernels and tiles of products on this GPU, and keep those that are faster than the planner's choice."""
    if show and forget:
        raise Refusal("--show lists what --forget deletes; give one of them.")
    check_json_path(json_path)
    if show:
        return _show(json_path)
    if forget:
        return _forget()
    from tilewright.lab.tune.products import product, shape_of

    dtypes = [each.value for each in dict.fromkeys(dtype or TunedDtype)]
    lies = transposed.value.replace("none", "")
    asked = [
        (one, product(shape_of(text), one, lies, precision.value))
        for text in dict.fromkeys(shape or ())
        for one in dtypes
    ]
    with _opened() as stopwatch, _stoppable() as is_over, Bar(error_screen()).running("timing products") as progress:
        path, kept = _kept_here(stopwatch.facts)
        session = _session(stopwatch, kept, path, is_over)
        if asked:
            session.measure(asked, progress)
        else:
            session.measure_drawn(seed, dtypes, 60 * minutes, progress)
        was_stopped = is_over()
    if not session.found:
        if was_stopped:
            return INTERRUPTED
        raise Refusal(session.left_out[0] if session.left_out else "Nothing was measured in that time.")
    if not write_json(json_path, _record(session, path)):
        _print(screen(), session, path, is_drawn=not asked)
    return INTERRUPTED if was_stopped else PASSED


@contextmanager
def _opened() -> Iterator[DriverStopwatch]:
    """Yield the stopwatch of the first GPU; refuse one that no kernel is tuned for."""
    from tilewright.lab.tune.stopwatch import DriverStopwatch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a file that is about to be replaced
        check_card(facts_of("gpu"))
    with DriverStopwatch.opened() as stopwatch:
        yield stopwatch


def check_card(facts: DeviceFacts) -> None:
    """Refuse a card whose products have one kernel each."""
    capability = facts.compute_capability
    if capability is None or capability < LEAST_CAPABILITY:
        least = ".".join(map(str, LEAST_CAPABILITY))
        has = "none that is known" if capability is None else ".".join(map(str, capability))
        raise Refusal(
            f"{facts.name} has one kernel for each product, so there is nothing to tune: cards from compute capability "
            f"{least} on have several, and this one has {has}."
        )


def _kept_here(facts: DeviceFacts) -> tuple[Path, Tuned]:
    """Return the file of this card, and what it holds; refuse a folder in which nothing can be kept."""
    from tilewright.choose.tuned_file import TunedFileError, file_of, read_tuned
    from tilewright.kept.folder import check_folder, make_folder, no_home_folder, reason_of

    path = file_of(facts.name, facts.sm_count)
    try:
        if path is None:
            raise no_home_folder()
        make_folder(path.parent)
        check_folder(path.parent)
    except OSError as error:
        raise Refusal(f"What is measured cannot be kept: {reason_of(error)}.") from error
    try:
        return path, read_tuned(path, (facts.name, facts.sm_count, facts.driver)) or Tuned()
    except TunedFileError:  # what is measured takes its place
        return path, Tuned()


def _session(stopwatch: Stopwatch, kept: Tuned, path: Path, is_over: Callable[[], bool]) -> Session:
    from tilewright.choose.tuned_file import write_tuned
    from tilewright.lab.tune.session import Session

    facts = replace(stopwatch.facts, tuned=None)
    return Session(stopwatch, kept, lambda tuned: write_tuned(path, facts, tuned), is_over)


@contextmanager
def _stoppable() -> Iterator[Callable[[], bool]]:
    """Yield whether Ctrl-C was pressed: what is being timed ends first. Pressed again, it ends the command at once."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    before = signal.getsignal(signal.SIGINT)

    def press(*_: object) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, press)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def _print(console: Console, session: Session, path: Path, *, is_drawn: bool) -> None:
    facts = session.stopwatch.facts
    console.print(f"{facts.name}, {facts.sm_count} SMs, CUDA {facts.driver}", style="bold", markup=False)
    (_print_groups if is_drawn else _print_products)(console, session)
    console.print()
    for sentence in _sentences(session, path):
        console.print(f"- {sentence}", markup=False, soft_wrap=True)
    for why in session.left_out:
        console.print(f"- Left out: {why}", markup=False, style="dim", soft_wrap=True)


def _print_products(console: Console, session: Session) -> None:
    table = new_table("product", "planner's", ">us", "~fastest", ">us", ">gain")
    for each in session.found:
        choice, planned = each.choice, each.contest.planned_kernel.partition("/")[2]
        if choice is None:
            table.add_row(each.contest.key, planned, f"{each.planned_us:,.1f}", "the same", "", "")
        else:
            row = (planned, f"{choice.model_us:,.1f}", _named(choice.kernel, choice.tile), f"{choice.us:,.1f}")
            table.add_row(each.contest.key, *row, f"{each.gain:.2f}")
    print_whole(console, table)


def _print_groups(console: Console, session: Session) -> None:
    from tilewright.lab.tune.rates import geometric_mean

    table = new_table("regime", ">products", ">faster", ">mean gain", ">largest")
    for group in dict.fromkeys(each.contest.group for each in session.found):
        gains = [each.gain for each in session.found if each.contest.group == group]
        faster = sum(gain > 1 for gain in gains)
        table.add_row(group, f"{len(gains)}", f"{faster}", f"{geometric_mean(gains):.3f}", f"{max(gains):.2f}")
    print_whole(console, table)


def _named(kernel: str, tile: Any) -> str:
    numbers = ", ".join(f"{name} {value}" for name, value in tile.items())
    return f"{kernel.partition('/')[2]}: {numbers}" if numbers else kernel.partition("/")[2]


def _sentences(session: Session, path: Path) -> Iterator[str]:
    from tilewright.lab.tune.rates import geometric_mean

    gains = [each.gain for each in session.found]
    faster = [gain for gain in gains if gain > 1]
    yield (
        f"{len(faster):,} of {len(gains):,} products are faster than by the planner's choice: these "
        f"{geometric_mean(faster):.3f} times as fast, all {geometric_mean(gains):.3f}, as geometric means."
    )
    trial = session.trial
    if trial is not None:
        factors = ", ".join(f"{idea} {factor:.2f}" for idea, factor in trial.factors.items())
        verdict = "They are kept for shapes that were not measured." if trial.is_kept else "They are not kept."
        yield (
            f"Measured over modelled time: {factors}. With these rates {trial.changed:,} of {trial.products:,} "
            f"products that were held back have another plan, and all are {trial.gain:.3f} times as fast. {verdict}"
        )
    if session.kept.choices or session.kept.factors:
        yield f"Kept in {path}: {len(session.kept.choices):,} products. Processes that start now plan by it."
    else:
        yield "Nothing is kept: the planner's choices are as fast."


def _record(session: Session, path: Path) -> dict[str, Any]:
    trial = session.trial
    return {
        "card": [session.stopwatch.facts.name, session.stopwatch.facts.sm_count, session.stopwatch.facts.driver],
        "file": str(path),
        "products": [
            {
                "product": each.contest.key,
                "group": each.contest.group,
                "planned": each.contest.planned_kernel,
                "planned_us": each.planned_us,
                "candidates": [
                    {"kernel": one.kernel.name, "tile": dict(one.tile), "model_us": one.model_us, "us": us}
                    for one, us in zip(each.contest.candidates, each.candidates_us, strict=True)
                ],
                "kept": None if each.choice is None else vars(each.choice),
                "rated_us": each.rated_us,
            }
            for each in session.found
        ],
        "trial": None if trial is None else {**vars(trial), "is_kept": trial.is_kept},
        "left_out": session.left_out,
    }


def _show(json_path: Path | None) -> int:
    """Print what all files hold, those that cannot be used as well."""
    from tilewright.choose.tuned_file import TunedFileError, all_files, read_file

    console, files, shown = screen(), all_files(), []
    for path in files:
        try:
            found = read_file(path)
        except TunedFileError as error:
            console.print(f"{path} {error}.", markup=False, soft_wrap=True)
            continue
        if found is not None:
            shown.append((path, found))
    rows = [{"file": str(path), "card": found.card, "tilewright": found.version} for path, found in shown]
    contents = [{"factors": dict(each.tuned.factors), "products": _choices(each.tuned)} for _, each in shown]
    if write_json(json_path, {"files": [row | content for row, content in zip(rows, contents, strict=True)]}):
        return PASSED
    if not files:
        console.print("Nothing is kept: `tilewright tune` measures.", markup=False)
    for path, found in shown:
        console.print(f"{found}, {found.date}: {path}", style="bold", markup=False, soft_wrap=True)
        table = new_table("product", "~kernel", ">us", ">planner's us", ">gain")
        for key, choice in found.tuned.choices.items():
            gain = f"{choice.model_us / choice.us:.2f}"
            kernel = _named(choice.kernel, choice.tile)
            table.add_row(key, kernel, f"{choice.us:,.1f}", f"{choice.model_us:,.1f}", gain)
        print_whole(console, table)
        for idea, factor in found.tuned.factors.items():
            console.print(f"- matmul/{idea} takes {factor:.2f} times the time of its model.", markup=False)
    return PASSED


def _choices(tuned: Tuned) -> Sequence[dict[str, Any]]:
    return [{"product": key, **vars(choice)} for key, choice in tuned.choices.items()]


def _forget() -> int:
    from tilewright.choose.tuned_file import all_files

    console, files = screen(), all_files()
    for path in files:
        path.unlink()
        console.print(f"Deleted {path}.", markup=False, soft_wrap=True)
    if not files:
        console.print("Nothing is kept, so there is nothing to delete.", markup=False)
    return PASSED
