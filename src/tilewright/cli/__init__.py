"""The command line. `main` is the `tilewright` command; whatever goes wrong is told in one sentence."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

PASSED, FAILED, REFUSED, BROKEN, INTERRUPTED, UNREAD = 0, 1, 2, 3, 130, 141
"""Exit statuses: success; a wrong result; an input or machine that cannot be used; a bug of ours; Ctrl-C; a closed
output pipe. The last two are those of shells for SIGINT and SIGPIPE."""


READ_FILES = ("check", "watch", "memories")
"""The verbs that take a kernel's file, which a process of its own reads."""
FILE_ENDINGS = (".cu", ".cuh")


def main() -> None:
    """Run the command line and exit with its status."""
    if not _open_streams():
        sys.exit(_say("standard output is closed, and results go there; > /dev/null drops them.", REFUSED))
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `tilewright compare | head` ends as other commands do
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a file's name may hold what the terminal cannot show
    signal.signal(signal.SIGINT, _leave)
    signal.signal(signal.SIGTERM, _leave)
    status = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        unread = isinstance(error, BrokenPipeError)
        status = UNREAD if unread else _say(f"the output cannot be written: {error.strerror}.", REFUSED)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def _open_streams() -> bool:
    """Return whether standard output is open.

    Streams that the caller closed are opened to nothing: otherwise the next file opened would take their number, and
    receive what is printed.
    """
    is_open: bool = sys.stdout is not None
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (open until the process ends)
    return is_open


def _leave(number: int, _: object) -> None:
    """End at once on Ctrl-C or `kill`: an exception would be lost in LLVM, and threads may be in compiled code."""
    writing = sys.modules.get("tilewright.kept.whole_files")
    if writing is not None:
        writing.remove_unfinished()
    show_cursor = b"\x1b[?25h\r\x1b[K" if os.isatty(2) else b""  # a progress bar hides it
    os.write(2, show_cursor + b"tilewright: interrupted.\n")
    os._exit(128 + number)


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit status. Errors go to stderr, one sentence each."""
    try:
        status = _run(list(arguments) or ["--help"])
    except KeyboardInterrupt:
        status = INTERRUPTED
    return _say("interrupted.", status) if status == INTERRUPTED else status


def _run(arguments: list[str]) -> int:
    if arguments[0] in READ_FILES and any(argument.endswith(FILE_ENDINGS) for argument in arguments):
        from tilewright.lab.limited.running import prepare

        prepare()  # it loads the emulator, while this process loads the rest
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
        return _say(sentence(error, arguments), REFUSED)
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # where there is no SIGPIPE; Rich and Typer leave with 1
            return UNREAD
        return error.code if isinstance(error.code, int) else PASSED
    except Exception as error:
        if os.environ.get("TILEWRIGHT_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {sentence(error)}"
        return _say(f"a bug of tilewright, {what} (TILEWRIGHT_TRACEBACK=1 shows where.)", BROKEN)


def _say(text: str, status: int) -> int:
    from tilewright.choose.printable import printable_line

    sys.stderr.write(f"tilewright: {printable_line(text)}\n")
    return status
