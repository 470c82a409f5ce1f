"""The command line. `main` is the `tilewright` command; it turns everything that can go wrong into one sentence."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence

PASSED, FAILED, REFUSED, BROKEN, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit statuses: all right; a result is wrong; the input or the machine does not do; a bug of ours; Ctrl-C."""


def main() -> None:
    """Run the command line and exit with its status."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `tilewright compare | head` ends as other commands do
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a file's name may hold what the terminal cannot show
    signal.signal(signal.SIGINT, _leave)
    status = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        sys.stderr.write(f"tilewright: the output cannot be written: {error.strerror}.\n")
        status = REFUSED
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def _leave(*_: object) -> None:
    """End at once on Ctrl-C: an exception would be lost inside LLVM, and threads may be in compiled code."""
    writing = sys.modules.get("tilewright.cli.writing")
    for path in () if writing is None else tuple(writing.UNFINISHED):
        path.unlink(missing_ok=True)
    show_cursor = b"\x1b[?25h\r\x1b[K" if os.isatty(2) else b""  # a progress bar hides it
    os.write(2, show_cursor + b"tilewright: interrupted.\n")
    os._exit(INTERRUPTED)


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit status. Errors go to stderr, one sentence each."""
    try:
        status = _run(list(arguments) or ["--help"])
    except KeyboardInterrupt:
        status = INTERRUPTED
    return _say("interrupted.", status) if status == INTERRUPTED else status


def _run(arguments: list[str]) -> int:
    try:
        from .app import app
        from .refusals import expected_errors, sentence
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "click", "rich"):
            raise
        return _say('the command line needs typer and rich: pip install "tilewright[cli]".', REFUSED)
    try:
        return int(app(args=arguments, prog_name="tilewright", standalone_mode=False) or PASSED)
    except expected_errors() as error:
        return _say(sentence(error), REFUSED)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else PASSED
    except Exception as error:
        if os.environ.get("TILEWRIGHT_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {sentence(error)}"
        return _say(f"a bug of tilewright, {what} (TILEWRIGHT_TRACEBACK=1 shows where.)", BROKEN)


def _say(text: str, status: int) -> int:
    sys.stderr.write(f"tilewright: {text}\n")
    return status
